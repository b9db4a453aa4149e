"""Every code of `why_not` has one test of its name, and a heading of that name in variants/refusals.md."""

import copy
import pickle
import re

import pytest

from cabochon import Game, Reason
from cabochon.why_not import RULES
from tests.support.positions import DEMANDS, card, position, why_not


def check(game: Game, move: str, code: str, /, **facts: str | int) -> None:
    """The move is refused with this code and these facts, by the kernel too."""
    reason = why_not(game, move)
    assert reason is not None
    assert (code, facts) == (reason.code, reason.facts)


def after(game: Game, move: str) -> Game:
    game.play(move)
    return game


# The turn


def test_game_over() -> None:
    game = position(stage="over")
    check(game, "take wug", "game_over")


def test_return_first() -> None:
    game = after(position(tokens="9w"), "take ugr")
    check(game, "pass", "return_first", excess=2)


def test_claim_first() -> None:
    game = after(position(bonuses="3w3u3g3r", tiles="3w3u3g, 3u3g3r"), "take wug")
    check(game, "take wug", "claim_first")


def test_return_above_the_limit() -> None:
    game = position(tokens="3w")
    check(game, "return w", "return_above_the_limit", held=3, limit=10)


def test_claim_among_several() -> None:
    game = position()
    check(game, "claim 1", "claim_among_several")


# Taking tokens


def test_pile_for_two() -> None:
    game = position(bank="3k")
    check(game, "take kk", "pile_for_two", gem="k", left=3)


def test_not_in_the_bank() -> None:
    game = position(bank="3w3u")
    check(game, "take wug", "not_in_the_bank", gem="g")


def test_three_colours() -> None:
    game = position()
    check(game, "take wu", "three_colours", left=5)


# Reserving


def test_deck_empty() -> None:
    game = position(deck2="-")
    check(game, "reserve 2?", "deck_empty", tier=2)


def test_place_empty() -> None:
    game = position(market={"1a": "-"}, deck1="-")
    check(game, "reserve 1a", "place_empty", place="1a")


def test_reserve_full() -> None:
    game = position(reserve="g 3r, k 3g, u 3k")
    check(game, "reserve 1a", "reserve_full", held=3, limit=3)


# Buying


def test_not_in_the_reserve() -> None:
    game = position()
    check(game, "buy @2", "not_in_the_reserve", place=2, held=0)


def test_price_too_high() -> None:
    game = position(tokens="1r", market={"1a": "g 3r"})
    check(game, "buy 1a", "price_too_high", card=card("g 3r"), short=2, price="3r")


def test_pay_tokens_in_hand() -> None:
    game = position(tokens="3r", market={"1a": "g 3r"})
    check(game, "buy 1a with *rr", "pay_tokens_in_hand", gem="*", held=0)


def test_time_never_spent() -> None:
    game = position("marvel", tokens="1y2r1t", market={"1a": "Rocket"})
    check(game, "buy 1a with yrt", "time_never_spent")


def test_overpaying() -> None:
    game = position(tokens="4r", market={"1a": "g 3r"})
    check(game, "buy 1a with rrrr", "overpaying", price="3r")


def test_whole_price() -> None:
    game = position(tokens="3r", market={"1a": "g 3r"})
    check(game, "buy 1a with rr", "whole_price", price="3r")


# Passing


def test_can_still_move() -> None:
    game = position()
    check(game, "pass", "can_still_move", move="take wug")
    check(position(bank="-"), "pass", "can_still_move", move="reserve 1a")


# Returning tokens


def test_time_never_returned() -> None:
    game = after(position("marvel", tokens="8y1t"), "take pbr")
    check(game, "return t", "time_never_returned")


def test_return_tokens_in_hand() -> None:
    game = after(position(tokens="9w"), "take rr")
    check(game, "return k", "return_tokens_in_hand", gem="k")


# Choosing a tile


def test_no_tile_there() -> None:
    game = after(position(bonuses="3w3u3g3r", tiles="3w3u3g, 3u3g3r"), "take wug")
    check(game, "claim 3", "no_tile_there", place=3)


def test_demand_not_met() -> None:
    game = after(position(bonuses="4w4u3g", tiles="3w3u3g, 4r4k, 4w4u"), "take wug")
    check(game, "claim 2", "demand_not_met", tile=DEMANDS["classic"]["4r4k"], demand="4r4k")


def test_other_colour_not_met() -> None:
    game = after(position("cities", bonuses="2w2u2g2r2k", points=17, tiles="13+ 2w2u2g2r2k, 12+ 6 other, 17+"), "take wug")
    check(game, "claim 2", "other_colour_not_met", tile=DEMANDS["cities"]["12+ 6 other"], other=6)


def test_points_not_met() -> None:
    game = after(position("cities", bonuses="2w2u2g2r2k", points=16, tiles="13+ 2w2u2g2r2k, 16+ 1w1u1g1r1k, 17+"), "take wug")
    check(game, "claim 3", "points_not_met", tile=DEMANDS["cities"]["17+"], points=16, prestige=17)


# All of them


@pytest.mark.parametrize("code", RULES)
def test_every_code_has_a_test(code: str) -> None:
    assert f"test_{code}" in globals()


@pytest.mark.parametrize("code", RULES)
def test_a_sentence_mentions_only_facts(code: str) -> None:
    """A sentence can be made of the facts, and none of it is left out where it has some."""
    rule, detail = RULES[code]
    facts = {name: f"<{name}>" for name in re.findall(r"{(\w+)}", detail)}
    reason = Reason(code, **facts)
    assert rule == reason
    assert all(value in reason.sentence() for value in facts.values())
    assert "{" not in reason.sentence()


def test_a_reason_survives_copying_and_pickling() -> None:
    reason = Reason("pile_for_two", gem="k", left=3)
    for again in (copy.deepcopy(reason), pickle.loads(pickle.dumps(reason))):
        assert reason == again
        assert (reason.code, reason.facts, "two of one colour need a pile of four (3 left)") == (
            again.code,
            again.facts,
            again.sentence(),
        )
