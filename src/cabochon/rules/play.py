"""The turn: what may be done, and doing it. This page is the table of contents of the rules."""

from .actions import BUY, CLAIM_TILE, FIRST_ACTION, PASS, RESERVE
from .bits import count_bits, nth_bit
from .buying import COLOURS_FIRST, buy, purchases
from .compile import kernel
from .ending import end_turn
from .reserving import reservations, reserve, show_reserve
from .returning import give_back, over_limit, returns
from .rng import below
from .state import CLAIM, MAIN, RETURN, State
from .taking import take, takes_of_different, takes_of_two
from .tiles import claim, coming, several, welcome_only


@kernel
def main_moves(state: State) -> int:
    """One of four: take different, take two, reserve, buy. Pass only when none of them is possible."""
    moves = takes_of_different(state) | takes_of_two(state) | reservations(state) | purchases(state)
    return moves if moves != 0 else 1 << PASS


@kernel
def legal(state: State) -> int:
    """The legal moves of the stage: bit i is action FIRST_ACTION[stage] + i. Nothing is legal when the game is over."""
    stage = state.stage
    if stage == MAIN:
        return main_moves(state)
    if stage == RETURN:
        return returns(state)
    if stage == CLAIM:
        return coming(state)
    return 0


@kernel
def is_legal(state: State, action: int) -> bool:
    """Whether a published action number may be played now."""
    bit = action - FIRST_ACTION[state.stage]
    return 0 <= bit <= PASS and legal(state) >> bit & 1 == 1


@kernel
def after_action(state: State) -> None:
    """Return down to the limit, then at most one tile, then the next seat."""
    if over_limit(state):
        state.stage = RETURN
        return
    places = coming(state)
    if several(places):
        state.stage = CLAIM
        return
    welcome_only(state, places)
    end_turn(state)


@kernel
def play(state: State, action: int, payment: int = COLOURS_FIRST) -> None:
    """Do a legal action. A purchase pays colours first unless a payment is said."""
    if action < PASS:
        state.passes = 0
        if action < RESERVE:
            take(state, action)
        elif action < BUY:
            reserve(state, action)
        else:
            buy(state, action, payment)
        after_action(state)
    elif action == PASS:
        state.passes += 1
        show_reserve(state)
        after_action(state)
    elif action < CLAIM_TILE:
        give_back(state, action)
        after_action(state)
    else:
        claim(state, action)
        end_turn(state)


@kernel
def random_action(state: State, rng: int) -> int:
    """A legal action, all equally likely."""
    moves = legal(state)
    return FIRST_ACTION[state.stage] + nth_bit(moves, below(rng, count_bits(moves)))
