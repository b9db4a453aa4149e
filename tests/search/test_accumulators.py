"""Sums of embedding rows that are kept are those made anew, whatever was looked at before."""

from typing import Any

import numpy as np
import pytest

from cabochon.rules.compile import unkept
from cabochon.rules.state import MARKET_SIZE
from cabochon.search.accumulators import MAX_CHANGES, NO_KEY
from cabochon.search.models.net import load_fast_net
from cabochon.search.net import FastNet, embed, fast_net, new_workspace, random_net, workspace_of_thread
from cabochon.search.vectors import aligned
from tests.support.net_inputs import net_features, positions

from .games import ALL_GAMES

MAX_INT16 = 32767
# What may differ by itself in a record that holds together.
FIELDS = [
    ("tokens",), ("bonuses",), ("points",), ("reserve", "reserved"), ("blind",), ("tiles", "tile_owner"), ("symbols",),
    ("avengers",), ("turn",), ("start",), ("open_reserves",),
]  # fmt: skip


@unkept
def embeddings(net: Any, states: Any, work: Any, out: Any) -> None:
    for i in range(states.shape[0]):
        embed(net, states[i], work)
        out[i] = work.embedded


def embedded(net: FastNet, states: Any, work: Any) -> Any:
    """The embeddings of each position, its seats one behind the other, of absent seats zero."""
    found = np.zeros((len(states), work.embedded.size), np.int16)
    embeddings(net, states, work, found)
    width = net.embedding.shape[1]
    for state, row in zip(states, found, strict=True):
        row[int(state["players"]) * width :] = 0
    return found


def by_definition(net: FastNet, state: Any) -> Any:
    """The embeddings of a position from the lists of its features, if no sum leaves 16 bits."""
    turn, players = int(state["turn"]), int(state["players"])
    out = np.zeros((4, net.embedding.shape[1]), np.int16)
    features = net_features(state)
    for k in range(players):
        known = [feature for feature in features[(turn + k) % players] if feature < len(net.embedding)]
        out[k] = net.embedding[known].sum(0, dtype=int) + net.embedding_bias
    return out.ravel()


def mixed(variant: str, players: int, **house: Any) -> Any:
    """Positions, some twice, and between them the same with other cards in the market: few, many or all."""
    states, rng = positions(variant, players, **house), np.random.default_rng(5)
    near = states.copy()
    for state in near:
        for slot in rng.choice(MARKET_SIZE, rng.integers(1, MARKET_SIZE + 1), replace=False):
            state["market"][slot] = rng.permutation(states["market"][:, slot])[0]
    return rng.permutation(np.concatenate([states, near, states]))


@pytest.mark.parametrize("variant, players", ALL_GAMES)
def test_kept_sums_are_those_made_anew(variant: str, players: int) -> None:
    net = load_fast_net(variant, players)
    states = np.concatenate([mixed(variant, players), mixed(variant, players, open_reserves=False)])
    for state, row in zip(states, embedded(net, states, new_workspace(net)), strict=True):
        np.testing.assert_array_equal(by_definition(net, state), row)


@pytest.mark.parametrize("variant", ["classic", "marvel"])
def test_games_of_other_numbers_of_players_may_take_turns(variant: str) -> None:
    net, work = load_fast_net(variant, 3), new_workspace(load_fast_net(variant, 4))
    states = np.random.default_rng(1).permutation(np.concatenate([positions(variant, 3), positions(variant, 4)]))
    for state, row in zip(states, embedded(net, states, work), strict=True):
        np.testing.assert_array_equal(by_definition(net, state), row)


@pytest.mark.parametrize("variant, players", ALL_GAMES)
def test_whatever_changes_at_a_seat_changes_its_sum(variant: str, players: int) -> None:
    """One thing after the other, looked at between two looks at the position as it was."""
    net, rng = load_fast_net(variant, players), np.random.default_rng(6)
    states = np.concatenate([positions(variant, players), positions(variant, players, open_reserves=False)])
    states["avengers"] = rng.integers(0, players, len(states))  # in random games hardly anybody has the tile
    pairs = []
    for state in rng.permutation(states)[:30]:
        for names in FIELDS:
            other, donor = state.copy(), rng.permutation(states)[0]
            for name in names:
                other[name] = donor[name]
            pairs += [state, other]
    found = embedded(net, np.array(pairs), new_workspace(net))
    for state, row in zip(pairs, found, strict=True):
        np.testing.assert_array_equal(by_definition(net, state), row)
    changed = (found[::2] != found[1::2]).any(1).reshape(30, len(FIELDS)).sum(0)
    seen = [names for names, count in zip(FIELDS, changed, strict=True) if count > 2]
    only_marvel = {("symbols",), ("avengers",)} if variant != "marvel" else set()
    assert set(FIELDS) - only_marvel == set(seen), "each of them is seen"


def test_a_seat_that_comes_again_is_not_added_up_anew() -> None:
    """A kept sum that was tampered with shows which positions use it: those in which few cards of the market are others."""
    net, state = load_fast_net("classic", 2), positions("classic", 2)[0]
    for changes in (0, 1, MAX_CHANGES, MAX_CHANGES + 1):
        other, work = state.copy(), new_workspace(net)
        first = embedded(net, np.array([state]), work)
        other["market"][:changes] = positions("classic", 2)[-1]["market"][:changes]
        assert changes == np.count_nonzero(other["market"] != state["market"])
        work.accumulators.sums[work.accumulators.keys[:, 0] != NO_KEY] += 1
        difference = embedded(net, np.array([other]), work) - embedded(net, np.array([other]), new_workspace(net))
        assert (changes <= MAX_CHANGES) == bool(difference.any())
        assert first.any()


@pytest.mark.parametrize("weight", [3000, -3000])
def test_a_sum_that_leaves_the_range_stops_there(weight: int) -> None:
    net = fast_net(random_net(128, 128))
    net = net._replace(embedding=aligned(np.full_like(net.embedding, weight)))
    states = mixed("marvel", 2)
    found = embedded(net, states, new_workspace(net))
    assert (found[:, : 2 * 128] == (MAX_INT16 if weight > 0 else -MAX_INT16 - 1)).all()


def test_a_thread_keeps_its_workspace_for_one_net() -> None:
    one, other = load_fast_net("classic", 2), load_fast_net("marvel", 2)
    kept = workspace_of_thread(one)
    assert kept is workspace_of_thread(one)
    assert kept is not workspace_of_thread(other)
    assert kept is not workspace_of_thread(one)
