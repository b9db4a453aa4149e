"""Bots: they see only a view, play legally, finish their games, and greedy beats random."""

import re
from typing import Any

import numpy as np
import pytest

from cabochon import CabochonError, Game, sample
from cabochon.bots import BOTS, Bot, Budget, bot, legal_moves

from .positions import position

VARIANTS = ("classic", "marvel")
TINY = Budget(nodes=30)
MOST_MOVES = 2000


def play_out(game: Game, bots: list[Bot], seed: int) -> Game:
    """The game at its end; an illegal move raises."""
    for played in range(MOST_MOVES):
        if game.is_over:
            break
        game.play(bots[game.turn].choose(game.view(game.turn), TINY, seed + played))
    assert game.is_over, f"not over after {MOST_MOVES} moves: {game!r}"
    return game


def market(cards: dict[str, str], variant: str = "classic", **said: Any) -> Game:
    """A position with nothing else in the market, and no decks."""
    slots = {f"{tier}{place}": cards.get(f"{tier}{place}", "-") for tier in (1, 2, 3) for place in "abcd"}
    return position(variant, market=slots, deck1="-", deck2="-", deck3="-", **said)


def choice(game: Game, name: str = "greedy", seed: int = 0) -> str:
    return str(bot(name).choose(game.view(game.turn), TINY, seed))


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_greedy_beats_random(variant: str) -> None:
    games = 30
    won = 0
    for seed in range(games):
        seat = seed % 2
        bots = [bot("greedy" if other == seat else "random") for other in range(2)]
        outcome = play_out(Game(variant, seed=seed), bots, seed).outcome
        won += outcome is not None and outcome.winners == (seat,)
    assert won > 0.95 * games


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("names", [["greedy"], ["greedy", "random"], ["random"]], ids="-".join)
def test_every_move_is_legal_and_the_game_ends(variant: str, players: int, names: list[str]) -> None:
    bots = [bot(names[seat % len(names)]) for seat in range(players)]
    play_out(Game(variant, players, seed=11), bots, 11)


@pytest.mark.parametrize(
    "house",
    [{"token_limit": 3}, {"hand_limit": 0}, {"take_fewer": True}, {"goal": 30}, {"open_reserves": False}, {"token_limit": 1}],
    ids=str,
)
@pytest.mark.parametrize("variant", VARIANTS)
def test_house_rules_are_understood(variant: str, house: dict[str, Any]) -> None:
    game = Game(variant, 3, seed=5, **house)
    for played in range(120):
        if not game.is_over:
            game.play(bot("greedy").choose(game.view(game.turn), TINY, played))


@pytest.mark.parametrize("name", BOTS)
def test_the_same_seed_gives_the_same_move(name: str) -> None:
    game = Game("classic", seed=3)
    assert choice(game, name, seed=8) == choice(game, name, seed=8)


def test_random_plays_every_legal_move_sooner_or_later() -> None:
    game = Game("classic", seed=3)
    assert {str(move) for move in game.legal_moves()} == {choice(game, "random", seed) for seed in range(500)}


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", BOTS)
def test_what_is_hidden_does_not_change_the_move(variant: str, name: str) -> None:
    game = Game(variant, seed=4)
    rng = np.random.default_rng(1)
    for played in range(40):
        shown = game.view(game.turn)
        other = Game.from_states(sample(shown, rng))
        assert choice(game, name, played) == choice(other, name, played)
        game.play(choice(game, name, played))


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_legal_moves_of_a_view_are_those_of_the_game(variant: str) -> None:
    game = Game(variant, 3, seed=6)
    for played in range(60):
        assert game.legal_moves() == legal_moves(game.view(game.turn))
        game.play(choice(game, "random", played))


@pytest.mark.parametrize(
    "game, move",
    [
        (market({"1a": "g 3r", "2a": "r2 1w4u2g"}, tokens="3r"), "buy 1a"),
        (market({"1a": "w 2u2k", "3a": "g4 7u"}, tokens="7u2k", points=14), "buy 3a"),
        (market({"1a": "g 2w1u"}, hand_limit=0), "take (wu.|ww)"),
        (market({"3a": "g4 7u"}, stage="return", tokens="4w7u"), "return w"),
        (position(stage="claim", bonuses="4w4u4g", tiles="4w4u, 4u4g", bonuses1="3u4g"), "claim 2"),
        (market({"1a": "Baron Zemo", "3a": "Doctor Octopus"}, "marvel", tokens="7b3r", bonuses="1p1b1r1o", points=12), "buy 3a"),
    ],
)
def test_greedy_chooses(game: Game, move: str) -> None:
    assert re.fullmatch(move, choice(game))


def test_an_unknown_bot_is_refused_with_the_names() -> None:
    with pytest.raises(CabochonError, match="unknown bot 'deep': choose one of random, apprentice"):
        bot("deep")


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_decides_only_from_the_view_of_the_seat_to_decide(name: str) -> None:
    game = Game("classic", seed=1, start=0)
    for shown in (game.view(1), game.view(None), game.position()):
        with pytest.raises(CabochonError, match="seat 0 is to decide"):
            bot(name).choose(shown, TINY, 0)


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_has_nothing_to_choose_when_the_game_is_over(name: str) -> None:
    game = play_out(Game("classic", seed=2), [bot("greedy")] * 2, 2)
    with pytest.raises(CabochonError, match="the game is over"):
        bot(name).choose(game.view(0), TINY, 0)


def test_every_bot_has_a_name_and_a_line_about_itself() -> None:
    for name, player in BOTS.items():
        assert name == player.name
        assert player.character and "\n" not in player.character
