"""The cards and tiles of both games as tables, read from the CSV files in the package.

Inside the kernel a card is one byte that is unique over both games, so a rule looks up `COST[card]` and never asks which game
is played. In public a card has a number from 1 to 90 within its game (tier 1: 1-40, tier 2: 41-70, tier 3: 71-90).
"""

import csv
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compile import PACKAGE
from .gems import ONE_TIME, pack

CARD_COUNT = 90
TIER_COUNT = 3
TIER_SIZES = (40, 30, 20)
DECK_START = np.array([0, 40, 70], np.int64)
DECK_SIZE = np.array(TIER_SIZES, np.int64)
NONE = 255
UNPAYABLE = 100


@dataclass(frozen=True, slots=True)
class Variant:
    """One game as a row of data. Counts that depend on the players are listed for 2, 3 and 4."""

    name: str
    index: int
    letters: str
    colours: tuple[str, ...]
    tokens_each: tuple[int, int, int]
    wild: int
    time: tuple[int, int, int]
    tiles: tuple[int, int, int]
    faces: int
    goal: int
    gauntlet: int


VARIANTS = {
    "classic": Variant(
        "classic", 0, "wugrk*", ("white", "blue", "green", "red", "black"),
        tokens_each=(4, 5, 7), wild=5, time=(0, 0, 0), tiles=(3, 4, 5), faces=1, goal=15, gauntlet=0,
    ),
    "marvel": Variant(
        "marvel", 1, "ypbro*t", ("yellow", "purple", "blue", "red", "orange"),
        tokens_each=(4, 5, 7), wild=5, time=(2, 3, 4), tiles=(2, 3, 4), faces=2, goal=16,
        gauntlet=pack((1, 1, 1, 1, 1, 0, 1)),
    ),
}  # fmt: skip
VARIANT_NAMES = tuple(VARIANTS)


class Card(NamedTuple):
    """A card as printed. `cost` follows the variant's colours; `symbols` are Avengers symbols."""

    number: int
    tier: int
    bonus: str
    points: int
    cost: tuple[int, ...]
    name: str = ""
    symbols: int = 0


class Tile(NamedTuple):
    """A noble or one face of a location. `demand` follows the variant's colours."""

    number: int
    points: int
    demand: tuple[int, ...]
    name: str = ""


def _rows(variant: Variant, file: str) -> list[dict[str, str]]:
    with (PACKAGE / "data" / variant.name / file).open(encoding="utf-8", newline="") as source:
        return list(csv.DictReader(source))


def _card(variant: Variant, number: int, row: dict[str, str]) -> Card:
    letter = variant.letters[variant.colours.index(row["bonus"])]
    cost = tuple(int(row[colour]) for colour in variant.colours)
    symbols = int(row.get("avengers", 0))
    return Card(number, int(row["level"]), letter, int(row["points"]), cost, row.get("name", ""), symbols)


def _tile(variant: Variant, number: int, row: dict[str, str]) -> Tile:
    demand = tuple(int(row[colour]) for colour in variant.colours)
    return Tile(number, int(row["points"]), demand, row.get("name", ""))


CARDS = {v.name: tuple(_card(v, i, row) for i, row in enumerate(_rows(v, "cards.csv"), 1)) for v in VARIANTS.values()}
TILES = {v.name: tuple(_tile(v, i, row) for i, row in enumerate(_rows(v, "tiles.csv"), 1)) for v in VARIANTS.values()}
TILE_START = np.array([0, len(TILES["classic"])], np.int64)
TILE_COUNT = np.array([len(TILES[v.name]) for v in VARIANTS.values()], np.int64)


def _table(size: int = NONE + 1) -> NDArray[np.int64]:
    return np.zeros(size, np.int64)


COST, BONUS, POINTS, SYMBOLS, TIER, TIME_SYMBOL, DEMAND, TILE_POINTS = (_table() for _ in range(8))
COST[NONE] = DEMAND[NONE] = UNPAYABLE

for _v in VARIANTS.values():
    for _c in CARDS[_v.name]:
        _at = _v.index * CARD_COUNT + _c.number - 1
        COST[_at] = pack(_c.cost)
        BONUS[_at] = pack(_letter == _c.bonus for _letter in _v.letters)
        POINTS[_at], SYMBOLS[_at], TIER[_at] = _c.points, _c.symbols, _c.tier
        TIME_SYMBOL[_at] = ONE_TIME if _c.tier == TIER_COUNT and any(_v.time) else 0
    for _t in TILES[_v.name]:
        DEMAND[TILE_START[_v.index] + _t.number - 1] = pack(_t.demand)
        TILE_POINTS[TILE_START[_v.index] + _t.number - 1] = _t.points

TOKENS_EACH = np.array([v.tokens_each for v in VARIANTS.values()], np.int64)
WILD_COUNT = np.array([v.wild for v in VARIANTS.values()], np.int64)
TIME_COUNT = np.array([v.time for v in VARIANTS.values()], np.int64)
TILES_DEALT = np.array([v.tiles for v in VARIANTS.values()], np.int64)
TILE_FACES = np.array([v.faces for v in VARIANTS.values()], np.int64)
for _array in (COST, BONUS, POINTS, SYMBOLS, TIER, TIME_SYMBOL, DEMAND, TILE_POINTS):
    _array.setflags(write=False)
