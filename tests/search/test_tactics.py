"""Positions with a provably best move: the proofs hold, and the search finds the moves."""

from collections import Counter
from collections.abc import Iterator
from statistics import mean

import numpy as np
import pytest

from cabochon import Game, Move, sample
from cabochon.bots import Budget
from cabochon.rules.cards import DECK_START
from cabochon.search import analyse
from cabochon.search.analysis import LINEAR_SEARCH, NET_SEARCH
from cabochon.search.mcts import SearchConfig
from cabochon.study.proving import Prover
from tests.support.tactics import SAVES, WINS, Tactic, disproof, tactics

pytestmark = pytest.mark.slow

WANTED = 0.95
TACTICS = tactics()


@pytest.mark.parametrize("tactic", TACTICS, ids=lambda tactic: tactic.name)
def test_listed_moves_are_proven_best(tactic: Tactic) -> None:
    assert None is disproof(tactic)


def test_file_has_both_games_many_motifs_and_no_position_twice() -> None:
    motifs = Counter(variant for variant, _ in {(tactic.view.rules.variant, tactic.motif) for tactic in TACTICS})
    assert 40 <= len(TACTICS) == len({tactic.position for tactic in TACTICS}) == len({tactic.name for tactic in TACTICS})
    assert min(motifs["classic"], motifs["marvel"]) >= 4
    assert {2, 3, 4} == {tactic.view.rules.players for tactic in TACTICS}
    assert {WINS, SAVES} >= {tactic.proof for tactic in TACTICS}


def test_views_are_those_of_the_seat_to_decide_and_hide_only_decks() -> None:
    for tactic in TACTICS:
        assert tactic.view.turn == tactic.view.seat
        assert not any(held.blind for area in tactic.view.seats for held in area.reserve)


@pytest.mark.parametrize(("config", "nodes"), [(LINEAR_SEARCH, 20_000), (NET_SEARCH, 2_000)], ids=["weights", "net"])
def test_search_finds_nearly_all(config: SearchConfig, nodes: int) -> None:
    found = [(tactic, str(analyse(tactic.view, Budget(nodes=nodes), seed=1, config=config).best)) for tactic in TACTICS]
    missed = [f"{tactic.name} ({tactic.motif}): {move}" for tactic, move in found if move not in tactic.best]
    assert len(missed) <= (1 - WANTED) * len(TACTICS), missed


def test_proof_does_not_depend_on_the_order_of_the_decks() -> None:
    """The bounds are the same for any decks that fit the view."""
    for tactic in TACTICS[:: len(TACTICS) // 8]:
        games = [Game.from_states(sample(tactic.view, np.random.default_rng(seed))) for seed in (1, 2)]
        move = games[0].legal_moves()[0]
        bounds = [(Prover(game, 2).lower(move), Prover(game, 2).upper(move)) for game in games]
        assert bounds[0] == pytest.approx(bounds[1])


def share(game: Game, seat: int) -> float:
    assert game.outcome is not None
    return (seat in game.outcome.winners) / len(game.outcome.winners)


def children(game: Game, move: Move) -> Iterator[Game]:
    """The game after a move, once for each card that may be turned up."""
    sizes = game.state["deck_size"].copy()
    for tier, size in enumerate(sizes):
        first = int(DECK_START[tier])
        for i in range(size):
            after = game.copy()
            deck = after.states["deck"][0]
            deck[[first + i, first + size - 1]] = deck[[first + size - 1, first + i]]
            after.play(move)
            if after.state["deck_size"][tier] == size:
                break
            yield after
    after = game.copy()
    after.play(move)
    if (after.state["deck_size"] == sizes).all():
        yield after


def plain_bound(game: Game, seat: int, last: int, upper: bool) -> float:
    """What the prover computes, with nothing left out: every move, payment, order of returns and card. No card is kept secret."""
    if game.is_over:
        return share(game, seat)
    if game.stage == "main" and game.state["turns"] >= last:
        return float(upper)
    moves = game.legal_moves(payments=True)
    values = [mean(plain_bound(after, seat, last, upper) for after in children(game, move)) for move in moves]
    return max(values) if game.turn == seat or (upper and game.players > 2) else min(values)


@pytest.mark.slow
@pytest.mark.parametrize("tactic", TACTICS[:: len(TACTICS) // 6], ids=lambda tactic: tactic.name)
def test_bounds_are_those_of_a_plain_search(tactic: Tactic) -> None:
    """A turn and any answer to it."""
    game = tactic.game()
    prover, last = Prover(game, 2), int(game.state["turns"]) + 2
    for move in (game.legal_moves()[0], Move.parse(tactic.best[0], game.variant)):
        ways = game.ways_to_pay(move) if move.kind == "buy" else [move]
        lower = mean(plain_bound(after, game.turn, last, upper=False) for after in children(game, move))
        upper = max(mean(plain_bound(after, game.turn, last, upper=True) for after in children(game, way)) for way in ways)
        assert (lower, upper) == pytest.approx((prover.lower(move), prover.upper(move)))
