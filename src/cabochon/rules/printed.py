# mypy: warn-return-any=False
"""What is printed on cards and tiles, for whoever weighs them.

Each table is looked up in one place: on a GPU every mention of a table in compiled code is a copy of its 2 KB in constant memory,
which has 64 KB.
"""

import numpy as np

from .cards import BONUS, COST, DEMAND, NUMBER, OTHER, POINTS, PRESTIGE, SYMBOLS, TIER, TILE_POINTS
from .compile import kernel
from .gems import LANE_BITS

COLOUR = np.array([max(0, int(gems).bit_length() - 1) // LANE_BITS for gems in BONUS], np.int64)
COLOUR.setflags(write=False)


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
    return POINTS[card]


@kernel
def symbols_of(card: int) -> int:
    """The Avengers symbols."""
    return SYMBOLS[card]


@kernel
def tier_of(card: int) -> int:
    """The tier."""
    return TIER[card]


@kernel
def index_in_set(card: int) -> int:
    """The place of a card in its card set, from 0."""
    return NUMBER[card] - 1


@kernel
def demand_of(tile: int) -> int:
    """The bonuses a tile asks for."""
    return DEMAND[tile]


@kernel
def colour_of(card: int) -> int:
    """The colour of the bonus, by lane."""
    return COLOUR[card]


@kernel
def tile_points_of(tile: int) -> int:
    """The points of a tile."""
    return TILE_POINTS[tile]


@kernel
def prestige_of(tile: int) -> int:
    """The points a tile asks for."""
    return PRESTIGE[tile]


@kernel
def other_of(tile: int) -> int:
    """The bonuses a tile asks for of one colour that it does not name."""
    return OTHER[tile]
