# mypy: warn-return-any=False
"""Sums of embedding rows that are kept, by what a seat holds, and brought up to date card by card.

In a search the same holdings come again and again, beside a market in which a card or two are others. So the sum of the rows of
a seat's features is kept in a table. When the seat comes again, the rows of cards that have left the market are subtracted and
those of new ones added. Chess engines with NNUE do so with the pieces on a board (accumulator refresh table, "Finny table").

Sums are whole numbers, so nothing is rounded, and what was looked at before changes no answer. A sum that leaves 16 bits on its
way is not kept: the seat is then added up anew, and stops at the ends of the range.

Not in a sum: the features of the table, how soon the seat moves, and the points in reach, which depend on the whole market.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rules.cards import NONE
from ..rules.compile import inlined
from ..rules.reserving import hidden_cards
from ..rules.rng import SPREAD, below, seeded
from ..rules.state import MARKET_SIZE, MAX_RESERVED, MAX_TILES, State
from .linear_features import MAX_TAKEN, list_points_in_reach, max_symbols_of_others, to_move_in
from .net_features import (
    MAX_NET_ACTIVE,
    NEED,
    Means,
    list_card,
    list_holdings,
    list_reserve,
    means_of,
    points_in_reach,
)
from .vectors import aligned_empty, change_rows

ENTRIES = 1 << 11  # of 1 KB each in a net of width 512: more would fall out of the processor's caches
BYTE, KEY_WORDS = 8, 4
MAX_CHANGES = 5  # cards of the market that are others; where there are more the sum is made anew
NO_KEY = -1


class Accumulators(NamedTuple):
    """A table of sums, with what each is the sum of."""

    keys: NDArray[np.int64]  # what a seat holds, and the tiles
    market: NDArray[np.uint8]  # the cards in the market that a sum has
    now: NDArray[np.int8]  # by place, market and reserve: the points of a card that can be bought at once
    soon: NDArray[np.int8]  # after one take
    sums: NDArray[np.int16]
    key: NDArray[np.int64]  # scratch
    added: NDArray[np.int32]  # scratch: features
    removed: NDArray[np.int32]


def new_accumulators(width: int) -> Accumulators:
    """An empty table. The operating system gives its memory as it is used."""
    places = MARKET_SIZE + MAX_RESERVED
    return Accumulators(
        np.full((ENTRIES, KEY_WORDS), NO_KEY, np.int64),
        np.zeros((ENTRIES, MARKET_SIZE), np.uint8),
        np.zeros((ENTRIES, places), np.int8),
        np.zeros((ENTRIES, places), np.int8),
        aligned_empty((ENTRIES, width), np.int16),
        np.zeros(KEY_WORDS, np.int64),
        np.empty(MAX_NET_ACTIVE, np.int32),
        np.empty(MAX_NET_ACTIVE, np.int32),
    )


@inlined
def write_key(state: State, seat: int, hidden: int, key: Any) -> None:
    """All that the features of a seat depend on, but for the market.

    Gems are a byte a kind: tokens leave the highest byte of their number free, bonuses, which have colours only, three bytes.
    """
    tiles, reserve = np.int64(0), np.int64(0)
    for place in range(MAX_TILES):
        tiles = tiles << BYTE | (state.tiles[place] if state.tile_owner[place] == NONE else NONE)
    for i in range(MAX_RESERVED):
        reserve = reserve << BYTE | state.reserve[seat, i]
    place_at_table = (np.int64(seat) << 2 | state.start) << 2 | state.players - 1
    symbols = (np.int64(state.symbols[seat]) << BYTE | max_symbols_of_others(state, seat)) << 1 | (state.avengers == seat)
    key[0] = state.tokens[seat] | place_at_table << 7 * BYTE
    key[1] = state.bonuses[seat] | reserve << 5 * BYTE
    key[2] = tiles | np.int64(state.points[seat]) << 5 * BYTE | np.int64(hidden) << 6 * BYTE | np.int64(state.variant) << 7 * BYTE
    key[3] = symbols


@inlined
def entry_of(table: Accumulators) -> int:
    """Where in the table a key has its place."""
    mixed = 0
    for i in range(KEY_WORDS):
        mixed = (mixed ^ table.key[i]) * SPREAD
    return below(seeded(mixed), ENTRIES)


@inlined
def is_kept(table: Accumulators, at: int) -> bool:
    """Whether an entry is of the key."""
    difference = np.int64(0)
    for i in range(KEY_WORDS):
        difference |= table.keys[at, i] ^ table.key[i]
    return difference == 0


@inlined
def set_reach(table: Accumulators, at: int, place: int, card: int, is_seen: bool, means: Means) -> None:
    """The points in reach at one place."""
    table.now[at, place] = points_in_reach(card, means, 0) if is_seen else 0
    table.soon[at, place] = points_in_reach(card, means, MAX_TAKEN) if is_seen else 0


@inlined
def has_needs(embedding: Any) -> bool:
    """Whether a net knows which colours a card still wants: the last features of the list came later."""
    return embedding.shape[0] > NEED


@inlined
def begin_entry(table: Accumulators, at: int, state: State, seat: int, hidden: int, means: Means, with_needs: bool) -> int:
    """An entry without cards in the market; the features to add up are in `added`. How many there are."""
    for i in range(KEY_WORDS):
        table.keys[at, i] = table.key[i]
    for place in range(MARKET_SIZE):
        table.market[at, place] = NONE
    for i in range(MAX_RESERVED):
        card = state.reserve[seat, i]
        set_reach(table, at, MARKET_SIZE + i, card, card != NONE and hidden >> i & 1 == 0, means)
    table.sums[at, :] = 0
    n = list_reserve(state, seat, means, with_needs, table.added, 0)
    return list_holdings(state, seat, table.added, n)


@inlined
def list_changes(
    table: Accumulators, at: int, state: State, seat: int, hidden: int, with_needs: bool, is_new: bool
) -> tuple[int, int]:
    """List in `added` and `removed` what an entry lacks and what it has too much; how many features each has.

    Both are listed in one loop, since every place that lists a card is compiled anew.
    """
    means, n, removed = means_of(state, seat), 0, 0
    if is_new:
        n = begin_entry(table, at, state, seat, hidden, means, with_needs)
    for change in range(2 * MARKET_SIZE):
        slot, is_added = change >> 1, change & 1 != 0
        old, card = table.market[at, slot], state.market[slot]
        if old == card and not is_new:
            continue
        listed = card if is_added else old
        if listed != NONE:
            end = list_card(
                state,
                seat,
                means,
                listed,
                slot,
                with_needs,
                table.added if is_added else table.removed,
                n if is_added else removed,
            )
            n, removed = (end, removed) if is_added else (n, end)
        if is_added:
            set_reach(table, at, slot, card, card != NONE, means)
            table.market[at, slot] = card
    return n, removed


@inlined
def accumulate(embedding: Any, state: State, seat: int, table: Accumulators) -> tuple[int, int]:
    """Bring the sum of a seat up to date. Its entry; and how many features are in `added` that are not in the sum: none, or all,
    if it has left 16 bits.
    """
    hidden = hidden_cards(state, seat, seat == state.turn)
    write_key(state, seat, hidden, table.key)
    at, changes = entry_of(table), 0
    for slot in range(MARKET_SIZE):
        changes += table.market[at, slot] != state.market[slot]
    is_new = changes > MAX_CHANGES or not is_kept(table, at)
    n = 0
    while changes > 0 or is_new:
        n, removed = list_changes(table, at, state, seat, hidden, has_needs(embedding), is_new)
        if change_rows(embedding, table.added, n, table.removed, removed, table.sums[at]):
            n = 0
            break
        if is_new:
            table.keys[at, 0] = NO_KEY
            table.sums[at, :] = 0
            break
        is_new = True
    return at, n


@inlined
def list_rest(table: Accumulators, at: int, state: State, seat: int, out: Any) -> int:
    """The features of a seat that its sum does not hold; how many there are."""
    now = soon = 0
    for place in range(MARKET_SIZE + MAX_RESERVED):
        now = max(now, table.now[at, place])
        soon = max(soon, table.soon[at, place])
    n = list_points_in_reach(state.points[seat], now, soon, out, 0)
    out[n] = to_move_in(state, seat)
    return n + 1
