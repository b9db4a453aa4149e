# mypy: warn-return-any=False
"""A search tree in arrays that are allocated once: nodes are positions, edges are moves.

A simulation walks from the root to a position not seen before, judges it, and tells everybody on the way. Every node keeps a
value for each seat, and the seat to move chooses what is best for itself (max^n). A move that turns up a card leads to a few
sampled children, not to one for every card. Values that are proven (the game is over, or every line leads there) are kept apart
and never guessed again.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rules.actions import BUY, BUY_RESERVED, FIRST_ACTION, GIVE_BACK, RESERVE, RESERVE_DECK
from ..rules.bits import count_bits, lowest_bit
from ..rules.cards import DECK_START
from ..rules.compile import inlined, kernel
from ..rules.gems import TIME, lane, total
from ..rules.play import legal, play, random_action
from ..rules.rng import below, seeded, stir
from ..rules.state import MAX_SEATS, OVER, RETURN, SLOTS_PER_TIER, State, state_t
from .linear_eval import evaluate, policy, share_win
from .linear_features import AIM, MOST_AIMS, MOST_LISTED

EDGES_PER_NODE = 12
MOST_EDGES = 64
MOST_DEPTH = 512
LONGEST_ROLLOUT = 2000
NO_NODE = -1
SURE_WIN = 0.999
NODES, EDGES, RANDOM, COUNTS = 0, 1, 2, 3  # places in `counts`

BY_EVALUATION, BY_ROLLOUT, BY_NET = range(3)

node_t = np.dtype(
    [
        ("values", "f4", MAX_SEATS),  # what it was judged, or what is proven
        ("totals", "f4", MAX_SEATS),  # the sum of what its simulations found
        ("visits", "i4"),
        ("first_edge", "i4"),
        ("sibling", "i4"),  # the next child of the same edge
        ("edge_count", "u1"),
        ("seat", "u1"),  # the seat to move
        ("last_return", "u1"),  # the kind of the token returned to come here
        ("is_solved", "u1"),
        ("is_over", "u1"),
    ],
    align=True,
)
edge_t = np.dtype(
    [
        ("prior", "f4"),
        ("total", "f4"),  # the sum of what its simulations found for the seat to move
        ("visits", "i4"),
        ("child", "i4"),  # the newest child
        ("children", "u1"),
        ("action", "u1"),
        ("draws", "u1"),  # whether it turns up a card
        ("is_exact", "u1"),
    ],
    align=True,
)


class Tree(NamedTuple):
    """The arrays: a state and a record for every node, a record for every edge, and scratch."""

    states: NDArray[np.void]
    nodes: NDArray[np.void]
    edges: NDArray[np.void]
    path_nodes: NDArray[np.int32]
    path_edges: NDArray[np.int32]
    aims: NDArray[np.int64]
    facts: NDArray[np.int32]
    actions: NDArray[np.int32]
    logits: NDArray[np.float64]
    value: NDArray[np.float64]
    counts: NDArray[np.int64]


class Style(NamedTuple):
    """How a search looks: its method, how curious it is, and how many cards it imagines where one is turned up."""

    method: int = BY_EVALUATION
    curiosity: float = 1.0
    doubt: float = 0.1
    most_cards: int = 8
    visits_per_card: float = 2.0


def new_tree(capacity: int, edges_per_node: int = EDGES_PER_NODE) -> Tree:
    """Room for this many nodes. Memory is taken as it is used."""
    return Tree(
        states=np.empty(capacity + 1, state_t),
        nodes=np.empty(capacity, node_t),
        edges=np.empty(capacity * edges_per_node + MOST_EDGES + 1, edge_t),
        path_nodes=np.empty(MOST_DEPTH, np.int32),
        path_edges=np.empty(MOST_DEPTH, np.int32),
        aims=np.empty((MOST_AIMS, AIM), np.int64),
        facts=np.empty(MOST_LISTED, np.int32),
        actions=np.empty(MOST_EDGES, np.int32),
        logits=np.empty(MOST_EDGES, np.float64),
        value=np.zeros(MAX_SEATS, np.float64),
        counts=np.zeros(COUNTS, np.int64),
    )


@inlined
def own_tree(trees: Any, i: int) -> Any:
    """One of many trees in the same arrays, each with one more axis."""
    return Tree(
        trees.states[i], trees.nodes[i], trees.edges[i], trees.path_nodes[i], trees.path_edges[i], trees.aims[i],
        trees.facts[i], trees.actions[i], trees.logits[i], trees.value[i], trees.counts[i],
    )  # fmt: skip


@inlined
def chance(tree: Tree) -> int:
    """The next random number."""
    tree.counts[RANDOM] = stir(tree.counts[RANDOM])
    return tree.counts[RANDOM]


@inlined
def turned_up_tier(action: int) -> int:
    """The tier (from 0) of the deck a move draws from; -1 if from none."""
    if RESERVE <= action < RESERVE_DECK:
        return (action - RESERVE) // SLOTS_PER_TIER
    if RESERVE_DECK <= action < BUY:
        return action - RESERVE_DECK
    if BUY <= action < BUY_RESERVED:
        return (action - BUY) // SLOTS_PER_TIER
    return -1


@inlined
def draws(state: State, action: int) -> bool:
    """Whether a move turns up a card nobody knows."""
    tier = turned_up_tier(action)
    return tier >= 0 and state.deck_size[tier] > 0


@inlined
def put_any_on_top(state: State, tier: int, size: int, random: int) -> None:
    """Any of the lowest cards of a deck, this many, comes to their top: nobody knows the order."""
    first = DECK_START[tier]
    chosen, top = first + below(random, size), first + size - 1
    card = state.deck[chosen]
    state.deck[chosen] = state.deck[top]
    state.deck[top] = card


@inlined
def shuffle_decks(state: State, random: int) -> None:
    """All decks in a new order."""
    for tier in range(3):
        for size in range(state.deck_size[tier], 1, -1):
            random = stir(random)
            put_any_on_top(state, tier, size, random)


@inlined
def roll_out(tree: Tree, node: int) -> None:
    """Random moves to the end, by decks in a new order; the result is the value."""
    spare = tree.states.shape[0] - 1
    tree.states[spare] = tree.states[node]
    state = tree.states[spare]
    random = chance(tree)
    shuffle_decks(state, random)
    for _ in range(LONGEST_ROLLOUT):
        if state.stage == OVER:
            break
        random = stir(random)
        play(state, random_action(state, random))
    share_win(state, tree.value)


@inlined
def write_values(tree: Tree, at: int) -> None:
    """A node's values are those last found."""
    for seat in range(MAX_SEATS):
        tree.nodes[at].values[seat] = tree.value[seat] if seat < tree.states[at].players else 0.0


@inlined
def meet(tree: Tree, at: int) -> None:
    """A new node: who is to decide there, and who has won if nobody is."""
    state, node = tree.states[at], tree.nodes[at]
    node.seat = state.turn
    node.is_over = node.is_solved = state.stage == OVER
    if state.stage == OVER:
        share_win(state, tree.value)
        write_values(tree, at)


@inlined
def judge(tree: Tree, at: int, style: Style, weights: Any) -> None:
    """Give a new node its value, if the game goes on there."""
    state = tree.states[at]
    if state.stage == OVER:
        return
    if style.method == BY_ROLLOUT:
        roll_out(tree, at)
    else:
        evaluate(state, weights, tree.aims, tree.facts, tree.value)
    write_values(tree, at)


@inlined
def new_node(tree: Tree) -> int:
    """The next free node, empty; NO_NODE if there is no room."""
    at = tree.counts[NODES]
    if at >= tree.nodes.shape[0]:
        return NO_NODE
    tree.counts[NODES] = at + 1
    node = tree.nodes[at]
    node.visits = 0
    node.edge_count = 0
    node.last_return = 0
    node.first_edge = NO_NODE
    node.sibling = NO_NODE
    for seat in range(MAX_SEATS):
        node.totals[seat] = 0.0
    return at


@inlined
def returns_in_order(state: State, moves: int, last: int) -> int:
    """Tokens are returned in the order of their lanes, so that the same return is not looked at twice."""
    excess, behind, kept = total(state.tokens[state.turn]) - state.token_limit, 0, 0
    for kind in range(TIME - 1, last - 1, -1):
        behind += lane(state.tokens[state.turn], kind)
        if behind >= excess:
            kept |= 1 << kind
    kept &= moves
    return kept if kept != 0 else moves


@inlined
def list_moves(tree: Tree, at: int, style: Style, weights: Any, habits: Any) -> int:
    """The moves worth an edge, with their priors; how many there are."""
    state = tree.states[at]
    moves = legal(state)
    if state.stage == RETURN:
        moves = returns_in_order(state, moves, tree.nodes[at].last_return)
    if style.method == BY_EVALUATION:
        return policy(state, moves, weights, habits, tree.aims, tree.facts, tree.actions, tree.logits)
    count, first = count_bits(moves), FIRST_ACTION[state.stage]
    for i in range(count):
        tree.actions[i], tree.logits[i] = first + lowest_bit(moves), 1.0 / count
        moves &= moves - 1
    return count


@inlined
def bring_forward(tree: Tree, first: int, after: int) -> None:
    """Of these edges the most promising comes first."""
    if first >= after:
        return
    best = first
    for i in range(first + 1, after):
        if tree.edges[i].prior > tree.edges[best].prior:
            best = i
    if best != first:
        spare = tree.edges.shape[0] - 1
        tree.edges[spare] = tree.edges[first]
        tree.edges[first] = tree.edges[best]
        tree.edges[best] = tree.edges[spare]


@inlined
def has_room(tree: Tree) -> bool:
    """Whether there is room for the edges of another node."""
    return tree.counts[EDGES] + MOST_EDGES < tree.edges.shape[0]


@inlined
def add_edges(tree: Tree, at: int, count: int) -> None:
    """The listed moves become edges, the most promising first."""
    start = tree.counts[EDGES]
    for i in range(count):
        edge = tree.edges[start + i]
        edge.prior = tree.logits[i]
        edge.total = 0.0
        edge.visits = 0
        edge.child = NO_NODE
        edge.children = 0
        edge.action = tree.actions[i]
        edge.draws = draws(tree.states[at], tree.actions[i])
        edge.is_exact = 0
    tree.nodes[at].first_edge = start
    tree.nodes[at].edge_count = count
    tree.counts[EDGES] = start + count
    bring_forward(tree, start, start + count)


@inlined
def expand(tree: Tree, at: int, style: Style, weights: Any, habits: Any) -> bool:
    """Give a node its edges; False if there is no room."""
    if not has_room(tree):
        return False
    add_edges(tree, at, list_moves(tree, at, style, weights, habits))
    return True


@inlined
def select_by_bounds(tree: Tree, node: Any, pull: float) -> int:
    """The edge to follow without priors (UCT): each once, then the one that may still be the best."""
    best, chosen = -math.inf, node.first_edge
    for i in range(node.first_edge, node.first_edge + node.edge_count):
        edge = tree.edges[i]
        if edge.visits == 0:
            return i
        score = edge.total / edge.visits
        if edge.is_exact == 0:
            score += pull / math.sqrt(edge.visits)
        if score > best:
            best, chosen = score, i
    return chosen


@inlined
def select(tree: Tree, at: int, style: Style) -> int:
    """The edge to follow: good so far, or promising and little looked at. The first new edge is the most promising one."""
    node = tree.nodes[at]
    visits = max(1, node.visits)
    if style.method == BY_ROLLOUT:
        return select_by_bounds(tree, node, style.curiosity * math.sqrt(math.log(visits)))
    pull = style.curiosity * math.sqrt(visits)
    unknown = max(0.0, node.totals[node.seat] / visits - style.doubt)
    best, chosen = -math.inf, node.first_edge
    for i in range(node.first_edge, node.first_edge + node.edge_count):
        edge = tree.edges[i]
        if edge.visits == 0:
            if unknown + pull * edge.prior > best or best <= 0.0:
                chosen = i
            break
        score = edge.total / edge.visits
        if edge.is_exact == 0:
            score += pull * edge.prior / (1 + edge.visits)
        if score > best:
            best, chosen = score, i
    return chosen


@inlined
def add_child(tree: Tree, at: int, i: int) -> int:
    """Play an edge's move in a new node; NO_NODE if there is no room."""
    child = new_node(tree)
    if child == NO_NODE:
        return NO_NODE
    edge = tree.edges[i]
    action = edge.action
    tree.states[child] = tree.states[at]
    state = tree.states[child]
    if edge.draws != 0:
        tier = turned_up_tier(action)
        put_any_on_top(state, tier, state.deck_size[tier], chance(tree))
    play(state, action)
    if state.stage == RETURN and action >= GIVE_BACK:
        tree.nodes[child].last_return = action - GIVE_BACK
    tree.nodes[child].sibling = edge.child
    edge.child = child
    edge.children += 1
    if edge.children == 1 and edge.visits == 0:
        bring_forward(tree, i + 1, tree.nodes[at].first_edge + tree.nodes[at].edge_count)
    return child


@inlined
def wants_child(edge: Any, style: Style) -> bool:
    """The first child always; where a card is turned up more of them with more visits."""
    count = edge.children
    if count == 0:
        return True
    if edge.draws == 0 or count >= style.most_cards or edge.is_exact != 0:
        return False
    return edge.visits >= style.visits_per_card * count * count


@inlined
def least_visited(tree: Tree, edge: Any) -> int:
    """Of the sampled children the one seen least."""
    child = chosen = edge.child
    while child != NO_NODE:
        if tree.nodes[child].visits < tree.nodes[chosen].visits:
            chosen = child
        child = tree.nodes[child].sibling
    return chosen


@inlined
def prove(tree: Tree, at: int, i: int, child: int) -> bool:
    """A proven child proves its edge if no card decides which child it is; a game that is over does not depend on the card.

    Whether that proves the node: a sure win, or nothing left to find out.
    """
    edge, node = tree.edges[i], tree.nodes[at]
    if edge.draws != 0 and tree.nodes[child].is_over == 0:
        return False
    seat, best = node.seat, child
    edge.is_exact = 1
    edge.total = tree.nodes[child].values[seat] * edge.visits
    if tree.nodes[child].values[seat] < SURE_WIN:
        for other in range(node.first_edge, node.first_edge + node.edge_count):
            if tree.edges[other].is_exact == 0:
                return False
            if tree.nodes[tree.edges[other].child].values[seat] > tree.nodes[best].values[seat]:
                best = tree.edges[other].child
    node.is_solved = 1
    for other in range(MAX_SEATS):
        node.values[other] = tree.nodes[best].values[other]
    return True


@inlined
def back_up(tree: Tree, depth: int, leaf: int) -> None:
    """Tell every node and edge on the way what was found."""
    found = tree.nodes[leaf]
    proven, child = found.is_solved != 0, leaf
    for seat in range(MAX_SEATS):
        tree.value[seat] = found.values[seat]
        found.totals[seat] += found.values[seat]
    found.visits += 1
    for i in range(depth - 1, -1, -1):
        at = tree.path_nodes[i]
        node, edge = tree.nodes[at], tree.edges[tree.path_edges[i]]
        node.visits += 1
        edge.visits += 1
        for seat in range(MAX_SEATS):
            node.totals[seat] += tree.value[seat]
        edge.total += tree.value[node.seat]
        proven = proven and prove(tree, at, tree.path_edges[i], child)
        child = at


@inlined
def follow(tree: Tree, at: int, i: int, depth: int, style: Style) -> tuple[int, bool]:
    """Along an edge to a child, and whether that is a new one; NO_NODE if there is none and no room."""
    edge = tree.edges[i]
    child = add_child(tree, at, i) if wants_child(edge, style) else NO_NODE
    is_new = child != NO_NODE
    if not is_new:
        child = least_visited(tree, edge)
    tree.path_nodes[depth] = at
    tree.path_edges[depth] = i
    return child, is_new


@inlined
def simulate(tree: Tree, style: Style, weights: Any, habits: Any) -> None:
    """One walk from the root to a new position and back."""
    at, depth, is_new = 0, 0, False
    while not is_new and tree.nodes[at].is_solved == 0 and depth < MOST_DEPTH:
        if tree.nodes[at].first_edge == NO_NODE and not expand(tree, at, style, weights, habits):
            break
        child, is_new = follow(tree, at, select(tree, at, style), depth, style)
        if child == NO_NODE:
            break
        at = child
        depth += 1
    if is_new:
        meet(tree, at)
        judge(tree, at, style, weights)
    back_up(tree, depth, at)


@inlined
def set_root(tree: Tree, states: Any, seed: int) -> None:
    """Begin a tree at a position; its root is still to be judged."""
    tree.counts[NODES] = tree.counts[EDGES] = 0
    tree.counts[RANDOM] = seeded(seed)
    tree.states[new_node(tree)] = states[0]
    meet(tree, 0)


@kernel
def plant(tree: Tree, states: Any, seed: int, style: Style, weights: Any) -> None:
    """Begin a tree at a position and judge its root."""
    set_root(tree, states, seed)
    judge(tree, 0, style, weights)


@kernel
def think(tree: Tree, style: Style, weights: Any, habits: Any, simulations: int) -> int:
    """Up to this many simulations, fewer if the root is solved; how many there were."""
    for done in range(simulations):
        if tree.nodes[0].is_solved != 0:
            return done
        simulate(tree, style, weights, habits)
    return simulations


@kernel
def look_after(tree: Tree, values: Any) -> None:
    """Each seat's chance after each move at the root that was looked at."""
    root = tree.nodes[0]
    for i in range(values.shape[0]):
        edge = tree.edges[root.first_edge + i]
        if edge.child == NO_NODE:
            continue
        for seat in range(MAX_SEATS):
            child, whole, visits = edge.child, 0.0, 0
            while child != NO_NODE:
                whole += tree.nodes[child].totals[seat]
                visits += tree.nodes[child].visits
                child = tree.nodes[child].sibling
            values[i, seat] = tree.nodes[edge.child].values[seat] if edge.is_exact != 0 else whole / max(1, visits)


@inlined
def chance_of(node: Any, seat: int) -> float:
    """A seat's chance at a node: what is proven, or the mean of its simulations."""
    return node.values[seat] if node.is_solved != 0 else node.totals[seat] / max(1, node.visits)


@inlined
def proven_best(tree: Tree) -> int:
    """The root's edge that is proven best, if the root is solved; else NO_NODE."""
    root = tree.nodes[0]
    if root.is_solved != 0:
        for i in range(root.first_edge, root.first_edge + root.edge_count):
            if tree.edges[i].is_exact != 0 and tree.nodes[tree.edges[i].child].values[root.seat] >= root.values[root.seat]:
                return i
    return NO_NODE
