"""Analysing a position: several samples of what is hidden, a tree for each, on threads that do not hold the GIL.

The trees are grown in turn, a chunk of simulations at a time, and merged at their roots: visits are added up, values are means
weighted by visits (root parallelisation). The trees of one thread never share memory with those of another, so no lock is needed.
"""

import math
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..errors import CabochonError, WrongType, quoted
from ..game import Game
from ..notation.move import Move, plain_moves
from ..rules.state import MAX_SEATS
from ..ruleset import States, is_count
from ..view import View, sample
from .budget import Budget, require_budget
from .mcts import BY_NET, BY_ROLLOUT, SearchConfig, init_search, run_simulations
from .models.linear import load_weights
from .models.net import load_fast_net
from .net import workspace_of_thread
from .net_mcts import NET_EDGES_PER_NODE, init_net_search, run_net_simulations
from .tree import NO_EDGE, NO_NODE, PROVEN_WIN, Tree, new_tree, root_action_values

MIN_NODES_PER_TREE = 64  # with fewer for each there are fewer trees
MAX_NODES_PER_TREE = 1 << 19  # then it grows no more, but its visits are still shared out
MIN_CAPACITY = 1 << 12  # nodes of a new tree: a thread keeps its trees, and most searches are small
# Simulations between two looks at the clock: half a millisecond or less of each kind, beside 2 ms that are kept back.
LINEAR_CHUNK, ROLLOUT_CHUNK, NET_CHUNK = 128, 24, 64
MAX_LINE = 12  # moves of the line that is expected
MIN_LINE_VISITS = 4  # of a move in the line: fewer say nothing
MERGE_SECONDS = 0.002  # kept back for merging the trees
MIN_VISIT_SHARE = 0.1  # a move is played only with this part of the visits of the most visited one
PROVEN_LOSS_PENALTY = 0.9  # any other move that was visited is better than one that loses for certain
ONE_SECOND = Budget(seconds=1.0)
LINEAR_SEARCH = SearchConfig()
NET_SEARCH = SearchConfig(method=BY_NET, has_common_cards=True, max_chance_children=40)


class Signal(Protocol):
    """What a threading.Event is."""

    def is_set(self) -> bool:
        """Whether to stop."""


@dataclass(frozen=True, slots=True)
class MoveStats:
    """A legal move at the root: its prior, its visits, and each seat's probability to win after it.

    Without visits there is nothing to tell: the values are 0 then. `line` begins with the move itself and goes on with what is
    expected; it is there if it was asked for.
    """

    move: Move
    prior: float
    visits: int
    values: tuple[float, ...]
    is_proven: bool
    line: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a search found: the moves, best first, each seat's probability to win with the best one, and the line it expects."""

    moves: tuple[MoveStats, ...]
    values: tuple[float, ...]
    line: tuple[Move, ...]
    nodes: int
    seconds: float

    @property
    def best(self) -> Move:
        """The move to play."""
        return self.moves[0].move


def has_hidden_cards(view: View) -> bool:
    """Whether another seat holds a card that this view does not show."""
    return any(held.card is None for area in view.seats for held in area.reserve)


_thread = threading.local()


def _trees(count: int, capacity: int) -> list[Tree]:
    """The trees of this thread, made once and used again (new memory costs page faults); larger ones if they are asked for."""
    trees: list[Tree] = getattr(_thread, "trees", [])
    for i in range(count):
        if i == len(trees):
            trees.append(new_tree(max(capacity, MIN_CAPACITY), NET_EDGES_PER_NODE))
        elif len(trees[i].nodes) < capacity:
            trees[i] = new_tree(capacity, NET_EDGES_PER_NODE)
    _thread.trees = trees
    return trees[:count]


class LinearEvaluator:
    """A search whose leaves are evaluated by the linear weights or by rollouts."""

    def __init__(self, variant: str, players: int, config: SearchConfig) -> None:
        self.config, self.weights = config, load_weights(variant, players)
        self.chunk = ROLLOUT_CHUNK if config.method == BY_ROLLOUT else LINEAR_CHUNK

    def init(self, tree: Tree, states: States, seed: int) -> None:
        """Put a position at the root."""
        init_search(tree, states, seed, self.config, self.weights)

    def run(self, tree: Tree, simulations: int) -> int:
        """Simulate; how many simulations there were."""
        return run_simulations(tree, self.config, self.weights, simulations)


class NetEvaluator:
    """A search whose leaves are evaluated by a net."""

    chunk = NET_CHUNK

    def __init__(self, variant: str, players: int, config: SearchConfig, nets: str = "") -> None:
        self.config, self.net = config, load_fast_net(variant, players, nets)
        self.work = workspace_of_thread(self.net)

    def init(self, tree: Tree, states: States, seed: int) -> None:
        """Put a position at the root."""
        init_net_search(tree, states, seed)
        self.run(tree, 0)  # the root is evaluated, whatever the budget

    def run(self, tree: Tree, simulations: int) -> int:
        """Simulate; how many simulations there were."""
        return run_net_simulations(tree, self.config, self.net, self.work, simulations)


Evaluator = LinearEvaluator | NetEvaluator


def evaluator_for(variant: str, players: int, config: SearchConfig, nets: str = "") -> Evaluator:
    """The evaluator of a search, for one thread: a net has scratch buffers."""
    if config.method == BY_NET:
        return NetEvaluator(variant, players, config, nets)
    return LinearEvaluator(variant, players, config)


_prepared: set[tuple[object, ...]] = set()


def prepare(view: View, config: SearchConfig, nets: str = "") -> None:
    """Compile a search, or load it from disk, and load its weights: before any clock starts."""
    key = (view.rules.variant, view.rules.players, config.method, nets)
    if key not in _prepared:
        tree, states = new_tree(MIN_CAPACITY, NET_EDGES_PER_NODE), sample(view, np.random.default_rng(0))
        evaluator = evaluator_for(view.rules.variant, view.rules.players, config, nets)
        evaluator.init(tree, states, 0)
        evaluator.run(tree, 1)
        root_action_values(tree, np.zeros((0, MAX_SEATS)))
        _prepared.add(key)


class _Search:
    """One search: how long it may take, and what every thread needs."""

    def __init__(self, view: View, budget: Budget, seed: int, config: SearchConfig, stop: Signal | None, nets: str) -> None:
        self.start = time.perf_counter()
        self.view, self.seed, self.config, self.stop, self.nets = view, seed, config, stop, nets
        self.deadline = None if budget.seconds is None else self.start + max(0.0, budget.seconds - MERGE_SECONDS)

    def is_late(self) -> bool:
        """Whether to come to an end."""
        if self.stop is not None and self.stop.is_set():
            return True
        return self.deadline is not None and time.perf_counter() >= self.deadline

    def init_tree(self, evaluator: Evaluator, number: int, tree: Tree) -> None:
        """Put a determinization of its own at the root of a tree."""
        states = sample(self.view, np.random.default_rng([self.seed & 0xFFFFFFFFFFFFFFFF, number]))
        evaluator.init(tree, states, (self.seed ^ number * 0x9E3779B9) & 0x3FFFFFFFFFFFFFFF)

    def grow(self, numbers: Sequence[int], shares: Sequence[int | None]) -> "list[_RootStats]":
        """Grow some trees in this thread, in turn, so that all have about as many simulations when time is up; their roots.

        The first chunk of each is always done: a search that has no time left still knows a move.
        """
        capacity = MAX_NODES_PER_TREE if None in shares else min(MAX_NODES_PER_TREE, max(share or 0 for share in shares) + 2)
        rules = self.view.rules
        trees = _trees(len(numbers), capacity)
        evaluator = evaluator_for(rules.variant, rules.players, self.config, self.nets)
        for number, tree in zip(numbers, trees, strict=True):
            self.init_tree(evaluator, number, tree)
        done, is_first = [0] * len(trees), True
        growing = list(range(len(trees)))
        while growing and (is_first or not self.is_late()):
            for i in list(growing):
                if not is_first and self.is_late():
                    break
                left = evaluator.chunk if shares[i] is None else min(evaluator.chunk, (shares[i] or 0) - done[i])
                count = evaluator.run(trees[i], left) if left > 0 else 0
                done[i] += count
                if count < evaluator.chunk:  # its share is used up, or its root is proven
                    growing.remove(i)
            is_first = False
        return [_RootStats(tree, self.view) for tree in trees]

    def grow_in_new_trees(self, numbers: Sequence[int], shares: Sequence[int | None]) -> "list[_RootStats]":
        """The same in trees of their own: those that this thread has grown for the same search are still to be read."""
        _thread.trees = []
        return self.grow(numbers, shares)


class _RootStats:
    """What one tree says about the moves at its root."""

    def __init__(self, tree: Tree, view: View) -> None:
        players, root = view.rules.players, tree.nodes[0]
        self.tree, self.visits = tree, int(root["visits"])
        self.is_proven = bool(root["is_proven"])
        means = root["value_sums"][:players] / max(1, self.visits)
        self.root_values = root["values"][:players].astype(float) if self.is_proven else means
        first = int(root["first_edge"])
        self.edges = tree.edges[first : first + int(root["edge_count"])] if first != NO_EDGE else tree.edges[:0]
        self.actions = self.edges["action"].astype(int)
        self.priors, self.edge_visits = self.edges["prior"].astype(float), self.edges["visits"].astype(int)
        self.proven = self.edges["is_proven"].astype(bool)
        values = np.full((len(self.edges), MAX_SEATS), np.nan)
        root_action_values(tree, values)
        self.values = values[:, :players]

    def proven_best(self, seat: int) -> int | None:
        """The edge that is proven best, if the root is proven."""
        if not self.is_proven or not self.proven.any():
            return None
        return int(np.argmax(np.where(self.proven, self.values[:, seat], -1.0)))

    def line(self, action: int) -> list[int]:
        """A move and what this tree expects after it; nothing if the move has few visits here."""
        few = self.edge_visits.max(initial=0) * MIN_VISIT_SHARE * 0.5
        for i in np.flatnonzero((self.actions == action) & (self.edge_visits > few)):
            return _line(self.tree, self.edges[i])
        return []


def _children(tree: Tree, edge: Any) -> list[Any]:
    child, children = int(edge["child"]), []
    while child != NO_NODE:
        children.append(tree.nodes[child])
        child = int(tree.nodes[child]["sibling"])
    return children


def _best_edge(tree: Tree, node: Any) -> Any:
    edges = tree.edges[int(node["first_edge"]) :][: int(node["edge_count"])]
    if node["is_proven"]:
        proven = [edge for edge in edges if edge["is_proven"]]
        return max(proven, key=lambda edge: tree.nodes[int(edge["child"])]["values"][int(node["seat"])])
    return edges[int(np.argmax(edges["visits"]))]


def _line(tree: Tree, edge: Any) -> list[int]:
    """A move and the actions a tree expects after it, as long as they have enough visits (the principal variation)."""
    actions: list[int] = []
    while len(actions) < MAX_LINE and (not actions or edge["visits"] >= MIN_LINE_VISITS or edge["is_proven"]):
        actions.append(int(edge["action"]))
        children = _children(tree, edge)
        node = max(children, key=lambda child: int(child["visits"])) if children else None
        if node is None or int(node["first_edge"]) == NO_EDGE:
            break
        edge = _best_edge(tree, node)
    return actions


def _shares(budget: Budget, threads: int, samples: int) -> list[int | None]:
    """How many simulations each tree gets; None: as many as there is time for."""
    count = max(threads, samples)
    if budget.nodes is None:
        return [None] * count
    count = max(1, min(count, budget.nodes // MIN_NODES_PER_TREE))
    return [budget.nodes // count + (i < budget.nodes % count) for i in range(count)]


def _check(view: View, budget: Budget, config: SearchConfig, **counts: int) -> None:
    if not isinstance(view, View):
        raise WrongType(f"a search needs a Game or the View of the seat to decide, not {quoted(view)}")
    if not isinstance(config, SearchConfig):
        raise WrongType(f"config is LINEAR_SEARCH, NET_SEARCH or another SearchConfig, not {quoted(config)}")
    for name, value in counts.items():
        if not is_count(value):
            raise WrongType(f"{name} must be a whole number, not {quoted(value)}")
    if counts["threads"] < 1:
        raise CabochonError(f"threads must be at least 1, not {counts['threads']}")
    require_budget(budget)
    if view.stage == "over":
        raise CabochonError("the game is over: there is nothing to look for")
    if view.seat != view.turn:
        raise CabochonError(f"seat {view.turn} is to decide: a search needs the view of that seat")
    if budget.nodes is None and budget.seconds is None:
        raise CabochonError("a search needs a budget: nodes, seconds or both")
    if (budget.nodes is not None and budget.nodes < 1) or (budget.seconds is not None and not budget.seconds > 0):
        raise CabochonError(f"a budget is more than nothing: nodes {budget.nodes}, seconds {budget.seconds}")


def analyse(
    position: View | Game,
    budget: Budget = ONE_SECOND,
    seed: int = 0,
    *,
    config: SearchConfig = LINEAR_SEARCH,
    threads: int = 1,
    stop: Signal | None = None,
    nets: str = "",
    lines: int = 0,
) -> Analysis:
    """Search a position from the view of the seat to decide. The same view, nodes, seed and threads give the same answer.

    Of a Game only that view is used. `config` is LINEAR_SEARCH or, stronger where there is a net for the game, NET_SEARCH.

    `nets` names a folder of nets to use in place of the usual one. The first moves of the answer, as many as `lines`, have lines.
    """
    view = position.view(position.turn) if isinstance(position, Game) else position
    _check(view, budget, config, seed=seed, threads=threads, lines=lines)
    prepare(view, config, nets)
    search = _Search(view, budget, seed, config, stop, nets)
    shares = _shares(budget, threads, config.samples if has_hidden_cards(view) else 1)
    if threads == 1:
        roots = search.grow(range(len(shares)), shares)
    else:
        with ThreadPoolExecutor(threads) as pool:
            parts = [
                pool.submit(search.grow_in_new_trees, range(i, len(shares), threads), shares[i::threads])
                for i in range(min(threads, len(shares)))
            ]
            roots = [root for part in parts for root in part.result()]
    return _merged(view, roots, search, lines)


def lower_bound(move: MoveStats, seat: int, max_visits: int, confidence: float = LINEAR_SEARCH.confidence) -> float:
    """What a move is worth at least, as far as can be said: its value less an interval that shrinks with its visits.

    Playing the most visited move is the rule elsewhere; the bound also takes one that has become better late. A move with few
    visits beside the most visited one is not trusted at all. Proven values need no interval.
    """
    value = move.values[seat]
    if move.is_proven:
        return value + (value >= PROVEN_WIN) - PROVEN_LOSS_PENALTY * (value <= 1 - PROVEN_WIN)
    if move.visits == 0 or move.visits < max_visits * MIN_VISIT_SHARE:
        return -1.0
    return value - confidence / math.sqrt(move.visits)


def _merged_moves(view: View, roots: list[_RootStats]) -> list[MoveStats]:
    """The moves of all trees: visits added up, values and priors averaged, proven only if every tree has proven it.

    A proven root has stopped early, with few visits: its best move counts as if the tree had gone on to visit it.
    """
    players, moves = view.rules.players, plain_moves(view.rules.variant)
    most = max(1, max(root.visits for root in roots))
    merged: dict[int, list[Any]] = {}
    for root in roots:
        best = root.proven_best(view.turn)
        for i, action in enumerate(root.actions):
            visits = int(root.edge_visits[i]) + (most if i == best else 0)
            row = merged.setdefault(int(action), [0.0, 0, np.zeros(players), True])
            row[0] += float(root.priors[i]) / len(roots)
            row[1] += visits
            if visits:
                row[2] += visits * np.nan_to_num(root.values[i])
            row[3] = row[3] and bool(root.proven[i])
    return [
        MoveStats(moves[action], prior, visits, tuple((values / max(1, visits)).tolist()), proven)
        for action, (prior, visits, values, proven) in merged.items()
    ]


def _longest_line(view: View, roots: list[_RootStats], move: Move) -> tuple[Move, ...]:
    """A move, and what the tree that looked furthest expects after it."""
    moves = plain_moves(view.rules.variant)
    longest = max((root.line(move.action) for root in roots), key=len)
    return tuple(moves[action] for action in longest) or (move,)


def _values(best: MoveStats, roots: list[_RootStats]) -> tuple[float, ...]:
    """Everybody's chances: those with the best move. The mean over all simulations is too modest about who leads, since some of
    them only try out moves that turn out worse. docs/training.md has both beside the results of games.
    """
    if best.visits:
        return best.values
    return tuple(np.mean([root.root_values for root in roots], axis=0).tolist())


def _merged(view: View, roots: list[_RootStats], search: _Search, lines: int) -> Analysis:
    """All trees as one answer: the move to play first, the others by visits."""
    stats = sorted(_merged_moves(view, roots), key=lambda move: (move.visits, move.prior), reverse=True)
    best = max(stats, key=lambda move: lower_bound(move, view.turn, stats[0].visits, search.config.confidence))
    stats.remove(best)
    stats.insert(0, best)
    line = _longest_line(view, roots, best.move)
    stats[: max(0, lines)] = [replace(one, line=_longest_line(view, roots, one.move)) for one in stats[: max(0, lines)]]
    nodes = sum(root.visits for root in roots)
    return Analysis(tuple(stats), _values(best, roots), line, nodes, time.perf_counter() - search.start)
