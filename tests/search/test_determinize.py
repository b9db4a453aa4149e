"""Determinizations: other cards where a seat cannot see, and nowhere else."""

from typing import Any

import numpy as np
import pytest

from cabochon import Game
from cabochon.rules.cards import NONE
from cabochon.rules.rng import seeded
from cabochon.search.determinize import determinize
from tests.support.net_inputs import positions


@pytest.mark.parametrize("house", [{}, {"open_reserves": False}], ids=["open", "closed"])
@pytest.mark.parametrize("variant, players", [("classic", 2), ("marvel", 4)])
def test_only_hidden_cards_change(variant: str, players: int, house: dict[str, bool]) -> None:
    states = positions(variant, players, **house)
    changed = 0
    for i in range(len(states)):
        before, state = states[i].copy(), states[i]
        determinize(state, seeded(i))
        seat = int(before["turn"])
        changed += before["reserve"].tobytes() != state["reserve"].tobytes()
        assert shown(before, seat) == shown(state, seat)
        assert all_cards(before) == all_cards(state)
    assert changed > 5


def shown(state: Any, seat: int) -> Any:
    return Game.from_states(np.array([state])).view(seat)


def all_cards(state: Any) -> list[int]:
    """What lies in the decks and reserves."""
    return sorted(card for card in [*state["deck"].tolist(), *state["reserve"].ravel().tolist()] if card != NONE)


def test_a_hidden_card_becomes_any_that_is_unseen() -> None:
    states = positions("classic", 2)
    state = next(state for state in states if any(state["blind"][1 - state["turn"]] >> i & 1 for i in range(3)))
    owner = 1 - int(state["turn"])
    place = next(i for i in range(3) if state["blind"][owner] >> i & 1)
    found = set()
    for random in range(400):
        other = np.array([state])
        determinize(other[0], seeded(random))
        found.add(int(other[0]["reserve"][owner, place]))
    assert len(found) > 5
