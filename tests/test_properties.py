"""What holds in every position that play can reach."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabochon import (
    VARIANTS,
    CabochonError,
    Game,
    IllegalMove,
    Move,
    Position,
    View,
    format_position,
    format_record,
    parse_position,
    parse_record,
    sample,
    state_of,
)
from cabochon.game import MAX_KEPT_RECORDS
from cabochon.rules.actions import ACTION_COUNT, BUY, PASS
from cabochon.view import view
from tests.support.comparing import Case, random_house

EXAMPLES = 150


@st.composite
def games(draw: st.DrawFn) -> Game:
    """A game after some random decisions, by any ruleset."""
    seed = draw(st.integers(0, 2**32))
    variant = draw(st.sampled_from(list(VARIANTS)))
    house = random_house(random.Random(draw(st.integers(0, 1000))), variant)
    game = Case(variant, draw(st.integers(2, 4)), seed, house).game()
    rng = random.Random(seed)
    for _ in range(draw(st.integers(0, 120))):
        if game.is_over:
            break
        game.play(rng.choice(game.legal_moves(payments=rng.random() < 0.2)))
    return game


def seats(game: Game) -> tuple[int | None, ...]:
    return (None, *range(game.players))


@settings(max_examples=EXAMPLES)
@given(games())
def test_tokens_are_conserved(game: Game) -> None:
    shown = game.position()
    held = (sum(area.tokens[lane] for area in shown.seats) for lane in range(len(shown.bank)))
    assert game.rules.supply() == tuple(bank + own for bank, own in zip(shown.bank, held, strict=True))


@settings(max_examples=EXAMPLES)
@given(games())
def test_cards_are_conserved(game: Game) -> None:
    shown = game.position()
    cards = [card for row in shown.market for card in row if card] + [card for deck in shown.decks for card in deck]
    cards += [card for area in shown.seats for card in area.tableau]
    cards += [held.card for area in shown.seats for held in area.reserve if held.card]
    assert list(range(1, 91)) == sorted(cards)


@settings(max_examples=EXAMPLES)
@given(games())
def test_position_round_trips(game: Game) -> None:
    text = format_position(game.position())
    again = parse_position(text)
    assert isinstance(again, Position)
    assert game.states.tobytes() == state_of(again).tobytes()
    assert text == format_position(again)


@settings(max_examples=EXAMPLES)
@given(games())
def test_view_round_trips(game: Game) -> None:
    for seat in seats(game):
        assert game.view(seat) == parse_position(format_position(game.view(seat)))


@pytest.mark.slow
@settings(max_examples=EXAMPLES)
@given(games())
def test_record_round_trips(game: Game) -> None:
    record = game.record(names=("Anna", "Ben"), date="2026-11-15")
    text = format_record(record)
    again = Game.from_record(text)
    assert record.decks == parse_record(text).decks
    assert (game.states.tobytes(), game.moves) == (again.states.tobytes(), again.moves)


@settings(max_examples=EXAMPLES)
@given(games())
def test_repr_pastes_back(game: Game) -> None:
    assert game == eval(repr(game), {"Game": Game})


@settings(max_examples=EXAMPLES)
@given(games())
def test_undo_restores_bytes(game: Game) -> None:
    passed = [game.states.tobytes()]
    rng = random.Random(len(game.moves))
    for _ in range(MAX_KEPT_RECORDS + 4):
        if not game.is_over:
            game.play(rng.choice(game.legal_moves(payments=True)))
            passed.append(game.states.tobytes())
    while len(passed) > 1:
        assert passed.pop() == game.states.tobytes()
        game.undo()
    assert passed == [game.states.tobytes()]


@pytest.mark.slow
@settings(max_examples=EXAMPLES)
@given(games())
def test_an_illegal_action_changes_nothing(game: Game) -> None:
    before, history = game.states.tobytes(), game.moves
    legal = {move.action for move in game.legal_moves()}
    for action in set(range(ACTION_COUNT)) - legal:
        move = Move(action, None, game.variant)
        with pytest.raises(IllegalMove, match=str(game.why_not(move))[:10]):
            game.play(move)
    assert (before, history) == (game.states.tobytes(), game.moves)


@settings(max_examples=EXAMPLES)
@given(games(), st.text(max_size=30) | st.from_regex(r"(take|reserve|buy|return|claim|pass) ?[a-z0-9?@*]{0,5}( with [wugrk*]+)?"))
def test_a_failed_text_changes_nothing(game: Game, text: str) -> None:
    before = game.states.tobytes()
    try:
        game.play(text)
    except CabochonError:
        assert before == game.states.tobytes()
    else:
        game.undo()
        assert before == game.states.tobytes()


@pytest.mark.slow
@settings(max_examples=EXAMPLES)
@given(games(), st.lists(st.integers(0, 5), min_size=7, max_size=7))
def test_payment_and_why_not_agree(game: Game, payment: list[int]) -> None:
    """Any payment at all is either listed, or refused with a reason."""
    ways = set(game.legal_moves(payments=True))
    for move in game.legal_moves():
        lanes = payment[: len(game.rules.letters)]
        if BUY <= move.action < PASS and any(lanes):
            paid = Move(move.action, tuple(lanes), game.variant)
            assert (paid in ways) == (game.why_not(paid) is None)


def reshuffled(game: Game, seat: int | None, seed: int) -> Game:
    """A game that differs from this one only in what the seat cannot know."""
    return Game.from_states(sample(game.view(seat), np.random.default_rng(seed)))


@settings(max_examples=EXAMPLES)
@given(games(), st.integers(0, 1000))
def test_sample_has_the_view(game: Game, seed: int) -> None:
    for seat in seats(game):
        assert game.view(seat) == view(sample(game.view(seat), np.random.default_rng(seed))[0], seat)


@settings(max_examples=EXAMPLES)
@given(games(), st.integers(0, 1000))
def test_hidden_cards_do_not_show(game: Game, seed: int) -> None:
    """States that differ only in hidden cards give the same view, the same text, and to the mover the same legal moves."""
    for seat in seats(game):
        other = reshuffled(game, seat, seed)
        assert game.view(seat) == other.view(seat)
        assert format_position(game.view(seat)) == format_position(other.view(seat))
        if seat == game.turn:
            assert game.legal_moves(payments=True) == other.legal_moves(payments=True)
            assert game.legal_moves() == Game.from_states(state_of(game.view(seat))).legal_moves()


@settings(max_examples=EXAMPLES)
@given(games(), st.integers(0, 1000))
def test_a_sampled_game_is_valid(game: Game, seed: int) -> None:
    other = reshuffled(game, game.turn, seed)
    assert other == Game.from_position(format_position(other.position()))


def test_a_view_has_no_place_for_a_deck() -> None:
    fields = set(View.__slots__)
    assert {"decks"} == set(Position.__slots__) - fields
    assert "deck" not in " ".join(fields - {"deck_sizes"})


@pytest.mark.slow
def test_sample_is_uniform() -> None:
    """A blind card and the deck share one pool: each unseen card is as likely in the reserve as anywhere in the deck."""
    game = Game("classic", seed=5, start=0, moves="reserve 3?; take wug")
    shown = game.view(1)
    rng = np.random.default_rng(1)
    draws = 3200
    blind: Counter[int] = Counter()
    top: Counter[int] = Counter()
    for _ in range(draws):
        full = Game.from_states(sample(shown, rng)).position()
        blind[full.seats[0].reserve[0].card or 0] += 1
        top[full.decks[2][0]] += 1
    expected = draws / 16
    for counts in (blind, top):
        assert 16 == len(counts)
        spread = sum((count - expected) ** 2 / expected for count in counts.values())
        assert spread < 37.7, "chi-square with 15 degrees of freedom, 99.9 %"


def test_the_same_seed_deals_the_same_game() -> None:
    assert Game("marvel", players=3, seed=7) == Game("marvel", players=3, seed=7)
    assert Game("marvel", players=3, seed=7) != Game("marvel", players=3, seed=8)


def every_move(variant: str) -> list[Any]:
    lanes = len(VARIANTS[variant].letters)
    return [Move(action, None, variant) for action in range(ACTION_COUNT) if action < 61 + lanes or action > 67] + [
        Move(action, (1, 0, 2, 0, 0, 3), variant) for action in range(BUY, PASS)
    ]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_move_round_trips(variant: str) -> None:
    for move in every_move(variant):
        assert move == Move.parse(str(move), variant)
        assert move == eval(repr(move), {"Move": Move})
