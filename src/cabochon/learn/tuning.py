# mypy: warn-return-any=False
"""Learning the weights from games the search plays against itself: `python -m cabochon.learn.tuning --help`.

Each round plays games with the weights so far, keeps the facts of every position with the result of its game, and fits the
weights so that the chances they give are those that came true (logistic regression by AdaGrad). The first round's games are
greedy's.
"""

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bots.greedy import SCRATCH, greedy_action
from ..rules.bits import count_bits
from ..rules.compile import allocating, kernel
from ..rules.deal import ANY_START, deal, deal_from
from ..rules.play import legal, play, random_action
from ..rules.rng import below, seeded, stir
from ..rules.state import MAIN, MAX_SEATS, OVER
from ..ruleset import blank_states, ruleset
from ..search.linear_eval import (
    HABITS,
    OTHERS,
    OVERFLOW,
    PHASES,
    SHARPNESS,
    SPITE,
    kind_of,
    phase,
    share_win,
    soften,
    weigh_actions,
)
from ..search.linear_features import AIM, FEATURES, MOST_AIMS, MOST_LISTED, list_features
from ..search.tree import MOST_EDGES, NO_NODE, Style, Tree, new_tree, plant, proven_best, think
from ..search.weights import START_HABITS, Weights, load_weights, path_of, save_weights

LONGEST_GAME = 400
OPENING = 8  # turns in which moves are drawn by visits
HABIT_NODES, HABIT_POSITIONS, SELDOM = 300, 8192, 12  # one position in twelve is kept, so that all parts of games are
DUEL_NODES, DUEL_PAIRS = 200, 100
TRUST = 0.3  # how much the guess of the search counts beside the result of the game
FULL_GAME = 15.0
TINY = 1e-9  # a chance whose logarithm can still be taken


ALONE = np.zeros((3, HABITS), np.float32)  # habits one at a time: what a move gains, that and its spite, and its overflow
ALONE[0, SHARPNESS] = ALONE[1, SHARPNESS] = ALONE[1, SPITE] = ALONE[2, OVERFLOW] = 1.0


class Samples(NamedTuple):
    """Positions: the facts of every seat, how far the game was, and who won in the end."""

    facts: NDArray[np.int16]
    counts: NDArray[np.int16]
    rows: NDArray[np.int16]
    results: NDArray[np.float32]
    guesses: NDArray[np.float32]


def new_samples(room: int) -> Samples:
    """Room for this many positions."""
    return Samples(
        np.zeros((room, MAX_SEATS, MOST_LISTED), np.int16),
        np.zeros((room, MAX_SEATS), np.int16),
        np.zeros(room, np.int16),
        np.zeros((room, MAX_SEATS), np.float32),
        np.zeros((room, MAX_SEATS), np.float32),
    )


@kernel
def note(samples: Samples, at: int, state: Any, aims: Any, facts: Any) -> None:
    """Keep the facts of a position."""
    for seat in range(state.players):
        n = list_features(state, seat, aims, facts)
        samples.counts[at, seat] = n
        for i in range(n):
            samples.facts[at, seat, i] = facts[i]
    samples.rows[at] = phase(state)


@kernel
def note_result(results: Any, first: int, after: int, state: Any, value: Any) -> None:
    """Write how a game ended into its positions."""
    share_win(state, value)
    for at in range(first, after):
        for seat in range(state.players):
            results[at, seat] = value[seat]


@kernel
def most_visited(tree: Tree, random: int, temperature: int) -> int:
    """The root's action that is proven best, or the most visited one; with temperature one drawn by visits."""
    root, best = tree.nodes[0], proven_best(tree)
    if best != NO_NODE:
        return tree.edges[best].action
    first, after = root.first_edge, root.first_edge + root.edge_count
    best, whole = first, 0
    for i in range(first, after):
        whole += tree.edges[i].visits
        if tree.edges[i].visits > tree.edges[best].visits:
            best = i
    if temperature != 0 and whole > 0:
        drawn = below(random, whole)
        for i in range(first, after):
            drawn -= tree.edges[i].visits
            if drawn < 0:
                return tree.edges[i].action
    return tree.edges[best].action


@allocating
def play_greedy_games(states: Any, samples: Samples, first_seed: int, games: int, spread: int, facts: Any, value: Any) -> int:
    """Greedy against itself with one move in `spread` at random; how many positions were kept."""
    scratch, aims = np.empty(SCRATCH, np.int64), np.empty((MOST_AIMS, AIM), np.int64)
    at = 0
    for seed in range(first_seed, first_seed + games):
        state = states[0]
        deal_from(state, seed, ANY_START)
        random, first = seeded(seed), at
        while state.stage != OVER and at < samples.rows.shape[0] and state.turns < LONGEST_GAME:
            random = stir(random)
            if state.stage == MAIN:
                note(samples, at, state, aims, facts)
                at += 1
            action = random_action(state, stir(random)) if below(random, spread) == 0 else greedy_action(state, random, scratch)
            play(state, action)
        if state.stage != OVER:
            at = first
        else:
            note_result(samples.results, first, at, state, value)
    return at


@kernel
def play_search_games(
    tree: Tree,
    states: Any,
    samples: Samples,
    style: Style,
    weights: Any,
    habits: Any,
    first_seed: int,
    games: int,
    nodes: int,
    opening: int,
) -> int:
    """The search against itself, its moves drawn by visits in the first `opening` turns; how many positions were kept."""
    at = 0
    for seed in range(first_seed, first_seed + games):
        state = states[0]
        deal_from(state, seed, ANY_START)
        random, first = seeded(seed + 1), at
        while state.stage != OVER and at < samples.rows.shape[0] and state.turns < LONGEST_GAME:
            random = stir(random)
            moves = legal(state)
            note(samples, at, state, tree.aims, tree.facts)
            plant(tree, states, random, style, weights)
            think(tree, style, weights, habits, nodes if count_bits(moves) > 1 else 1)
            for seat in range(state.players):
                samples.guesses[at, seat] = tree.nodes[0].totals[seat] / max(1, tree.nodes[0].visits)
            at += 1
            play(state, most_visited(tree, stir(random), state.turns < opening))
        if state.stage != OVER:
            at = first
        else:
            note_result(samples.results, first, at, state, tree.value)
    return at


@kernel
def guess(samples: Samples, sample: int, players: int, base: Any, slope: Any, chances: Any) -> float:
    """Every seat's chance by its facts; how much the slopes counted."""
    time_ = min(1.0, samples.rows[sample] / FULL_GAME)
    for seat in range(players):
        chances[seat] = 0.0
        for i in range(samples.counts[sample, seat]):
            fact = samples.facts[sample, seat, i]
            chances[seat] += base[fact] + time_ * slope[fact]
    soften(chances, players)
    return time_


@allocating
def fit_some(
    samples: Samples, order: Any, players: int, base: Any, slope: Any, squares: Any, rate: float, decay: float, trust: float
) -> float:
    """One pass of AdaGrad over these positions; the mean loss. `trust` is how much the search's guess counts."""
    chances, loss = np.zeros(MAX_SEATS), 0.0
    for sample in order:
        time_ = guess(samples, sample, players, base, slope, chances)
        for seat in range(players):
            wanted = samples.results[sample, seat] * (1 - trust) + samples.guesses[sample, seat] * trust
            loss -= wanted * np.log(max(chances[seat], TINY))
            error = chances[seat] - wanted
            for i in range(samples.counts[sample, seat]):
                fact = samples.facts[sample, seat, i]
                step = error + decay * base[fact]
                squares[0, fact] += step * step
                base[fact] -= rate * step / np.sqrt(squares[0, fact])
                step = error * time_ + decay * slope[fact]
                squares[1, fact] += step * step
                slope[fact] -= rate * step / np.sqrt(squares[1, fact])
    return loss / len(order)


@allocating
def loss_of(samples: Samples, order: Any, players: int, base: Any, slope: Any) -> float:
    """The mean loss on these positions."""
    chances, loss = np.zeros(MAX_SEATS), 0.0
    for sample in order:
        guess(samples, sample, players, base, slope, chances)
        for seat in range(players):
            loss -= samples.results[sample, seat] * np.log(max(chances[seat], TINY))
    return loss / len(order)


def tables(base: NDArray[np.float64], slope: NDArray[np.float64]) -> NDArray[np.float32]:
    """The weights for every phase."""
    rows = np.minimum(1.0, np.arange(PHASES) / FULL_GAME)[:, None]
    return (base[None, :] + rows * slope[None, :]).astype(np.float32)


def fit(
    samples: Samples, players: int, passes: int = 6, rate: float = 0.05, decay: float = 1e-5, trust: float = 0.0
) -> NDArray[np.float32]:
    """Weights for every phase from positions."""
    rng = np.random.default_rng(1)
    count = len(samples.rows)
    held_out = np.arange(int(count * 0.95), count)
    base, slope = np.zeros(FEATURES), np.zeros(FEATURES)
    squares = np.ones((2, FEATURES))
    for turn in range(passes):
        order = rng.permutation(int(count * 0.95))
        loss = fit_some(samples, order, players, base, slope, squares, rate * 0.6**turn, decay, trust)
        print(f"  pass {turn + 1}: loss {loss:.4f}, held out {loss_of(samples, held_out, players, base, slope):.4f}", flush=True)
    return tables(base, slope)


def joined(parts: list[Samples]) -> Samples:
    """Several collections as one."""
    return Samples._make(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


def cut(samples: Samples, count: int) -> Samples:
    """The first positions."""
    return Samples._make(array[:count] for array in samples)


def gather(variant: str, players: int, games: int, seed: int, threads: int, play_games: Any) -> Samples:
    """Play games on several threads and keep their positions."""

    def run(part: int) -> Samples:
        share = games // threads
        samples = new_samples(share * 60 * players)
        states = blank_states(ruleset(variant, players, {}), 1)
        return cut(samples, play_games(states, samples, seed + part * share, share))

    with ThreadPoolExecutor(threads) as pool:
        return joined(list(pool.map(run, range(threads))))


def greedy_games(states: Any, samples: Samples, seed: int, games: int) -> int:
    """The first round's games."""
    return play_greedy_games(states, samples, seed, games, 12, np.empty(MOST_LISTED, np.int32), np.zeros(MAX_SEATS))


def search_games(weights: Weights, nodes: int, style: Style) -> Any:
    """A later round's games."""

    def run(states: Any, samples: Samples, seed: int, games: int) -> int:
        tree = new_tree(nodes + 2)
        return play_search_games(tree, states, samples, style, weights.worths, weights.habits, seed, games, nodes, OPENING)

    return run


class Choices(NamedTuple):
    """Positions: what each legal move does (gain, spite, overflow), its kind, and how often a search looked at it."""

    gains: NDArray[np.float64]
    losses: NDArray[np.float64]
    overs: NDArray[np.float64]
    kinds: NDArray[np.int64]
    visits: NDArray[np.float64]


def new_choices(room: int) -> Choices:
    """Room for this many positions."""
    gains, losses, overs, visits = (np.zeros((room, MOST_EDGES)) for _ in range(4))
    return Choices(gains, losses, overs, np.full((room, MOST_EDGES), -1), visits)


@kernel
def note_choice(tree: Tree, state: Any, weights: Any, habit: Any, column: Any) -> int:
    """What each legal move does, seen through one habit alone."""
    n = weigh_actions(state, legal(state), weights, habit, tree.aims, tree.facts, tree.actions, tree.logits)
    for i in range(n):
        column[i] = tree.logits[i]
    return n


@kernel
def note_visits(tree: Tree, n: int, kinds: Any, visits: Any) -> None:
    """How often the search looked at each move."""
    root = tree.nodes[0]
    for i in range(n):
        kinds[i] = kind_of(tree.actions[i])
        for j in range(root.first_edge, root.first_edge + n):
            if tree.actions[i] == tree.edges[j].action:
                visits[i] = tree.edges[j].visits


@kernel
def gather_choices(
    tree: Tree, states: Any, choices: Choices, style: Style, weights: Any, habits: Any, alone: Any, nodes: int, seed: int
) -> int:
    """Positions of games the search plays against itself; how many there were."""
    at = 0
    while at < choices.gains.shape[0]:
        seed += 1
        state = states[0]
        deal(state, seed)
        random = seeded(seed)
        while state.stage != OVER and state.turns < LONGEST_GAME:
            random = stir(random)
            plant(tree, states, random, style, weights)
            think(tree, style, weights, habits, nodes if count_bits(legal(state)) > 1 else 1)
            if state.stage == MAIN and tree.nodes[0].is_solved == 0 and below(random, SELDOM) == 0:
                note_choice(tree, state, weights, alone[0], choices.gains[at])
                note_choice(tree, state, weights, alone[1], choices.losses[at])
                n = note_choice(tree, state, weights, alone[2], choices.overs[at])
                note_visits(tree, n, choices.kinds[at], choices.visits[at])
                at += 1
                if at == choices.gains.shape[0]:
                    break
            play(state, most_visited(tree, stir(random), state.turns < OPENING))
    return at


def fit_habits(choices: Choices, steps: int = 300, rate: float = 0.05) -> NDArray[np.float32]:
    """The habits under which the moves the search looked at are most likely (multinomial regression by Adam)."""
    is_move = choices.kinds >= 0
    columns = [choices.gains, choices.losses - choices.gains, choices.overs]
    columns += [(choices.kinds == kind).astype(float) for kind in range(OTHERS + 1)]
    wanted = choices.visits / np.maximum(1, choices.visits.sum(1, keepdims=True))
    habits, mean, square = np.zeros(HABITS), np.zeros(HABITS), np.zeros(HABITS)
    habits[0] = 1.0
    for step in range(1, steps + 1):
        logits = np.where(is_move, sum(h * c for h, c in zip(habits, columns, strict=True)), -1e9)
        chances = np.exp(logits - logits.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        slope = np.array([((chances - wanted) * column).sum(1).mean() for column in columns])
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        habits -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    loss = -(wanted * np.log(chances + 1e-12)).sum(1).mean()
    print(f"  habits {habits.round(2)}: loss {loss:.4f}", flush=True)
    habits[SPITE] /= max(habits[SHARPNESS], 0.1)
    return habits.astype(np.float32)


@kernel
def play_duel(
    tree: Tree, states: Any, style: Style, a: Weights, b: Weights, nodes: int, seed: int, pairs: int, results: Any
) -> None:
    """Two players' games on paired deals, the same search with other weights; `results` counts wins, draws and losses of `a`."""
    for game in range(2 * pairs):
        state = states[0]
        state.start = game % 2
        deal(state, seed + game // 2)
        random = seeded(seed + game)
        while state.stage != OVER and state.turns < LONGEST_GAME:
            random = stir(random)
            mine = a if state.turn == 0 else b
            plant(tree, states, random, style, mine.worths)
            think(tree, style, mine.worths, mine.habits, nodes)
            play(state, most_visited(tree, random, 0))
        if state.stage == OVER:
            share_win(state, tree.value)
            results[0 if tree.value[0] > tree.value[1] else 2 if tree.value[1] > tree.value[0] else 1] += 1
        else:
            results[1] += 1


def duel(variant: str, a: Weights, b: Weights, nodes: int, pairs: int, threads: int) -> NDArray[np.int64]:
    """Wins, draws and losses of the first weights against the second."""

    def run(part: int) -> NDArray[np.int64]:
        results, share = np.zeros(3, np.int64), pairs // threads
        states = blank_states(ruleset(variant, 2, {}), 1)
        play_duel(new_tree(nodes + 2), states, Style(), a, b, nodes, part * share, share, results)
        return results

    with ThreadPoolExecutor(threads) as pool:
        total: NDArray[np.int64] = np.sum(list(pool.map(run, range(threads))), axis=0)
    return total


class OnProcessor(NamedTuple):
    """Plays on threads of this machine's processor."""

    threads: int

    def samples(self, variant: str, players: int, games: int, weights: Weights, nodes: int, style: Style, seed: int) -> Samples:
        """Positions of games the search plays against itself."""
        return gather(variant, players, games, seed, self.threads, search_games(weights, nodes, style))

    def choices(self, variant: str, players: int, weights: Weights, style: Style, seed: int) -> Choices:
        """Positions with what a longer search chose."""
        states, tree = blank_states(ruleset(variant, players, {}), 1), new_tree(HABIT_NODES + 2)
        choices = new_choices(HABIT_POSITIONS)
        gather_choices(tree, states, choices, style, *weights, ALONE, HABIT_NODES, seed)
        return choices


def first_weights(variant: str, players: int) -> Weights:
    """The weights so far; none, if this game has none."""
    if path_of(variant, players).exists():
        return load_weights(variant, players)
    return Weights(np.zeros((PHASES, FEATURES), np.float32), START_HABITS)


def improve(variant: str, players: int, games: int, nodes: int, seed: int, player: Any, style: Style) -> Weights:
    """One round: play, fit the weights, fit the habits."""
    start, old = time.perf_counter(), first_weights(variant, players)
    is_first = not old.worths.any()
    if is_first:
        samples = gather(variant, players, games, seed, os.cpu_count() or 1, greedy_games)
    else:
        samples = player.samples(variant, players, games, old, nodes, style, seed)
    took = time.perf_counter() - start
    print(f"{variant} {players}: {games} games by {nodes} nodes, {len(samples.rows)} positions in {took:.0f} s", flush=True)
    worths = fit(samples, players, trust=0.0 if is_first else TRUST)
    return Weights(worths, fit_habits(player.choices(variant, players, Weights(worths, old.habits), style, seed)))


def main() -> None:
    """Tune, round after round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", default="classic")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--games", type=int, default=20000)
    parser.add_argument("--nodes", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--gpu", action="store_true")
    options = parser.parse_args()
    player: Any = OnProcessor(options.threads)
    if options.gpu:
        from .device import OnDevice

        player = OnDevice()
    for turn in range(options.rounds):
        seed = options.seed + turn * options.games
        before = first_weights(options.variant, options.players)
        weights = improve(options.variant, options.players, options.games, options.nodes, seed, player, Style())
        save_weights(options.variant, options.players, weights)
        load_weights.cache_clear()
        if options.players == 2 and before.worths.any():
            won, drawn, lost = duel(options.variant, weights, before, DUEL_NODES, DUEL_PAIRS, options.threads).tolist()
            print(f"  against the weights before: won {won}, drawn {drawn}, lost {lost}", flush=True)


if __name__ == "__main__":
    main()
