# mypy: warn-return-any=False
"""Games a net plays against itself, many at once, and what is learnt from them.

At the root of every search Gumbel AlphaZero (Danihelka et al. 2022) takes the place of PUCT: a few moves are drawn by the net's
policy without repetition (the largest of logit + Gumbel noise) and compared by sequential halving. Below the root the search
selects as it always does. The policy to learn is the net's own, with the logits raised by the values that the search found
("completed Q-values"): it is better than the net's even after few simulations, where visit counts would be mostly noise.

The seat to decide knows neither the decks nor what others reserved unseen: every search begins with a determinization, and every
card that is revealed in the tree is drawn at random.

Functions that end in `_one` do something for one game, number i; `Device` runs them for all.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional

from ...rules.actions import ACTION_COUNT
from ...rules.compile import inlined
from ...rules.deal import deal, random_start
from ...rules.play import play
from ...rules.rng import below, seeded, stir
from ...rules.state import MAX_SEATS, OVER, State
from ...ruleset import blank_states, ruleset
from ...search.analysis import NET_SEARCH
from ...search.determinize import determinize
from ...search.linear_eval import softmax_inplace, terminal_values
from ...search.mcts import SearchConfig, init_root, list_actions, list_actions_of, select_leaf
from ...search.net_features import MAX_NET_ACTIVE, POLICY_SIZE, list_net_features, policy_index
from ...search.net_mcts import NET_EDGES_PER_NODE, expand_leaf
from ...search.records import current_record, load_record
from ...search.tree import (
    NO_EDGE,
    NO_NODE,
    ROOT,
    TOP,
    Tree,
    backup,
    is_open_leaf,
    mean_value,
    most_visited_edge,
    new_tree,
    node_value,
    proven_best_edge,
    tree_at,
    tree_with_local,
    write_root_values,
)
from ..device import Device
from .inputs import DenseInputs
from .model import Model

MAX_CONSIDERED = 8  # moves compared at the root
C_VISIT, C_SCALE = 50.0, 0.5  # a value counts (C_VISIT + most visits) * C_SCALE beside a logit; the paper has 50 and 1
MIN_PRIOR = 1e-9  # whose logarithm can still be taken
NOISY_ROUNDS = 12  # rounds in which moves are drawn with full noise, so that games differ
LATER_NOISE = 0.25
MAX_DECISIONS = {2: 160, 3: 220, 4: 280}  # in a game; one that goes on is ranked as it stands, or both sides would learn to stall
MIN_FINISHED = 0.5  # games ended, of those begun together, before learning begins: the first to end are the short ones
CHECK_EVERY = 16  # steps between two counts of finished games: reading the number waits for the GPU
OUTPUT_COLUMNS = (MAX_SEATS + POLICY_SIZE + 7) // 8 * 8  # values and policy; rows of whole 16 bytes, which GPUs are fast for


class Games(NamedTuple):
    """The state of every game, its random generator, the decisions in it so far, and how many games ended in its place."""

    states: Any
    rngs: Any
    decisions: Any
    finished: Any


class Leaves(NamedTuple):
    """The leaf of every tree as the net's input, and the net's output for it."""

    features: Any  # games x seats x MAX_NET_ACTIVE
    feature_counts: Any  # games x seats
    policy_indices: Any  # games x ACTION_COUNT, -1 where a move is not legal: only of roots, to learn from
    needs_net: Any  # 0 where the game is over or the tree was full
    node: Any
    depth: Any
    outputs: Any  # games x OUTPUT_COLUMNS: logits of the seats, the one to decide first, and of the policy


class Roots(NamedTuple):
    """What is kept of the leaves that are roots: to learn from, and to compare."""

    features: Any
    feature_counts: Any
    policy_indices: Any
    needs_net: Any


class ReplayBuffer(NamedTuple):
    """The last positions of every game: what the search found, and how the game ended. A ring: steps x games."""

    policy: Any  # steps x games x ACTION_COUNT
    root_value: Any  # steps x games x seats, the seat to decide first
    result: Any  # likewise
    points: Any  # likewise
    turn: Any
    is_finished: Any  # whether its game has ended, so that the result is known


def halving_schedule(simulations: int, max_considered: int = MAX_CONSIDERED) -> np.ndarray[Any, Any]:
    """Sequential halving as a table: for every number of moves compared and every simulation, the visits of the move to follow.

    In each round all moves that are left get the same number of visits, then the better half stays. "The best move among those
    with v visits" is all a simulation needs to know, so a thread has no list of moves to keep (as in mctx).
    """
    table = np.zeros((max_considered + 1, simulations), np.int32)
    for count in range(2, max_considered + 1):
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
def write_leaf(tree: Tree, at: int, leaves: Leaves, i: int) -> None:
    """Make a node the input of the net, if it has still to be evaluated; its state has been loaded."""
    leaves.needs_net[i] = is_open_leaf(tree, at)
    if leaves.needs_net[i] == 0:
        return
    state = current_record(tree.states, at, tree.local)
    for k in range(state.players):
        leaves.feature_counts[i, k] = list_net_features(state, (state.turn + k) % state.players, leaves.features[i, k])


@inlined
def write_policy_indices(tree: Tree, out: Any) -> None:
    """Where the net's output has the logit of every action at the root; -1 if it is not legal."""
    for action in range(ACTION_COUNT):
        out[action] = -1
    for n in range(list_actions(tree, ROOT)):
        action = tree.actions[n]
        out[action] = policy_index(tree.states[0], action)


@inlined
def begin_one(i: int, games: Games, seed: int) -> None:
    """Deal the first game."""
    games.rngs[i] = seeded(seed + i)
    games.states[i].start = random_start(seed + i, games.states[i].players)
    deal(games.states[i], games.rngs[i])


@inlined
def init_one(i: int, local: Any, trees: Any, games: Games, leaves: Leaves) -> None:
    """Begin the search of a game's position: a determinization of it is the root."""
    tree = tree_with_local(trees, i, local)
    games.rngs[i] = stir(games.rngs[i])
    init_root(tree, games.states[i : i + 1], games.rngs[i])
    determinize(tree.states[0], stir(games.rngs[i]))
    leaves.node[i] = 0
    leaves.depth[i] = -1
    load_record(tree.states, ROOT, tree.local, ROOT)
    write_leaf(tree, ROOT, leaves, i)
    write_policy_indices(tree, leaves.policy_indices[i])


@inlined
def max_root_visits(tree: Tree) -> int:
    """The visits of the root's most visited edge."""
    return tree.edges[most_visited_edge(tree)].visits


@inlined
def best_edge_with(tree: Tree, noise: Any, visits: int) -> int:
    """Of the root's edges with this many visits the one with the highest noise + logit + weighted value; NO_EDGE if none."""
    root, best, chosen = tree.nodes[0], -math.inf, NO_EDGE
    weight = (C_VISIT + max_root_visits(tree)) * C_SCALE
    for e in range(root.first_edge, root.first_edge + root.edge_count):
        edge = tree.edges[e]
        if edge.visits == visits:
            score = noise[edge.action] + math.log(edge.prior + MIN_PRIOR)
            if visits > 0:
                score += weight * mean_value(edge)
            if score > best:
                best, chosen = score, e
    return chosen


@inlined
def select_one(
    i: int, local: Any, trees: Any, leaves: Leaves, noise: Any, schedule: Any, simulation: int, config: SearchConfig
) -> None:
    """The first part of a simulation: select a leaf."""
    tree = tree_with_local(trees, i, local)
    root, forced = tree.nodes[0], NO_EDGE
    if root.first_edge != NO_EDGE:
        forced = best_edge_with(tree, noise[i], schedule[min(root.edge_count, schedule.shape[0] - 1), simulation])
    at, depth, is_new = select_leaf(tree, config, ROOT, TOP, forced)
    leaves.node[i] = at
    leaves.depth[i] = depth
    if not is_new:  # a new node's state is still in local memory
        load_record(tree.states, at, tree.local, at)
    write_leaf(tree, at, leaves, i)


@inlined
def read_outputs(tree: Tree, state: State, outputs: Any) -> None:
    """Each seat's probability to win: the net counts seats from the one to decide, the tree from seat 0."""
    for k in range(state.players):
        tree.logits[k] = outputs[k]
    softmax_inplace(tree.logits, state.players)
    for k in range(state.players):
        tree.values[(state.turn + k) % state.players] = tree.logits[k]


@inlined
def expand_one(i: int, local: Any, trees: Any, leaves: Leaves) -> None:
    """The last part of a simulation: expand the leaf with the net's output and back up. The root itself has no path."""
    tree = tree_with_local(trees, i, local)
    at = leaves.node[i]
    if leaves.needs_net[i] != 0:
        load_record(tree.states, at, tree.local, at)
        state = current_record(tree.states, at, tree.local)
        read_outputs(tree, state, leaves.outputs[i])
        count = list_actions_of(tree, state, tree.nodes[at].last_return)
        for n in range(count):
            tree.logits[n] = leaves.outputs[i, MAX_SEATS + policy_index(state, tree.actions[n])]
        expand_leaf(tree, at, count)
    if leaves.depth[i] >= 0:
        backup(tree, leaves.depth[i], at)


@inlined
def mixed_value(tree: Tree) -> float:
    """The value of a move without visits: the net's value of the root mixed with those found, by priors (v_mix in the paper)."""
    root, visits, weight, whole = tree.nodes[0], 0, 0.0, 0.0
    for e in range(root.first_edge, root.first_edge + root.edge_count):
        edge = tree.edges[e]
        if edge.visits > 0:
            visits += edge.visits
            weight += edge.prior
            whole += edge.prior * mean_value(edge)
    own = root.values[root.seat]
    return own if visits == 0 else (own + visits * whole / max(weight, MIN_PRIOR)) / (1 + visits)


@inlined
def write_policy_target(tree: Tree, best: int, out: Any) -> None:
    """The policy to learn: softmax of logits + weighted completed Q-values; a move that is proven best alone."""
    root = tree.nodes[0]
    weight, unvisited = (C_VISIT + max_root_visits(tree)) * C_SCALE, mixed_value(tree)
    for action in range(ACTION_COUNT):
        out[action] = 0.0
    if best != NO_EDGE:
        out[tree.edges[best].action] = 1.0
        return
    for e in range(root.first_edge, root.first_edge + root.edge_count):
        edge = tree.edges[e]
        value = mean_value(edge) if edge.visits > 0 else unvisited
        tree.logits[e - root.first_edge] = math.log(edge.prior + MIN_PRIOR) + weight * value
    softmax_inplace(tree.logits, root.edge_count)
    for n in range(root.edge_count):
        out[tree.edges[root.first_edge + n].action] = tree.logits[n]


@inlined
def write_policy_values(tree: Tree, policy: Any, out: Any) -> None:
    """Every seat's value at the root, the seat to decide first, if moves are drawn by the policy to learn.

    Sequential halving gives half of the simulations to moves that turn out worse, so the mean over all of them is too low for
    the seat to decide. The moves that were not looked at have next to no weight in the policy.
    """
    root, players, whole = tree.nodes[0], tree.states[0].players, 0.0
    write_root_values(tree, root.seat, tree.values)
    for k in range(players):
        out[k] = 0.0
    for e in range(root.first_edge, root.first_edge + root.edge_count):
        edge, child = tree.edges[e], tree.edges[e].child
        if edge.visits == 0 or root.is_proven != 0:
            continue
        whole += policy[edge.action]
        while child != NO_NODE:
            node = tree.nodes[child]
            for k in range(players):
                out[k] += policy[edge.action] * node.visits / edge.visits * node_value(node, (root.seat + k) % players)
            child = node.sibling
    for k in range(players):
        out[k] = out[k] / whole if whole > MIN_PRIOR else tree.values[k]


@inlined
def write_result(buffer: ReplayBuffer, i: int, state: State, step: int, decisions: int, values: Any, td_lambda: float) -> None:
    """Write how a game ended into all of its positions.

    With `td_lambda` below 1 it is the lambda-return: going back from the end, every decision mixes in the value that its search
    found. It says less about luck that came much later than its position.
    """
    steps = buffer.turn.shape[0]
    terminal_values(state, values)
    for k in range(decisions):
        at = (step - k) % steps
        for other in range(state.players):
            seat = (buffer.turn[at, i] + other) % state.players
            buffer.result[at, i, other] = values[seat]
            buffer.points[at, i, other] = state.points[seat]
            values[seat] += (1 - td_lambda) * (buffer.root_value[at, i, other] - values[seat])
        buffer.is_finished[at, i] = 1


@inlined
def play_one(
    i: int, trees: Any, games: Games, noise: Any, buffer: ReplayBuffer, step: int, max_decisions: int, td_lambda: float
) -> None:
    """Play what was found best, keep what is to be learnt, and deal a new game when this one is over."""
    tree, state, at = tree_at(trees, i), games.states[i], step % buffer.turn.shape[0]
    best = proven_best_edge(tree)
    write_policy_target(tree, best, buffer.policy[at, i])
    write_policy_values(tree, buffer.policy[at, i], buffer.root_value[at, i])
    buffer.turn[at, i] = state.turn
    buffer.is_finished[at, i] = 0
    if best == NO_EDGE:
        best = best_edge_with(tree, noise[i], max_root_visits(tree))
    play(state, tree.edges[best].action)
    games.decisions[i] += 1
    if state.stage == OVER or games.decisions[i] >= max_decisions:
        write_result(buffer, i, state, step, games.decisions[i], tree.values, td_lambda)
        games.rngs[i] = stir(games.rngs[i])
        state.start = below(stir(games.rngs[i]), state.players)
        deal(state, games.rngs[i])
        games.decisions[i] = 0
        games.finished[i] += 1


def new_leaves(device: Device, games: int, players: int) -> Leaves:
    """Room for a leaf of every game."""
    return Leaves(
        features=device.zeros(games, players, MAX_NET_ACTIVE, dtype=torch.int16),
        feature_counts=device.zeros(games, players, dtype=torch.int16),
        policy_indices=device.zeros(games, ACTION_COUNT, dtype=torch.int16),
        needs_net=device.zeros(games, dtype=torch.uint8),
        node=device.zeros(games, dtype=torch.int32),
        depth=device.zeros(games, dtype=torch.int32),
        outputs=device.zeros(games, OUTPUT_COLUMNS),
    )


def new_games(device: Device, states: Any) -> Games:
    """Games at these states."""
    count = len(states)
    decisions, finished = device.zeros(count, dtype=torch.int32), device.zeros(count, dtype=torch.int32)
    return Games(device.upload(states), device.zeros(count, dtype=torch.int64), decisions, finished)


class Outputs:
    """The layers of the values and of the policy as one matrix product: of its own, one of 4 columns wastes most of a GPU."""

    def __init__(self, device: Device, model: Model) -> None:
        hidden, kind = model.policy.in_features, model.policy.weight.dtype
        self._model = model
        self._weight = device.zeros(OUTPUT_COLUMNS, hidden, dtype=kind)
        self._bias = device.zeros(OUTPUT_COLUMNS, dtype=kind)

    def refresh(self) -> None:
        """Take the weights as they are now: the net that plays changes while it learns."""
        layers, first = (self._model.value, self._model.policy), 0
        for layer in layers:
            after = first + layer.out_features
            self._weight[first:after].copy_(layer.weight)
            self._bias[first:after].copy_(layer.bias)
            first = after

    def __call__(self, hidden: torch.Tensor) -> torch.Tensor:
        """Games x OUTPUT_COLUMNS."""
        return functional.linear(hidden, self._weight, self._bias)


class BatchedSearch:
    """A search tree for each of many games.

    On a GPU a whole search is recorded once as a CUDA graph and replayed from then on: launching its kernels one by one from
    Python takes longer than they do.
    """

    def __init__(self, device: Device, model: Model, games: Games, players: int, simulations: int) -> None:
        self.device, self.model, self.players = device, model, players
        count = len(games.rngs)
        self.trees = device.side_by_side(count, new_tree(simulations + 2, NET_EDGES_PER_NODE))
        self.schedule = torch.from_numpy(halving_schedule(max(1, simulations))).to(device.name)
        self.noise = device.zeros(count, ACTION_COUNT)
        self.leaves = new_leaves(device, count, players)
        self.root = Roots._make(getattr(self.leaves, name).clone() for name in Roots._fields)
        self._inputs = DenseInputs(device, self.leaves.features, self.leaves.feature_counts)
        self._outputs = Outputs(device, model)
        self._init = device.launcher_with_local(init_one, count, self.trees, games, self.leaves)
        self._expand = device.launcher_with_local(expand_one, count, self.trees, self.leaves)
        given = self.trees, self.leaves, self.noise, self.schedule
        self._selects = [
            device.launcher_with_local(select_one, count, *given, simulation, NET_SEARCH) for simulation in range(simulations)
        ]
        self._graph: torch.cuda.CUDAGraph | None = None

    def _evaluate(self) -> None:
        """Evaluate the leaves of all trees as one batch, expand and back up."""
        hidden = self.model.units(self._inputs())[-1]
        self.leaves.outputs.copy_(self._outputs(hidden))
        self._expand()

    def _search(self) -> None:
        self._outputs.refresh()
        self._init()
        for name, kept in self.root._asdict().items():
            kept.copy_(getattr(self.leaves, name))
        self._evaluate()
        for select in self._selects:
            select()
            self._evaluate()

    def run(self) -> None:
        """Search the positions of all games."""
        with torch.no_grad():
            if self._graph is not None:
                self._graph.replay()
                return
            self._search()
            if self.device.is_gpu:
                torch.cuda.synchronize()
                self._graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self._graph):
                    self._search()


def gumbel_noise(device: Device, games: int) -> torch.Tensor:
    """Gumbel noise: the largest of logit + noise is a sample of the softmax (the Gumbel-max trick)."""
    return -torch.log(-torch.log(torch.rand(games, ACTION_COUNT, device=device.name).clamp_(1e-9, 1 - 1e-7)))


@dataclass(frozen=True)
class SelfPlayConfig:
    """What is played: the game, how many at once, simulations a decision, and how many steps of all games are kept."""

    variant: str
    players: int
    games: int
    simulations: int
    steps: int
    seed: int = 1
    td_lambda: float = 1.0  # by rounds


class SelfPlay:
    """Games of a net against itself, and the buffer of their last positions."""

    def __init__(self, device: Device, model: Model, config: SelfPlayConfig) -> None:
        games, players, steps = config.games, config.players, config.steps
        self.device, self.players, self.count, self.steps = device, players, games, steps
        self.max_decisions, self.td_lambda = MAX_DECISIONS[players], config.td_lambda ** (1 / players)  # by decisions
        assert steps > self.max_decisions, "a position must stay until its game is over"
        self.games = new_games(device, blank_states(ruleset(config.variant, players, {}), games))
        self.search = BatchedSearch(device, model, self.games, players, config.simulations)
        self.buffer = ReplayBuffer(
            policy=device.zeros(steps, games, ACTION_COUNT),
            root_value=device.zeros(steps, games, players),
            result=device.zeros(steps, games, players),
            points=device.zeros(steps, games, players, dtype=torch.uint8),
            turn=device.zeros(steps, games, dtype=torch.uint8),
            is_finished=device.zeros(steps, games, dtype=torch.uint8),
        )
        self.features = device.zeros(steps, games, players, MAX_NET_ACTIVE, dtype=torch.int16)
        self.feature_counts = device.zeros(steps, games, players, dtype=torch.int16)
        self.policy_indices = device.zeros(steps, games, ACTION_COUNT, dtype=torch.int16)
        self.step, self._has_results = 0, False
        device.for_each(begin_one, games, self.games, config.seed)

    def has_results(self) -> bool:
        """Whether enough games have ended to learn from."""
        if not self._has_results and self.step % CHECK_EVERY == 0:
            self._has_results = int(self.games.finished.sum()) >= MIN_FINISHED * self.count
        return self._has_results

    def advance(self) -> None:
        """One decision in every game."""
        at, search = self.step % self.steps, self.search
        scale = torch.where(self.games.decisions < NOISY_ROUNDS * self.players, 1.0, LATER_NOISE)
        search.noise.copy_(gumbel_noise(self.device, self.count) * scale[:, None])
        search.run()
        self.features[at], self.feature_counts[at] = search.root.features, search.root.feature_counts
        self.policy_indices[at] = search.root.policy_indices
        limits = self.max_decisions, self.td_lambda
        self.device.for_each(play_one, self.count, search.trees, self.games, search.noise, self.buffer, self.step, *limits)
        self.step += 1
