# mypy: disallow-untyped-decorators=False
"""The search plays on a GPU: a thread a game, each with a tree of its own, by the same functions as on the CPU."""

from typing import Any

import numba.cuda
import numpy as np
from numpy.typing import NDArray

from ..ruleset import blank_states, ruleset
from ..search.tree import MOST_EDGES, Style, Tree, new_tree, own_tree
from ..search.weights import Weights
from .tuning import (
    ALONE,
    HABIT_NODES,
    HABIT_POSITIONS,
    OPENING,
    Choices,
    Samples,
    gather_choices,
    new_choices,
    new_samples,
    play_search_games,
)

cuda: Any = numba.cuda
THREADS = 32
EACH = 2  # positions a thread keeps for the habits
MOST_TURNS = 70  # of a seat, in a game that is kept


def device_tree(threads: int, nodes: int) -> Tree:
    """A tree for every thread."""
    return Tree._make(cuda.device_array((threads, *array.shape), array.dtype) for array in new_tree(nodes))


@cuda.jit
def _play(
    trees: Any, states: Any, samples: Any, style: Any, weights: Any, habits: Any, seed: int, nodes: int, opening: int, kept: Any
) -> None:
    """Every thread plays one game."""
    i = cuda.grid(1)
    if i < kept.shape[0]:
        tree = own_tree(trees, i)
        own = Samples(samples.facts[i], samples.counts[i], samples.rows[i], samples.results[i], samples.guesses[i])
        kept[i] = play_search_games(tree, states[i : i + 1], own, style, weights, habits, seed + i, 1, nodes, opening)


@cuda.jit
def _choose(
    trees: Any, states: Any, choices: Any, style: Any, weights: Any, habits: Any, alone: Any, seed: int, nodes: int
) -> None:
    """Every thread keeps a few positions with what the search chose."""
    i = cuda.grid(1)
    if i < states.shape[0]:
        own = Choices(choices.gains[i], choices.losses[i], choices.overs[i], choices.kinds[i], choices.visits[i])
        gather_choices(own_tree(trees, i), states[i : i + 1], own, style, weights, habits, alone, nodes, seed + 1000 * i)


def _blocks(threads: int) -> tuple[int, int]:
    return (threads + THREADS - 1) // THREADS, THREADS


def _host(array: Any) -> NDArray[Any]:
    copied: NDArray[Any] = array.copy_to_host()
    return copied


def _states(variant: str, players: int, count: int) -> Any:
    return cuda.to_device(blank_states(ruleset(variant, players, {}), count))


class OnDevice:
    """Plays on the GPU, as `OnProcessor` does on the processor."""

    def samples(self, variant: str, players: int, games: int, weights: Weights, nodes: int, style: Style, seed: int) -> Samples:
        """Positions of games the search plays against itself."""
        most = MOST_TURNS * players
        samples = Samples._make(cuda.device_array((games, *array.shape), array.dtype) for array in new_samples(most))
        kept = cuda.device_array(games, np.int64)
        trees = device_tree(games, nodes + 2)
        worths, habits = cuda.to_device(weights.worths), cuda.to_device(weights.habits)
        states = _states(variant, players, games)
        _play[_blocks(games)](trees, states, samples, style, worths, habits, seed, nodes, OPENING, kept)
        mask = np.arange(most)[None, :] < kept.copy_to_host()[:, None]
        return Samples._make(_host(array)[mask] for array in samples)

    def choices(self, variant: str, players: int, weights: Weights, style: Style, seed: int) -> Choices:
        """Positions with what a longer search chose."""
        threads = HABIT_POSITIONS // EACH
        choices = Choices._make(
            cuda.to_device(np.broadcast_to(array, (threads, *array.shape)).copy()) for array in new_choices(EACH)
        )
        worths, habits, alone = (cuda.to_device(array) for array in (*weights, ALONE))
        trees, states = device_tree(threads, HABIT_NODES + 2), _states(variant, players, threads)
        _choose[_blocks(threads)](trees, states, choices, style, worths, habits, alone, seed, HABIT_NODES)
        return Choices._make(_host(array).reshape(-1, MOST_EDGES) for array in choices)
