"""Every rule has one test of its name. The rules themselves, in words, are in `variants/*/rules.md` under the same headings."""

import random
import re
from collections import Counter
from typing import Any

import pytest

from cabochon import (
    CARDS,
    TILES,
    VARIANTS,
    Game,
    MoveSyntaxError,
    PositionError,
    Record,
    Ruleset,
    RulesetError,
    format_position,
    format_record,
    parse_position,
    parse_record,
)
from cabochon.view import Reserved
from tests.support.positions import DEMANDS, card, look, position, read, why_not

EVERY = pytest.mark.parametrize("variant", VARIANTS)
TABLE = pytest.mark.parametrize

ALL_LEFT = "three different colours, or all that are left"
PILE_OF_FOUR = "two of one colour need a pile of four"
NOT_IN_BANK = "a token can be taken only if it is in the bank"
FULL = "the reserve is full"
UNPAYABLE = "the price cannot be paid"
NO_CARD = "there is no card in this place"
RETURN_FIRST = "tokens above the limit must be returned first"
NO_RETURN = "tokens are returned only above the limit"
CHOOSE_FIRST = "one of the tiles that come must be chosen first"
CANNOT_PASS = "passing is allowed only when nothing else is"
OVERPAID = "overpaying is not allowed"
OVER = "the game is over"
BONUSES_MISSING = "a tile comes only when the bonuses meet its demand"
OTHER_MISSING = "a tile comes only with enough bonuses of one colour that it does not name"
POINTS_MISSING = "a tile comes only when the points meet its demand"

GAUNTLET: dict[str, Any] = {"bonuses": "1y1p1b1r1o", "tokens": "1t", "points": 16}
CITIES = ("16+ 1w1u1g1r1k", "13+ 4w3r", "12+ 6 other")
NOTHING_LEFT: dict[str, Any] = {"bank": "-", "market": "-", "deck1": "-", "deck2": "-", "deck3": "-"}


def stands(game: Game, **expected: Any) -> bool:
    """Compare fields of the whole truth with what a position would say for them."""
    shown = game.position()
    found = {name: look(shown, name) for name in expected}
    assert {name: read(name, value, game.rules) for name, value in expected.items()} == found
    return True


def after(game: Game, moves: str) -> Game:
    game.play_all(moves)
    return game


def seat(place: int, **fields: Any) -> dict[str, Any]:
    """The fields of one seat."""
    return {f"{name}{place or ''}": value for name, value in fields.items()}


def by_cards(variant: str, classic: Any, marvel: Any) -> Any:
    """One of two, by the cards the variant is played with."""
    return {"classic": classic, "marvel": marvel}[VARIANTS[variant].card_set]


def reached(variant: str, *places: int) -> dict[str, Any]:
    """Fields with which these seats fulfil the goal, all with 16 points."""
    fields = GAUNTLET if variant == "marvel" else {"points": 16}
    cities = ", ".join(f"{city}@{place}" for city, place in zip(CITIES, places, strict=False))
    return {name: value for place in places for name, value in seat(place, **fields).items()} | (
        {"tiles": cities} if variant == "cities" else {}
    )


def winners(game: Game) -> tuple[int, ...] | None:
    return game.outcome.winners if game.outcome else None


# What is in the box


@TABLE(
    "bank, variant, players",
    [
        ("4w4u4g4r4k5*", "classic", 2),
        ("5w5u5g5r5k5*", "classic", 3),
        ("7w7u7g7r7k5*", "classic", 4),
        ("4y4p4b4r4o5*2t", "marvel", 2),
        ("5y5p5b5r5o5*3t", "marvel", 3),
        ("7y7p7b7r7o5*4t", "marvel", 4),
        ("4w4u4g4r4k5*", "cities", 2),
        ("5w5u5g5r5k5*", "cities", 3),
        ("7w7u7g7r7k5*", "cities", 4),
    ],
)
def test_tokens_for_two_three_and_four_players(bank: str, variant: str, players: int) -> None:
    assert stands(Game(variant, players), bank=bank)
    for wrong in (1, 5):
        with pytest.raises(RulesetError, match="players must be 2, 3 or 4"):
            Game(variant, wrong)


@EVERY
def test_three_tiers_of_cards(variant: str) -> None:
    assert {1: 40, 2: 30, 3: 20} == Counter(printed.tier for printed in CARDS[variant])
    points = {tier: sum(printed.points for printed in CARDS[variant] if printed.tier == tier) for tier in (1, 2, 3)}
    assert {1: 5, 2: 55, 3: 80} == points


@TABLE(
    "expected, variant, name",
    [
        ((2, "r", 2, (1, 4, 2, 0, 0)), "classic", "r2 1w4u2g"),
        ((3, "u", 4, (6, 3, 0, 0, 3)), "classic", "u4 6w3u3k"),
        ((2, "r", 2, (2, 1, 4, 0, 0)), "marvel", "Ghost Rider"),
        ((1, "y", 0, (1, 0, 0, 2, 0)), "marvel", "Rocket"),
        ((3, "o", 3, (5, 3, 3, 0, 3)), "marvel", "Captain America"),
    ],
)
def test_reading_a_card(expected: tuple[Any, ...], variant: str, name: str) -> None:
    printed = CARDS[variant][card(name, variant) - 1]
    assert expected == (printed.tier, printed.bonus, printed.points, printed.cost)


def asked(variant: str, tier: int) -> set[int]:
    """How often the five colours are asked for in the costs of a tier."""
    costs = [printed.cost for printed in CARDS[variant] if printed.tier == tier]
    return {sum(colour) for colour in zip(*costs, strict=True)}


def rotations(variant: str) -> list[int]:
    """For each bonus colour's cards, seen from that colour round the table: on how many colours each pattern occurs."""
    letters = VARIANTS[variant].letters
    turned = Counter[Any]()
    for printed in CARDS[variant]:
        at = letters.index(printed.bonus)
        turned[printed.tier, printed.points, printed.cost[at:] + printed.cost[:at]] += 1
    return list(turned.values())


@EVERY
def test_colours_are_spread_evenly(variant: str) -> None:
    assert {1: {8}, 2: {6}, 3: {4}} == {
        tier: set(Counter(printed.bonus for printed in CARDS[variant] if printed.tier == tier).values()) for tier in (1, 2, 3)
    }
    assert ({41}, {43}) == (asked(variant, 2), asked(variant, 3))
    if variant != "marvel":
        assert {33} == asked(variant, 1)
        assert 12 == rotations(variant).count(5), "six of the eighteen patterns are not the same on every colour"


def pieces(game: Game, faces: int) -> list[int]:
    """The physical tiles on the table."""
    return [(tile.number - 1) // faces for tile in game.position().tiles]


@TABLE("count, players", [(3, 2), (4, 3), (5, 4)])
def test_nobles_on_the_table(count: int, players: int) -> None:
    assert (10, {3}) == (len(TILES["classic"]), {tile.points for tile in TILES["classic"]})
    assert [17] * 5 == [sum(demand) for demand in zip(*(tile.demand for tile in TILES["classic"]), strict=True)]
    assert (3, 3, 3, 0, 0) == TILES["classic"][DEMANDS["classic"]["3w3u3g"] - 1].demand
    dealt = [pieces(Game("classic", players, seed=seed), 1) for seed in range(50)]
    assert all(count == len(set(tiles)) == len(tiles) for tiles in dealt)
    assert set(range(10)) == {tile for tiles in dealt for tile in tiles}


@TABLE("count, players", [(2, 2), (3, 3), (4, 4)])
def test_locations_on_the_table(count: int, players: int) -> None:
    assert (8, {3}) == (len(TILES["marvel"]), {tile.points for tile in TILES["marvel"]})
    assert (3, 0, 3, 3, 0) == TILES["marvel"][DEMANDS["marvel"]["Knowhere"] - 1].demand
    games = [Game("marvel", players, seed=seed) for seed in range(50)]
    assert all(count == len(set(pieces(game, 2))) == len(pieces(game, 2)) for game in games), "never two faces of one tile"
    assert set(range(1, 9)) == {tile.number for game in games for tile in game.position().tiles}, "either face may be up"


@EVERY
def test_four_cards_of_each_tier_face_up(variant: str) -> None:
    dealt = Game(variant).position()
    assert [4, 4, 4] == [len(set(row) - {None}) for row in dealt.market]
    assert (36, 26, 16) == dealt.deck_sizes


@EVERY
def test_each_tier_is_shuffled_by_itself(variant: str) -> None:
    tables = [Game(variant, seed=seed).position() for seed in range(20)]
    for tier, cards in enumerate((range(1, 41), range(41, 71), range(71, 91))):
        orders = [(*shown.market[tier], *shown.decks[tier]) for shown in tables]
        assert all(set(cards) == set(order) for order in orders)
        assert 20 == len(set(orders))


@EVERY
@TABLE("players", [2, 3, 4])
def test_the_start_player_is_random(variant: str, players: int) -> None:
    assert set(range(players)) == {Game(variant, players, seed=seed).start for seed in range(60)}
    assert 1 == Game(variant, players, start=1).turn


@TABLE("seats, start, players", [([0, 1, 0, 1], 0, 2), ([2, 0, 1, 2], 2, 3), ([3, 0, 1, 2], 3, 4)])
def test_play_goes_clockwise(seats: list[int], start: int, players: int) -> None:
    game = Game(players=players, start=start)
    turns = []
    for _ in seats:
        turns.append(game.turn)
        game.play("reserve 1?")
    assert seats == turns


# A turn


@EVERY
@TABLE("move", ["take rr", "reserve 1a", "reserve 3?", "buy 1a", "buy @1"])
def test_one_action_a_turn(variant: str, move: str) -> None:
    cheap, tokens, take = by_cards(variant, ("g 3r", "3r", "take wug"), ("Rocket", "1y2r", "take ypb"))
    game = position(variant, 3, market={"1a": cheap}, reserve=cheap, tokens=tokens)
    assert stands(after(game, move), turn=1, stage="main")
    assert stands(after(game, take), turn=2, stage="main")


@TABLE(
    "rule, variant, bank, move",
    [
        (None, "classic", "1w1u1g1r1k", "take wug"),
        (None, "classic", "1w1u1g1r1k", "take kwr"),
        (None, "marvel", "1y1p1b1r1o", "take ypo"),
        (NOT_IN_BANK, "classic", "4w4u4g", "take wur"),
        (NOT_IN_BANK, "marvel", "4y4p4b", "take ypo"),
    ],
)
def test_take_three_different_colours(rule: str | None, variant: str, bank: str, move: str) -> None:
    assert rule == why_not(position(variant, bank=bank), move)


def test_fewer_colours_left_in_the_bank() -> None:
    table = [
        (None, "2w3u", "take wu"),
        (ALL_LEFT, "2w3u", "take w"),
        (None, "3k", "take k"),
        (NOT_IN_BANK, "3k", "take wk"),
        (NOT_IN_BANK, "5*", "take w"),
    ]
    for rule, bank, move in table:
        assert rule == why_not(position(bank=bank), move), (bank, move)
    assert stands(after(position(bank="1w1u"), "take wu"), tokens="1w1u", bank="-", turn=1)


@TABLE(
    "rule, bank, move",
    [
        (None, "2w2u2g2r2k", "take wug"),
        (ALL_LEFT, "2w2u2g2r2k", "take wu"),
        (ALL_LEFT, "2w2u2g", "take wu"),
        (ALL_LEFT, "2w2u2g", "take g"),
        (ALL_LEFT, "7w7u", "take u"),
    ],
)
def test_taking_fewer_by_choice_is_not_allowed(rule: str | None, bank: str, move: str) -> None:
    assert rule == why_not(position(bank=bank), move)
    assert rule == why_not(position(bank=bank, tokens="9k"), move), "not even to stay within the limit"


def not_a_move(variant: str, text: str) -> bool:
    with pytest.raises(MoveSyntaxError):
        Game(variant).play(text)
    return True


@TABLE("move", ["take *", "take wu*", "take **"])
def test_gold_is_never_taken(move: str) -> None:
    assert not_a_move("classic", move)


@TABLE("move", ["take *", "take t", "take yp*", "take ypt", "take tt"])
def test_grey_and_green_are_never_taken(move: str) -> None:
    assert not_a_move("marvel", move)


@TABLE("tokens, variant, move", [("2r", "classic", "take rr"), ("2o", "marvel", "take oo")])
def test_take_two_of_one_colour(tokens: str, variant: str, move: str) -> None:
    assert stands(after(position(variant), move), tokens=tokens, turn=1)
    assert not_a_move(variant, "take rrr")
    assert not_a_move(variant, "take rrb" if variant == "marvel" else "take rrk")


@TABLE("rule, pile", [(None, 7), (None, 5), (None, 4), (PILE_OF_FOUR, 3), (PILE_OF_FOUR, 2), (PILE_OF_FOUR, 0)])
def test_take_two_needs_a_pile_of_four(rule: str | None, pile: int) -> None:
    assert rule == why_not(position(bank=f"{pile}k4w4u"), "take kk")
    assert rule == why_not(position("marvel", bank=f"{pile}o4y4p"), "take oo")


@EVERY
def test_reserve_a_face_up_card(variant: str) -> None:
    game = position(variant)
    shown = game.position().market[1][2]
    game.play("reserve 2c")
    assert (Reserved(tier=2, blind=False, card=shown),) == game.position().seats[0].reserve
    assert 1 == game.turn
    assert NO_CARD == why_not(position(variant, market={"2c": "-"}, deck2="-"), "reserve 2c")


@TABLE("tier", [1, 2, 3])
@EVERY
def test_reserve_the_top_card_of_a_deck(variant: str, tier: int) -> None:
    game = position(variant)
    top = game.position().decks[tier - 1][0]
    market = game.position().market
    game.play(f"reserve {tier}?")
    assert (Reserved(tier=tier, blind=True, card=top),) == game.position().seats[0].reserve
    assert market == game.position().market
    assert "the deck is empty" == why_not(position(variant, players=2, **{f"deck{tier}": "-"}), f"reserve {tier}?")


@TABLE("move", ["reserve 1a", "reserve 3?"])
def test_a_reservation_brings_gold(move: str) -> None:
    assert stands(after(position(bank="4w5*"), move), tokens="1*", bank="4w4*")
    assert stands(after(position(bank="1*"), move), tokens="1*", bank="-")


def test_gold_cannot_be_declined() -> None:
    game = position(bank="4w5*", tokens="2w2u2g2r2k")
    assert None is why_not(game, "reserve 1a"), "ten tokens in hand are no reason to go without"
    assert stands(after(game, "reserve 1a"), tokens="2w2u2g2r2k1*", stage="return", turn=0)


@TABLE("move", ["reserve 1a", "reserve 3?"])
def test_reserve_without_gold(move: str) -> None:
    assert stands(after(position(bank="4w"), move), tokens="-", bank="4w", turn=1)


@TABLE("tokens, bank", [("1*", "4y5*"), ("-", "4y")])
@TABLE("move", ["reserve 1a", "reserve 3?"])
def test_grey_comes_with_a_reservation(tokens: str, bank: str, move: str) -> None:
    assert stands(after(position("marvel", bank=bank), move), tokens=tokens)
    full = after(position("marvel", bank="4y5*", tokens="2y2p2b2r2o"), move)
    assert stands(full, tokens="2y2p2b2r2o1*", stage="return"), "it cannot be declined"


@TABLE(
    "rule, reserve, move",
    [
        (None, "g 3r, k 3g", "reserve 1a"),
        (FULL, "g 3r, k 3g, r 3w", "reserve 1a"),
        (FULL, "g 3r?, k 3g?, r 3w?", "reserve 1?"),
    ],
)
def test_at_most_three_reserved_cards(rule: str | None, reserve: str, move: str) -> None:
    assert rule == why_not(position(reserve=reserve), move)
    assert FULL == why_not(position("marvel", reserve="Rocket, Wong, Hulk"), move)


@TABLE("move", ["discard @1", "return @1"])
@EVERY
def test_reserved_cards_are_never_discarded(variant: str, move: str) -> None:
    assert not_a_move(variant, move)
    game = position(variant, reserve=by_cards(variant, "g 3r, k 3g, r 3w", "Rocket, Wong, Hulk"))
    held = game.position().seats[0].reserve
    for legal in game.legal_moves():
        assert held == after(game.copy(), str(legal)).position().seats[0].reserve, legal


@TABLE(
    "rule, variant, face, tokens",
    [
        (None, "classic", "g 3r", "3r"),
        (UNPAYABLE, "classic", "g 3r", "2r5w"),
        (None, "marvel", "Rocket", "1y2r"),
        (UNPAYABLE, "marvel", "Rocket", "1y1r"),
    ],
)
def test_buy_a_face_up_card(rule: str | None, variant: str, face: str, tokens: str) -> None:
    game = position(variant, market={"1a": face}, tokens=tokens)
    assert rule == why_not(game, "buy 1a")
    if rule is None:
        bonus = face[0] if variant == "classic" else "y"
        assert stands(after(game, "buy 1a"), tableau=face, bonuses=bonus, tokens="-", turn=1)
        assert 1 == game.state["bought"][0]
    assert NO_CARD == why_not(position(variant, market="-"), "buy 1a")


def test_buy_a_reserved_card() -> None:
    game = position(reserve="g 3r, k1 4u?", reserve1="r 3w", tokens="4u")
    no_such = "there is no such card in the own reserve"
    for rule, move in ((UNPAYABLE, "buy @1"), (None, "buy @2"), (no_such, "buy @3")):
        assert rule == why_not(game, move)
    assert stands(after(game, "buy @2"), reserve="g 3r", tableau="k1 4u", points=1, tokens="-")
    assert no_such == why_not(position(reserve1="r 3w", tokens="3w"), "buy @1"), "not from another seat's reserve"
    assert stands(after(position("marvel", reserve="Rocket?", tokens="1y2r"), "buy @1"), tableau="Rocket", reserve="-")


@TABLE(
    "rule, fields",
    [
        (None, {"bank": "5*", "reserve": "g 3r, k 3g, r 3w"}),
        (None, NOTHING_LEFT),
        (CANNOT_PASS, {"bank": "1w5*", "reserve": "g 3r, k 3g, r 3w"}),
        (CANNOT_PASS, {"bank": "-", "reserve": "g 3r, k 3g"}),
        (CANNOT_PASS, {"bank": "-", "reserve": "g 3r, k 3g, r 3w", "tokens": "3w"}),
        (CANNOT_PASS, {**NOTHING_LEFT, "deck3": "g4 7u"}),
        (CANNOT_PASS, {}),
    ],
)
def test_pass_only_when_nothing_else_is_possible(rule: str | None, fields: dict[str, Any]) -> None:
    game = position(**fields)
    assert rule == why_not(game, "pass")
    assert (rule is None) == (["pass"] == [str(move) for move in game.legal_moves()])


@TABLE("reader", [0, 1, 2, None])
@TABLE("open_reserves", [True, False])
@EVERY
def test_who_passes_shows_the_reserved_cards(variant: str, open_reserves: bool, reader: int | None) -> None:
    held, seen = by_cards(variant, ("g 3r?, k 3g, r 3w?", "g 3r, k 3g, r 3w"), ("Rocket?, Wong, Hulk?", "Rocket, Wong, Hulk"))
    covered = by_cards(variant, "t1, t1, t1", "t1, t1, t3")
    game = position(variant, 3, bank="-", reserve=held, reserve1=held, open_reserves=open_reserves)
    before = game.view(reader).seats[1].reserve
    game.play("pass")
    shown = seen if open_reserves or reader == 0 else covered
    assert read("reserve", shown, game.rules) == game.view(reader).seats[0].reserve
    assert before == game.view(reader).seats[1].reserve, "only those of the seat that passes"


# Paying


@TABLE(
    "paid, variant, face, bonuses",
    [
        ("1g", "classic", "r 2u1g", "2u"),
        ("1u1g", "classic", "r 2u1g", "1u"),
        ("2u1g", "classic", "r 2u1g", "3r3k"),
        ("1r", "marvel", "Rocket", "1y1r"),
    ],
)
def test_bonuses_lower_the_price(paid: str, variant: str, face: str, bonuses: str) -> None:
    game = position(variant, market={"1a": face}, bonuses=bonuses, tokens=paid, bank="-", tiles="-")
    assert stands(after(game, "buy 1a"), tokens="-", bank=paid)
    assert UNPAYABLE == why_not(position(variant, market={"1a": face}, bonuses=bonuses, tokens=paid[:-2] or "-"), "buy 1a")


@TABLE("bonuses", ["3u1g", "7u7g"])
def test_a_price_never_falls_below_zero(bonuses: str) -> None:
    game = position(market={"1a": "r 2u1g", "1b": "g 3r"}, bonuses=bonuses, tokens="1u2r", tiles="-")
    assert UNPAYABLE == why_not(game, "buy 1b"), "bonuses to spare pay for nothing else"
    assert stands(after(game, "buy 1a"), tokens="1u2r")


@TABLE("rule, tokens", [(None, "2u1*"), (None, "1g2*"), (None, "3*"), (UNPAYABLE, "1u1*"), (UNPAYABLE, "2*9k")])
def test_gold_stands_for_any_colour(rule: str | None, tokens: str) -> None:
    assert rule == why_not(position(market={"1a": "r 2u1g"}, tokens=tokens), "buy 1a")


@TABLE(
    "rule, left, move",
    [
        (None, "2*", "buy 1a"),
        (None, "2*", "buy 1a with uug"),
        (None, "1u1*", "buy 1a with *ug"),
        (None, "2u", "buy 1a with **g"),
        (None, "1g1u", "buy 1a with **u"),
        ("only tokens in hand can be paid", "", "buy 1a with ***"),
        ("the whole price must be paid", "", "buy 1a with *u"),
    ],
)
def test_gold_may_be_paid_by_choice(rule: str | None, left: str, move: str) -> None:
    game = position(market={"1a": "r 2u1g"}, tokens="2u1g2*", bank="-")
    assert rule == why_not(game, move)
    if rule is None:
        assert stands(after(game, move), tokens=left)


@TABLE("left, move", [("1*", "buy 1a"), ("1r", "buy 1a with *r"), ("1*", "buy 1a with rr")])
def test_grey_stands_for_any_colour(left: str, move: str) -> None:
    game = position("marvel", market={"1a": "Rocket"}, bonuses="1y", tokens="2r1*")
    assert stands(after(game, move), tokens=left)
    assert None is why_not(position("marvel", market={"1a": "Rocket"}, tokens="3*"), "buy 1a")


@TABLE("move", ["buy 1a with uugg", "buy 1a with uuug", "buy 1a with uug*", "buy 1a with uugk", "buy 1a with uuk"])
def test_overpaying_is_not_allowed(move: str) -> None:
    assert OVERPAID == why_not(position(market={"1a": "r 2u1g"}, tokens="3u3g3k3*"), move)
    free = position("marvel", market={"1a": "Rocket"}, bonuses="1y2r", tokens="1r1*")
    assert OVERPAID == why_not(free, "buy 1a with *")
    assert OVERPAID == why_not(free, "buy 1a with r")


@TABLE(
    "bank, variant, face, tokens, move",
    [
        ("2u1g", "classic", "r 2u1g", "2u1g", "buy 1a"),
        ("1u2*", "classic", "r 2u1g", "1u2*", "buy 1a"),
        ("1y1r1*", "marvel", "Rocket", "1y1r1*", "buy 1a"),
    ],
)
def test_paid_tokens_go_back_to_the_bank(bank: str, variant: str, face: str, tokens: str, move: str) -> None:
    game = position(variant, bank="-", market={"1a": face}, tokens=tokens)
    assert stands(after(game, move), bank=bank, tokens="-")


@TABLE("variant, face, bonuses", [("classic", "r 2u1g", "2u1g"), ("marvel", "Rocket", "1y2r")])
def test_a_purchase_may_cost_nothing(variant: str, face: str, bonuses: str) -> None:
    for tokens in ("-", "2r1*"):
        game = position(variant, market={"1a": face}, bonuses=bonuses, tokens=tokens)
        assert stands(after(game, "buy 1a"), tokens=tokens, tableau=face)


# The order of a turn


@TABLE("move", ["reserve 1a", "buy 1a"])
@EVERY
def test_the_place_is_refilled_at_once(variant: str, move: str) -> None:
    first, top, below = by_cards(variant, ("g 3r", "r 3w", "k 3g"), ("Rocket", "Wong", "Electro"))
    game = position(variant, market={"1a": first}, deck1=f"{top}, {below}", tokens="1y3r" if variant == "marvel" else "3r")
    others = game.position().market[1:]
    game.play(move)
    assert stands(game, **{"1a": top, "deck1": below})
    assert others == game.position().market[1:]


@EVERY
@TABLE("move", ["reserve 1a", "buy 1a"])
def test_an_empty_deck_leaves_the_place_empty(variant: str, move: str) -> None:
    face = by_cards(variant, "g 3r", "Rocket")
    game = after(position(variant, market={"1a": face}, deck1="-", tokens="3*"), move)
    assert stands(game, **{"1a": "-", "deck1": "-"})
    assert NO_CARD == why_not(game, "reserve 1a")


@TABLE(
    "returned, tokens, move",
    [
        (0, "7w", "take wug"),
        (1, "8w", "take wug"),
        (2, "10w", "take rr"),
        (3, "10w", "take wug"),
        (1, "10w", "reserve 1a"),
    ],
)
def test_return_down_to_ten_tokens(returned: int, tokens: str, move: str) -> None:
    game = after(position(tokens=tokens), move)
    for _ in range(returned):
        assert ("return", 0) == (game.stage, game.turn)
        assert RETURN_FIRST == why_not(game, "take wug")
        game.play("return w")
    assert 10 == sum(game.position().seats[0].tokens)
    assert ("main", 1) == (game.stage, game.turn)


@TABLE("token", list("wugrk*"))
def test_any_token_may_be_returned(token: str) -> None:
    game = after(position(tokens="3w3r2k2*"), "take wug")
    assert None is why_not(game, f"return {token}")
    assert "only tokens in hand can be returned" == why_not(after(position(tokens="9w"), "take rr"), "return k")
    marvel = after(position("marvel", tokens="3y3r1o2*1t"), "take ypb")
    assert [f"return {letter}" for letter in "ypbro*"] == [str(move) for move in marvel.legal_moves()]


def test_gold_counts_towards_the_limit() -> None:
    assert stands(after(position(tokens="7w1*"), "take wug"), stage="return")
    assert stands(after(position(tokens="9w1*"), "reserve 1a"), stage="return")
    assert stands(after(position(tokens="7w"), "take wug"), stage="main")


@TABLE("stage, tokens", [("main", "7y"), ("return", "7y1*"), ("return", "7y1t"), ("main", "5y1*1t"), ("return", "6y1*1t")])
def test_grey_and_green_count_towards_the_limit(stage: str, tokens: str) -> None:
    assert stands(after(position("marvel", tokens=tokens), "take ypb"), stage=stage)


@TABLE("shown, move", [({"1a": "r 3w"}, "reserve 1a"), ({"reserve": "r 3w?"}, "reserve 1?")])
def test_the_new_card_is_seen_before_returning(shown: dict[str, str], move: str) -> None:
    game = after(position(tokens="10w", deck1="r 3w, k 3g"), move)
    assert stands(game, stage="return", turn=0)
    own = game.view(0)
    assert {name: look(own, name) for name in shown} == {name: read(name, face, game.rules) for name, face in shown.items()}


@TABLE("rule, tokens", [(NO_RETURN, "10w"), (NO_RETURN, "3w"), (NO_RETURN, "-")])
def test_no_returning_at_ten_or_below(rule: str, tokens: str) -> None:
    assert rule == why_not(position(tokens=tokens), "return w")
    assert rule == why_not(position("marvel", tokens=tokens.replace("w", "y")), "return y")


def test_the_noble_comes_after_returning() -> None:
    game = after(position(bonuses="3w3u3g", tiles="3w3u3g", tokens="9r"), "take wug")
    assert stands(game, stage="return", points=0)
    assert stands(after(game, "return r; return r"), points=3, turn=1)


def test_the_location_comes_after_returning() -> None:
    game = after(position("marvel", bonuses="3y3b3r", tiles="Knowhere", tokens="9r"), "take ypb")
    assert stands(game, stage="return", points=0)
    assert stands(after(game, "return r; return r"), points=3, turn=1)


# Nobles and locations


@TABLE("points, bonuses", [(3, "3w3u2g"), (0, "3w2u2g"), (3, "4w4u7g")])
def test_a_noble_comes_at_the_end_of_a_turn(points: int, bonuses: str) -> None:
    game = position(bonuses=bonuses, tiles="3w3u3g", market={"1a": "g 3r"}, tokens="3r")
    assert stands(after(game, "buy 1a"), points=points, tiles="3w3u3g@0" if points else "3w3u3g")


@TABLE("points, bonuses, tokens", [(0, "3w3u2g", "1g"), (0, "3w3u", "3g"), (0, "-", "3w3u3g"), (3, "3w3u3g", "-")])
def test_nobles_look_at_bonuses_only(points: int, bonuses: str, tokens: str) -> None:
    assert stands(after(position(bonuses=bonuses, tokens=tokens, tiles="3w3u3g"), "reserve 1a"), points=points)


@TABLE("move", ["take wug", "take rr", "reserve 1a", "reserve 3?"])
def test_noble_on_a_token_turn(move: str) -> None:
    assert stands(after(position(bonuses="3w3u3g", tiles="3w3u3g"), move), points=3, tiles="3w3u3g@0", turn=1)
    passing = position(bonuses="3w3u3g", tiles="3w3u3g", **NOTHING_LEFT)
    assert stands(after(passing, "pass"), points=3)


def test_a_noble_cannot_be_refused() -> None:
    one = position(bonuses="3w3u3g", tiles="3w3u3g")
    assert stands(after(one, "take wug"), stage="main", tiles="3w3u3g@0", turn=1)
    several = after(position(bonuses="4w4u4g", tiles="3w3u3g, 4w4u"), "take wug")
    assert ["claim 1", "claim 2"] == [str(move) for move in several.legal_moves()]
    assert CHOOSE_FIRST == why_not(several, "pass")


def test_one_noble_a_turn() -> None:
    game = after(position(bonuses="4w4u4g", tiles="3w3u3g, 4w4u, 4u4g"), "take wug; claim 2")
    assert stands(game, points=3, tiles="3w3u3g, 4w4u@0, 4u4g", turn=1)
    assert stands(after(game, "take wug; take wug; claim 1; take rr; take kk"), points=9, tiles="3w3u3g@0, 4w4u@0, 4u4g@0")


@TABLE(
    "rule, move",
    [
        (None, "claim 1"),
        (None, "claim 3"),
        (BONUSES_MISSING, "claim 2"),
        ("there is no tile in this place", "claim 4"),
        (CHOOSE_FIRST, "take wug"),
    ],
)
def test_the_player_chooses_among_nobles(rule: str | None, move: str) -> None:
    game = after(position(bonuses="4w4u3g", tiles="3w3u3g, 4r4k, 4w4u"), "take wug")
    assert stands(game, stage="claim", turn=0)
    assert rule == why_not(game, move)
    assert "a tile is chosen only when several come" == why_not(position(), "claim 1")


def test_nobles_are_not_replaced() -> None:
    game = after(position(bonuses="3w3u3g", bonuses1="3w3u3g", tiles="3w3u3g, 4r4k"), "take wug; take wug")
    assert stands(game, tiles="3w3u3g@0, 4r4k", points=3, points1=0)


@TABLE("move", ["take ypb", "take oo", "reserve 1a", "reserve 3?", "buy 1a"])
def test_a_location_comes_at_the_end_of_a_turn(move: str) -> None:
    game = position("marvel", bonuses="3y3b3r", tiles="Knowhere", market={"1a": "Rocket"})
    assert stands(after(game, move), points=3, tiles="Knowhere@0", stage="main", turn=1)


@TABLE("points, bonuses, tokens", [(0, "3y3b2r", "1r"), (0, "-", "3y3b3r"), (3, "3y3b3r", "-")])
def test_locations_look_at_bonuses_only(points: int, bonuses: str, tokens: str) -> None:
    assert stands(after(position("marvel", bonuses=bonuses, tokens=tokens, tiles="Knowhere"), "reserve 1a"), points=points)


def test_a_location_cannot_be_refused() -> None:
    game = after(position("marvel", bonuses="4y3p3b3r3o", tiles="Knowhere, Asgard"), "take ypb")
    assert ["claim 1", "claim 2"] == [str(move) for move in game.legal_moves()]
    assert CHOOSE_FIRST == why_not(game, "pass")
    assert stands(after(position("marvel", bonuses="3y3b3r", tiles="Knowhere"), "take ypb"), tiles="Knowhere@0", turn=1)


def test_one_location_a_turn() -> None:
    game = after(position("marvel", bonuses="4y3p4b3r3o", tiles="Knowhere, Asgard"), "take ypb; claim 2")
    assert stands(game, points=3, tiles="Knowhere, Asgard@0")
    assert stands(after(game, "take ypb; take ypb"), points=6, tiles="Knowhere@0, Asgard@0")


def test_locations_are_not_replaced() -> None:
    game = position("marvel", bonuses="3y3b3r", bonuses1="3y3b3r", tiles="Knowhere, Asgard")
    assert stands(after(game, "take ypb; take ypb"), tiles="Knowhere@0, Asgard", points=3, points1=0)


# The end


@TABLE("over, points", [(False, 14), (True, 15), (True, 18)])
def test_fifteen_points_end_the_game(over: bool, points: int) -> None:
    game = position(points=points - 4, reserve="g4 7u", bonuses="7u", tiles="-")
    assert not game.is_last_round
    game.play("buy @1")
    assert (over, False) == (game.is_last_round, game.is_over)
    game.play("take wug")
    assert ("goal" if over else None) == (game.outcome.reason if game.outcome else None)
    assert (OVER if over else None) == why_not(game, "take wug")


@TABLE("more, place, players", [(2, 0, 3), (1, 1, 3), (0, 2, 3), (3, 0, 4), (0, 1, 2)])
@EVERY
def test_the_last_round_is_played_out(variant: str, more: int, place: int, players: int) -> None:
    game = position(variant, players, turn=place, **reached(variant, place))
    game.play("reserve 1?")
    for _ in range(more):
        assert not game.is_over
        game.play("reserve 1?")
    assert game.is_over
    assert 0 == int(game.state["turns"]) % players, "all have had the same number of turns"


@TABLE("ranks, points", [((1, 2, 3), (17, 16, 3)), ((3, 1, 2), (15, 18, 17)), ((2, 3, 1), (15, 14, 16))])
def test_most_points_win(ranks: tuple[int, ...], points: tuple[int, ...]) -> None:
    game = position(players=3, turn=2, points=points[0], points1=points[1], points2=points[2])
    game.play("take wug")
    assert game.outcome is not None
    assert (ranks, (ranks.index(1),)) == (game.outcome.ranks, game.outcome.winners)


@TABLE("winner, bought, bought1", [(0, 9, 12), (1, 12, 11)])
@EVERY
def test_fewest_bought_cards_break_a_tie(winner: int, bought: int, bought1: int, variant: str) -> None:
    game = tied(variant, bought=bought, bought1=bought1)
    assert (winner,) == winners(after(game, "reserve 1a"))


def tied(variant: str, **fields: Any) -> Game:
    """Two seats that have reached the same, the second one to finish the round."""
    return position(variant, turn=1, **reached(variant, 0, 1), **fields)


@EVERY
def test_a_shared_victory(variant: str) -> None:
    reserve = by_cards(variant, "g 3r, k 3g", "Rocket, Wong")
    game = after(tied(variant, bought=9, bought1=9, reserve=reserve), "take rr")
    assert game.outcome is not None
    assert ((1, 1), (0, 1)) == (game.outcome.ranks, game.outcome.winners), "reserved cards do not count"


@EVERY
def test_stalemate(variant: str) -> None:
    free, bonuses = by_cards(variant, ("r 2u1g", "2u1g"), ("Rocket", "1y2r"))
    game = position(variant, 3, **NOTHING_LEFT, points=3, points2=4, bonuses1=bonuses, reserve1=free, tiles="-")
    game.play_all("pass; buy @1; pass; pass")
    assert not game.is_over, "a purchase in between begins the count anew"
    game.play("pass")
    assert game.outcome is not None
    assert ("stalemate", (2, 3, 1), OVER) == (game.outcome.reason, game.outcome.ranks, why_not(game, "pass"))


@TABLE(
    "came, points, reason, passes, variant, bonuses, tiles",
    [
        (1, 5, "stalemate", 4, "classic", "3w3u3g", "3w3u3g, 3u3g3r"),
        (2, 8, "stalemate", 6, "classic", "3w3u3g3r", "3w3u3g, 3u3g3r"),
        (2, 8, "stalemate", 6, "marvel", "3y3p3b3r3o", "Knowhere, Asgard"),
        (1, 5, "stalemate", 4, "marvel", "3y3b3r", "Knowhere, Asgard"),
        (1, 17, "goal", 3, "cities", "-", "17+"),
    ],
)
def test_nobles_that_are_due_come_before_a_stalemate(
    came: int, points: int, reason: str, passes: int, variant: str, bonuses: str, tiles: str
) -> None:
    game = position(variant, turn=1, **NOTHING_LEFT, bonuses=bonuses, points=17 if variant == "cities" else 2, tiles=tiles)
    while not game.is_over:
        game.play("pass" if game.stage == "main" else "claim 2")
    shown = game.position()
    assert (came, points, reason) == (sum(tile.owner == 0 for tile in shown.tiles), game.points[0], shown.reason)
    assert passes == [str(move) for move in game.moves].count("pass"), "all pass once more after the last of them"


@EVERY
def test_endless_play(variant: str) -> None:
    hand, take = by_cards(variant, ("2w2u2g2r2k", "wug"), ("2y2p2b2r2o", "ypb"))
    game = position(variant, tokens=hand, tokens1=hand)
    before = game.position()
    for _ in range(100):
        game.play_all(f"take {take};" + "".join(f"return {letter};" for letter in take))
    assert (before.bank, before.seats, False) == (game.position().bank, game.position().seats, game.is_over)


# What is public


@TABLE("reader", [1, None])
@EVERY
def test_what_everybody_sees(variant: str, reader: int | None) -> None:
    owned, held = by_cards(variant, ("g1 4k, r 3w", "k 3g, g 3r?"), ("Rocket, Vulture", "Wong, Electro?"))
    game = position(variant, tokens="2*", tableau=owned, reserve=held)
    whole, shown = game.position(), game.view(reader)
    for field in ("tokens", "bonuses", "points", "tableau", "symbols"):
        assert getattr(whole.seats[0], field) == getattr(shown.seats[0], field)
    for field in ("bank", "market", "deck_sizes", "tiles", "avengers", "turn", "stage"):
        assert getattr(whole, field) == getattr(shown, field)
    assert [(1, False), (1, True)] == [(reserved.tier, reserved.blind) for reserved in shown.seats[0].reserve]


@TABLE("reader", [0, 1, 2, None])
def test_a_card_reserved_face_up_is_known_to_all(reader: int | None) -> None:
    game = after(position(players=3, market={"2c": "r2 1w4u2g"}), "reserve 2c")
    assert (Reserved(tier=2, blind=False, card=card("r2 1w4u2g")),) == game.view(reader).seats[0].reserve


@TABLE("shown, reader", [("r2 1w4u2g?", 0), ("t2?", 1), ("t2?", None)])
def test_a_card_reserved_blind_is_hidden(shown: str, reader: int | None) -> None:
    game = after(position(deck2="r2 1w4u2g, u3 6u"), "reserve 2?")
    assert read("reserve", shown, game.rules) == game.view(reader).seats[0].reserve
    other = after(position(deck2="u3 6u, r2 1w4u2g"), "reserve 2?")
    assert (reader != 0) == (game.view(reader) == other.view(reader)), "nothing else gives it away"


@TABLE("reader", [0, 1, None])
def test_deck_order_is_hidden(reader: int | None) -> None:
    one, other = position(deck1="g 3r, k 3g, r 3w"), position(deck1="r 3w, g 3r, k 3g")
    assert one.view(reader) == other.view(reader)
    assert one.position() != other.position()
    assert not hasattr(one.view(reader), "decks")


# Marvel: Time, Avengers, the Gauntlet


@TABLE("tokens, bank, face", [("1t", "4y1t", "Hulk"), ("1t", "4y1t", "Drax"), ("-", "4y2t", "Hela"), ("-", "4y2t", "Rocket")])
def test_the_first_tier_three_card_brings_green(tokens: str, bank: str, face: str) -> None:
    game = position("marvel", bank="4y2t", bonuses="7y7p7b7r7o", tiles="-", market={"3a": face}, reserve=face)
    for move in ("buy 3a", "buy @1"):
        assert stands(after(game.copy(), move), tokens=tokens, bank=bank)


def test_never_a_second_green_token() -> None:
    game = position("marvel", bank="4y2t", bonuses="7y7p7b7r7o", tiles="-", reserve="Hulk, Thor")
    assert stands(after(game, "buy @1; take y; buy @1"), tokens="1t", tableau="Hulk, Thor", bank="3y1t")


def test_a_free_tier_three_card_with_ten_tokens() -> None:
    game = after(position("marvel", market={"3a": "Hulk"}, bonuses="7y7p7b7r7o", tiles="-", tokens="8y2*"), "buy 3a")
    assert stands(game, tokens="8y2*1t", stage="return", turn=0)
    assert stands(after(game, "return *"), tokens="8y1*1t", turn=1)


def test_green_is_never_returned() -> None:
    game = after(position("marvel", tokens="9y1t"), "take ypb")
    assert "Time tokens are never returned" == why_not(game, "return t")
    assert None is why_not(game, "return y")


def test_green_is_never_spent() -> None:
    game = position("marvel", market={"1a": "Rocket"}, tokens="1y1r1t")
    assert UNPAYABLE == why_not(game, "buy 1a")
    game = position("marvel", market={"1a": "Rocket"}, tokens="1y2r1t")
    assert "Time tokens are never spent" == why_not(game, "buy 1a with yrt")
    assert stands(after(game, "buy 1a"), tokens="1t")


def test_characters_carry_avengers_symbols() -> None:
    symbols = [[printed.symbols for printed in CARDS["marvel"] if printed.tier == tier] for tier in (1, 2, 3)]
    assert [10, 10, 15] == [sum(tier) for tier in symbols]
    assert [{0, 1}, {0, 1}, {0, 1, 2}] == [set(tier) for tier in symbols]
    assert 2 == CARDS["marvel"][card("Captain America", "marvel") - 1].symbols
    game = position("marvel", market={"1a": "Hawkeye"}, tokens="5*", symbols=1)
    assert stands(after(game, "buy 1a"), symbols=2)


@TABLE("owner, symbols, face", [("-", 1, "Hawkeye"), (0, 2, "Hawkeye"), (0, 1, "Hulk"), ("-", 2, "Rocket"), (0, 2, "Hulk")])
def test_three_symbols_take_the_avengers_tile(owner: str | int, symbols: int, face: str) -> None:
    game = position("marvel", reserve=face, bonuses="7y7p7b7r7o", tiles="-", symbols=symbols, symbols1=2)
    assert stands(after(game, "buy @1"), avengers=owner)


@TABLE(
    "owner, symbols, symbols1, face",
    [
        (0, 4, 3, "Hawkeye"),
        (1, 4, 4, "Hawkeye"),
        (1, 4, 3, "Captain America"),
        (0, 4, 2, "Captain America"),
        (0, 4, 4, "Rocket"),
    ],
)
def test_the_avengers_tile_moves_only_to_strictly_more(owner: int, symbols: int, symbols1: int, face: str) -> None:
    second = seat(1, bonuses="7y7p7b7r7o", reserve=face, symbols=symbols1)
    game = position("marvel", turn=1, avengers=0, symbols=symbols, tiles="-", **second)
    assert stands(after(game, "buy @1"), avengers=owner)
    third = seat(2, bonuses="7y7p7b7r7o", reserve="Captain America", symbols=3)
    table = position(
        "marvel", 3, turn=1, avengers=0, symbols=4, tiles="-", **{**second, "symbols1": 3, "reserve1": "Hawkeye"}, **third
    )
    assert stands(after(table, "buy @1"), symbols1=4, avengers=0)
    assert stands(after(table, "buy @1"), symbols2=5, avengers=2)


def test_the_avengers_tile_brings_three_points() -> None:
    rich: dict[str, Any] = {"bonuses": "7y7p7b7r7o", "bonuses1": "7y7p7b7r7o", "tiles": "-"}
    game = position("marvel", **rich, reserve="Hawkeye", reserve1="Captain America", symbols=2, symbols1=2)
    assert stands(after(game, "buy @1"), points=3, points1=0, avengers=0)
    assert stands(after(game, "buy @1"), points=0, points1=3 + 3, avengers=1), "its points move with it"


def test_the_avengers_tile_is_no_action() -> None:
    game = position("marvel", bonuses="3y3b3r7p", tiles="Knowhere", reserve="Hawkeye", symbols=2)
    assert stands(after(game, "buy @1"), avengers=0, points=3 + 3, tiles="Knowhere@0", stage="main", turn=1)


@TABLE(
    "reached, fields",
    [
        (True, GAUNTLET),
        (True, {"bonuses": "3y2p1b1r5o", "tokens": "5y1t", "points": 22}),
        (False, {**GAUNTLET, "points": 15}),
        (False, {**GAUNTLET, "bonuses": "5y1p1b1r"}),
        (False, {**GAUNTLET, "bonuses": "5y1p1b1r", "tokens": "1o1t"}),
        (False, {**GAUNTLET, "tokens": "5*"}),
    ],
)
def test_the_gauntlet_asks_for_three_things_at_once(reached: bool, fields: dict[str, Any]) -> None:
    game = position("marvel", **fields, tiles="-")
    game.play_all("reserve 1?; reserve 1?")
    assert reached == game.is_over


HAWKEYE: dict[str, Any] = {"reserve1": "Hawkeye", "tokens1": "5*", "symbols1": 3}


@TABLE("winner, points1", [(1, 13), (None, 12)])
def test_the_gauntlet_is_judged_at_the_end_of_the_round(winner: int | None, points1: int) -> None:
    second = seat(1, bonuses="1y1p1b1r1o", tokens="5*1t", points=points1, symbols=3, reserve="Hawkeye")
    game = position("marvel", **GAUNTLET, symbols=3, avengers=0, **second)
    assert game.is_last_round
    game.play_all("take ypb; buy @1")
    assert (None if winner is None else (winner,)) == winners(game), "seat 0 reached it first, and has 13 points now"


def test_the_gauntlet_taken_away_and_the_game_goes_on() -> None:
    game = position("marvel", **GAUNTLET, symbols=3, avengers=0, **HAWKEYE)
    assert stands(after(game, "take ypb; buy @1"), points=13, points1=3, stage="main", turn=0)
    assert not game.is_last_round


def test_the_gauntlet_can_be_reached_anew() -> None:
    third = seat(2, bonuses="1y1p1b1r1o", tokens="1t4p", reserve="Yondu", points=15)
    same_round = position("marvel", 3, **GAUNTLET, symbols=3, avengers=0, **HAWKEYE, **third)
    same_round.play_all("take ypb; buy @1")
    assert not same_round.is_last_round
    assert (2,) == winners(after(same_round, "buy @1"))
    rich = {**GAUNTLET, "bonuses": "7y7p7b7r7o", "tiles": "-"}
    next_round = position("marvel", **rich, symbols=3, avengers=0, **HAWKEYE, reserve="Hulk")
    next_round.play_all("take ypb; buy @1")
    assert not next_round.is_over
    assert (0,) == winners(after(next_round, "buy @1; take ypb")), "Hulk brings the tile back"


def test_the_last_player_of_a_round_wins_at_once() -> None:
    fields: dict[str, Any] = {"bonuses1": "1y1p1b1r1o", "tokens1": "1t4p", "reserve1": "Yondu", "points1": 15}
    game = position("marvel", turn=1, **fields)
    assert not game.is_last_round
    assert (1,) == winners(after(game, "buy @1"))
    held_too = position("marvel", turn=1, **fields, **{**GAUNTLET, "points": 18})
    assert (0,) == winners(after(held_too, "buy @1")), "others hold it too"


@TABLE("winner, points", [(0, (18, 17, 25)), (1, (16, 17, 25)), (1, (15, 16, 25))])
def test_several_fulfil_the_gauntlet(winner: int, points: tuple[int, int, int]) -> None:
    first, second = ({**GAUNTLET, "points": reached} for reached in points[:2])
    game = position("marvel", 3, turn=2, **seat(0, **first), **seat(1, **second), points2=points[2])
    assert (winner,) == winners(after(game, "take ypb"))


@TABLE("owner, bought, bought1", [(0, 12, 9), (1, 9, 12)])
def test_the_avengers_tile_breaks_a_tie(owner: int, bought: int, bought1: int) -> None:
    game = tied("marvel", avengers=owner, symbols=4, symbols1=4, bought=bought, bought1=bought1)
    assert (owner,) == winners(after(game, "take rr"))


@TABLE(
    "ranks, fields",
    [
        ((1, 2), {"points": 12, "points1": 11, "avengers": 1}),
        ((2, 1), {"points": 12, "points1": 12, "avengers": 1, "bought": 3, "bought1": 9}),
        ((2, 1), {"points": 12, "points1": 12, "bought": 9, "bought1": 8}),
        ((1, 1), {"points": 12, "points1": 12, "bought": 9, "bought1": 9}),
        ((2, 1), {"points": 25, "bonuses1": "1y1p1b1r1o", "tokens1": "1t", "points1": 16}),
    ],
)
def test_stalemate_with_and_without_the_gauntlet(ranks: tuple[int, int], fields: dict[str, Any]) -> None:
    game = position("marvel", turn=1, passes=1, tiles="-", **NOTHING_LEFT, **fields)
    game.play("pass")
    assert game.outcome is not None
    assert ranks == game.outcome.ranks


# Cities


@TABLE("players", [2, 3, 4])
def test_the_cards_and_tokens_of_classic(players: int) -> None:
    assert CARDS["classic"] == CARDS["cities"]
    ours, theirs = (Game(variant, players, seed=11).position() for variant in ("cities", "classic"))
    for field in ("bank", "market", "decks", "start", "seats"):
        assert getattr(theirs, field) == getattr(ours, field)


def test_no_nobles() -> None:
    assert {0} == {tile.points for tile in TILES["cities"]}
    assert all(tile.prestige >= 11 for tile in TILES["cities"]), "bonuses alone are never enough"
    game = after(position("cities", bonuses="9w9u9g9r9k", points=10), "take wug")
    assert stands(game, stage="main", turn=1, points=10)
    assert {None} == {tile.owner for tile in game.position().tiles}


@TABLE("players", [2, 3, 4])
def test_three_cities_for_any_number_of_players(players: int) -> None:
    assert {3} == {len(Game("cities", players, seed=seed).position().tiles) for seed in range(50)}
    text = format_position(Game("cities", players, seed=1).position())
    assert parse_position(text) == Game("cities", players, seed=1).position()
    with pytest.raises(PositionError, match=f"{players} players have 3 tiles, here are 4"):
        parse_position(re.sub("tiles:[0-9,]+", "tiles:1,3,5,7", text))


def test_a_city_has_two_faces() -> None:
    assert (14, 2) == (len(TILES["cities"]), VARIANTS["cities"].faces)
    games = [Game("cities", 2, seed=seed) for seed in range(200)]
    assert all(3 == len(set(pieces(game, 2))) for game in games), "never two faces of one tile"
    faces = Counter(tile.number for game in games for tile in game.position().tiles)
    assert set(range(1, 15)) == set(faces), "either face may be up"
    assert 20 < min(faces.values()) and max(faces.values()) < 70, "600 in all: 43 of each on average"


@TABLE("players", [2, 3, 4])
def test_a_turn_is_as_in_classic(players: int) -> None:
    """The same deal in both games: what may be done is the same, and so is what it leads to, until the first tile comes."""
    for seed in range(4):
        ours, theirs = (Game(variant, players, seed=seed) for variant in ("cities", "classic"))
        rng = random.Random(seed)
        while {"main", "return"} >= {ours.stage, theirs.stage} and not has_tile(ours) and not has_tile(theirs):
            moves = [str(move) for move in ours.legal_moves(payments=True)]
            assert moves == [str(move) for move in theirs.legal_moves(payments=True)]
            assert theirs.position().seats == ours.position().seats
            move = rng.choice(moves)
            ours.play(move)
            theirs.play(move)
        assert ours.position().turns > 10 * players


def has_tile(game: Game) -> bool:
    """Whether somebody has a tile."""
    return any(tile.owner is not None for tile in game.position().tiles)


@TABLE("move", ["take wug", "take rr", "reserve 1a", "reserve 3?", "buy 1a", "buy @1"])
def test_a_city_comes_at_the_end_of_a_turn(move: str) -> None:
    rich: dict[str, Any] = {"bonuses": "4w3r7g", "points": 13, "tiles": "13+ 4w3r, 17+"}
    game = position("cities", **rich, market={"1a": "w1 4g"}, reserve="w1 4g")
    assert stands(after(game, move), tiles="13+ 4w3r@0, 17+", stage="main", turn=1)
    returning = after(position("cities", **rich, tokens="9u"), "take wug")
    assert stands(returning, stage="return", tiles="13+ 4w3r, 17+")
    assert stands(after(returning, "return u; return u"), tiles="13+ 4w3r@0, 17+", turn=1)
    buying = position("cities", bonuses="3w3r", points=12, tokens="4g", market={"1a": "w1 4g"}, tiles="13+ 4w3r")
    assert stands(after(buying, "buy 1a"), points=13, tiles="13+ 4w3r@0"), "with the card just bought"


@TABLE(
    "comes, city, points, bonuses, tokens",
    [
        (True, "13+ 4w3r", 13, "4w3r", "-"),
        (True, "13+ 4w3r", 20, "5w2u1g4r2k", "-"),
        (False, "13+ 4w3r", 12, "4w3r", "-"),
        (False, "13+ 4w3r", 13, "3w3r", "1w"),
        (False, "13+ 4w3r", 13, "4w2r", "5*"),
        (False, "13+ 4w3r", 13, "9w9u9g9k", "-"),
        (True, "14+ 2w1u1g2r2k", 14, "2w1u1g2r2k", "-"),
        (False, "14+ 2w1u1g2r2k", 14, "2w1u2r2k", "-"),
        (True, "17+", 17, "-", "-"),
        (False, "17+", 16, "9w9u9g9r9k", "-"),
    ],
)
def test_a_city_asks_for_points_and_bonuses(comes: bool, city: str, points: int, bonuses: str, tokens: str) -> None:
    game = position("cities", points=points, bonuses=bonuses, tokens=tokens, tiles=city)
    assert stands(after(game, "reserve 1a"), tiles=f"{city}@0" if comes else city)


@TABLE(
    "comes, city, points, bonuses",
    [
        (True, "12+ 6 other", 12, "6w"),
        (True, "12+ 6 other", 12, "1w2u7k"),
        (False, "12+ 6 other", 11, "6w"),
        (False, "12+ 6 other", 12, "5w5u5g5r5k"),
        (True, "15+ 5 other", 15, "5g"),
        (False, "15+ 5 other", 15, "4w4u4g4r4k"),
        *((True, "14+ 4g 4 other", 14, f"4g4{colour}") for colour in "wurk"),
        (False, "14+ 4g 4 other", 14, "8g"),
        (False, "14+ 4g 4 other", 14, "9g3w3u3r3k"),
        (False, "14+ 4g 4 other", 14, "3g4w"),
        (False, "14+ 4g 4 other", 13, "4g4w"),
    ],
)
def test_one_other_colour(comes: bool, city: str, points: int, bonuses: str) -> None:
    game = position("cities", points=points, bonuses=bonuses, tiles=city)
    assert stands(after(game, "take wug"), tiles=f"{city}@0" if comes else city)


@TABLE(
    "rule, move",
    [
        (None, "claim 1"),
        (None, "claim 3"),
        (POINTS_MISSING, "claim 2"),
        ("there is no tile in this place", "claim 4"),
        (CHOOSE_FIRST, "take wug"),
    ],
)
def test_the_player_chooses_among_cities(rule: str | None, move: str) -> None:
    fields: dict[str, Any] = {"points": 16, "bonuses": "4w1u1g3r1k"}
    game = after(position("cities", **fields, tiles="13+ 4w3r, 17+, 16+ 1w1u1g1r1k"), "take wug")
    assert stands(game, stage="claim", turn=0)
    assert rule == why_not(game, move)
    if rule is None:
        game.play(move)
        assert [int(move[-1]) - 1] == [i for i, tile in enumerate(game.position().tiles) if tile.owner == 0], "one a turn"
    for missing, city in [
        (BONUSES_MISSING, "13+ 2w2u2g2r2k"),
        (OTHER_MISSING, "12+ 6 other"),
        (BONUSES_MISSING, "14+ 4g 4 other"),
    ]:
        choice = after(position("cities", **fields, tiles=f"13+ 4w3r, {city}, 16+ 1w1u1g1r1k"), "take wug")
        assert missing == why_not(choice, "claim 2")


def test_a_city_cannot_be_refused() -> None:
    one = position("cities", points=17, tiles="17+")
    assert stands(after(one, "take wug"), stage="main", tiles="17+@0", turn=1)
    several = after(position("cities", points=17, bonuses="4w3r", tiles="17+, 13+ 4w3r"), "take wug")
    assert ["claim 1", "claim 2"] == [str(move) for move in several.legal_moves()]
    assert CHOOSE_FIRST == why_not(several, "pass")


def test_a_city_brings_no_points() -> None:
    assert stands(after(position("cities", points=17, tiles="17+"), "take wug"), points=17, tiles="17+@0")
    chosen = after(position("cities", points=17, bonuses="4w3r", tiles="17+, 13+ 4w3r"), "take wug; claim 2")
    assert stands(chosen, points=17, tiles="17+, 13+ 4w3r@0")


def test_cities_are_not_replaced() -> None:
    game = after(position("cities", points=17, points1=19, tiles="17+, 13+ 4w3r"), "take wug; take wug")
    assert stands(game, tiles="17+@0, 13+ 4w3r", stage="over")
    assert (0,) == winners(game)


@TABLE("points", [15, 16, 40, 100])
def test_fifteen_points_end_nothing(points: int) -> None:
    game = position("cities", points=points, points1=points, tiles="13+ 4w3r, 12+ 6 other, 14+ 4g 4 other")
    assert not game.is_last_round
    assert stands(after(game, "reserve 1?; reserve 1?"), stage="main", turn=0)
    assert not game.is_last_round


@TABLE("place", [0, 1])
def test_a_city_ends_the_game(place: int) -> None:
    game = position("cities", tiles="11+ 3w3u3r3k", **seat(place, points=11, bonuses="3w3u3r3k"))
    assert not game.is_last_round
    game.play("reserve 1?")
    assert (place == 0) == game.is_last_round
    game.play("reserve 1?")
    assert ("over", (place,), OVER) == (game.stage, winners(game), why_not(game, "take wug"))


@TABLE("place, points", [(0, (11, 18, 17)), (1, (18, 11, 17)), (2, (18, 17, 11))])
def test_the_owner_of_a_city_wins(place: int, points: tuple[int, ...]) -> None:
    scores = {f"points{at or ''}": number for at, number in enumerate(points)}
    game = after(position("cities", 3, turn=2, **scores, tiles=f"12+ 6 other, 11+ 3w3u3r3k@{place}, 13+ 3w4u"), "reserve 1?")
    assert (place,) == winners(game)


@TABLE(
    "ranks, points",
    [((1, 2, 3, 4), (14, 13, 12, 20)), ((3, 2, 1, 4), (12, 13, 14, 20)), ((2, 3, 1, 4), (13, 12, 20, 11))],
)
def test_several_owners(ranks: tuple[int, ...], points: tuple[int, ...]) -> None:
    scores = {f"points{at or ''}": number for at, number in enumerate(points)}
    tiles = "16+ 1w1u1g1r1k@2, 13+ 4w3r@0, 12+ 6 other@1"
    game = after(position("cities", 4, turn=3, **scores, tiles=tiles), "reserve 1?")
    assert game.outcome is not None
    assert (ranks, (ranks.index(1),)) == (game.outcome.ranks, game.outcome.winners)


@TABLE(
    "ranks, points, bought",
    [
        ((2, 1, 3, 4), (14, 11, 13, 12), (9, 9, 9, 9)),
        ((4, 1, 3, 2), (12, 11, 14, 14), (9, 9, 9, 8)),
        ((2, 1, 2, 4), (14, 11, 14, 14), (8, 9, 8, 9)),
        ((2, 1, 2, 2), (0, 11, 0, 0), (0, 9, 0, 0)),
    ],
)
def test_ranks_without_a_city(ranks: tuple[int, ...], points: tuple[int, ...], bought: tuple[int, ...]) -> None:
    fields = {f"points{at or ''}": number for at, number in enumerate(points)}
    fields |= {f"bought{at or ''}": number for at, number in enumerate(bought)}
    game = after(position("cities", 4, turn=3, **fields, tiles="11+ 3w3u3r3k@1, 13+ 3w4u"), "reserve 1?")
    assert game.outcome is not None
    assert ranks == game.outcome.ranks


@TABLE("goal", [15, 1, 100, -1, True, False, 1.5, "many"])
def test_the_goal_cannot_be_changed(goal: Any) -> None:
    with pytest.raises(RulesetError, match="cities has no goal in points"):
        Game("cities", goal=goal)
    with pytest.raises(PositionError, match="cities has no goal in points"):
        parse_position(format_position(Game("cities").position()).replace("start:", "goal:15 start:"))
    agreed: dict[str, Any] = {"take_fewer": True, "open_reserves": False, "token_limit": 12, "hand_limit": 2}
    assert agreed == Game("cities", **agreed).rules.house_rules()
    assert {} == Game("cities").rules.house_rules()


# House rules


@TABLE(
    "rule, bank, move",
    [
        (None, "4w4u4g4r4k", "take wu"),
        (None, "4w4u4g4r4k", "take g"),
        (None, "4w4u4g4r4k", "take wug"),
        (NOT_IN_BANK, "4w4u", "take g"),
        (PILE_OF_FOUR, "3w4u", "take ww"),
    ],
)
def test_fewer_tokens_by_choice(rule: str | None, bank: str, move: str) -> None:
    assert rule == why_not(position(bank=bank, take_fewer=True), move)


@TABLE(
    "over, variant, goal, points",
    [
        (True, "classic", 12, 12),
        (False, "classic", 21, 20),
        (True, "classic", 21, 21),
        (False, "marvel", 17, 16),
        (True, "marvel", 10, 10),
    ],
)
def test_another_goal(over: bool, variant: str, goal: int, points: int) -> None:
    fields = {**GAUNTLET, "points": points} if variant == "marvel" else {"points": points}
    assert over == after(position(variant, turn=1, goal=goal, **fields), "take rr").is_over
    assert {"classic": 15, "marvel": 16}[variant] == Game(variant).rules.goal


@TABLE(
    "shown, open_reserves, reader",
    [("g 3r, t1?", True, 1), ("t1, t1?", False, 1), ("t1, t1?", False, None), ("g 3r, k 3g?", False, 0)],
)
def test_open_reserves(shown: str, open_reserves: bool, reader: int | None) -> None:
    game = position(open_reserves=open_reserves, reserve="g 3r, k 3g?")
    assert read("reserve", shown, game.rules) == game.view(reader).seats[0].reserve


@TABLE("stage, token_limit, tokens", [("return", 8, "6w"), ("main", 8, "5w"), ("main", 13, "10w"), ("return", 13, "10w1*")])
def test_another_token_limit(stage: str, token_limit: int, tokens: str) -> None:
    assert stands(after(position(token_limit=token_limit, tokens=tokens), "take wug"), stage=stage)


@TABLE("rule, hand_limit, reserve", [(None, 2, "g 3r"), (FULL, 2, "g 3r, k 3g"), (FULL, 1, "g 3r"), (FULL, 0, "-")])
def test_another_hand_limit(rule: str | None, hand_limit: int, reserve: str) -> None:
    assert rule == why_not(position(hand_limit=hand_limit, reserve=reserve), "reserve 1a")


@TABLE(
    "name, value",
    [
        *(("goal", value) for value in (0, 101, 1.5, True, "many")),
        *(("token_limit", value) for value in (0, 41, None)),
        *(("hand_limit", value) for value in (-1, 4)),
        *((name, value) for name in ("take_fewer", "open_reserves") for value in (2, "yes", None)),
        ("jokers", True),
    ],
)
def test_values_out_of_range_are_refused(name: str, value: Any) -> None:
    with pytest.raises(RulesetError, match=name):
        Game(**{name: value})
    for switch, ends in {"goal": (1, 100), "token_limit": (1, 40), "hand_limit": (0, 3)}.items():
        houses: list[dict[str, Any]] = [{switch: end} for end in ends]
        assert ends == tuple(getattr(Game(**house).rules, switch) for house in houses)


def test_a_record_says_which_house_rules_were_on() -> None:
    house: dict[str, Any] = {"take_fewer": True, "goal": 21, "open_reserves": False, "token_limit": 12, "hand_limit": 2}
    text = format_record(
        Record(Ruleset("classic", 2, **house), 0, (1, 2, 3), ((1, 2, 3, 4, None), (41, 42, 43, 44, None), (71, 72, 73, 74, None)))
    )
    assert {"take_fewer: on", "goal: 21", "open_reserves: off", "token_limit: 12", "hand_limit: 2"} <= set(text.splitlines())
    assert house == parse_record(text).rules.house_rules()
