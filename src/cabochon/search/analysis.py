"""Looking at a position: several samples of what is hidden, a tree for each, on threads that do not hold the GIL."""

import math
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..errors import CabochonError
from ..notation.move import Move, plain_moves
from ..rules.state import MAX_SEATS
from ..ruleset import States
from ..view import View, sample
from .budget import Budget
from .net import load_net, new_desk
from .net_mcts import EDGES_PER_NODE, begin_guided, think_guided
from .tree import BY_NET, BY_ROLLOUT, NO_NODE, SURE_WIN, Style, Tree, look_after, new_tree, plant, think
from .weights import load_weights

SAMPLES = 4  # trees where others hold cards that the seat has not seen
FEWEST_NODES = 64  # in a tree: below that there are fewer trees
MOST_NODES = 1 << 19  # in a tree: then it grows no more, but is still looked at
SMALLEST_TREE = 1 << 12
CHUNK, CHUNK_OF_ROLLOUTS, CHUNK_OF_NET = 128, 24, 24  # simulations between two looks at the clock
LONGEST_LINE = 12
FEWEST_VISITS = 4  # of a move in the line
FINISH = 0.002  # seconds kept back for adding up
WELL_SEEN = 0.1  # a move is played only if it was looked at this often, compared with the one looked at most
CAUTION = 0.5  # chances that one look leaves in doubt
LOST = 0.9  # taken off a proven loss: any other move that was looked at is better
STRONGEST = Style()
GUIDED = Style(method=BY_NET)


class Signal(Protocol):
    """What a threading.Event is."""

    def is_set(self) -> bool:
        """Whether to stop."""


@dataclass(frozen=True, slots=True)
class Considered:
    """A legal move at the root: its prior, how often it was looked at, and each seat's chance to win after it."""

    move: Move
    prior: float
    visits: int
    values: tuple[float, ...]
    is_proven: bool


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a search found: the moves, best first, the chances by seat, and what it expects to be played."""

    moves: tuple[Considered, ...]
    values: tuple[float, ...]
    line: tuple[Move, ...]
    nodes: int
    seconds: float

    @property
    def best(self) -> Move:
        """The move to play."""
        return self.moves[0].move


def hides_something(shown: View) -> bool:
    """Whether another seat holds a card that this view does not show."""
    return any(held.card is None for area in shown.seats for held in area.reserve)


_own = threading.local()


def _trees(count: int, capacity: int) -> list[Tree]:
    """The trees of this thread, made once and used again; larger ones if they are asked for."""
    trees: list[Tree] = getattr(_own, "trees", [])
    for i in range(count):
        if i == len(trees):
            trees.append(new_tree(max(capacity, SMALLEST_TREE), EDGES_PER_NODE))
        elif len(trees[i].nodes) < capacity:
            trees[i] = new_tree(capacity, EDGES_PER_NODE)
    _own.trees = trees
    return trees[:count]


class ByWeights:
    """The evaluation or rollouts judge."""

    def __init__(self, variant: str, players: int, style: Style) -> None:
        self.style, self.weights = style, load_weights(variant, players)
        self.chunk = CHUNK_OF_ROLLOUTS if style.method == BY_ROLLOUT else CHUNK

    def plant(self, tree: Tree, states: States, seed: int) -> None:
        """Begin a tree."""
        plant(tree, states, seed, self.style, self.weights.worths)

    def think(self, tree: Tree, simulations: int) -> int:
        """Let it grow; how many simulations there were."""
        return think(tree, self.style, *self.weights, simulations)


class ByNet:
    """A net judges."""

    chunk = CHUNK_OF_NET

    def __init__(self, variant: str, players: int, style: Style, nets: str = "") -> None:
        self.style, self.net = style, load_net(variant, players, nets)
        self.desk = new_desk(self.net)

    def plant(self, tree: Tree, states: States, seed: int) -> None:
        """Begin a tree."""
        begin_guided(tree, states, seed, self.net, self.desk)

    def think(self, tree: Tree, simulations: int) -> int:
        """Let it grow; how many simulations there were."""
        return think_guided(tree, self.style, self.net, self.desk, simulations)


def judge_for(variant: str, players: int, style: Style, nets: str = "") -> ByWeights | ByNet:
    """Who judges in a search of this style, for one thread."""
    return ByNet(variant, players, style, nets) if style.method == BY_NET else ByWeights(variant, players, style)


class _Run:
    """One search: how long it may take, and what every thread needs."""

    def __init__(self, shown: View, budget: Budget, seed: int, style: Style, stop: Signal | None, nets: str) -> None:
        self.start = time.perf_counter()
        self.shown, self.seed, self.style, self.stop, self.nets = shown, seed, style, stop, nets
        self.deadline = None if budget.seconds is None else self.start + max(0.0, budget.seconds - FINISH)

    def is_late(self) -> bool:
        """Whether to come to an end."""
        if self.stop is not None and self.stop.is_set():
            return True
        return self.deadline is not None and time.perf_counter() >= self.deadline

    def plant(self, judge: ByWeights | ByNet, number: int, tree: Tree) -> None:
        """Begin a tree on a sample of its own."""
        states = sample(self.shown, np.random.default_rng([self.seed & 0xFFFFFFFFFFFFFFFF, number]))
        judge.plant(tree, states, (self.seed ^ number * 0x9E3779B9) & 0x3FFFFFFFFFFFFFFF)

    def grow(self, numbers: Sequence[int], shares: Sequence[int | None]) -> "list[_Roots]":
        """Let some trees grow in this thread, in turn; their roots."""
        capacity = MOST_NODES if None in shares else min(MOST_NODES, max(share or 0 for share in shares) + 2)
        rules = self.shown.rules
        trees, judge = _trees(len(numbers), capacity), judge_for(rules.variant, rules.players, self.style, self.nets)
        for number, tree in zip(numbers, trees, strict=True):
            self.plant(judge, number, tree)
        done, is_first = [0] * len(trees), True
        growing = list(range(len(trees)))
        while growing and (is_first or not self.is_late()):
            for i in list(growing):
                if not is_first and self.is_late():
                    break
                left = judge.chunk if shares[i] is None else min(judge.chunk, (shares[i] or 0) - done[i])
                count = judge.think(trees[i], left) if left > 0 else 0
                done[i] += count
                if count < judge.chunk:
                    growing.remove(i)
            is_first = False
        return [_Roots(tree, self.shown) for tree in trees]

    def grow_apart(self, numbers: Sequence[int], shares: Sequence[int | None]) -> "list[_Roots]":
        """The same in trees of their own: what this thread has grown for the same search is still to be read."""
        _own.trees = []
        return self.grow(numbers, shares)


class _Roots:
    """What one tree says about the moves at its root."""

    def __init__(self, tree: Tree, shown: View) -> None:
        players, root = shown.rules.players, tree.nodes[0]
        self.tree, self.visits = tree, int(root["visits"])
        self.is_solved = bool(root["is_solved"])
        self.own = root["values"][:players].astype(float) if self.is_solved else root["totals"][:players] / max(1, self.visits)
        first = int(root["first_edge"])
        self.edges = tree.edges[first : first + int(root["edge_count"])] if first != NO_NODE else tree.edges[:0]
        self.actions = self.edges["action"].astype(int)
        self.priors, self.edge_visits = self.edges["prior"].astype(float), self.edges["visits"].astype(int)
        self.exact = self.edges["is_exact"].astype(bool)
        values = np.full((len(self.edges), MAX_SEATS), np.nan)
        look_after(tree, values)
        self.values = values[:, :players]

    def best(self, seat: int) -> int | None:
        """The edge that is proven best, if the root is solved."""
        if not self.is_solved or not self.exact.any():
            return None
        return int(np.argmax(np.where(self.exact, self.values[:, seat], -1.0)))

    def line(self, action: int) -> list[int]:
        """A move and what this tree expects after it; nothing if it hardly looked at the move."""
        seldom = self.edge_visits.max(initial=0) * WELL_SEEN * 0.5
        for i in np.flatnonzero((self.actions == action) & (self.edge_visits > seldom)):
            return _line(self.tree, self.edges[i])
        return []


def _children(tree: Tree, edge: Any) -> list[Any]:
    child, found = int(edge["child"]), []
    while child != NO_NODE:
        found.append(tree.nodes[child])
        child = int(tree.nodes[child]["sibling"])
    return found


def _best_edge(tree: Tree, node: Any) -> Any:
    edges = tree.edges[int(node["first_edge"]) :][: int(node["edge_count"])]
    if node["is_solved"]:
        sure = [edge for edge in edges if edge["is_exact"]]
        return max(sure, key=lambda edge: tree.nodes[int(edge["child"])]["values"][int(node["seat"])])
    return edges[int(np.argmax(edges["visits"]))]


def _line(tree: Tree, edge: Any) -> list[int]:
    """A move and the actions a tree expects after it, as long as they were looked at often enough."""
    actions: list[int] = []
    while len(actions) < LONGEST_LINE and (not actions or edge["visits"] >= FEWEST_VISITS or edge["is_exact"]):
        actions.append(int(edge["action"]))
        children = _children(tree, edge)
        node = max(children, key=lambda child: int(child["visits"])) if children else None
        if node is None or int(node["first_edge"]) == NO_NODE:
            break
        edge = _best_edge(tree, node)
    return actions


def _shares(budget: Budget, threads: int, hidden: bool) -> list[int | None]:
    """How many simulations each tree gets."""
    count = max(threads, SAMPLES if hidden else 1)
    if budget.nodes is None:
        return [None] * count
    count = max(1, min(count, budget.nodes // FEWEST_NODES))
    return [budget.nodes // count + (i < budget.nodes % count) for i in range(count)]


def _check(shown: View, budget: Budget) -> None:
    if shown.stage == "over":
        raise CabochonError("the game is over: there is nothing to look for")
    if shown.seat != shown.turn:
        raise CabochonError(f"seat {shown.turn} is to decide: a search needs the view of that seat")
    if budget.nodes is None and budget.seconds is None:
        raise CabochonError("a search needs a budget: nodes, seconds or both")
    if (budget.nodes is not None and budget.nodes < 1) or (budget.seconds is not None and not budget.seconds > 0):
        raise CabochonError(f"a budget is more than nothing: nodes {budget.nodes}, seconds {budget.seconds}")


def analyse(
    shown: View,
    budget: Budget,
    seed: int = 0,
    *,
    style: Style = STRONGEST,
    threads: int = 1,
    stop: Signal | None = None,
    nets: str = "",
) -> Analysis:
    """Search a position from the view of the seat to decide. The same view, nodes, seed and threads give the same answer.

    `nets` names a folder of nets to use in place of the usual one.
    """
    _check(shown, budget)
    run = _Run(shown, budget, seed, style, stop, nets)
    shares = _shares(budget, threads, hides_something(shown))
    if threads == 1:
        roots = run.grow(range(len(shares)), shares)
    else:
        with ThreadPoolExecutor(threads) as pool:
            parts = [
                pool.submit(run.grow_apart, range(i, len(shares), threads), shares[i::threads])
                for i in range(min(threads, len(shares)))
            ]
            roots = [root for part in parts for root in part.result()]
    return _merged(shown, roots, run.start)


def assured(one: Considered, seat: int, most: int) -> float:
    """What a move is sure to be worth: few looks leave much doubt, and one that was hardly looked at is not for playing."""
    if one.is_proven:
        return one.values[seat] + (one.values[seat] >= SURE_WIN) - LOST * (one.values[seat] <= 1 - SURE_WIN)
    if one.visits == 0 or one.visits < most * WELL_SEEN:
        return -1.0
    return one.values[seat] - CAUTION / math.sqrt(one.visits)


def _merged(shown: View, roots: list[_Roots], start: float) -> Analysis:
    """All trees as one answer. A solved tree has looked at little: its best move counts as if it had looked on."""
    players, seat, moves = shown.rules.players, shown.turn, plain_moves(shown.rules.variant)
    fair = max(1, max(root.visits for root in roots))
    found: dict[int, list[Any]] = {}
    for root in roots:
        best = root.best(seat)
        for i, action in enumerate(root.actions):
            visits = int(root.edge_visits[i]) + (fair if i == best else 0)
            row = found.setdefault(int(action), [0.0, 0, np.zeros(players), True])
            row[0] += root.priors[i] / len(roots)
            row[1] += visits
            if visits:
                row[2] += visits * np.nan_to_num(root.values[i])
            row[3] = row[3] and bool(root.exact[i])
    considered = [
        Considered(moves[action], prior, visits, tuple((values / max(1, visits)).tolist()), proven)
        for action, (prior, visits, values, proven) in found.items()
    ]
    considered.sort(key=lambda one: (one.visits, one.prior), reverse=True)
    chosen = max(considered, key=lambda one: assured(one, seat, considered[0].visits))
    considered.remove(chosen)
    considered.insert(0, chosen)
    values = np.mean([root.own for root in roots], axis=0)
    longest = max((root.line(chosen.move.action) for root in roots), key=len)
    nodes = sum(root.visits for root in roots)
    line = tuple(moves[action] for action in longest) or (chosen.move,)
    return Analysis(tuple(considered), tuple(values.tolist()), line, nodes, time.perf_counter() - start)
