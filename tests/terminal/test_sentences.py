"""Moves and outcomes as sentences."""

from typing import Any

import pytest

from cabochon import Game
from cabochon.terminal import describe_move, describe_outcome
from tests.support.positions import position


@pytest.mark.parametrize(
    "game, move, sentence",
    [
        (position(), "take wug", "Anna takes white, blue and green."),
        (position(), "take kk", "Anna takes two black."),
        (position(market={"2c": "r2 1w4u2g"}), "reserve 2c", "Anna reserves 2c, a red card, 2 points, with a gold token."),
        (position(bank="4w"), "reserve 3?", "Anna reserves the top card of deck 3, unseen (no gold is left)."),
        (position(market={"1a": "g 3r"}, tokens="2r1*"), "buy 1a", "Anna buys 1a, a green card, for 2r 1*."),
        (position(market={"1a": "g 3r"}, bonuses="3r"), "buy 1a", "Anna buys 1a, a green card, for nothing."),
        (position(reserve="g 3r?", tokens="3r"), "buy @1", "Anna buys a reserved card, a green card, for 3r."),
        (position(stage="return", tokens="9w2*"), "return *", "Anna returns a gold token."),
        (position(bank="-", hand_limit=0), "pass", "Anna passes."),
        (
            position(bank="-", reserve="g 3r?, k 3g, u3 6u?"),
            "pass",
            "Anna passes. Shown: a green card and a blue card, 3 points.",
        ),
        (
            position(bonuses="4w4u", tiles="4w4u"),
            "take wug",
            "Anna takes white, blue and green. Noble 1 (4w4u) comes to Anna: 3 points.",
        ),
        (
            position(stage="claim", bonuses="4w4u4g", tiles="4w4u, 4u4g"),
            "claim 2",
            "Anna chooses noble 2 (4u4g).",
        ),
        (
            position("marvel", market={"3a": "Thor"}, bonuses="3y5p3b3r", symbols=1, tiles="4y4o"),
            "buy 3a",
            "Anna recruits 3a, Thor (red, 3 points), for nothing. A Time token comes with it."
            " The Avengers tile goes to Anna: 3 points.",
        ),
    ],
)
def test_a_move_is_told_as_an_opponent_sees_it(game: Game, move: str, sentence: str) -> None:
    before = game.view(1)
    game.play(move)
    assert sentence == describe_move(before, game.view(1), game.moves[-1], "Anna")


def test_your_own_move_is_told_to_you() -> None:
    game = position(bank="4w", deck3="g4 7u")
    before = game.view(0)
    game.play("reserve 3?")
    sentence = "You reserve the top card of deck 3: a green card, 4 points (no gold is left)."
    assert sentence == describe_move(before, game.view(0), game.moves[-1], "you")


@pytest.mark.parametrize(
    "fields, won",
    [
        ({"points": 16, "points1": 14}, "Anna wins with 16 points to 14."),
        ({"tableau": "k 3g", "points": 16, "points1": 16}, "Ben wins on equal points with fewer cards (0 to 1)."),
        ({"points": 16, "points1": 16}, "Anna and Ben share the victory."),
    ],
)
def test_the_end_is_told(fields: dict[str, Any], won: str) -> None:
    game = position(turn=1, **fields)
    game.play("take wug")
    lines = list(describe_outcome(game, ("Anna", "Ben")))
    assert "The game is over: 15 points were reached, and the round is played out." == lines[0]
    assert won == lines[1]
    assert 2 == sum(line.lstrip()[:2] in ("1.", "2.") for line in lines)
