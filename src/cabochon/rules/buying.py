"""Buying a card: which can be bought, and what a card brings."""

from .actions import BUY, BUY_RESERVED, card_bought
from .cards import COST, NONE, TIME_SYMBOL
from .compile import kernel
from .gems import COLOURS, TIME_LANE, WILD, lane, minus, total
from .paying import colours_first, pay, price
from .printed import bonus_of, index_in_set, points_of, symbols_of
from .reserving import refill
from .state import MARKET_SIZE, MAX_RESERVED, State

COLOURS_FIRST = 0
SYMBOLS_FOR_TILE = 3
AVENGERS_POINTS = 3


@kernel
def purchases(state: State) -> int:
    """Every face-up or own reserved card whose price can be met; wild stands for what is missing, and no card is unpayable."""
    seat = state.turn
    means = state.bonuses[seat] + (state.tokens[seat] & COLOURS)
    wild = lane(state.tokens[seat], WILD)
    cards = 0
    for slot in range(MARKET_SIZE):
        cards |= (total(minus(COST[state.market[slot]], means)) <= wild) << slot
    for i in range(MAX_RESERVED):
        cards |= (total(minus(COST[state.reserve[seat, i]], means)) <= wild) << MARKET_SIZE + i
    return cards << BUY


@kernel
def leave_reserve(state: State, i: int) -> int:
    """Take the i-th card out of the reserve; later ones move down."""
    seat = state.turn
    card = state.reserve[seat, i]
    below_it = (1 << i) - 1
    state.blind[seat] = state.blind[seat] & below_it | state.blind[seat] >> 1 & ~below_it
    state.reserved[seat] -= 1
    for j in range(i, state.reserved[seat]):
        state.reserve[seat, j] = state.reserve[seat, j + 1]
    state.reserve[seat, state.reserved[seat]] = NONE
    return card


@kernel
def gain_time(state: State, card: int) -> None:
    """The first card with the Time symbol brings one Time token; never a second."""
    symbol = TIME_SYMBOL[card]
    if symbol != 0 and state.tokens[state.turn] & TIME_LANE == 0:
        state.bank -= symbol
        state.tokens[state.turn] += symbol


@kernel
def assemble(state: State, card: int) -> None:
    """Three Avengers symbols take the tile; then it moves only to strictly more than its owner has."""
    seat, owner = state.turn, state.avengers
    state.symbols[seat] += symbols_of(card)
    if owner == NONE:
        if state.symbols[seat] >= SYMBOLS_FOR_TILE:
            state.avengers = seat
            state.points[seat] += AVENGERS_POINTS
    elif state.symbols[seat] > state.symbols[owner]:
        state.avengers = seat
        state.points[owner] -= AVENGERS_POINTS
        state.points[seat] += AVENGERS_POINTS


@kernel
def add_to_tableau(state: State, card: int) -> None:
    """A bought card brings its bonus and points."""
    seat = state.turn
    at = index_in_set(card)
    state.tableau[seat, at >> 6] |= 1 << (at & 63)
    state.bonuses[seat] += bonus_of(card)
    state.points[seat] += points_of(card)
    state.bought[seat] += 1


@kernel
def buy(state: State, action: int, payment: int) -> None:
    """Pay the price, take the card, refill its place."""
    card = card_bought(state, action)
    if payment == COLOURS_FIRST:
        payment = colours_first(state, state.turn, price(state, state.turn, card))
    pay(state, payment)
    if action < BUY_RESERVED:
        refill(state, action - BUY)
    else:
        leave_reserve(state, action - BUY_RESERVED)
    add_to_tableau(state, card)
    gain_time(state, card)
    if symbols_of(card) != 0:
        assemble(state, card)
