"""The rule that forbids a move, in words.

Written apart from the kernel's masks, on plain lists, so that each checks the other.
"""

from collections.abc import Callable

from .notation.gems import format_counts
from .notation.move import Move, parse_move
from .rules.variants import CARDS, TILES
from .view import SeatView, View

COLOURS = 5
WILD = 5


class Reason(str):
    """A rule in words; equal to its plain text. `detail` says how things stand."""

    detail: str

    def __new__(cls, rule: str, detail: str = "") -> "Reason":
        """A rule, with how things stand now."""
        reason = super().__new__(cls, rule)
        reason.detail = detail
        return reason

    def sentence(self) -> str:
        """The rule, with the detail in brackets."""
        return f"{self} ({self.detail})" if self.detail else str(self)


def why_not(view: View, move: Move | str) -> Reason | None:
    """Why the seat to decide may not make this move now; None if it may. The view must be that seat's own, or a Position."""
    if isinstance(move, str):
        move = parse_move(move, view.rules.variant)
    if view.stage == "over":
        return Reason("the game is over")
    words = str(move).split()
    wanted = {"return": "return", "claim": "claim"}.get(words[0], "main")
    if wanted != view.stage:
        return _wrong_stage(view, wanted)
    return RULES[words[0]](view, move, words)


def _me(view: View) -> SeatView:
    return view.seats[view.turn]


def _wrong_stage(view: View, wanted: str) -> Reason:
    if view.stage == "return":
        excess = sum(_me(view).tokens) - view.rules.token_limit
        return Reason("tokens above the limit must be returned first", f"{excess} too many")
    if view.stage == "claim":
        return Reason("one of the tiles that come must be chosen first")
    if wanted == "return":
        return Reason("tokens are returned only above the limit", f"{sum(_me(view).tokens)} of {view.rules.token_limit}")
    return Reason("a tile is chosen only when several come")


def _why_not_take(view: View, _move: Move, words: list[str]) -> Reason | None:
    letters, gems = view.rules.letters, words[1]
    left = {letter: view.bank[lane] for lane, letter in enumerate(letters[:COLOURS])}
    if len(gems) == 2 and gems[0] == gems[1]:
        if left[gems[0]] < 4:
            return Reason("two of one colour need a pile of four", f"{left[gems[0]]} left")
        return None
    for letter in gems:
        if left[letter] == 0:
            return Reason("a token can be taken only if it is in the bank", f"no {letter} left")
    if view.rules.take_fewer:
        return None
    colours_left = sum(count > 0 for count in left.values())
    if len(gems) < min(3, colours_left):
        return Reason("three different colours, or all that are left", f"{colours_left} colours left")
    return None


def _why_not_reserve(view: View, _move: Move, words: list[str]) -> Reason | None:
    held, limit = len(_me(view).reserve), view.rules.hand_limit
    tier, place = int(words[1][0]), words[1][1]
    if place == "?" and view.deck_sizes[tier - 1] == 0:
        return Reason("the deck is empty", f"tier {tier}")
    if place != "?" and _face_up(view, words[1]) is None:
        return Reason("there is no card in this place", words[1])
    if held >= limit:
        return Reason("the reserve is full", f"{held} of {limit}")
    return None


def _why_not_buy(view: View, move: Move, words: list[str]) -> Reason | None:
    me = _me(view)
    if words[1][0] == "@":
        i = int(words[1][1]) - 1
        if i >= len(me.reserve):
            return Reason("there is no such card in the own reserve", f"{len(me.reserve)} reserved")
        number = me.reserve[i].card
    else:
        number = _face_up(view, words[1])
        if number is None:
            return Reason("there is no card in this place", words[1])
    assert number is not None, "a seat sees its own reserve"
    cost = CARDS[view.rules.variant][number - 1].cost
    price = [max(0, cost[i] - me.bonuses[i]) for i in range(COLOURS)]
    missing = sum(max(0, price[i] - me.tokens[i]) for i in range(COLOURS))
    if missing > me.tokens[WILD]:
        short, due = missing - me.tokens[WILD], format_counts(tuple(price), view.rules.letters)
        return Reason("the price cannot be paid", f"{short} short of {due}")
    return None if move.payment is None else _why_not_pay(view, price, move.payment)


def _why_not_pay(view: View, price: list[int], payment: tuple[int, ...]) -> Reason | None:
    held = _me(view).tokens
    letters = view.rules.letters
    due = format_counts(tuple(price), letters)
    for lane, count in enumerate(payment):
        if count > held[lane]:
            return Reason("only tokens in hand can be paid", f"{held[lane]}{letters[lane]} in hand")
    if any(payment[WILD + 1 :]):
        return Reason("Time tokens are never spent")
    for lane in range(COLOURS):
        if payment[lane] > price[lane]:
            return Reason("overpaying is not allowed", f"the price is {due}")
    if sum(payment) > sum(price):
        return Reason("overpaying is not allowed", f"the price is {due}")
    if sum(payment) < sum(price):
        return Reason("the whole price must be paid", f"the price is {due}")
    return None


def _why_not_pass(view: View, _move: Move, _words: list[str]) -> Reason | None:
    letters = view.rules.letters[:COLOURS]
    places = [f"{tier}{place}" for tier in (1, 2, 3) for place in "abcd?"]
    tries = [f"take {letter}" for letter in letters] + [f"take {letter}{letter}" for letter in letters]
    tries += [f"reserve {place}" for place in places]
    tries += [f"buy {place}" for place in places if place[1] != "?"] + ["buy @1", "buy @2", "buy @3"]
    if any(view.bank[:COLOURS]):
        return Reason("passing is allowed only when nothing else is", "tokens can be taken")
    for text in tries:
        if why_not(view, text) is None:
            return Reason("passing is allowed only when nothing else is", f"{text} is possible")
    return None


def _why_not_return(view: View, _move: Move, words: list[str]) -> Reason | None:
    if words[1] == "t":
        return Reason("Time tokens are never returned")
    if _me(view).tokens[view.rules.letters.index(words[1])] == 0:
        return Reason("only tokens in hand can be returned", f"no {words[1]}")
    return None


def _why_not_claim(view: View, _move: Move, words: list[str]) -> Reason | None:
    place = int(words[1])
    if place > len(view.tiles) or view.tiles[place - 1].owner is not None:
        return Reason("there is no tile in this place", words[1])
    demand = TILES[view.rules.variant][view.tiles[place - 1].number - 1].demand
    if any(wanted > own for wanted, own in zip(demand, _me(view).bonuses, strict=True)):
        return Reason("a tile comes only when the bonuses meet its demand", format_counts(demand, view.rules.letters))
    return None


def _face_up(view: View, place: str) -> int | None:
    return view.market[int(place[0]) - 1]["abcd".index(place[1])]


RULES: dict[str, Callable[[View, Move, list[str]], Reason | None]] = {
    "take": _why_not_take,
    "reserve": _why_not_reserve,
    "buy": _why_not_buy,
    "pass": _why_not_pass,
    "return": _why_not_return,
    "claim": _why_not_claim,
}
