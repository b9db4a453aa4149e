# mypy: warn-return-any=False
"""Hidden cards as samples: a determinization puts a card that may be there in the place of each one that a seat cannot know.

A record always holds a whole game, decks and blind reserves included, so a search that read it as it is would cheat. Two kinds of
hidden cards are treated differently:

- reserves that others drew unseen are sampled once for a tree, at its root (determinized search, or root sampling), and several
  trees with a sample each are merged at the end; the tree has no information sets (ISMCTS), so a node is simply a state;
- decks are sampled at the moment a card is drawn (a chance node), since the order of a deck is unknown to everybody.
"""

from ..rules.cards import DECK_START, NONE, TIER_COUNT
from ..rules.compile import inlined
from ..rules.printed import tier_of
from ..rules.reserving import hidden_cards
from ..rules.rng import below, stir
from ..rules.state import MAX_RESERVED, State


@inlined
def swap_top_card(state: State, tier: int, size: int, place: int) -> None:
    """Swap the top one of the lowest `size` cards of a deck with the one at this place."""
    first = DECK_START[tier]
    chosen, top = first + place, first + size - 1
    card = state.deck[chosen]
    state.deck[chosen] = state.deck[top]
    state.deck[top] = card


@inlined
def randomize_top_card(state: State, tier: int, size: int, random: int) -> None:
    """Swap the top one of the lowest `size` cards of a deck with any of them: one step of a Fisher-Yates shuffle."""
    swap_top_card(state, tier, size, below(random, size))


@inlined
def shuffle_decks(state: State, random: int) -> None:
    """All decks in a new order (Fisher-Yates)."""
    for tier in range(TIER_COUNT):
        for size in range(state.deck_size[tier], 1, -1):
            random = stir(random)
            randomize_top_card(state, tier, size, random)


@inlined
def determinize(state: State, random: int) -> None:
    """Each reserved card that the seat to move cannot see becomes any of the unseen cards of its tier, itself included."""
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
