"""What a card costs a seat, what is missing for it, and what a payment may be."""

from .cards import COST
from .compile import kernel
from .gems import COLOURS, LANE_BITS, WILD, lane, minus, total
from .state import State


@kernel
def price(state: State, seat: int, card: int) -> int:
    """The cost after bonuses, never below zero."""
    return minus(COST[card], state.bonuses[seat])


@kernel
def missing(due: int, tokens: int) -> int:
    """How many tokens these are short of a price, wild counted for any colour."""
    return max(0, total(minus(due, tokens & COLOURS)) - lane(tokens, WILD))


@kernel
def colours_first(state: State, seat: int, due: int) -> int:
    """The payment that keeps as much wild as it can."""
    short = minus(due, state.tokens[seat] & COLOURS)
    return due - short + (total(short) << LANE_BITS * WILD)


@kernel
def pays(state: State, seat: int, due: int, payment: int) -> bool:
    """A payment meets the price exactly: held tokens, no colour overpaid, wild for the rest."""
    colours = payment & COLOURS
    held = minus(payment, state.tokens[seat]) == 0
    return held and minus(colours, due) == 0 and payment >> LANE_BITS * WILD == total(due) - total(colours)


@kernel
def pay(state: State, payment: int) -> None:
    """Paid tokens, wild included, go back to the bank."""
    state.tokens[state.turn] -= payment
    state.bank += payment
