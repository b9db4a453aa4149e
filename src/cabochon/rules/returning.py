"""Returning tokens above the limit."""

from .actions import GIVE_BACK
from .compile import kernel
from .gems import LANE_BITS, TIME_LANE, lanes_at_least, total
from .state import State


@kernel
def over_limit(state: State) -> bool:
    """More tokens than allowed at the end of a turn, wild and Time counted."""
    return total(state.tokens[state.turn]) > state.token_limit


@kernel
def returns(state: State) -> int:
    """Any token in hand may go back, those just taken and wild too; Time never."""
    return lanes_at_least(state.tokens[state.turn] & ~TIME_LANE, 1)


@kernel
def give_back(state: State, action: int) -> None:
    """One token goes from the seat to the bank."""
    token = 1 << LANE_BITS * (action - GIVE_BACK)
    state.tokens[state.turn] -= token
    state.bank += token
