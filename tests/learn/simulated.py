"""`NUMBA_ENABLE_CUDASIM=1 python -m tests.learn.simulated`: every thread of a GPU, simulated, does its own game and no other."""

from typing import Any

import numpy as np

from cabochon.learn.device import THREADS_PER_BLOCK, cpu_loop, gpu_kernel, gpu_kernel_with_local, made_for
from cabochon.learn.linear.gpu import sample_one
from cabochon.learn.linear.selfplay import SearchPlayer, new_samples
from cabochon.learn.linear.tune import Table
from cabochon.learn.net.inputs import WARP, WARPS, densify_one, write_rows
from cabochon.learn.net.model import INPUT_COLUMNS
from cabochon.rules.actions import FIRST_ACTION
from cabochon.rules.bits import lowest_bit
from cabochon.rules.compile import inlined
from cabochon.rules.play import legal, play
from cabochon.rules.state import MAX_SEATS, OVER
from cabochon.search.analysis import LINEAR_SEARCH
from cabochon.search.models.linear import load_weights
from cabochon.search.net_features import MAX_NET_ACTIVE, NET_FEATURES, list_net_features
from cabochon.search.records import NO_LOCAL, current_record, load_record, store_record
from cabochon.search.tree import new_tree
from tests.support.net_inputs import positions


@inlined
def see_one(i: int, states: Any, features: Any, counts: Any) -> None:
    """What the seat to decide sees of every seat."""
    for seat in range(states[i].players):
        counts[i, seat] = list_net_features(states[i], seat, features[i, seat])


@inlined
def play_locally_one(i: int, local: Any, states: Any) -> None:
    """Play the first legal move on a copy of a state, and store it."""
    load_record(states, i, local, i)
    state = current_record(states, i, local)
    play(state, FIRST_ACTION[state.stage] + lowest_bit(legal(state)))
    store_record(states, i, local)


def seen(states: Any, start: Any) -> list[Any]:
    """The features, and how many they are."""
    features, counts = np.zeros((len(states), MAX_SEATS, MAX_NET_ACTIVE), np.int16), np.zeros((len(states), MAX_SEATS), np.int16)
    start(see_one, len(states), (states, features, counts))
    return [features, counts]


def rows_of(features: Any, counts: Any) -> list[Any]:
    """Lists of features as rows, written one by one; and by warps, too few for all rows at once."""
    rows = [np.zeros((len(features), INPUT_COLUMNS), np.int16) for _ in range(2)]
    on_cpu(densify_one, len(features), (features, counts, rows[0]))
    write_rows[1, WARPS * WARP](features, counts, rows[1].view(np.int32))
    return rows


def played(variant: str, players: int, start: Any) -> list[Any]:
    """Games of the linear search with few nodes: how many positions were kept, their results and the values of the search."""
    room, nodes = 70 * players, 4
    samples = type(new_samples(1))._make(np.zeros((GAMES, *array.shape), array.dtype) for array in new_samples(room))
    trees = made_for(GAMES, new_tree(nodes + 2), np.zeros)
    kept, player = np.zeros(GAMES, np.int64), SearchPlayer(LINEAR_SEARCH, load_weights(variant, players), nodes)
    start(sample_one, GAMES, (trees, Table(variant, players).states(GAMES), samples, player, 1, kept))
    return [kept, samples.results, samples.root_values]


def on_cpu(one: Any, count: int, arguments: Any) -> None:
    cpu_loop(one)(count, arguments)


def on_threads(one: Any, count: int, arguments: Any) -> None:
    """On the simulated GPU, with more threads than games."""
    gpu_kernel(one)[count // THREADS_PER_BLOCK + 1, THREADS_PER_BLOCK](count, arguments)


def played_locally(states: Any, start: Any) -> Any:
    """The states after a move each, which is played in local memory."""
    found = states[states["stage"] != OVER]
    start(play_locally_one, len(states), (found,))
    assert (found != states[states["stage"] != OVER]).all()
    return found


def on_cpu_without_local(one: Any, count: int, arguments: Any) -> None:
    on_cpu(one, count, (NO_LOCAL, *arguments))


def on_threads_with_local(one: Any, count: int, arguments: Any) -> None:
    gpu_kernel_with_local(one)[count // THREADS_PER_BLOCK + 1, THREADS_PER_BLOCK](count, arguments)


GAMES = 3


def main() -> None:
    """Compare with the CPU."""
    for variant, players in (("classic", 2), ("marvel", 3), ("cities", 2)):
        states = positions(variant, players)
        here = [*seen(states, on_cpu), *played(variant, players, on_cpu)]
        there = [*seen(states, on_threads), *played(variant, players, on_threads)]
        for mine, theirs in zip(here, there, strict=True):
            np.testing.assert_array_equal(mine, theirs)
            assert mine.any()
        assert (played_locally(states, on_cpu_without_local) == played_locally(states, on_threads_with_local)).all()
    features, counts = np.zeros((WARPS + 2, MAX_NET_ACTIVE), np.int16), np.zeros(WARPS + 2, np.int16)
    for i, array in enumerate(features):
        rng, last = np.random.default_rng(i), (NET_FEATURES, MAX_NET_ACTIVE // 3)[i % 2]
        array[:], counts[i] = rng.integers(0, last, MAX_NET_ACTIVE), MAX_NET_ACTIVE * i // WARPS
    features[0, :16], counts[0], counts[-1] = 7, 16, MAX_NET_ACTIVE
    np.testing.assert_array_equal(*rows_of(features, counts))
    print("the same")


if __name__ == "__main__":
    main()
