"""Cards and tiles as tables for the kernels.

Inside the kernel a card is one byte that is unique over all card sets, so a rule looks up `COST[card]` and never asks which game
is played. In public a card has a number from 1 to 90 within its set (tier 1: 1-40, tier 2: 41-70, tier 3: 71-90). Tiles are
numbered in the same way.
"""

import numpy as np
from numpy.typing import NDArray

from .gems import ONE_TIME, pack
from .variants import CARD_SETS, CARDS, TILES, VARIANTS

CARD_COUNT = 90
TIER_COUNT = 3
TIER_SIZES = (40, 30, 20)
DECK_START = np.array([0, 40, 70], np.int64)
DECK_SIZE = np.array(TIER_SIZES, np.int64)
NONE = 255
UNPAYABLE = 100

# The first byte of each variant's cards and tiles. Variants that share a card set share its bytes.
CARD_START = np.array([CARD_SETS.index(variant.card_set) * CARD_COUNT for variant in VARIANTS.values()], np.int64)
TILE_COUNT = np.array([len(TILES[variant]) for variant in VARIANTS], np.int64)
TILE_START = np.cumsum(TILE_COUNT) - TILE_COUNT
if len(CARD_SETS) * CARD_COUNT > NONE or TILE_COUNT.sum() > NONE:
    raise ImportError(f"a card or a tile is a byte in the record: there is room for {NONE} of each, over all card sets")


def _table(size: int = NONE + 1) -> NDArray[np.int64]:
    return np.zeros(size, np.int64)


COST, BONUS, POINTS, SYMBOLS, TIER, TIME_SYMBOL, NUMBER, DEMAND, TILE_POINTS, PRESTIGE, OTHER = (_table() for _ in range(11))
COST[NONE] = DEMAND[NONE] = UNPAYABLE

for _v in VARIANTS.values():
    for _c in CARDS[_v.name]:
        _at = CARD_START[_v.index] + _c.number - 1
        COST[_at] = pack(_c.cost)
        BONUS[_at] = pack(_letter == _c.bonus for _letter in _v.letters)
        POINTS[_at], SYMBOLS[_at], TIER[_at] = _c.points, _c.symbols, _c.tier
        TIME_SYMBOL[_at] = ONE_TIME if _c.tier == TIER_COUNT and any(_v.time) else 0
        NUMBER[_at] = _c.number
    for _t in TILES[_v.name]:
        _at = TILE_START[_v.index] + _t.number - 1
        DEMAND[_at], TILE_POINTS[_at], PRESTIGE[_at], OTHER[_at] = pack(_t.demand), _t.points, _t.prestige, _t.other

TOKENS_EACH = np.array([v.tokens_each for v in VARIANTS.values()], np.int64)
WILD_COUNT = np.array([v.wild for v in VARIANTS.values()], np.int64)
TIME_COUNT = np.array([v.time for v in VARIANTS.values()], np.int64)
TILES_DEALT = np.array([v.tiles for v in VARIANTS.values()], np.int64)
TILE_FACES = np.array([v.faces for v in VARIANTS.values()], np.int64)
for _array in (COST, BONUS, POINTS, SYMBOLS, TIER, TIME_SYMBOL, NUMBER, DEMAND, TILE_POINTS, PRESTIGE, OTHER):
    _array.setflags(write=False)
