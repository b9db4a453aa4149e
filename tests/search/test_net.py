"""The net's output: the order of cards makes no difference to it, and its policy is on legal moves."""

from typing import Any

import numpy as np
import pytest

from cabochon.rules.state import SLOTS_PER_TIER
from cabochon.search.models.net import load_net
from tests.support.net_inputs import first_evaluation, net_features, policy_indices, positions

from .games import GAMES


def in_another_order(state: Any, rng: np.random.Generator) -> Any:
    """The same position with the cards of every tier of the market, and of every reserve, in another order."""
    other = state.copy()
    for first in range(0, len(state["market"]), SLOTS_PER_TIER):
        tier = slice(first, first + SLOTS_PER_TIER)
        other["market"][tier] = rng.permutation(state["market"][tier])
    for seat in range(state["players"]):
        order = rng.permutation(int(state["reserved"][seat]))
        other["reserve"][seat, : len(order)] = state["reserve"][seat, order]
        other["blind"][seat] = sum((int(state["blind"][seat]) >> int(old) & 1) << new for new, old in enumerate(order))
    return other


@pytest.mark.parametrize("variant, players", GAMES)
def test_the_order_of_cards_makes_no_difference(variant: str, players: int) -> None:
    rng, net, moved = np.random.default_rng(3), load_net(variant, players), 0
    for state in positions(variant, players):
        other = in_another_order(state, rng)
        moved += state["reserve"].tobytes() != other["reserve"].tobytes()
        assert net_features(state) == net_features(other)
        values, policy = first_evaluation(state, net)
        other_values, other_policy = first_evaluation(other, net)
        assert values == pytest.approx(other_values, abs=1e-5)
        assert policy == pytest.approx(other_policy, abs=1e-5)
    assert moved > 5


@pytest.mark.parametrize("variant, players", GAMES)
def test_the_net_gives_chances_and_a_policy_on_legal_moves(variant: str, players: int) -> None:
    for state in positions(variant, players)[::4]:
        values, policy = first_evaluation(state, load_net(variant, players))
        assert sum(values) == pytest.approx(1, abs=1e-5)
        assert sum(policy.values()) == pytest.approx(1, abs=1e-5)
        assert set(policy) <= set(policy_indices(state))
