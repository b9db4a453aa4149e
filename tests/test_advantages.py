"""What speaks for a move, so that a hint can say why."""

from typing import Any

import numpy as np
import pytest

from cabochon import Game, sample
from cabochon.advantages import ADVANTAGES, MAX_ADVANTAGES, advantages
from cabochon.notation.move import parse_move
from tests.support.golden import FOLDER, GOLDEN
from tests.support.positions import DEMANDS, card, position

FAR = "w5 3w7k"  # nothing else is near for a seat that holds white and black only


def told(game: Game, move: str) -> dict[str, dict[str, Any]]:
    """The advantages of a move by code, in their order."""
    found = advantages(game.view(game.turn), parse_move(move, game.variant))
    return {one.code: dict(one.facts) for one in found}


@pytest.mark.parametrize(
    "game, move, expected",
    [
        (position(market={"3a": FAR}, tokens1="3w7k", points1=10, turn=1), "buy 3a", {"wins": {}}),
        (position(market={"3a": FAR}, tokens="3w7k", points=10), "buy 3a", {"goal": {}}),
        (position(market={"3a": FAR}, tokens="3w7k"), "buy 3a", {"points": {"points": 5}}),
        (
            position(market={"1a": "w 3u"}, bonuses="2w3u3g", tiles="3w3u3g"),
            "buy 1a",
            {"tile": {"tile": DEMANDS["classic"]["3w3u3g"], "points": 3}},
        ),
        (
            position(market={"1a": "w 3u"}, bonuses="2w3u3g3k", tiles="3w3u3g, 3w3u3k"),
            "buy 1a",
            {"tile": {"tile": DEMANDS["classic"]["3w3u3g"], "points": 3}},
        ),
        (position(stage="claim", bonuses="3w3u3g3r", tiles="3w3u3g, 3u3g3r"), "claim 2",
         {"tile": {"tile": DEMANDS["classic"]["3u3g3r"], "points": 3}}),
        (position("marvel", market={"1a": "Wasp"}, bonuses="7y7p7b7r7o", symbols=2), "buy 1a", {"avengers": {"points": 3}}),
        (position(market={"2a": "w2 5r"}, tokens1="5r"), "reserve 2a", {"denies": {"seat": 1, "points": 2}}),
        (position(market={"2a": "w2 5r"}, tokens="5r", tokens1="5r"), "buy 2a", {"denies": {"seat": 1, "points": 2}}),
        (
            position(market={"1a": "w 3u"}, bonuses1="2w3u3g", tiles="3w3u3g"),
            "reserve 1a",
            {"denies": {"seat": 1, "points": 3}},
        ),
        (position(reserve=FAR, tokens="3w6k"), "take kgr", {"affords": {"card": card(FAR), "place": "@1"}}),
        (position(reserve=FAR, tokens="3w4k", market={"2b": "w3 6w"}), "take kk",
         {"nearer": {"card": card(FAR), "place": "@1", "left": 1}}),
        (
            position(market={"1a": "w 3u"}, tokens="3u", bonuses="1w3u3g", tiles="3w3u3g"),
            "buy 1a",
            {"tile_nearer": {"tile": DEMANDS["classic"]["3w3u3g"], "left": 1}},
        ),
        (position(tokens="4w4u3r", stage="return"), "return w", {"keeps": {}}),
        (position(market={"1a": "g 3r"}), "reserve 2?", {"wild": {}}),
    ],
)  # fmt: skip
def test_what_speaks_for_a_move(game: Game, move: str, expected: dict[str, Any]) -> None:
    found = told(game, move)
    for code, facts in expected.items():
        assert facts == found.get(code), found


def test_a_card_in_reach_may_be_given_up_by_returning() -> None:
    game = position(reserve="g 3r", tokens="8w3r", stage="return")
    assert "keeps" in told(game, "return w") and "keeps" not in told(game, "return r")


def test_a_card_that_nobody_else_can_pay_denies_nothing() -> None:
    assert "denies" not in told(position(market={"2a": "w2 5r"}, tokens1="4r"), "reserve 2a")


@pytest.mark.slow
@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_whatever_is_hidden_makes_no_difference(golden: Any) -> None:
    """In whole games: at most two for a move, each with words, and the same whatever lies in the decks."""
    game = Game.from_record((FOLDER / f"{golden.name}.game").read_text())
    again, names = game.beginning(), [f"seat {seat}" for seat in range(game.players)]
    for move in game.moves:
        view = again.view(again.turn)
        found = advantages(view, move)
        assert len(found) <= MAX_ADVANTAGES and {one.code for one in found} <= ADVANTAGES.keys()
        assert all(one.sentence(names, game.variant) for one in found)
        other = Game.from_states(sample(view, np.random.default_rng(1)))
        assert found == advantages(other.view(again.turn), move)
        again.play(move)
