"""A vector of gems in one int64: a byte, called a lane, for each kind.

    bits   55-48   47-40   39-32   31-24   23-16   15-8    7-0
    lane   6       5       4       3       2       1       0
           time    wild    the five colours

Seven lanes leave the sign bit alone, so plain int64 is enough. Counts stay below 128: the top bit of each lane is free for
the arithmetic.
"""

from collections.abc import Iterable

from .compile import kernel

COLOUR_COUNT = 5
LANE_COUNT = 7
WILD, TIME = 5, 6
LANE_BITS = 8
LANE = 0xFF
COLOURS = 0xFFFFFFFFFF
ONE_EACH = 0x0101010101
ONE_WILD = 1 << LANE_BITS * WILD
ONE_TIME = 1 << LANE_BITS * TIME
TIME_LANE = LANE << LANE_BITS * TIME
ONES = 0x01010101010101
HIGH = 0x80808080808080
GATHER = sum(1 << 49 - 7 * lane for lane in range(LANE_COUNT))


def pack(counts: Iterable[int]) -> int:
    """The vector with these counts, first lane first."""
    return sum(int(count) << LANE_BITS * lane for lane, count in enumerate(counts))


def unpack(gems: int) -> tuple[int, ...]:
    """The counts of all seven lanes."""
    return tuple(int(gems).to_bytes(LANE_COUNT, "little"))


@kernel
def minus(a: int, b: int) -> int:
    """A - b lane by lane, never below zero."""
    difference = (a | HIGH) - b
    kept = difference & HIGH
    return difference & (kept - (kept >> 7))


@kernel
def total(gems: int) -> int:
    """All lanes together."""
    return ((gems * ONES) >> LANE_BITS * (LANE_COUNT - 1)) & LANE


@kernel
def lane(gems: int, kind: int) -> int:
    """The count of one lane."""
    return (gems >> LANE_BITS * kind) & LANE


@kernel
def lanes_at_least(gems: int, count: int) -> int:
    """A bit for each lane that holds at least this many."""
    reached = ((gems + (128 - count) * ONES) & HIGH) >> 7
    return ((reached * GATHER) >> 49) & 0x7F
