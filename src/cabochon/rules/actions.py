"""The 73 action numbers, stable and published, and the stage in which each may be legal.

The legal moves of a stage are one int64 mask: bit i stands for action `FIRST_ACTION[stage] + i`. The stage MAIN uses 61 of its 63
bits. A game with more kinds of decisions puts them into a stage of their own that follows, as returning tokens and claiming a
tile do here: every stage has a mask of its own, and the numbers go on after the last one.
"""

from typing import NamedTuple

import numpy as np

from .cards import TIER_COUNT
from .compile import inlined
from .gems import COLOUR_COUNT, LANE_COUNT, pack
from .state import CLAIM, MAIN, MARKET_SIZE, MAX_RESERVED, MAX_TILES, RETURN, SLOTS_PER_TIER, State

MAX_DIFFERENT = 3
COLOUR_SETS = tuple(s for s in range(1, 1 << COLOUR_COUNT) if s.bit_count() <= MAX_DIFFERENT)


class Kind(NamedTuple):
    """One kind of action: how it is typed, when it may be legal, and how many numbers it has."""

    verb: str
    object: str
    stage: int
    size: int


KINDS = (
    Kind("take", "one to three different colours", MAIN, len(COLOUR_SETS)),
    Kind("take", "two of one colour", MAIN, COLOUR_COUNT),
    Kind("reserve", "a place of the market", MAIN, MARKET_SIZE),
    Kind("reserve", "the top of a deck", MAIN, TIER_COUNT),
    Kind("buy", "a place of the market", MAIN, MARKET_SIZE),
    Kind("buy", "a reserved card", MAIN, MAX_RESERVED),
    Kind("pass", "", MAIN, 1),
    Kind("return", "one token of a lane", RETURN, LANE_COUNT),
    Kind("claim", "a tile", CLAIM, MAX_TILES),
)
_FIRST = tuple(sum(kind.size for kind in KINDS[:i]) for i in range(len(KINDS) + 1))
TAKE, TAKE_TWO, RESERVE, RESERVE_DECK, BUY, BUY_RESERVED, PASS, GIVE_BACK, CLAIM_TILE, ACTION_COUNT = _FIRST
FIRST_ACTION = np.array([TAKE, GIVE_BACK, CLAIM_TILE, 0], np.int64)  # by stage


class Action(NamedTuple):
    """An action number taken apart, for plain Python. `place` counts from 0 within its kind."""

    kind: Kind
    place: int

    @property
    def is_purchase(self) -> bool:
        """Whether it buys a card, so that it may say a payment."""
        return self.kind.verb == "buy"


ACTIONS = tuple(Action(kind, place) for kind in KINDS for place in range(kind.size))


@inlined
def deck_drawn_from(action: int) -> int:
    """The tier (from 0) of the deck that an action draws a card from, if there is one left; -1 if from none."""
    if RESERVE <= action < RESERVE_DECK:
        return (action - RESERVE) // SLOTS_PER_TIER
    if RESERVE_DECK <= action < BUY:
        return action - RESERVE_DECK
    if BUY <= action < BUY_RESERVED:
        return (action - BUY) // SLOTS_PER_TIER
    return -1


@inlined
def card_bought(state: State, action: int) -> int:
    """The card that a purchase is about."""
    return state.market[action - BUY] if action < BUY_RESERVED else state.reserve[state.turn, action - BUY_RESERVED]


TAKEN = np.array(
    [pack(s >> c & 1 for c in range(COLOUR_COUNT)) for s in COLOUR_SETS] + [2 << 8 * c for c in range(COLOUR_COUNT)],
    np.int64,
)


def _takes_from(left: int, fewer: bool) -> int:
    """The mask of takes of different colours when the colours in `left` are in the bank."""
    most = min(MAX_DIFFERENT, left.bit_count())
    fits = (s & ~left == 0 and (fewer or s.bit_count() == most) for s in COLOUR_SETS)
    return sum(1 << action for action, fit in enumerate(fits) if fit)


TAKE_DIFFERENT = np.array([[_takes_from(left, fewer) for left in range(1 << COLOUR_COUNT)] for fewer in (False, True)], np.int64)
