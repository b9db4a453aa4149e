"""The net's input: what its seat may know and nothing else."""

import numpy as np
import pytest

from cabochon.rules.cards import NONE
from cabochon.search.net_features import MAX_NET_ACTIVE, NET_FEATURES, POLICY_SIZE
from tests.envs.games import reserving_games, with_other_hidden_cards
from tests.support.net_inputs import net_features, policy_indices, positions

from .games import GAMES


@pytest.mark.parametrize("house", [{}, {"open_reserves": False}], ids=["open", "closed"])
@pytest.mark.parametrize("variant, players", GAMES)
def test_nothing_hidden_is_seen(variant: str, players: int, house: dict[str, bool]) -> None:
    rng, differing = np.random.default_rng(7), 0
    states = positions(variant, players, **house)
    for seat in range(players):
        own = states[states["turn"] == seat]
        for state, twin in zip(own, with_other_hidden_cards(own, seat, rng), strict=True):
            differing += state["reserve"].tobytes() != twin["reserve"].tobytes()
            assert net_features(state) == net_features(twin)
            assert policy_indices(state) == policy_indices(twin)
    assert differing > 5, "cards that others hold unseen are among what was dealt anew"


@pytest.mark.parametrize("variant, players", GAMES)
def test_features_stay_in_their_table(variant: str, players: int) -> None:
    for state in positions(variant, players):
        for features in net_features(state):
            assert len(features) <= MAX_NET_ACTIVE
            assert 0 <= features[0] <= features[-1] < NET_FEATURES


@pytest.mark.parametrize("variant, players", GAMES)
def test_every_legal_action_has_its_own_policy_index(variant: str, players: int) -> None:
    for state in positions(variant, players):
        indices = policy_indices(state)
        assert len(indices) == len(set(indices))
        assert all(0 <= index < POLICY_SIZE for index in indices)


def test_a_card_in_the_market_and_one_in_the_reserve_are_not_the_same() -> None:
    states = reserving_games("classic", 2, 40, 25)
    state = next(state for state in states if state["reserved"][state["turn"]] and state["stage"] == 0)
    other, turn = state.copy(), int(state["turn"])
    slot = int(np.flatnonzero(state["market"] != NONE)[0])
    other["market"][slot], other["reserve"][turn, 0] = state["reserve"][turn, 0], state["market"][slot]
    assert net_features(state) != net_features(other)
