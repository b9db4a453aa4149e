"""What one seat may know, and a full state that fits it.

A View lists what is shown; it has no field that could hold a deck. A Position is the whole truth in the same form.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from struct import Struct, calcsize
from struct import unpack as unpack_bytes
from typing import Any

import numpy as np

from .errors import WrongType, quoted
from .rules.buying import AVENGERS_POINTS
from .rules.cards import CARD_START, DECK_START, NONE, NUMBER, TIER_COUNT, TILE_START
from .rules.gems import COLOUR_COUNT, pack, unpack
from .rules.state import REASONS, SLOTS_PER_TIER, STAGES, state_t
from .rules.variants import CARDS, VARIANTS
from .ruleset import Ruleset, States, blank_states, ruleset_of

NUMBERS: list[int] = NUMBER.tolist()  # a list is quicker to read one by one than an array
SHOWN: list[int | None] = [number or None for number in NUMBERS]
Market = tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Reserved:
    """A reserved card: its number if known, its tier always, and whether it came unseen from a deck and was not shown since."""

    tier: int
    blind: bool
    card: int | None


@dataclass(frozen=True, slots=True)
class TileOnTable:
    """A tile by number, and the seat it went to, if any."""

    number: int
    owner: int | None


@dataclass(frozen=True, slots=True)
class SeatView:
    """What is on the table in front of one seat. `tokens` and `bonuses` follow the variant's letters."""

    tokens: tuple[int, ...]
    tableau: tuple[int, ...]
    reserve: tuple[Reserved, ...]
    bonuses: tuple[int, ...]
    points: int
    symbols: int


@dataclass(frozen=True, slots=True)
class View:
    """What one seat (or a spectator: None) may know. Cards and tiles are public numbers."""

    rules: Ruleset
    seat: int | None
    start: int
    turns: int
    turn: int
    stage: str
    passes: int
    reason: str
    bank: tuple[int, ...]
    market: Market
    deck_sizes: tuple[int, ...]
    tiles: tuple[TileOnTable, ...]
    avengers: int | None
    seats: tuple[SeatView, ...]

    def as_json(self) -> dict[str, Any]:
        """All of it as dicts, lists, numbers and texts; `view_from_json` reads it back."""
        found: dict[str, Any] = _as_lists(asdict(self))
        return found

    def __str__(self) -> str:
        return DRAWINGS["text"](self)

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows."""
        return DRAWINGS["svg"](self)


# What everybody knows: a View's fields from `start` to `avengers`.
Public = tuple[
    int, int, int, str, int, str, tuple[int, ...], Market, tuple[int, ...], tuple[TileOnTable, ...], int | None
]  # fmt: skip

DRAWINGS: dict[str, Callable[[View], str]] = {}  # `notation` draws views, and says so here: it is above this module


def _as_lists(value: Any) -> Any:
    """The same with lists in place of tuples, as JSON has them."""
    if isinstance(value, dict):
        return {name: _as_lists(part) for name, part in value.items()}
    return [_as_lists(part) for part in value] if isinstance(value, tuple | list) else value


@dataclass(frozen=True, slots=True)
class Position(View):
    """The whole truth: a view of everything, with the decks, top card first."""

    decks: tuple[tuple[int, ...], ...]


def _code(field: "np.dtype[Any]") -> str:
    """How `struct` reads a field of a record. Rows of bytes stay bytes: they are numbers one by one, and compared at once."""
    letter = {"i8": "q", "i4": "i", "u1": "B"}[field.base.str[1:]]
    if len(field.shape) == 1 and letter != "B":
        return f"{field.shape[0]}{letter}"
    rows = field.shape[0] if len(field.shape) == 2 else 1
    return f"{field.itemsize // rows}s" * rows if field.shape else letter


def _places(codes: dict[str, str]) -> Iterator[tuple[str, int | slice]]:
    """Where each field is in what `struct` reads: one value, or several."""
    first = 0
    for name, code in codes.items():
        count = len(unpack_bytes(code, bytes(calcsize(code))))
        yield name, first if count == 1 else slice(first, first + count)
        first += count


LITTLE_ENDIAN = "<"  # as are all machines that Numba compiles for
CODES = {name: LITTLE_ENDIAN + _code(state_t[name]) for name in state_t.names or ()}
PLACES = tuple(_places(CODES))
RECORD = Struct(LITTLE_ENDIAN + "".join(code.removeprefix(LITTLE_ENDIAN) for code in CODES.values()))


def plain(state: Any) -> dict[str, Any]:
    """A record's fields as Python's numbers, and bytes or tuples of them, which are quicker to read one by one."""
    values = RECORD.unpack(state.tobytes())
    return {name: values[place] for name, place in PLACES}


def view(state: Any, seat: int | None) -> View:
    """What this seat (None: a spectator) may know of a record."""
    return Views(state).of(seat)


class Views:
    """What each seat may know of a record, from reading it once: a position that is shown to a whole table."""

    __slots__ = ("_public", "others", "own", "rules")

    def __init__(self, state: Any) -> None:
        state = plain(state)
        self.rules = ruleset_of(state)
        self._public = _public(state, self.rules)
        areas = [_seat_views(state, self.rules, owner) for owner in range(self.rules.players)]
        self.own, self.others = zip(*areas, strict=True)

    def of(self, seat: int | None) -> View:
        """What this seat (None: a spectator) may know. The own reserve is known, of others' what was reserved face up."""
        others = self.others
        areas = others if seat is None else (*others[:seat], self.own[seat], *others[seat + 1 :])
        return View(self.rules, seat, *self._public, areas)


def position(state: Any) -> Position:
    """Everything in a record."""
    state = plain(state)
    rules = ruleset_of(state)
    seats = tuple(_seat_views(state, rules, owner)[0] for owner in range(rules.players))
    decks = tuple(tuple(_number(card) for card in reversed(_deck(state, tier))) for tier in range(TIER_COUNT))
    return Position(rules, None, *_public(state, rules), seats, decks)


def seat_view(
    rules: Ruleset,
    tokens: tuple[int, ...],
    tableau: Iterable[int],
    reserve: tuple[Reserved, ...],
    *,
    tile_points: int,
    has_avengers: bool,
) -> SeatView:
    """A seat's area from what lies there: bonuses, points and symbols follow from the cards."""
    owned = tuple(sorted(tableau))
    cards = [CARDS[rules.variant][number - 1] for number in owned]
    bonuses = tuple(sum(card.bonus == letter for card in cards) for letter in rules.letters[:COLOUR_COUNT])
    points = sum(card.points for card in cards) + tile_points + AVENGERS_POINTS * has_avengers
    return SeatView(tokens, owned, reserve, bonuses, points, sum(card.symbols for card in cards))


def state_of(shown: View) -> States:
    """A record (an array of one) with what the view shows. Cards it hides are NONE; the legal moves are right all the same."""
    if not isinstance(shown, View):
        raise WrongType(f"a View or a Position is needed, not {quoted(shown)}")
    states = blank_states(shown.rules, 1, shown.start)
    state = states[0]
    variant = shown.rules.row.index
    state["turns"], state["turn"], state["passes"] = shown.turns, shown.turn, shown.passes
    state["stage"], state["reason"] = STAGES.index(shown.stage), REASONS.index(shown.reason)
    state["bank"] = pack(shown.bank)
    state["market"] = [_byte(variant, card) for row in shown.market for card in row]
    state["deck"] = state["reserve"] = state["tiles"] = state["tile_owner"] = NONE
    state["deck_size"] = shown.deck_sizes
    state["avengers"] = NONE if shown.avengers is None else shown.avengers
    for place, tile in enumerate(shown.tiles):
        state["tiles"][place] = TILE_START[variant] + tile.number - 1
        state["tile_owner"][place] = NONE if tile.owner is None else tile.owner
    for seat, area in enumerate(shown.seats):
        _fill_seat(state, variant, seat, area)
    if isinstance(shown, Position):
        for tier, deck in enumerate(shown.decks):
            _stack_deck(state, variant, tier, deck)
    return states


def unseen(shown: View) -> list[list[int]]:
    """For each tier the cards the view does not show: they are in the deck or hidden in a reserve."""
    seen = {card for row in shown.market for card in row} | {card for area in shown.seats for card in area.tableau}
    seen |= {held.card for area in shown.seats for held in area.reserve}
    hidden = [card for card in CARDS[shown.rules.variant] if card.number not in seen]
    return [[card.number for card in hidden if card.tier == tier] for tier in range(1, TIER_COUNT + 1)]


def sample(shown: View, seed: int | np.random.Generator | Sequence[int] | None = None) -> States:
    """A full state (an array of one) that fits the view, uniform over what it does not show.

    The same seed gives the same state; a generator is used as it is, and None draws from a new one.
    """
    try:
        rng = np.random.default_rng(seed)
    except (TypeError, ValueError) as wrong:
        raise WrongType(f"a seed is a number from 0 or a generator, not {quoted(seed)}") from wrong
    states = state_of(shown)
    state, variant = states[0], shown.rules.row.index
    for tier, pool in enumerate(unseen(shown)):
        order = [int(number) for number in rng.permutation(np.array(pool, int))]
        for seat, i in _hidden(shown, tier + 1):
            state["reserve"][seat, i] = _byte(variant, order.pop())
        _stack_deck(state, variant, tier, order)
    return states


def _public(state: Any, rules: Ruleset) -> Public:
    """What everybody knows of a record."""
    market = [SHOWN[card] for card in state["market"]]
    return (
        state["start"],
        state["turns"],
        state["turn"],
        STAGES[state["stage"]],
        state["passes"],
        REASONS[state["reason"]],
        _counts(rules, state["bank"]),
        tuple([tuple(market[i : i + SLOTS_PER_TIER]) for i in range(0, len(market), SLOTS_PER_TIER)]),
        tuple(state["deck_size"]),
        _tiles(rules.row.index, state["tiles"], state["tile_owner"]),
        _seat_or_none(state["avengers"]),
    )


def _seat_views(state: Any, rules: Ruleset, seat: int) -> tuple[SeatView, SeatView]:
    """A seat's area as the seat itself knows it, and as the others do."""
    reserve = state["reserve"][seat][: state["reserved"][seat]]
    cards = state["tableau"][seat], reserve, state["blind"][seat]
    counts = state["tokens"][seat], state["bonuses"][seat], state["points"][seat], state["symbols"][seat]
    return _areas(rules.variant, rules.open_reserves, cards, counts)


@lru_cache(maxsize=1 << 12)
def _areas(
    variant: str, open_reserves: bool, cards: tuple[bytes, bytes, int], counts: tuple[int, int, int, int]
) -> tuple[SeatView, SeatView]:
    """An area from the fields of a record. Kept, since a move changes one seat's area and a table shows all of them."""
    (tableau, reserve, blind), (tokens, bonuses, points, symbols) = cards, counts
    held, seen = _reserves(variant, open_reserves, reserve, blind)
    lanes = unpack(tokens)[: len(VARIANTS[variant].letters)]
    own = SeatView(lanes, _tableau(tableau), held, unpack(bonuses)[:COLOUR_COUNT], points, symbols)
    return own, own if seen is held else replace(own, reserve=seen)


@lru_cache(maxsize=1 << 12)
def _reserves(variant: str, open_reserves: bool, reserve: bytes, blind: int) -> tuple[tuple[Reserved, ...], tuple[Reserved, ...]]:
    """A reserve as its seat knows it, and as the others do: only what was reserved face up, if reserves are open."""
    held = tuple([_reserved(variant, card, is_blind=bool(blind >> i & 1)) for i, card in enumerate(reserve)])
    seen = tuple([one if open_reserves and not one.blind else Reserved(one.tier, one.blind, None) for one in held])
    return held, held if seen == held else seen


def _reserved(variant: str, card: int, *, is_blind: bool) -> Reserved:
    number = _number(card)
    return Reserved(CARDS[variant][number - 1].tier, is_blind, number)


@lru_cache(maxsize=1 << 12)
def _tiles(variant: int, tiles: bytes, owners: bytes) -> tuple[TileOnTable, ...]:
    """The tiles on the table. Kept, since few moves change them."""
    first = int(TILE_START[variant]) - 1
    placed = zip(tiles, owners, strict=True)
    return tuple([TileOnTable(tile - first, _seat_or_none(owner)) for tile, owner in placed if tile != NONE])


@lru_cache(maxsize=1 << 12)
def _tableau(bits: bytes) -> tuple[int, ...]:
    """The numbers of the cards in a bit set. Kept, since few moves buy a card."""
    cards, numbers = int.from_bytes(bits, "little"), []
    while cards:
        numbers.append((cards & -cards).bit_length())
        cards &= cards - 1
    return tuple(numbers)


def _fill_seat(state: Any, variant: int, seat: int, area: SeatView) -> None:
    state["tokens"][seat], state["bonuses"][seat] = pack(area.tokens), pack(area.bonuses)
    state["points"][seat], state["symbols"][seat] = area.points, area.symbols
    state["bought"][seat], state["reserved"][seat] = len(area.tableau), len(area.reserve)
    for number in area.tableau:
        state["tableau"][seat, number - 1 >> 6] |= np.uint64(1 << (number - 1 & 63)).astype(np.int64)
    for i, held in enumerate(area.reserve):
        state["reserve"][seat, i] = _byte(variant, held.card)
        state["blind"][seat] |= held.blind << i


def _hidden(shown: View, tier: int) -> list[tuple[int, int]]:
    return [
        (seat, i)
        for seat, area in enumerate(shown.seats)
        for i, held in enumerate(area.reserve)
        if held.card is None and held.tier == tier
    ]


def _deck(state: Any, tier: int) -> bytes:
    first = int(DECK_START[tier])
    cards: bytes = state["deck"][first : first + state["deck_size"][tier]]
    return cards


def _stack_deck(state: Any, variant: int, tier: int, top_first: Iterable[int]) -> None:
    """Lay a deck into the record; the cards already drawn are not part of it."""
    for i, number in enumerate(reversed(list(top_first))):
        state["deck"][DECK_START[tier] + i] = _byte(variant, number)


def _counts(rules: Ruleset, gems: int) -> tuple[int, ...]:
    return unpack(gems)[: len(rules.letters)]


def _seat_or_none(seat: int) -> int | None:
    return None if seat == NONE else seat


def _number(card: int) -> int:
    return NUMBERS[card]


def _byte(variant: int, number: int | None) -> int:
    return NONE if number is None else int(CARD_START[variant]) + number - 1
