"""The 73 action numbers, stable and published.

    0-24   take one to three different     42-44  reserve from a deck      61-67  return one token of a lane
    25-29  take two alike                  45-56  buy a market slot        68-72  claim a tile
    30-41  reserve a market slot           57-59  buy from the reserve
                                           60     pass

The legal moves of a stage are one int64 mask: bit i stands for action `FIRST_ACTION[stage] + i`.
"""

import numpy as np

from .gems import COLOUR_COUNT, pack

TAKE, TAKE_TWO, RESERVE, RESERVE_DECK, BUY, BUY_RESERVED, PASS, GIVE_BACK, CLAIM_TILE, ACTION_COUNT = (
    0, 25, 30, 42, 45, 57, 60, 61, 68, 73,
)  # fmt: skip
FIRST_ACTION = np.array([TAKE, GIVE_BACK, CLAIM_TILE, 0], np.int64)
MOST_DIFFERENT = 3

COLOUR_SETS = tuple(s for s in range(1, 1 << COLOUR_COUNT) if s.bit_count() <= MOST_DIFFERENT)
TAKEN = np.array(
    [pack(s >> c & 1 for c in range(COLOUR_COUNT)) for s in COLOUR_SETS] + [2 << 8 * c for c in range(COLOUR_COUNT)],
    np.int64,
)


def _takes_from(left: int, fewer: bool) -> int:
    """The mask of takes of different colours when the colours in `left` are in the bank."""
    most = min(MOST_DIFFERENT, left.bit_count())
    fits = (s & ~left == 0 and (fewer or s.bit_count() == most) for s in COLOUR_SETS)
    return sum(1 << action for action, fit in enumerate(fits) if fit)


TAKE_DIFFERENT = np.array([[_takes_from(left, fewer) for left in range(1 << COLOUR_COUNT)] for fewer in (False, True)], np.int64)
