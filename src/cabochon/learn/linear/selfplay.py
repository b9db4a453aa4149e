# mypy: warn-return-any=False
"""Positions of games of the linear search against itself, with what is to be learnt from them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...bots.greedy import SCRATCH, greedy_action
from ...rules.bits import count_bits
from ...rules.compile import allocating, kernel
from ...rules.deal import ANY_START, deal, deal_from
from ...rules.play import legal, play, random_action
from ...rules.rng import below, seeded, stir
from ...rules.state import MAIN, MAX_SEATS, OVER
from ...search.linear_eval import (
    GAIN_SCALE,
    OPPONENT_WEIGHT,
    OVERFLOW,
    POLICY_WEIGHTS,
    LinearWeights,
    action_kind,
    phase,
    score_actions,
    terminal_values,
)
from ...search.linear_features import MAX_LINEAR_ACTIVE, MAX_TARGETS, TARGET_COLUMNS, list_linear_features
from ...search.mcts import SearchConfig, init_search, run_simulations
from ...search.tree import MAX_EDGES, Tree, write_root_values
from ..games import MAX_TURNS, choose_root_action, record_result

OPENING = 8  # turns in which moves are drawn by visits, so that games differ
GREEDY_RANDOMNESS = 12  # of greedy's moves one in so many is random, since greedy always plays the same
POSITIONS_A_CHOICE = 12  # one position in so many is kept for the policy, so that all parts of games are there

# Policy weights one at a time. With each of them alone, `score_actions` gives one column of the regression that fits the policy.
COLUMN_WEIGHTS = np.zeros((3, POLICY_WEIGHTS), np.float32)
COLUMN_WEIGHTS[0, GAIN_SCALE] = 1.0
COLUMN_WEIGHTS[1, [GAIN_SCALE, OPPONENT_WEIGHT]] = 1.0  # it scales the gain, so it cannot stand alone
COLUMN_WEIGHTS[2, OVERFLOW] = 1.0


class SearchPlayer(NamedTuple):
    """Who plays: the linear search with these weights, with so many nodes a move."""

    config: SearchConfig
    weights: LinearWeights
    nodes: int


class Samples(NamedTuple):
    """Positions: the active features of every seat, the phase, who won in the end, and what the search expected."""

    features: NDArray[np.int16]
    counts: NDArray[np.int16]
    phases: NDArray[np.int16]
    results: NDArray[np.float32]
    root_values: NDArray[np.float32]


class Choices(NamedTuple):
    """Positions: what each legal move does (gain, that with the opponents' loss, overflow), its kind, and its visits."""

    gains: NDArray[np.float64]
    losses: NDArray[np.float64]
    overflows: NDArray[np.float64]
    kinds: NDArray[np.int64]
    visits: NDArray[np.float64]


def new_samples(room: int) -> Samples:
    """Room for this many positions."""
    return Samples(
        np.zeros((room, MAX_SEATS, MAX_LINEAR_ACTIVE), np.int16),
        np.zeros((room, MAX_SEATS), np.int16),
        np.zeros(room, np.int16),
        np.zeros((room, MAX_SEATS), np.float32),
        np.zeros((room, MAX_SEATS), np.float32),
    )


def new_choices(room: int) -> Choices:
    """Room for this many positions; a kind of -1 is no move."""
    gains, losses, overflows, visits = (np.zeros((room, MAX_EDGES)) for _ in range(4))
    return Choices(gains, losses, overflows, np.full((room, MAX_EDGES), -1), visits)


@kernel
def record_features(samples: Samples, at: int, state: Any, targets: Any, features: Any) -> None:
    """Keep the features of a position."""
    for seat in range(state.players):
        n = list_linear_features(state, seat, targets, features)
        samples.counts[at, seat] = n
        for i in range(n):
            samples.features[at, seat, i] = features[i]
    samples.phases[at] = phase(state)


@allocating
def play_greedy_games(states: Any, samples: Samples, first_seed: int, games: int) -> int:
    """Greedy against itself, now and then with a random move; how many positions were kept."""
    scratch, targets = np.empty(SCRATCH, np.int64), np.empty((MAX_TARGETS, TARGET_COLUMNS), np.int64)
    features, values = np.empty(MAX_LINEAR_ACTIVE, np.int32), np.zeros(MAX_SEATS)
    at = 0
    for seed in range(first_seed, first_seed + games):
        state = states[0]
        deal_from(state, seed, ANY_START)
        random, first = seeded(seed), at
        while state.stage != OVER and at < samples.phases.shape[0] and state.turns < MAX_TURNS:
            random = stir(random)
            if state.stage == MAIN:
                record_features(samples, at, state, targets, features)
                at += 1
            is_random = below(random, GREEDY_RANDOMNESS) == 0
            play(state, random_action(state, stir(random)) if is_random else greedy_action(state, random, scratch))
        if state.stage != OVER:
            at = first
        else:
            record_result(samples.results, first, at, state, values)
    return at


@kernel
def search(tree: Tree, states: Any, random: int, player: SearchPlayer) -> None:
    """Search the position; a forced move needs no more than its node."""
    init_search(tree, states, random, player.config, player.weights)
    run_simulations(tree, player.config, player.weights, player.nodes if count_bits(legal(states[0])) > 1 else 1)


@kernel
def play_search_games(
    tree: Tree, states: Any, samples: Samples, player: SearchPlayer, first_seed: int, games: int, opening: int
) -> int:
    """The search against itself, its moves drawn by visits in the first `opening` turns; how many positions were kept."""
    at = 0
    for seed in range(first_seed, first_seed + games):
        state = states[0]
        deal_from(state, seed, ANY_START)
        random, first = seeded(seed + 1), at
        while state.stage != OVER and at < samples.phases.shape[0] and state.turns < MAX_TURNS:
            random = stir(random)
            record_features(samples, at, state, tree.targets, tree.features)
            search(tree, states, random, player)
            write_root_values(tree, 0, samples.root_values[at])
            at += 1
            play(state, choose_root_action(tree, stir(random), state.turns < opening))
        if state.stage != OVER:
            at = first
        else:
            record_result(samples.results, first, at, state, tree.values)
    return at


@kernel
def record_column(tree: Tree, state: Any, weights: LinearWeights, column: Any) -> int:
    """What each legal move does, seen through one policy weight alone; how many moves there are."""
    n = score_actions(state, legal(state), weights, tree)
    for i in range(n):
        column[i] = tree.logits[i]
    return n


@kernel
def record_visits(tree: Tree, n: int, kinds: Any, visits: Any) -> None:
    """How often the search visited each of the listed moves, which are in another order than the edges."""
    root = tree.nodes[0]
    for i in range(n):
        kinds[i] = action_kind(tree.actions[i])
        for j in range(root.first_edge, root.first_edge + n):
            if tree.actions[i] == tree.edges[j].action:
                visits[i] = tree.edges[j].visits


@kernel
def play_for_choices(tree: Tree, states: Any, choices: Choices, player: SearchPlayer, columns: Any, seed: int) -> int:
    """Positions of games the search plays against itself; how many there were."""
    at, value_weights = 0, player.weights.value
    while at < choices.gains.shape[0]:
        seed += 1
        state = states[0]
        deal(state, seed)
        random = seeded(seed)
        while state.stage != OVER and state.turns < MAX_TURNS:
            random = stir(random)
            search(tree, states, random, player)
            if state.stage == MAIN and tree.nodes[0].is_proven == 0 and below(random, POSITIONS_A_CHOICE) == 0:
                record_column(tree, state, LinearWeights(value_weights, columns[0]), choices.gains[at])
                record_column(tree, state, LinearWeights(value_weights, columns[1]), choices.losses[at])
                n = record_column(tree, state, LinearWeights(value_weights, columns[2]), choices.overflows[at])
                record_visits(tree, n, choices.kinds[at], choices.visits[at])
                at += 1
                if at == choices.gains.shape[0]:
                    break
            play(state, choose_root_action(tree, stir(random), state.turns < OPENING))
    return at


@kernel
def play_duel(tree: Tree, states: Any, one: SearchPlayer, other: SearchPlayer, seed: int, pairs: int, results: Any) -> None:
    """Two players' games on paired deals; `results` counts wins, draws and losses of the first player."""
    for game in range(2 * pairs):
        state = states[0]
        state.start = game % 2
        deal(state, seed + game // 2)
        random = seeded(seed + game)
        while state.stage != OVER and state.turns < MAX_TURNS:
            random = stir(random)
            search(tree, states, random, one if state.turn == 0 else other)
            play(state, choose_root_action(tree, random, 0))
        if state.stage == OVER:
            terminal_values(state, tree.values)
            results[0 if tree.values[0] > tree.values[1] else 2 if tree.values[1] > tree.values[0] else 1] += 1
        else:
            results[1] += 1
