"""From a key of 256 bits to the order of all cards and tiles and the start seat, as docs/protocol.md specifies it.

Whoever knows a part of the order learns nothing about the rest without the key: the numbers are bytes of SHAKE-256. A game with
`Game(seed=…)` is dealt by another, fast generator, which can be solved from a few cards: see `rules/rng.py`.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from ..rules.cards import TIER_SIZES
from ..rules.deal import ANY_START
from ..rules.variants import TILES
from ..ruleset import Ruleset

BYTE_VALUES = 256
FIRST_BYTES = 256


@dataclass(frozen=True, slots=True)
class Order:
    """A deal: decks top first and tiles in their places, as a record lists them, and the start seat."""

    decks: tuple[tuple[int, ...], ...]
    tiles: tuple[int, ...]
    start: int


def stream(key: bytes) -> Iterator[int]:
    """The bytes of SHAKE-256 of the key, without end: a longer digest begins with the shorter one."""
    shake, at, size = hashlib.shake_256(key), 0, FIRST_BYTES
    while True:
        yield from shake.digest(size)[at:]
        at, size = size, 2 * size


def below(numbers: Iterator[int], n: int) -> int:
    """A number from 0 to n - 1, all equally likely: bytes from the last, incomplete run of n values are skipped."""
    limit = BYTE_VALUES - BYTE_VALUES % n
    return next(number for number in numbers if number < limit) % n


def shuffled(numbers: Iterator[int], cards: range) -> tuple[int, ...]:
    """Cards in random order (Fisher and Yates, from the last place to the second)."""
    order = list(cards)
    for i in range(len(order) - 1, 0, -1):
        j = below(numbers, i + 1)
        order[i], order[j] = order[j], order[i]
    return tuple(order)


def drawn_tiles(numbers: Iterator[int], rules: Ruleset) -> tuple[int, ...]:
    """Different tiles for each place, each with a random face up."""
    faces = rules.row.faces
    left = list(range(len(TILES[rules.variant]) // faces))
    tiles = []
    for _ in range(rules.row.tiles[rules.players - 2]):
        tile = left.pop(below(numbers, len(left)))
        tiles.append(faces * tile + below(numbers, faces) + 1)
    return tuple(tiles)


def order_of(key: bytes, variant: str, players: int, start: int = ANY_START) -> Order:
    """The deal that follows from a key; the start seat is drawn last, unless it is given."""
    rules, numbers = Ruleset(variant, players), stream(key)
    decks, first = [], 1
    for size in TIER_SIZES:
        decks.append(shuffled(numbers, range(first, first + size)))
        first += size
    tiles = drawn_tiles(numbers, rules)
    return Order(tuple(decks), tiles, below(numbers, players) if start == ANY_START else start)
