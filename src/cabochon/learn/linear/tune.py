"""Rounds of learning the linear weights: play games with the weights so far, fit new ones, compare them with the old.

The first round's games are greedy's, since there are no weights to play with.
"""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...ruleset import blank_states, ruleset
from ...search.analysis import LINEAR_SEARCH
from ...search.linear_eval import PHASES, LinearWeights
from ...search.linear_features import LINEAR_FEATURES
from ...search.models.linear import INITIAL_POLICY_WEIGHTS, load_weights, save_weights, weights_path
from ...search.tree import new_tree
from .fit import Rates, fit_policy, fit_value
from .selfplay import (
    COLUMN_WEIGHTS,
    OPENING,
    Choices,
    Samples,
    SearchPlayer,
    new_choices,
    new_samples,
    play_duel,
    play_for_choices,
    play_greedy_games,
    play_search_games,
)

CHOICE_NODES, CHOICE_POSITIONS = 300, 8192
DUEL_NODES, DUEL_PAIRS = 200, 100
ROOT_VALUE_WEIGHT = 0.3  # of the search's own value beside the result of the game
POSITIONS_A_SEAT = 60  # room for those of one game

PlayGames = Callable[[Any, Samples, int, int], int]


class Table(NamedTuple):
    """A game and its number of players."""

    variant: str
    players: int

    def states(self, count: int = 1) -> Any:
        """Room for this many games."""
        return blank_states(ruleset(self.variant, self.players, {}), count)


class Backend(Protocol):
    """Where the games are played: `OnCpu` or `gpu.OnGpu`."""

    def samples(self, table: Table, player: SearchPlayer, games: int, seed: int) -> Samples:
        """Positions of games the search plays against itself."""

    def choices(self, table: Table, player: SearchPlayer, seed: int) -> Choices:
        """Positions with the visits of a longer search."""


def gather(table: Table, games: int, seed: int, threads: int, play_games: PlayGames) -> Samples:
    """Play games on several threads and keep their positions."""

    def run(part: int) -> Samples:
        share = games // threads
        samples = new_samples(share * POSITIONS_A_SEAT * table.players)
        count = play_games(table.states(), samples, seed + part * share, share)
        return Samples._make(array[:count] for array in samples)

    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(run, range(threads)))
    return Samples._make(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


class OnCpu(NamedTuple):
    """Plays on threads of the CPU."""

    threads: int

    def samples(self, table: Table, player: SearchPlayer, games: int, seed: int) -> Samples:
        """Positions of games the search plays against itself."""

        def play_games(states: Any, samples: Samples, first_seed: int, count: int) -> int:
            return play_search_games(new_tree(player.nodes + 2), states, samples, player, first_seed, count, OPENING)

        return gather(table, games, seed, self.threads, play_games)

    def choices(self, table: Table, player: SearchPlayer, seed: int) -> Choices:
        """Positions with the visits of a longer search."""
        choices = new_choices(CHOICE_POSITIONS)
        play_for_choices(new_tree(player.nodes + 2), table.states(), choices, player, COLUMN_WEIGHTS, seed)
        return choices


def duel(variant: str, one: SearchPlayer, other: SearchPlayer, pairs: int, threads: int) -> NDArray[np.int64]:
    """Wins, draws and losses of the first player against the second."""

    def run(part: int) -> NDArray[np.int64]:
        results, share = np.zeros(3, np.int64), pairs // threads
        play_duel(new_tree(one.nodes + 2), Table(variant, 2).states(), one, other, part * share, share, results)
        return results

    with ThreadPoolExecutor(threads) as pool:
        total: NDArray[np.int64] = np.sum(list(pool.map(run, range(threads))), axis=0)
    return total


def weights_so_far(table: Table) -> LinearWeights:
    """The weights to begin with; none, if this game has none."""
    if weights_path(*table).exists():
        return load_weights(*table)
    return LinearWeights(np.zeros((PHASES, LINEAR_FEATURES), np.float32), INITIAL_POLICY_WEIGHTS)


def improve(table: Table, games: int, nodes: int, seed: int, backend: Backend) -> LinearWeights:
    """One round: play, fit the weights of the features, fit those of the policy."""
    start, old = time.perf_counter(), weights_so_far(table)
    is_first = not old.value.any()
    if is_first:
        samples = gather(table, games, seed, os.cpu_count() or 1, play_greedy_games)
    else:
        samples = backend.samples(table, SearchPlayer(LINEAR_SEARCH, old, nodes), games, seed)
    seconds, name = time.perf_counter() - start, f"{table.variant} {table.players}"
    print(f"{name}: {games} games by {nodes} nodes, {len(samples.phases)} positions in {seconds:.0f} s", flush=True)
    rates = Rates(root_value_weight=0.0 if is_first else ROOT_VALUE_WEIGHT)
    fitted = LinearWeights(fit_value(samples, table.players, rates=rates), old.policy)
    choices = backend.choices(table, SearchPlayer(LINEAR_SEARCH, fitted, CHOICE_NODES), seed)
    return fitted._replace(policy=fit_policy(choices))


def tune_round(table: Table, games: int, nodes: int, seed: int, backend: Backend, threads: int) -> None:
    """Improve the weights, write them, and let two players' weights play against the ones before."""
    before = weights_so_far(table)
    after = improve(table, games, nodes, seed, backend)
    save_weights(*table, after)
    load_weights.cache_clear()
    if table.players == 2 and before.value.any():
        new, old = (SearchPlayer(LINEAR_SEARCH, weights, DUEL_NODES) for weights in (after, before))
        won, drawn, lost = duel(table.variant, new, old, DUEL_PAIRS, threads).tolist()
        print(f"  against the weights before: won {won}, drawn {drawn}, lost {lost}", flush=True)
