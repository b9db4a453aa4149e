"""The rule that forbids a move: a code, the facts of the case, and a sentence.

Written apart from the kernel's masks, on plain lists, so that each checks the other.
"""

from collections.abc import Callable

from .notation.gems import format_counts
from .notation.move import Move, parse_move
from .rules.variants import CARDS, TILES
from .view import SeatView, View

COLOURS = 5
WILD = 5

# Each code with its rule in words and, in brackets where it is shown, how things stand. The code is public: it is also the
# heading in variants/refusals.md, the name of the test (tests/test_why_not.py) and the message key of the client
# (`rule_<code>`), so it does not change when the words do.
RULES: dict[str, tuple[str, str]] = {
    # the stage of the turn
    "game_over": ("the game is over", ""),
    "return_first": ("tokens above the limit must be returned first", "{excess} too many"),
    "claim_first": ("one of the tiles that come must be chosen first", ""),
    "return_above_the_limit": ("tokens are returned only above the limit", "{held} of {limit}"),
    "claim_among_several": ("a tile is chosen only when several come", ""),
    # taking tokens
    "pile_for_two": ("two of one colour need a pile of four", "{left} left"),
    "not_in_the_bank": ("a token can be taken only if it is in the bank", "no {gem} left"),
    "three_colours": ("three different colours, or all that are left", "{left} colours left"),
    # reserving
    "deck_empty": ("the deck is empty", "tier {tier}"),
    "place_empty": ("there is no card in this place", "{place}"),
    "reserve_full": ("the reserve is full", "{held} of {limit}"),
    # buying
    "not_in_the_reserve": ("there is no such card in the own reserve", "{held} reserved"),
    "price_too_high": ("the price cannot be paid", "{short} short of {price}"),
    "pay_tokens_in_hand": ("only tokens in hand can be paid", "{held}{gem} in hand"),
    "time_never_spent": ("Time tokens are never spent", ""),
    "overpaying": ("overpaying is not allowed", "the price is {price}"),
    "whole_price": ("the whole price must be paid", "the price is {price}"),
    # passing
    "can_still_move": ("passing is allowed only when nothing else is", "{move} is possible"),
    # returning tokens
    "time_never_returned": ("Time tokens are never returned", ""),
    "return_tokens_in_hand": ("only tokens in hand can be returned", "no {gem}"),
    # choosing a tile
    "no_tile_there": ("there is no tile in this place", "{place}"),
    "demand_not_met": ("a tile comes only when the bonuses meet its demand", "{demand}"),
    "other_colour_not_met": ("a tile comes only with enough bonuses of one colour that it does not name", "{other} needed"),
    "points_not_met": ("a tile comes only when the points meet its demand", "{points} of {prestige}"),
}


class Reason(str):
    """A rule in words; equal to its plain text. `code` names the rule, `facts` say how things stand: numbers, letters, places."""

    code: str
    facts: dict[str, str | int]

    def __new__(cls, code: str, /, **facts: str | int) -> "Reason":
        """The rule with this code, and what its detail mentions."""
        reason = super().__new__(cls, RULES[code][0])
        reason.code, reason.facts = code, facts
        return reason

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str | int]]:
        return (self.code,), self.facts  # pickle would pass the sentence, which is no code

    @property
    def detail(self) -> str:
        """How things stand."""
        return RULES[self.code][1].format(**self.facts)

    def sentence(self) -> str:
        """The rule, with the detail in brackets."""
        return f"{self} ({self.detail})" if self.detail else str(self)


def why_not(view: View, move: Move | str) -> Reason | None:
    """Why the seat to decide may not make this move now; None if it may. The view must be that seat's own, or a Position."""
    if not isinstance(move, Move):
        move = parse_move(move, view.rules.variant)
    if view.stage == "over":
        return Reason("game_over")
    words = str(move).split()
    wanted = {"return": "return", "claim": "claim"}.get(words[0], "main")
    if wanted != view.stage:
        return _wrong_stage(view, wanted)
    return CHECKS[words[0]](view, move, words)


def _me(view: View) -> SeatView:
    return view.seats[view.turn]


def _wrong_stage(view: View, wanted: str) -> Reason:
    if view.stage == "return":
        excess = sum(_me(view).tokens) - view.rules.token_limit
        return Reason("return_first", excess=excess)
    if view.stage == "claim":
        return Reason("claim_first")
    if wanted == "return":
        return Reason("return_above_the_limit", held=sum(_me(view).tokens), limit=view.rules.token_limit)
    return Reason("claim_among_several")


def _why_not_take(view: View, _move: Move, words: list[str]) -> Reason | None:
    letters, gems = view.rules.letters, words[1]
    left = {letter: view.bank[lane] for lane, letter in enumerate(letters[:COLOURS])}
    if len(gems) == 2 and gems[0] == gems[1]:
        if left[gems[0]] < 4:
            return Reason("pile_for_two", gem=gems[0], left=left[gems[0]])
        return None
    for letter in gems:
        if left[letter] == 0:
            return Reason("not_in_the_bank", gem=letter)
    if view.rules.take_fewer:
        return None
    colours_left = sum(count > 0 for count in left.values())
    if len(gems) < min(3, colours_left):
        return Reason("three_colours", left=colours_left)
    return None


def _why_not_reserve(view: View, _move: Move, words: list[str]) -> Reason | None:
    held, limit = len(_me(view).reserve), view.rules.hand_limit
    tier, place = int(words[1][0]), words[1][1]
    if place == "?" and view.deck_sizes[tier - 1] == 0:
        return Reason("deck_empty", tier=tier)
    if place != "?" and _face_up(view, words[1]) is None:
        return Reason("place_empty", place=words[1])
    if held >= limit:
        return Reason("reserve_full", held=held, limit=limit)
    return None


def _why_not_buy(view: View, move: Move, words: list[str]) -> Reason | None:
    me = _me(view)
    if words[1][0] == "@":
        i = int(words[1][1]) - 1
        if i >= len(me.reserve):
            return Reason("not_in_the_reserve", place=i + 1, held=len(me.reserve))
        number = me.reserve[i].card
    else:
        number = _face_up(view, words[1])
        if number is None:
            return Reason("place_empty", place=words[1])
    assert number is not None, "a seat sees its own reserve"
    cost = CARDS[view.rules.variant][number - 1].cost
    price = [max(0, cost[i] - me.bonuses[i]) for i in range(COLOURS)]
    missing = sum(max(0, price[i] - me.tokens[i]) for i in range(COLOURS))
    if missing > me.tokens[WILD]:
        short, due = missing - me.tokens[WILD], format_counts(tuple(price), view.rules.letters)
        return Reason("price_too_high", card=number, short=short, price=due)
    return None if move.payment is None else _why_not_pay(view, price, move.payment)


def _why_not_pay(view: View, price: list[int], payment: tuple[int, ...]) -> Reason | None:
    held = _me(view).tokens
    letters = view.rules.letters
    due = format_counts(tuple(price), letters)
    for lane, count in enumerate(payment):
        if count > held[lane]:
            return Reason("pay_tokens_in_hand", gem=letters[lane], held=held[lane])
    if any(payment[WILD + 1 :]):
        return Reason("time_never_spent")
    for lane in range(COLOURS):
        if payment[lane] > price[lane]:
            return Reason("overpaying", price=due)
    if sum(payment) > sum(price):
        return Reason("overpaying", price=due)
    if sum(payment) < sum(price):
        return Reason("whole_price", price=due)
    return None


def _why_not_pass(view: View, _move: Move, _words: list[str]) -> Reason | None:
    in_bank = [letter for letter, count in zip(view.rules.letters[:COLOURS], view.bank, strict=False) if count > 0]
    if in_bank:  # whatever is left of up to three colours may be taken
        return Reason("can_still_move", move=f"take {''.join(in_bank[:3])}")
    places = [f"{tier}{place}" for tier in (1, 2, 3) for place in "abcd?"]
    tries = [f"reserve {place}" for place in places]
    tries += [f"buy {place}" for place in places if place[1] != "?"] + ["buy @1", "buy @2", "buy @3"]
    for text in tries:
        if why_not(view, text) is None:
            return Reason("can_still_move", move=text)
    return None


def _why_not_return(view: View, _move: Move, words: list[str]) -> Reason | None:
    if words[1] == "t":
        return Reason("time_never_returned")
    if _me(view).tokens[view.rules.letters.index(words[1])] == 0:
        return Reason("return_tokens_in_hand", gem=words[1])
    return None


def _why_not_claim(view: View, _move: Move, words: list[str]) -> Reason | None:
    place = int(words[1])
    if place > len(view.tiles) or view.tiles[place - 1].owner is not None:
        return Reason("no_tile_there", place=place)
    tile, me = TILES[view.rules.variant][view.tiles[place - 1].number - 1], _me(view)
    if any(wanted > own for wanted, own in zip(tile.demand, me.bonuses, strict=True)):
        return Reason("demand_not_met", tile=tile.number, demand=format_counts(tile.demand, view.rules.letters))
    if tile.other > max((own for wanted, own in zip(tile.demand, me.bonuses, strict=True) if wanted == 0), default=0):
        return Reason("other_colour_not_met", tile=tile.number, other=tile.other)
    if tile.prestige > me.points:
        return Reason("points_not_met", tile=tile.number, points=me.points, prestige=tile.prestige)
    return None


def _face_up(view: View, place: str) -> int | None:
    return view.market[int(place[0]) - 1]["abcd".index(place[1])]


CHECKS: dict[str, Callable[[View, Move, list[str]], Reason | None]] = {
    "take": _why_not_take,
    "reserve": _why_not_reserve,
    "buy": _why_not_buy,
    "pass": _why_not_pass,
    "return": _why_not_return,
    "claim": _why_not_claim,
}
