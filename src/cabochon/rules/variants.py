"""The games as data: every folder in `cabochon/variants` with a `variant.toml` is one.

A variant is a card set, tiles, and numbers. What differs in the rules is a number that is dealt into the record (a goal, a limit,
what the goal asks besides points), so that a rule never asks which game is played.
"""

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .compile import VARIANTS_FOLDER
from .gems import COLOUR_COUNT, pack

ByPlayers = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Variant:
    """One game. Counts that depend on the players are listed for 2, 3 and 4."""

    name: str
    index: int
    title: str
    card_set: str
    weights: str
    theme: str
    environment: str
    letters: str
    colours: tuple[str, ...]
    tokens_each: ByPlayers
    wild: int
    time: ByPlayers
    tiles: ByPlayers
    faces: int
    tile_kind: str
    goal: int
    goal_kind: str
    goal_tiles: int
    gauntlet: int
    words: Mapping[str, str]


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
    """A noble, or one face of a location or a city. `demand` follows the variant's colours.

    Besides these bonuses it may ask for points (`prestige`), and for some bonuses of one single colour that `demand` does not
    name (`other`).
    """

    number: int
    points: int
    demand: tuple[int, ...]
    name: str = ""
    prestige: int = 0
    other: int = 0


def _variant(folder: Path) -> Variant:
    text = tomllib.loads((folder / "variant.toml").read_text(encoding="utf-8"))
    supply, tiles, goal, letters = text["supply"], text["tiles"], text["goal"], text["letters"]
    return Variant(
        name=folder.name,
        index=text["index"],
        title=text["title"],
        card_set=text["cards"],
        weights=text.get("weights", folder.name),
        theme=text["theme"],
        environment=text["environment"],
        letters=letters,
        colours=tuple(text["colours"]),
        tokens_each=tuple(supply["each_colour"]),
        wild=supply["wild"],
        time=tuple(supply["time"]),
        tiles=tuple(tiles["dealt"]),
        faces=tiles["faces"],
        tile_kind=tiles["kind"],
        goal=goal["points"],
        goal_kind=goal["kind"],
        goal_tiles=goal.get("tiles", 0),
        gauntlet=pack(letter in goal.get("gauntlet", "") for letter in letters),
        words=text["words"],
    )


def _read_variants() -> dict[str, Variant]:
    found = sorted((_variant(path.parent) for path in VARIANTS_FOLDER.glob("*/variant.toml")), key=lambda variant: variant.index)
    if [variant.index for variant in found] != list(range(len(found))):
        raise ImportError(f"the variants must have the indices 0 to {len(found) - 1}: {', '.join(map(str, found))}")
    return {variant.name: variant for variant in found}


def _rows(folder: str, file: str) -> list[dict[str, str]]:
    with (VARIANTS_FOLDER / folder / file).open(encoding="utf-8", newline="") as source:
        return list(csv.DictReader(source))


def _counts(variant: Variant, row: dict[str, str]) -> tuple[int, ...]:
    return tuple(int(row[colour]) for colour in variant.colours)


def _card(variant: Variant, number: int, row: dict[str, str]) -> Card:
    letter = variant.letters[variant.colours.index(row["bonus"])]
    optional: dict[str, Any] = {"name": row.get("name", ""), "symbols": int(row.get("avengers", 0))}
    return Card(number, int(row["level"]), letter, int(row["points"]), _counts(variant, row), **optional)


def _tile(variant: Variant, number: int, row: dict[str, str]) -> Tile:
    asked = int(row.get("prestige", 0)), int(row.get("any_one_other_color", 0))
    return Tile(number, int(row["points"]), _counts(variant, row), row.get("name", ""), *asked)


VARIANTS = _read_variants()
VARIANT_NAMES = tuple(VARIANTS)
CARD_SETS = tuple(dict.fromkeys(variant.card_set for variant in VARIANTS.values()))
CARDS = {v.name: tuple(_card(v, i, row) for i, row in enumerate(_rows(v.card_set, "cards.csv"), 1)) for v in VARIANTS.values()}
TILES = {v.name: tuple(_tile(v, i, row) for i, row in enumerate(_rows(v.name, "tiles.csv"), 1)) for v in VARIANTS.values()}
assert all(len(variant.colours) == COLOUR_COUNT for variant in VARIANTS.values())
