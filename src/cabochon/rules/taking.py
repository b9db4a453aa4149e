"""Taking tokens from the bank."""

from .actions import TAKE_DIFFERENT, TAKE_TWO, TAKEN
from .compile import kernel
from .gems import COLOURS, lanes_at_least
from .state import State

PILE_FOR_TWO = 4


@kernel
def takes_of_different(state: State) -> int:
    """Three different colours, or one of each that is left; fewer by choice only as a house rule."""
    return TAKE_DIFFERENT[state.take_fewer, lanes_at_least(state.bank & COLOURS, 1)]


@kernel
def takes_of_two(state: State) -> int:
    """Two of one colour may be taken only from a pile of four or more."""
    return lanes_at_least(state.bank & COLOURS, PILE_FOR_TWO) << TAKE_TWO


@kernel
def take(state: State, action: int) -> None:
    """Tokens go from the bank to the seat."""
    state.bank -= TAKEN[action]
    state.tokens[state.turn] += TAKEN[action]
