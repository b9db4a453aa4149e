"""`NUMBA_ENABLE_CUDASIM=1 python -m tests.learn.simulated`: every thread of a GPU, simulated, does its own game and no other."""

from typing import Any

import numpy as np

from cabochon.learn.batch import THREADS, on_gpu, on_processor
from cabochon.learn.selfplay import spread_one
from cabochon.rules.compile import inlined
from cabochon.rules.state import MAX_SEATS
from cabochon.search.net_features import MOST_SIGHTS, SIGHTS, list_sights
from tests.support.seeing import positions


@inlined
def see_one(i: int, states: Any, facts: Any, counts: Any) -> None:
    """What the seat to decide sees of every seat."""
    for seat in range(states[i].players):
        counts[i, seat] = list_sights(states[i], seat, facts[i, seat])


def seen(states: Any, start: Any) -> list[Any]:
    """The facts, how many they are, and the facts of the seat 0 as rows."""
    facts, counts = np.zeros((len(states), MAX_SEATS, MOST_SIGHTS), np.int16), np.zeros((len(states), MAX_SEATS), np.int16)
    rows = np.zeros((len(states), SIGHTS), np.int16)
    start(see_one, len(states), (states, facts, counts))
    start(spread_one, len(states), (facts[:, 0], counts[:, 0], rows))
    return [facts, counts, rows]


def on_threads(one: Any, count: int, arguments: Any) -> None:
    """On the simulated GPU, with more threads than games."""
    on_gpu(one)[count // THREADS + 1, THREADS](count, arguments)


def main() -> None:
    """Compare with the processor."""
    for variant, players in (("classic", 2), ("marvel", 3)):
        states = positions(variant, players)
        here = seen(states, lambda one, count, arguments: on_processor(one)(count, arguments))
        for mine, theirs in zip(here, seen(states, on_threads), strict=True):
            np.testing.assert_array_equal(mine, theirs)
        assert here[2].any()
    print("the same")


if __name__ == "__main__":
    main()
