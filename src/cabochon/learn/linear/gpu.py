# mypy: warn-return-any=False
"""Games of the linear search on a GPU: a thread a game, each with a tree of its own, by the same functions as on the CPU."""

from typing import Any

import numpy as np

from ...rules.compile import inlined
from ...search.linear_eval import LinearWeights
from ...search.tree import MAX_EDGES, new_tree, tree_at
from ..device import Device
from .selfplay import (
    COLUMN_WEIGHTS,
    OPENING,
    Choices,
    Samples,
    SearchPlayer,
    new_choices,
    new_samples,
    play_for_choices,
    play_search_games,
)
from .tune import CHOICE_POSITIONS, Table

CHOICES_A_THREAD = 2
MAX_TURNS_A_SEAT = 70  # in a game that is kept
SEEDS_A_THREAD = 1000  # so that no two threads play the same games


@inlined
def sample_one(i: int, trees: Any, states: Any, samples: Samples, player: SearchPlayer, seed: int, kept: Any) -> None:
    """Play one game; how many of its positions were kept."""
    own = Samples(samples.features[i], samples.counts[i], samples.phases[i], samples.results[i], samples.root_values[i])
    kept[i] = play_search_games(tree_at(trees, i), states[i : i + 1], own, player, seed + i, 1, OPENING)


@inlined
def choose_one(i: int, trees: Any, states: Any, choices: Choices, player: SearchPlayer, columns: Any, seed: int) -> None:
    """Keep a few positions with what the search chose."""
    own = Choices(choices.gains[i], choices.losses[i], choices.overflows[i], choices.kinds[i], choices.visits[i])
    play_for_choices(tree_at(trees, i), states[i : i + 1], own, player, columns, seed + SEEDS_A_THREAD * i)


class OnGpu:
    """Plays on the GPU what `OnCpu` plays on the CPU."""

    def __init__(self, device: Device | None = None) -> None:
        self.device = device or Device("cuda")

    def _uploaded(self, player: SearchPlayer) -> SearchPlayer:
        return player._replace(weights=LinearWeights._make(self.device.upload(array) for array in player.weights))

    def samples(self, table: Table, player: SearchPlayer, games: int, seed: int) -> Samples:
        """Positions of games the search plays against itself."""
        device, room = self.device, MAX_TURNS_A_SEAT * table.players
        samples = device.for_all_games(games, new_samples(room))
        kept = device.upload(np.zeros(games, np.int64))
        trees, states = device.for_all_games(games, new_tree(player.nodes + 2)), device.upload(table.states(games))
        device.for_each(sample_one, games, trees, states, samples, self._uploaded(player), seed, kept)
        is_kept = np.arange(room)[None, :] < device.download(kept)[:, None]
        return Samples._make(device.download(array)[is_kept] for array in samples)

    def choices(self, table: Table, player: SearchPlayer, seed: int) -> Choices:
        """Positions with the visits of a longer search."""
        device, threads = self.device, CHOICE_POSITIONS // CHOICES_A_THREAD
        empty = new_choices(CHOICES_A_THREAD)
        choices = Choices._make(device.upload(np.broadcast_to(array, (threads, *array.shape)).copy()) for array in empty)
        trees, states = device.for_all_games(threads, new_tree(player.nodes + 2)), device.upload(table.states(threads))
        columns = device.upload(COLUMN_WEIGHTS)
        device.for_each(choose_one, threads, trees, states, choices, self._uploaded(player), columns, seed)
        return Choices._make(device.download(array).reshape(-1, MAX_EDGES) for array in choices)
