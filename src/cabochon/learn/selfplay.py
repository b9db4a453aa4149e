# mypy: warn-return-any=False
"""Games a net plays against itself, many at once, and what is learnt from them.

At the root of every search a few moves drawn by the net's policy (with Gumbel noise, so without repetition) are compared by
sequential halving; below it the search chooses as it always does. What the search found is the policy to learn: the net's own
numbers, raised for moves that turned out better than expected. It is better than the net's even after few simulations.

The seat to decide does not know what others reserved unseen, nor the decks: before every search a card it cannot know is swapped
with any that may be there, and decks are drawn from at random.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import torch

from ..rules.actions import ACTION_COUNT
from ..rules.compile import inlined
from ..rules.deal import deal, random_start
from ..rules.play import play
from ..rules.rng import below, seeded, stir
from ..rules.state import OVER, State
from ..ruleset import blank_states, ruleset
from ..search.linear_eval import share_win, soften
from ..search.net_features import MOST_SIGHTS, list_sights, name_of
from ..search.net_mcts import EDGES_PER_NODE, is_unjudged, list_actions, take_in, walk
from ..search.tree import BY_NET, NO_NODE, Style, Tree, back_up, chance_of, own_tree, proven_best, set_root
from .batch import Device
from .determinize import imagine
from .model import SIGHT_COLUMNS, Model

STYLE = Style(method=BY_NET)
CONSIDERED = 8  # moves compared at the root
VISITS_BEFORE, TRUST_IN_VALUES = 50.0, 0.5  # how much a move's value counts beside the net's policy
HOT_ROUNDS = 12  # rounds in which moves are drawn with full noise
LATER_NOISE = 0.25
LONGEST = {2: 160, 3: 220, 4: 280}  # decisions in a game; one that goes on is ranked as it stands
ENOUGH = 0.5  # games ended, of those begun together, before there is something to learn
ONE = 0x3F80  # 1.0 in bfloat16


class Leaves(NamedTuple):
    """The new positions of all trees, for the net, and what it says about them."""

    facts: Any  # games x seats x MOST_SIGHTS
    counts: Any  # games x seats
    names: Any  # games x ACTION_COUNT, -1 where a move is not legal
    waiting: Any
    node: Any
    depth: Any
    values: Any  # games x seats, the seat to decide first
    logits: Any  # games x ACTION_COUNT


class History(NamedTuple):
    """The last positions of every game: what was seen, what the search found, and how the game ended."""

    policy: Any  # steps x games x ACTION_COUNT
    guess: Any  # steps x games x seats, the seat to decide first
    result: Any
    points: Any
    turn: Any
    is_known: Any  # whether the game has ended


def halving(simulations: int, most: int = CONSIDERED) -> np.ndarray[Any, Any]:
    """For every number of moves compared and every simulation: how often the move to look at was looked at before."""
    table = np.zeros((most + 1, simulations), np.int32)
    for count in range(2, most + 1):
        order: list[int] = []
        visits, left = [0] * count, count
        rounds = math.ceil(math.log2(count))
        while len(order) < simulations:
            for _ in range(max(1, simulations // (rounds * left))):
                order += visits[:left]
                for i in range(left):
                    visits[i] += 1
            left = max(2, left // 2)
        table[count] = order[:simulations]
    table[1] = np.arange(simulations)
    return table


@inlined
def show(tree: Tree, at: int, leaves: Leaves, i: int) -> None:
    """Put a node before the net if it has still to be judged."""
    leaves.waiting[i] = is_unjudged(tree, at)
    if leaves.waiting[i] == 0:
        return
    state = tree.states[at]
    for k in range(state.players):
        leaves.counts[i, k] = list_sights(state, (state.turn + k) % state.players, leaves.facts[i, k])
    for action in range(ACTION_COUNT):
        leaves.names[i, action] = -1
    for n in range(list_actions(tree, at)):
        action = tree.actions[n]
        leaves.names[i, action] = name_of(state, action)


@inlined
def begin_one(i: int, states: Any, rngs: Any, seed: int) -> None:
    """Deal a game."""
    rngs[i] = seeded(seed + i)
    states[i].start = random_start(seed + i, states[i].players)
    deal(states[i], rngs[i])


@inlined
def plant_one(i: int, trees: Any, states: Any, rngs: Any, leaves: Leaves) -> None:
    """Begin the search of a game's position."""
    tree = own_tree(trees, i)
    rngs[i] = stir(rngs[i])
    set_root(tree, states[i : i + 1], rngs[i])
    imagine(tree.states[0], stir(rngs[i]))
    leaves.node[i] = 0
    leaves.depth[i] = -1
    show(tree, 0, leaves, i)


@inlined
def found(edge: Any) -> float:
    """What an edge's simulations found for the seat to decide."""
    return edge.total / edge.visits


@inlined
def most_visits(tree: Tree) -> int:
    """How often the root's most visited edge was followed."""
    root, most = tree.nodes[0], 0
    for e in range(root.first_edge, root.first_edge + root.edge_count):
        most = max(most, tree.edges[e].visits)
    return most


@inlined
def compare(tree: Tree, noise: Any, visits: int) -> int:
    """Of the root's edges followed this often the one that is most promising; NO_NODE if there is none."""
    root, best, chosen = tree.nodes[0], -math.inf, NO_NODE
    weight = (VISITS_BEFORE + most_visits(tree)) * TRUST_IN_VALUES
    for e in range(root.first_edge, root.first_edge + root.edge_count):
        edge = tree.edges[e]
        if edge.visits == visits:
            score = noise[edge.action] + math.log(edge.prior + 1e-9)
            if visits > 0:
                score += weight * found(edge)
            if score > best:
                best, chosen = score, e
    return chosen


@inlined
def walk_one(i: int, trees: Any, leaves: Leaves, noise: Any, order: Any, simulation: int, style: Style) -> None:
    """The first part of a simulation: to a new position."""
    tree = own_tree(trees, i)
    root, first = tree.nodes[0], NO_NODE
    if root.first_edge != NO_NODE:
        first = compare(tree, noise[i], order[min(root.edge_count, order.shape[0] - 1), simulation])
    at, depth = walk(tree, style, first)
    leaves.node[i] = at
    leaves.depth[i] = depth
    show(tree, at, leaves, i)


@inlined
def settle_one(i: int, trees: Any, leaves: Leaves) -> None:
    """The last part of a simulation: take in what the net said and tell everybody on the way."""
    tree = own_tree(trees, i)
    at = leaves.node[i]
    if leaves.waiting[i] != 0:
        state = tree.states[at]
        for k in range(state.players):
            tree.value[(state.turn + k) % state.players] = leaves.values[i, k]
        count = list_actions(tree, at)
        for n in range(count):
            tree.logits[n] = leaves.logits[i, tree.actions[n]]
        take_in(tree, at, count)
    if leaves.depth[i] >= 0:
        back_up(tree, leaves.depth[i], at)


@inlined
def mixed_value(tree: Tree) -> float:
    """What to expect of a move that was not looked at: the net's value and what the others brought, by their priors."""
    root, visits, weight, whole = tree.nodes[0], 0, 0.0, 0.0
    for e in range(root.first_edge, root.first_edge + root.edge_count):
        edge = tree.edges[e]
        if edge.visits > 0:
            visits += edge.visits
            weight += edge.prior
            whole += edge.prior * found(edge)
    own = root.values[root.seat]
    return own if visits == 0 else (own + visits * whole / max(weight, 1e-9)) / (1 + visits)


@inlined
def write_policy(tree: Tree, best: int, out: Any) -> None:
    """The policy to learn: the net's, raised by what was found; a proven move alone."""
    root = tree.nodes[0]
    weight, unseen = (VISITS_BEFORE + most_visits(tree)) * TRUST_IN_VALUES, mixed_value(tree)
    for action in range(ACTION_COUNT):
        out[action] = 0.0
    if best != NO_NODE:
        out[tree.edges[best].action] = 1.0
        return
    for e in range(root.first_edge, root.first_edge + root.edge_count):
        edge = tree.edges[e]
        value = found(edge) if edge.visits > 0 else unseen
        tree.logits[e - root.first_edge] = math.log(edge.prior + 1e-9) + weight * value
    soften(tree.logits, root.edge_count)
    for n in range(root.edge_count):
        out[tree.edges[root.first_edge + n].action] = tree.logits[n]


@inlined
def close(history: History, i: int, state: State, step: int, moves: int, value: Any) -> None:
    """Tell every position of a game how it ended."""
    steps = history.turn.shape[0]
    share_win(state, value)
    for k in range(moves):
        at = (step - k) % steps
        for other in range(state.players):
            seat = (history.turn[at, i] + other) % state.players
            history.result[at, i, other] = value[seat]
            history.points[at, i, other] = state.points[seat]
        history.is_known[at, i] = 1


@inlined
def act_one(
    i: int, trees: Any, states: Any, rngs: Any, noise: Any, history: History, step: int, moves: Any, longest: int, ended: Any
) -> None:
    """Play what was found best, keep what is to be learnt, and deal a new game when this one is over."""
    tree, state, at = own_tree(trees, i), states[i], step % history.turn.shape[0]
    best = proven_best(tree)
    write_policy(tree, best, history.policy[at, i])
    for k in range(state.players):
        seat = (state.turn + k) % state.players
        history.guess[at, i, k] = chance_of(tree.nodes[0], seat)
    history.turn[at, i] = state.turn
    history.is_known[at, i] = 0
    if best == NO_NODE:
        best = compare(tree, noise[i], most_visits(tree))
    play(state, tree.edges[best].action)
    moves[i] += 1
    if state.stage == OVER or moves[i] >= longest:
        close(history, i, state, step, moves[i], tree.value)
        rngs[i] = stir(rngs[i])
        state.start = below(stir(rngs[i]), state.players)
        deal(state, rngs[i])
        moves[i] = 0
        ended[i] += 1


@inlined
def spread_one(i: int, facts: Any, counts: Any, out: Any) -> None:
    """A list of facts as a row of bfloat16 numbers that say how often each is there, up to 16 times.

    In the bits of such a number the step to the next whole one halves at every power of two.
    """
    for n in range(counts[i]):
        fact = facts[i, n]
        bits = out[i, fact]
        if bits == 0:
            out[i, fact] = ONE
        elif bits < 0x4000:
            out[i, fact] = bits + 0x80
        elif bits < 0x4080:
            out[i, fact] = bits + 0x40
        elif bits < 0x4100:
            out[i, fact] = bits + 0x20
        else:
            out[i, fact] = bits + 0x10


class Spreader:
    """Lists of facts as the rows a torch net takes."""

    def __init__(self, device: Device, facts: torch.Tensor, counts: torch.Tensor) -> None:
        positions, seats, _ = facts.shape
        self.rows = device.zeros(positions, seats, SIGHT_COLUMNS, dtype=torch.bfloat16)
        flat = self.rows.view(torch.int16).view(positions * seats, -1)
        self._spread = device.prepared(spread_one, len(flat), facts.view(len(flat), -1), counts.view(-1), flat)

    def __call__(self) -> torch.Tensor:
        """Positions x seats x SIGHT_COLUMNS, of the facts as they are now."""
        self.rows.zero_()
        self._spread()
        return self.rows


class Search:
    """A search tree for each of many games. On a GPU a whole search is one recording that is played again every time."""

    def __init__(
        self, device: Device, model: Model, states: Any, players: int, games: int, simulations: int, style: Style = STYLE
    ) -> None:
        self.device, self.model, self.players, self.simulations = device, model, players, simulations
        self.trees = device.trees(games, simulations + 2, EDGES_PER_NODE)
        self.order = torch.from_numpy(halving(max(1, simulations))).to(device.name)
        self.rngs, self.noise = device.zeros(games, dtype=torch.int64), device.zeros(games, ACTION_COUNT)
        self.leaves = Leaves(
            facts=device.zeros(games, players, MOST_SIGHTS, dtype=torch.int16),
            counts=device.zeros(games, players, dtype=torch.int16),
            names=device.zeros(games, ACTION_COUNT, dtype=torch.int16),
            waiting=device.zeros(games, dtype=torch.uint8),
            node=device.zeros(games, dtype=torch.int32),
            depth=device.zeros(games, dtype=torch.int32),
            values=device.zeros(games, players),
            logits=device.zeros(games, ACTION_COUNT),
        )
        self.root = Leaves._make(array.clone() for array in self.leaves)
        self._spread = Spreader(device, self.leaves.facts, self.leaves.counts)
        self._plant = device.prepared(plant_one, games, self.trees, states, self.rngs, self.leaves)
        self._settle = device.prepared(settle_one, games, self.trees, self.leaves)
        self._walks = [
            device.prepared(walk_one, games, self.trees, self.leaves, self.noise, self.order, simulation, style)
            for simulation in range(simulations)
        ]
        self._recorded: torch.cuda.CUDAGraph | None = None

    def _judge(self) -> None:
        """Let the net judge what the trees put before it."""
        said = self.model(self._spread())
        self.leaves.values.copy_(torch.softmax(said.value[:, : self.players].float(), -1))
        self.leaves.logits.copy_(said.policy(self.leaves.names))
        self._settle()

    def _look(self) -> None:
        self._plant()
        for kept, now in zip(self.root, self.leaves, strict=True):
            kept.copy_(now)
        self._judge()
        for walk_all in self._walks:
            walk_all()
            self._judge()

    def run(self) -> None:
        """Search the positions of all games."""
        with torch.no_grad():
            if self._recorded is not None:
                self._recorded.replay()
                return
            self._look()
            if self.device.is_gpu:
                torch.cuda.synchronize()
                self._recorded = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self._recorded):
                    self._look()


def gumbel(device: Device, games: int) -> torch.Tensor:
    """Noise that turns the best of some numbers into one drawn by them."""
    return -torch.log(-torch.log(torch.rand(games, ACTION_COUNT, device=device.name).clamp_(1e-9, 1 - 1e-7)))


class Tables:
    """Games of a net against itself."""

    def __init__(
        self, device: Device, model: Model, variant: str, players: int, games: int, simulations: int, steps: int, seed: int = 1
    ) -> None:
        self.device, self.players, self.games, self.steps = device, players, games, steps
        self.longest = LONGEST[players]
        assert steps > self.longest
        self.states = device.records(blank_states(ruleset(variant, players, {}), games))
        self.search = Search(device, model, self.states, players, games, simulations)
        self.moves, self.ended = device.zeros(games, dtype=torch.int32), device.zeros(games, dtype=torch.int32)
        self.history = History(
            policy=device.zeros(steps, games, ACTION_COUNT),
            guess=device.zeros(steps, games, players),
            result=device.zeros(steps, games, players),
            points=device.zeros(steps, games, players, dtype=torch.uint8),
            turn=device.zeros(steps, games, dtype=torch.uint8),
            is_known=device.zeros(steps, games, dtype=torch.uint8),
        )
        self.facts = device.zeros(steps, games, players, MOST_SIGHTS, dtype=torch.int16)
        self.counts = device.zeros(steps, games, players, dtype=torch.int16)
        self.names = device.zeros(steps, games, ACTION_COUNT, dtype=torch.int16)
        self.step, self._has_results = 0, False
        device.for_each(begin_one, games, self.states, self.search.rngs, seed)

    def has_results(self) -> bool:
        """Whether enough games have ended to learn from."""
        if not self._has_results and self.step % 16 == 0:
            self._has_results = int(self.ended.sum()) >= ENOUGH * self.games
        return self._has_results

    def advance(self) -> None:
        """One decision in every game."""
        at, search = self.step % self.steps, self.search
        scale = torch.where(self.moves < HOT_ROUNDS * self.players, 1.0, LATER_NOISE)
        search.noise.copy_(gumbel(self.device, self.games) * scale[:, None])
        search.run()
        self.facts[at], self.counts[at], self.names[at] = search.root[:3]
        self.device.for_each(
            act_one, self.games, search.trees, self.states, search.rngs, search.noise, self.history, self.step, self.moves,
            self.longest, self.ended,
        )  # fmt: skip
        self.step += 1
