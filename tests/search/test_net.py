"""The net's output: close to that in full precision, the same for any order of cards, and a policy on legal moves."""

from typing import Any

import numpy as np
import pytest

from cabochon.rules.state import SLOTS_PER_TIER
from cabochon.search.models.net import load_net
from cabochon.search.net import Net, random_net
from tests.support.net_inputs import first_evaluation, net_features, policy_indices, positions

from .games import GAMES

VALUE_ROUNDING, PRIOR_ROUNDING = 0.005, 0.04  # at most
MEAN_ROUNDING = 0.001  # of either


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


def softmax(logits: Any) -> Any:
    exponentials = np.exp(logits - logits.max())
    return exponentials / exponentials.sum()


def in_full_precision(state: Any, net: Net) -> tuple[Any, Any]:
    """The net by its definition: values from the seat to decide on, and the logits of all policy indices."""
    players, width, inputs = int(state["players"]), net.embedding_bias.size, []
    features = net_features(state)
    for seat in (np.arange(players) + state["turn"]) % players:
        known = [feature for feature in features[seat] if feature < len(net.embedding)]
        inputs.append(np.maximum(net.embedding[known].sum(0, dtype=float) + net.embedding_bias, 0))
    units = np.maximum(np.concatenate(inputs) @ net.hidden1[: players * width] + net.hidden1_bias, 0)
    units = np.maximum(units @ net.hidden2 + net.hidden2_bias, 0)
    for matrix, bias in zip(net.further, net.further_bias, strict=True):
        units = np.maximum(units @ matrix + bias, 0)
    return softmax((net.value @ units + net.value_bias)[:players]), net.policy @ units + net.policy_bias


def rounding(state: Any, net: Net) -> tuple[Any, Any]:
    """How far values and priors are from those in full precision."""
    values, policy = first_evaluation(state, net)
    expected_values, logits = in_full_precision(state, net)
    ours = np.roll(values, -int(state["turn"]))
    return np.abs(ours - expected_values), np.abs(np.array(list(policy.values())) - softmax(logits[list(policy)]))


@pytest.mark.parametrize("variant, players", GAMES)
def test_whole_numbers_change_little(variant: str, players: int) -> None:
    net = load_net(variant, players)
    found = [rounding(state, net) for state in positions(variant, players)]
    values, priors = (np.concatenate(parts) for parts in zip(*found, strict=True))
    assert values.max() < VALUE_ROUNDING
    assert priors.max() < PRIOR_ROUNDING
    assert max(values.mean(), priors.mean()) < MEAN_ROUNDING


@pytest.mark.parametrize(
    "width, hidden1, hidden2, further",
    [(1, 1, 1, 0), (16, 8, 8, 2), (130, 70, 70, 0), (480, 160, 224, 1), (40, 200, 30, 0), (40, 30, 200, 2)],
)
def test_a_net_of_any_size_is_filled_up(width: int, hidden1: int, hidden2: int, further: int) -> None:
    for state in positions("classic", 3)[::4]:
        values, priors = rounding(state, random_net(width, hidden1, hidden2=hidden2, further=further))
        assert values.max() < VALUE_ROUNDING
        assert priors.max() < VALUE_ROUNDING
