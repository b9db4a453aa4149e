"""Sums of embedding rows that are kept are those made anew, whatever was looked at before."""

from typing import Any

import numpy as np
import pytest

from cabochon.rules.compile import unkept
from cabochon.search.models.net import load_fast_net
from cabochon.search.net import embed, new_workspace
from cabochon.search.net_features import MAX_NET_ACTIVE, list_seat_features, list_table
from tests.support.net_inputs import positions

from .games import GAMES

ALL_GAMES = [*GAMES, *(("cities", players) for players in (2, 3, 4))]

# What may differ by itself in a record that holds together.
FIELDS = [
    ("tokens",),
    ("bonuses",),
    ("points",),
    ("reserve", "reserved"),
    ("blind",),
    ("tiles", "tile_owner"),
    ("symbols",),
    ("avengers",),
]


def features_of(state: Any, seat: int) -> list[int]:
    """All active features of a seat, those of the table too."""
    out = np.empty(MAX_NET_ACTIVE, np.int32)
    return [int(feature) for feature in out[: list_seat_features(state, seat, out, list_table(state, out, 0))]]


@unkept
def embeddings(net: Any, states: Any, work: Any, out: Any) -> None:
    for i in range(states.shape[0]):
        embed(net, states[i], work)
        out[i] = work.embedded


def shuffled(variant: str, players: int) -> Any:
    """Positions in an order in which the same seats come again beside other markets; many only once in it, some twice."""
    states = positions(variant, players)
    rng = np.random.default_rng(5)
    near = states.copy()
    for state in near:  # the same holdings beside a market in which a few cards are others
        for slot in rng.choice(12, rng.integers(1, 9), replace=False):
            state["market"][slot] = rng.permutation(states["market"][:, slot])[0]
    return rng.permutation(np.concatenate([states, near, states]))


@pytest.mark.parametrize("variant, players", ALL_GAMES)
def test_kept_sums_are_those_made_anew(variant: str, players: int) -> None:
    net, states = load_fast_net(variant, players), shuffled(variant, players)
    found = np.zeros((len(states), new_workspace(net).embedded.size), np.int16)
    embeddings(net, states, new_workspace(net), found)
    width = net.embedding.shape[1]
    for state, row in zip(states, found, strict=True):
        for k in range(players):
            known = [
                feature for feature in features_of(state, (int(state["turn"]) + k) % players) if feature < len(net.embedding)
            ]
            sums = net.embedding[known].sum(0, dtype=int) + net.embedding_bias
            np.testing.assert_array_equal(np.clip(sums, -32767, 32767), row[k * width : (k + 1) * width])


@pytest.mark.parametrize("variant", ["classic", "marvel", "cities"])
def test_whatever_changes_at_a_seat_changes_its_sum(variant: str) -> None:
    """One thing after the other, looked at between two looks at the position as it was."""
    net, rng = load_fast_net(variant, 2), np.random.default_rng(6)
    states = positions(variant, 2)
    mixed = []
    for state in rng.permutation(states)[:12]:
        for names in FIELDS:
            other, donor = state.copy(), rng.permutation(states)[0]
            for name in names:
                other[name] = donor[name]
            mixed += [state, other]
    changed = np.array(mixed)
    found, anew = (np.zeros((len(changed), new_workspace(net).embedded.size), np.int16) for _ in range(2))
    embeddings(net, changed, new_workspace(net), found)
    for i in range(len(changed)):
        embeddings(net, changed[i : i + 1], new_workspace(net), anew[i : i + 1])
    width = net.embedding.shape[1]
    np.testing.assert_array_equal(anew[:, : 2 * width], found[:, : 2 * width])
