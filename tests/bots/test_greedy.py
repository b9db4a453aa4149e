"""Greedy: what it chooses, that it keeps the rules, and that it beats random."""

import re
from typing import Any

import pytest

from cabochon import Game
from cabochon.bots import bot
from tests.support.positions import position

from .games import TINY, VARIANTS, choice, market, play_out


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


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "house",
    [{"token_limit": 3}, {"hand_limit": 0}, {"take_fewer": True}, {"goal": 30}, {"open_reserves": False}, {"token_limit": 1}],
    ids=str,
)
def test_greedy_keeps_house_rules(variant: str, house: dict[str, Any]) -> None:
    game = Game(variant, 3, seed=5, **house)
    while not game.is_over and game.state["turns"] < 40 * 3:
        view = game.view(game.turn)
        own = view.seats[game.turn]
        assert view.stage == "return" or sum(own.tokens) <= view.rules.token_limit
        assert len(own.reserve) <= view.rules.hand_limit
        move = bot("greedy").choose(view, TINY, len(game.moves))
        assert game.why_not(move) is None
        game.play(move)
    assert game.is_over or 120 == game.state["turns"]


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
