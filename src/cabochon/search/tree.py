# mypy: warn-return-any=False
"""A search tree in arrays that are allocated once: nodes are positions, edges are moves.

This module keeps the tree; `mcts` and `net_mcts` decide where it grows. A node's edges lie side by side in one array; an edge's
children are a linked list (`child`, then `sibling`), since a move that reveals a card has several, one for each card sampled.

Every node keeps a value for each seat: its share of the win, between 0 and 1, all seats together 1. The seat to move at a node
chooses what is best for itself, and that vector is what the node is worth (max^n, Luckhardt and Irani 1986), so that two, three
and four players are one algorithm.

Proven values are kept apart from averages (MCTS-Solver, Winands et al. 2008): once a node is proven its value is exact, and no
simulation enters it again.

No function here makes an array: all of them are compiled without Numba's reference counting, and also for CUDA.
"""

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ..rules.compile import inlined, kernel
from ..rules.rng import stir
from ..rules.state import MAX_SEATS, state_t
from .linear_features import MAX_LINEAR_ACTIVE, MAX_TARGETS, TARGET_COLUMNS
from .records import NO_LOCAL, swap_records

EDGES_PER_NODE = 12  # on average; only nodes that were visited twice get their edges, and they have about 26
MAX_EDGES = 64  # of one node: the bits of a mask of legal actions
MAX_DEPTH = 512
NO_NODE = NO_EDGE = -1
# The root of every tree, at depth zero. Numba types a plain 0 as a literal and compiles every function it is given to once more.
ROOT = TOP = cast(int, np.int64(0))
PROVEN_WIN = 0.999  # a whole win; values are 32-bit floats
NODE_COUNT, EDGE_COUNT, RNG, SEED, COUNTERS = range(5)  # places in `counters`

node_t = np.dtype(
    [
        ("values", "f4", MAX_SEATS),  # its evaluation, or what is proven
        ("value_sums", "f4", MAX_SEATS),  # over all simulations that passed through it
        ("visits", "i4"),
        ("first_edge", "i4"),  # NO_EDGE until it is expanded
        ("sibling", "i4"),  # the next child of the same edge
        ("next_child", "i4"),  # of an edge's newest child: which of them all is visited next (`child_in_turn`)
        ("edge_count", "u1"),
        ("seat", "u1"),  # the seat to move
        ("last_return", "u1"),  # the kind of the token returned to come here
        ("is_proven", "u1"),
        ("is_terminal", "u1"),
    ],
    align=True,
)
edge_t = np.dtype(
    [
        ("prior", "f4"),
        ("value_sum", "f4"),  # over all simulations, for the seat that moves here
        ("visits", "i4"),
        ("child", "i4"),  # the newest child
        ("child_count", "u1"),
        ("action", "u1"),
        ("is_chance", "u1"),  # whether the move reveals a card
        ("is_proven", "u1"),
    ],
    align=True,
)


class Tree(NamedTuple):
    """A state and a record for every node, a record for every edge, and scratch buffers for one simulation."""

    states: NDArray[np.void]
    nodes: NDArray[np.void]
    edges: NDArray[np.void]
    path_nodes: NDArray[np.int32]
    path_edges: NDArray[np.int32]
    targets: NDArray[np.int64]
    features: NDArray[np.int32]
    actions: NDArray[np.int32]
    logits: NDArray[np.float64]
    values: NDArray[np.float64]  # of the position just evaluated, by seat
    counters: NDArray[np.int64]
    local: Any = NO_LOCAL  # on a GPU: the thread's own memory, where a node's state is worked on (`records`)


def new_tree(capacity: int, edges_per_node: int = EDGES_PER_NODE) -> Tree:
    """Room for this many nodes. The operating system gives the memory as it is used."""
    return Tree(
        states=np.empty(capacity + 1, state_t),  # the last is scratch: a rollout plays on a copy
        nodes=np.empty(capacity, node_t),
        edges=np.empty(capacity * edges_per_node + MAX_EDGES, edge_t),
        path_nodes=np.empty(MAX_DEPTH, np.int32),
        path_edges=np.empty(MAX_DEPTH, np.int32),
        targets=np.empty((MAX_TARGETS, TARGET_COLUMNS), np.int64),
        features=np.empty(MAX_LINEAR_ACTIVE, np.int32),
        actions=np.empty(MAX_EDGES, np.int32),
        logits=np.empty(MAX_EDGES, np.float64),
        values=np.zeros(MAX_SEATS, np.float64),
        counters=np.zeros(COUNTERS, np.int64),
    )


@inlined
def tree_with_local(trees: Any, i: int, local: Any) -> Any:
    """One of many trees in the same arrays, each with one more axis. Written out: Numba cannot loop over a tuple of types."""
    return Tree(
        trees.states[i], trees.nodes[i], trees.edges[i], trees.path_nodes[i], trees.path_edges[i], trees.targets[i],
        trees.features[i], trees.actions[i], trees.logits[i], trees.values[i], trees.counters[i], local,
    )  # fmt: skip


@inlined
def tree_at(trees: Any, i: int) -> Any:
    """One of many trees, whose states are worked on where they are."""
    return tree_with_local(trees, i, NO_LOCAL)


@inlined
def next_random(tree: Tree) -> int:
    """The tree's own generator, so that a search is a function of its seed."""
    tree.counters[RNG] = stir(tree.counters[RNG])
    return tree.counters[RNG]


@inlined
def allocate_node(tree: Tree) -> int:
    """The next free node, empty; NO_NODE if the tree is full."""
    at = tree.counters[NODE_COUNT]
    if at >= tree.nodes.shape[0]:
        return NO_NODE
    tree.counters[NODE_COUNT] = at + 1
    node = tree.nodes[at]
    node.visits = 0
    node.edge_count = 0
    node.last_return = 0
    node.first_edge = NO_EDGE
    node.sibling = NO_NODE
    for seat in range(MAX_SEATS):
        node.value_sums[seat] = 0.0
    return at


@inlined
def set_values(tree: Tree, at: int) -> None:
    """A node's values become those just evaluated. Absent seats have none: their scratch is left over from before."""
    for seat in range(MAX_SEATS):
        tree.nodes[at].values[seat] = tree.values[seat] if seat < tree.states[at].players else 0.0


@inlined
def is_open_leaf(tree: Tree, at: int) -> bool:
    """Whether a node has no edges yet and the game goes on there."""
    return tree.nodes[at].first_edge == NO_EDGE and tree.nodes[at].is_proven == 0


@inlined
def move_best_prior_first(tree: Tree, first: int, after: int) -> None:
    """One step of a selection sort by prior, on the edges from `first` to `after`.

    Edges are sorted only as far as they are visited: most nodes see few of their moves, so that a whole sort does not pay.
    """
    if first >= after:
        return
    best = first
    for i in range(first + 1, after):
        if tree.edges[i].prior > tree.edges[best].prior:
            best = i
    if best != first:
        swap_records(tree.edges, first, best)


@inlined
def has_edge_capacity(tree: Tree) -> bool:
    """Whether there is room for the edges of another node."""
    return tree.counters[EDGE_COUNT] + MAX_EDGES <= tree.edges.shape[0]


@inlined
def add_edge(tree: Tree, i: int, is_chance: bool) -> None:
    """The action and the prior at place `i` of the scratch buffers become the next edge."""
    edge = tree.edges[tree.counters[EDGE_COUNT]]
    tree.counters[EDGE_COUNT] += 1
    edge.prior = tree.logits[i]
    edge.value_sum = 0.0
    edge.visits = 0
    edge.child = NO_NODE
    edge.child_count = 0
    edge.action = tree.actions[i]
    edge.is_chance = is_chance
    edge.is_proven = 0


@inlined
def link_child(tree: Tree, i: int, child: int) -> None:
    """A node becomes the newest child of an edge."""
    edge, newest = tree.edges[i], tree.edges[i].child
    # A new child begins a new round. In the middle of one, the order no longer tells who has the fewest visits.
    is_whole_round = newest == NO_NODE or tree.nodes[newest].next_child == newest
    tree.nodes[child].next_child = child if is_whole_round else NO_NODE
    tree.nodes[child].sibling = newest
    edge.child = child
    edge.child_count += 1


@inlined
def least_visited_child(tree: Tree, edge: Any) -> int:
    """Of the sampled children the one with fewest visits: all cards are equally likely, so all get the same share."""
    child = chosen = edge.child
    while child != NO_NODE:
        if tree.nodes[child].visits < tree.nodes[chosen].visits:
            chosen = child
        child = tree.nodes[child].sibling
    return chosen


@inlined
def child_in_turn(tree: Tree, edge: Any) -> int:
    """The least visited child, found without looking at them all; NO_NODE if there is none.

    A new child has every turn until it is level with the others. From then on they take turns, the newest first.
    """
    newest = edge.child
    if newest == NO_NODE:
        return NO_NODE
    child = tree.nodes[newest].next_child
    if child == NO_NODE:
        return least_visited_child(tree, edge)
    sibling = tree.nodes[child].sibling
    is_behind = sibling != NO_NODE and tree.nodes[sibling].visits <= tree.nodes[child].visits
    tree.nodes[newest].next_child = sibling if is_behind else newest
    return child


@inlined
def propagate_proof(tree: Tree, at: int, i: int, child: int) -> bool:
    """A proven child proves its edge; whether that also proves the node `at` (MCTS-Solver).

    An edge with a chance outcome is not proven by one sampled card, unless the game is over there: who has won never depends on
    the card that is revealed last. A node is proven by a sure win of the seat to move, or when all its edges are proven: then it
    is worth its best edge.
    """
    edge, node = tree.edges[i], tree.nodes[at]
    if edge.is_chance != 0 and tree.nodes[child].is_terminal == 0:
        return False
    seat, best = node.seat, child
    edge.is_proven = 1
    edge.value_sum = tree.nodes[child].values[seat] * edge.visits  # forget the averages from before the proof
    if tree.nodes[child].values[seat] < PROVEN_WIN:
        for other in range(node.first_edge, node.first_edge + node.edge_count):
            if tree.edges[other].is_proven == 0:
                return False
            if tree.nodes[tree.edges[other].child].values[seat] > tree.nodes[best].values[seat]:
                best = tree.edges[other].child
    node.is_proven = 1
    for other in range(MAX_SEATS):
        node.values[other] = tree.nodes[best].values[other]
    return True


@inlined
def backup(tree: Tree, depth: int, leaf: int) -> None:
    """Add the leaf's values to every node and edge on the path, and carry a proof up as far as it holds.

    Values are kept by seat, so nothing changes sign on the way up: each edge adds the value of the seat that moves there.
    """
    found = tree.nodes[leaf]
    proven, child = found.is_proven != 0, leaf
    for seat in range(MAX_SEATS):
        tree.values[seat] = found.values[seat]
        found.value_sums[seat] += found.values[seat]
    found.visits += 1
    for i in range(depth - 1, -1, -1):
        at = tree.path_nodes[i]
        node, edge = tree.nodes[at], tree.edges[tree.path_edges[i]]
        node.visits += 1
        edge.visits += 1
        for seat in range(MAX_SEATS):
            node.value_sums[seat] += tree.values[seat]
        edge.value_sum += tree.values[node.seat]
        proven = proven and propagate_proof(tree, at, tree.path_edges[i], child)
        child = at


@inlined
def mean_value(edge: Any) -> float:
    """The mean over the simulations of an edge that has some, for the seat that moves there (Q)."""
    return edge.value_sum / edge.visits


@inlined
def node_value(node: Any, seat: int) -> float:
    """A seat's value at a node: what is proven, or the mean of its simulations."""
    return node.values[seat] if node.is_proven != 0 else node.value_sums[seat] / max(1, node.visits)


@inlined
def write_root_values(tree: Tree, first_seat: int, out: Any) -> None:
    """Every seat's value at the root, in the order of play from `first_seat` on."""
    players = tree.states[0].players
    for k in range(players):
        out[k] = node_value(tree.nodes[0], (first_seat + k) % players)


@inlined
def write_action_values(tree: Tree, i: int, out: Any) -> None:
    """Every seat's value after a move that was visited, by seat: over all sampled children, weighted by visits."""
    edge = tree.edges[i]
    for seat in range(MAX_SEATS):
        child, value_sum, visits = edge.child, 0.0, 0
        while child != NO_NODE:
            value_sum += tree.nodes[child].value_sums[seat]
            visits += tree.nodes[child].visits
            child = tree.nodes[child].sibling
        out[seat] = tree.nodes[edge.child].values[seat] if edge.is_proven != 0 else value_sum / max(1, visits)


@inlined
def proven_best_edge(tree: Tree) -> int:
    """The root's edge that is proven best, if the root is proven; else NO_EDGE."""
    root = tree.nodes[0]
    if root.is_proven != 0:
        for i in range(root.first_edge, root.first_edge + root.edge_count):
            if tree.edges[i].is_proven != 0 and tree.nodes[tree.edges[i].child].values[root.seat] >= root.values[root.seat]:
                return i
    return NO_EDGE


@inlined
def most_visited_edge(tree: Tree) -> int:
    """The root's edge with most visits; of equals the first."""
    root = tree.nodes[0]
    best = root.first_edge
    for i in range(root.first_edge + 1, root.first_edge + root.edge_count):
        if tree.edges[i].visits > tree.edges[best].visits:
            best = i
    return best


@kernel
def root_action_values(tree: Tree, values: Any) -> None:
    """Each seat's value after each move at the root that was visited: over all sampled children, weighted by visits."""
    first = tree.nodes[0].first_edge
    for i in range(values.shape[0]):
        if tree.edges[first + i].child != NO_NODE:
            write_action_values(tree, first + i, values[i])
