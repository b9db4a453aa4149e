"""Reserving a card, face up or unseen from a deck, and turning up the next one."""

from typing import Any

import numpy as np

from .actions import RESERVE, RESERVE_DECK
from .cards import DECK_START, NONE
from .compile import kernel
from .gems import ONE_WILD, WILD, lane
from .state import MARKET_SIZE, SLOTS_PER_TIER, State

ALL_FOUR = 0b1111
EVERY_PLACE = 0b111


@kernel
def draw(state: State, tier: int) -> int:
    """The top card of a deck that has one. Its place is cleared, so that equal games are equal bytes."""
    state.deck_size[tier] -= 1
    top = DECK_START[tier] + state.deck_size[tier]
    card = state.deck[top]
    state.deck[top] = NONE
    return card


@kernel
def refill(state: State, slot: int) -> None:
    """A taken card's place is refilled at once from the same tier; an empty deck leaves it empty."""
    tier = slot // SLOTS_PER_TIER
    state.market[slot] = draw(state, tier) if state.deck_size[tier] > 0 else NONE


@kernel
def reservable(state: State) -> int:
    """A bit for every face-up card and every deck that still has one."""
    places = 0
    for tier in range(3):
        if state.deck_size[tier] > 0:
            places |= ALL_FOUR << SLOTS_PER_TIER * tier | 1 << MARKET_SIZE + tier
        else:
            for slot in range(SLOTS_PER_TIER * tier, SLOTS_PER_TIER * (tier + 1)):
                if state.market[slot] != NONE:
                    places |= 1 << slot
    return places


@kernel
def reservations(state: State) -> int:
    """Any card on offer, up to the hand limit, whether or not there is wild to take."""
    if state.reserved[state.turn] >= state.hand_limit:
        return 0
    return reservable(state) << RESERVE


@kernel
def take_wild(state: State) -> None:
    """A reservation brings one wild token, if there is any left. It cannot be declined."""
    if lane(state.bank, WILD) > 0:
        state.bank -= ONE_WILD
        state.tokens[state.turn] += ONE_WILD


@kernel
def reserve(state: State, action: int) -> None:
    """The card goes to the seat's reserve, and its place is refilled."""
    seat = state.turn
    at = state.reserved[seat]
    if action < RESERVE_DECK:
        slot = action - RESERVE
        state.reserve[seat, at] = state.market[slot]
        refill(state, slot)
    else:
        state.reserve[seat, at] = draw(state, action - RESERVE_DECK)
        state.blind[seat] |= 1 << at
    state.reserved[seat] += 1
    take_wild(state)


@kernel
def show_reserve(state: State) -> None:
    """Who must pass shows the reserved cards to prove it: from then on all know those that were drawn unseen."""
    state.blind[state.turn] = 0


@kernel
def hidden_cards(state: State, owner: int, is_own: bool) -> Any:
    """A bit for each place in a reserve that is not shown: none to the owner, else those drawn unseen, or all."""
    hidden = state.blind[owner] if state.open_reserves == 1 else EVERY_PLACE
    return np.int64(0) if is_own else np.int64(hidden)
