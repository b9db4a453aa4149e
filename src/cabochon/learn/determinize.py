# mypy: warn-return-any=False
"""What a seat cannot know becomes anything it could be."""

from ..rules.cards import DECK_START, NONE
from ..rules.compile import inlined
from ..rules.printed import tier_of
from ..rules.reserving import hidden_cards
from ..rules.rng import below, stir
from ..rules.state import MAX_RESERVED, State


@inlined
def imagine(state: State, random: int) -> None:
    """What the seat to decide cannot know becomes any card it could be."""
    for owner in range(state.players):
        hidden = hidden_cards(state, owner, owner == state.turn)
        for i in range(MAX_RESERVED):
            card = state.reserve[owner, i]
            if hidden >> i & 1 and card != NONE:
                tier = tier_of(card) - 1
                random = stir(random)
                chosen = below(random, state.deck_size[tier] + 1)
                if chosen < state.deck_size[tier]:
                    state.reserve[owner, i] = state.deck[DECK_START[tier] + chosen]
                    state.deck[DECK_START[tier] + chosen] = card
