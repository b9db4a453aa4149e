# mypy: warn-return-any=False
"""What is printed on cards and tiles, for the rules and for whoever weighs cards.

Each table is looked up in one place: on a GPU every function that names a table carries a copy in constant memory, which has room
for 64 KB in all. Small numbers are kept as bytes for the same reason, 256 bytes a table instead of 2 KB, and come out as int64.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cards import BONUS, COST, DEMAND, NUMBER, OTHER, POINTS, PRESTIGE, SYMBOLS, TIER, TILE_POINTS
from .compile import kernel
from .gems import LANE_BITS

COLOUR = np.array([max(0, int(gems).bit_length() - 1) // LANE_BITS for gems in BONUS], np.int64)


def _as_bytes(table: NDArray[np.int64]) -> NDArray[np.int8]:
    small = table.astype(np.int8)
    if (small != table).any():
        raise ImportError("a printed number does not fit into a byte")
    small.setflags(write=False)
    return small


POINTS_BYTES, SYMBOLS_BYTES, TIER_BYTES, NUMBER_BYTES, COLOUR_BYTES = map(_as_bytes, (POINTS, SYMBOLS, TIER, NUMBER, COLOUR))
TILE_POINTS_BYTES, PRESTIGE_BYTES, OTHER_BYTES = map(_as_bytes, (TILE_POINTS, PRESTIGE, OTHER))
wide: Any = np.int64  # kernels count in int64: mixed with bytes they would be compiled once more for each type


@kernel
def cost_of(card: int) -> int:
    """The printed cost."""
    return COST[card]


@kernel
def bonus_of(card: int) -> int:
    """The bonus as gems."""
    return BONUS[card]


@kernel
def points_of(card: int) -> int:
    """The printed points."""
    return wide(POINTS_BYTES[card])


@kernel
def symbols_of(card: int) -> int:
    """The Avengers symbols."""
    return wide(SYMBOLS_BYTES[card])


@kernel
def tier_of(card: int) -> int:
    """The tier."""
    return wide(TIER_BYTES[card])


@kernel
def index_in_set(card: int) -> int:
    """The place of a card in its card set, from 0."""
    return wide(NUMBER_BYTES[card]) - 1


@kernel
def demand_of(tile: int) -> int:
    """The bonuses a tile asks for."""
    return DEMAND[tile]


@kernel
def colour_of(card: int) -> int:
    """The colour of the bonus, by lane."""
    return wide(COLOUR_BYTES[card])


@kernel
def tile_points_of(tile: int) -> int:
    """The points that a tile brings."""
    return wide(TILE_POINTS_BYTES[tile])


@kernel
def prestige_of(tile: int) -> int:
    """The points that a tile asks for."""
    return wide(PRESTIGE_BYTES[tile])


@kernel
def other_of(tile: int) -> int:
    """How many bonuses of one colour that it does not name a tile asks for."""
    return wide(OTHER_BYTES[tile])
