"""What one seat may know, and a full state that fits it.

A View lists what is shown; it has no field that could hold a deck. A Position is the whole truth in the same form.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from .errors import WrongType, quoted
from .rules.buying import AVENGERS_POINTS
from .rules.cards import CARD_START, DECK_START, NONE, NUMBER, TIER_COUNT, TILE_START
from .rules.gems import COLOUR_COUNT, pack, unpack
from .rules.state import REASONS, SLOTS_PER_TIER, STAGES
from .rules.variants import CARDS, VARIANTS
from .ruleset import Ruleset, States, blank_states, ruleset_of

LOW_WORD = (1 << 64) - 1
NUMBERS: list[int] = NUMBER.tolist()  # a list is quicker to read one by one than an array
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


@dataclass(frozen=True, slots=True)
class Position(View):
    """The whole truth: a view of everything, with the decks, top card first."""

    decks: tuple[tuple[int, ...], ...]


def plain(state: Any) -> dict[str, Any]:
    """A record's fields as Python numbers and lists, which are quicker to read one by one."""
    values = zip(state.dtype.names, state.item(), strict=True)
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values}


def view(state: Any, seat: int | None) -> View:
    """What this seat (None: a spectator) may know of a record."""
    return Views(state).of(seat)


class Views:
    """What each seat may know of a record, from reading it once: a position that is shown to a whole table."""

    def __init__(self, state: Any) -> None:
        state = plain(state)
        self.rules = ruleset_of(state)
        self._public = _public(state, self.rules)
        self._own = tuple(_seat_view(state, self.rules, owner) for owner in range(self.rules.players))
        self._others = tuple(_seen_by_others(self.rules, area) for area in self._own)

    def of(self, seat: int | None) -> View:
        """What this seat (None: a spectator) may know. The own reserve is known, of others' what was reserved face up."""
        areas = self._others if seat is None else (*self._others[:seat], self._own[seat], *self._others[seat + 1 :])
        return View(**self._public, seat=seat, seats=areas)


def position(state: Any) -> Position:
    """Everything in a record."""
    state = plain(state)
    rules = ruleset_of(state)
    seats = tuple(_seat_view(state, rules, owner) for owner in range(rules.players))
    decks = tuple(tuple(_number(card) for card in reversed(_deck(state, tier))) for tier in range(TIER_COUNT))
    return Position(**_public(state, rules), seat=None, seats=seats, decks=decks)


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


def sample(shown: View, rng: np.random.Generator) -> States:
    """A full state (an array of one) that fits the view, uniform over what it does not show."""
    states = state_of(shown)
    state, variant = states[0], shown.rules.row.index
    for tier, pool in enumerate(unseen(shown)):
        order = [int(number) for number in rng.permutation(np.array(pool, int))]
        for seat, i in _hidden(shown, tier + 1):
            state["reserve"][seat, i] = _byte(variant, order.pop())
        _stack_deck(state, variant, tier, order)
    return states


def _seen_by_others(rules: Ruleset, area: SeatView) -> SeatView:
    """A seat's area for the others: of its reserve only what was reserved face up, if reserves are open."""
    reserve = tuple(held if rules.open_reserves and not held.blind else _covered(held) for held in area.reserve)
    return area if reserve == area.reserve else replace(area, reserve=reserve)


def _covered(held: Reserved) -> Reserved:
    return Reserved(held.tier, held.blind, None)


def _public(state: Any, rules: Ruleset) -> dict[str, Any]:
    market = [_number_or_none(card) for card in state["market"]]
    return {
        "rules": rules,
        "start": state["start"],
        "turns": state["turns"],
        "turn": state["turn"],
        "stage": STAGES[state["stage"]],
        "passes": state["passes"],
        "reason": REASONS[state["reason"]],
        "bank": _counts(rules, state["bank"]),
        "market": tuple(tuple(market[i : i + SLOTS_PER_TIER]) for i in range(0, len(market), SLOTS_PER_TIER)),
        "deck_sizes": tuple(state["deck_size"]),
        "tiles": tuple(_tiles(state, rules)),
        "avengers": _seat_or_none(state["avengers"]),
    }


def _seat_view(state: Any, rules: Ruleset, seat: int) -> SeatView:
    reserve = tuple(state["reserve"][seat][: state["reserved"][seat]])
    cards = tuple(state["tableau"][seat]), reserve, state["blind"][seat]
    counts = state["tokens"][seat], state["bonuses"][seat], state["points"][seat], state["symbols"][seat]
    return _area(rules.variant, cards, counts)


@lru_cache(maxsize=1 << 12)
def _area(variant: str, cards: tuple[tuple[int, ...], tuple[int, ...], int], counts: tuple[int, int, int, int]) -> SeatView:
    """A seat's area from the fields of a record. Kept, since a move changes one seat's area and a table shows all of them."""
    (tableau, reserve, blind), (tokens, bonuses, points, symbols) = cards, counts
    return SeatView(
        tokens=unpack(tokens)[: len(VARIANTS[variant].letters)],
        tableau=tuple(_tableau(tableau)),
        reserve=tuple(_reserved(variant, card, is_blind=bool(blind >> i & 1)) for i, card in enumerate(reserve)),
        bonuses=unpack(bonuses)[:COLOUR_COUNT],
        points=points,
        symbols=symbols,
    )


def _reserved(variant: str, card: int, *, is_blind: bool) -> Reserved:
    number = _number(card)
    return Reserved(CARDS[variant][number - 1].tier, is_blind, number)


def _tiles(state: Any, rules: Ruleset) -> Iterator[TileOnTable]:
    first = int(TILE_START[rules.row.index])
    for tile, owner in zip(state["tiles"], state["tile_owner"], strict=True):
        if tile != NONE:
            yield TileOnTable(tile - first + 1, _seat_or_none(owner))


def _tableau(words: tuple[int, ...]) -> Iterator[int]:
    cards = words[0] & LOW_WORD | words[1] << 64
    while cards:
        yield (cards & -cards).bit_length()
        cards &= cards - 1


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


def _deck(state: Any, tier: int) -> list[int]:
    first = int(DECK_START[tier])
    cards: list[int] = state["deck"][first : first + state["deck_size"][tier]]
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


def _number_or_none(card: int) -> int | None:
    return None if card == NONE else _number(card)


def _byte(variant: int, number: int | None) -> int:
    return NONE if number is None else int(CARD_START[variant]) + number - 1
