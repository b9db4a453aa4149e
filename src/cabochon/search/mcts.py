# mypy: warn-return-any=False
"""Monte Carlo tree search with the linear evaluation, or with rollouts to the end.

A simulation selects a path from the root to a leaf, adds one node there, evaluates it, and backs its values up:

    selection    PUCT with first-play urgency; UCT for rollouts
    chance       a move that reveals a card has a few sampled children; their number grows with the visits (progressive widening)
    expansion    a node gets its edges at its second visit: most nodes never have one, and their moves need not be listed
    evaluation   `linear_eval.evaluate`, or one random game
    backup       `tree.backup`: a value for each seat, proofs apart

`net_mcts` uses the same selection and backup with a net.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from ..rules.actions import FIRST_ACTION, GIVE_BACK, deck_drawn_from
from ..rules.bits import lowest_bit
from ..rules.cards import TIER_COUNT
from ..rules.compile import inlined, kernel
from ..rules.gems import TIME, lane, total
from ..rules.play import legal, play, random_action
from ..rules.rng import below, seeded, stir
from ..rules.state import OVER, RETURN, State
from .determinize import randomize_top_card, shuffle_decks, swap_top_card
from .linear_eval import evaluate, policy, terminal_values
from .records import copy_record, current_record, load_record, store_record
from .tree import (
    EDGE_COUNT,
    MAX_DEPTH,
    NO_EDGE,
    NO_NODE,
    NODE_COUNT,
    RNG,
    ROOT,
    SEED,
    TOP,
    Tree,
    add_edge,
    allocate_node,
    backup,
    child_in_turn,
    has_edge_capacity,
    is_open_leaf,
    link_child,
    mean_value,
    move_best_prior_first,
    next_random,
    set_values,
)

MAX_ROLLOUT_MOVES = 2000  # a random game takes about a hundred; nobody waits for one that goes in circles
BY_LINEAR, BY_ROLLOUT, BY_NET = range(3)  # what evaluates a leaf


class SearchConfig(NamedTuple):
    """What evaluates a leaf, and the constants of selection and widening. docs/search.md has what other values did."""

    method: int = BY_LINEAR
    c_puct: float = 1.0  # exploration: the weight of the prior, or of the bound of UCT
    fpu_reduction: float = 0.1  # first-play urgency: a move not visited yet counts as its parent, less this
    max_chance_children: int = 8  # cards sampled for one move
    visits_per_chance_child: float = 2.0  # n children once the move has this many times n^2 visits
    has_common_cards: bool = False  # the moves of a node reveal the same cards in the same order, none of them twice
    confidence: float = 0.5  # of the final choice: the width of the interval after one visit
    samples: int = 4  # trees where others hold cards that the seat has not seen, each with other cards


@inlined
def reveals_card(state: State, action: int) -> bool:
    """Whether a move reveals a card that nobody knows."""
    tier = deck_drawn_from(action)
    return tier >= 0 and state.deck_size[tier] > 0


@inlined
def rollout(tree: Tree, at: int) -> None:
    """Play random moves to the end; the result is the value. The decks are shuffled: the path has fixed their order."""
    scratch = tree.states.shape[0] - 1
    copy_record(tree.states, scratch, tree.states, at)
    state = tree.states[scratch]
    random = next_random(tree)
    shuffle_decks(state, random)
    for _ in range(MAX_ROLLOUT_MOVES):
        if state.stage == OVER:
            break
        random = stir(random)
        play(state, random_action(state, random))
    terminal_values(state, tree.values)


@inlined
def init_node(tree: Tree, at: int) -> None:
    """Whose move it is at a new node; where the game is over its value is proven."""
    state, node = tree.states[at], tree.nodes[at]
    node.seat = state.turn
    node.is_terminal = node.is_proven = state.stage == OVER
    if state.stage == OVER:
        terminal_values(state, tree.values)
        set_values(tree, at)


@inlined
def evaluate_leaf(tree: Tree, at: int, config: SearchConfig, weights: Any) -> None:
    """Estimate the value of a new node, if the game goes on there."""
    state = tree.states[at]
    if state.stage == OVER:
        return
    if config.method == BY_ROLLOUT:
        rollout(tree, at)
    else:
        evaluate(state, weights.value, tree, tree.values)
    set_values(tree, at)


@inlined
def ordered_returns(state: State, moves: int, last: int) -> int:
    """Of the tokens that may be returned those from the last returned kind on.

    Returning w, then u, leads to the same hand as u, then w. With one order only, each hand is one path (symmetry reduction). A
    kind is left out as well if too few tokens come after it to get down to the limit, or the path would end in a dead end.
    """
    excess, behind, kept = total(state.tokens[state.turn]) - state.token_limit, 0, 0
    for kind in range(TIME - 1, last - 1, -1):
        behind += lane(state.tokens[state.turn], kind)
        if behind >= excess:
            kept |= 1 << kind
    kept &= moves
    return kept if kept != 0 else moves


@inlined
def legal_edges(state: State, last_return: int) -> int:
    """The legal moves that get an edge, as a mask; after returning a token only later kinds are returned."""
    moves = legal(state)
    if state.stage == RETURN:
        moves = ordered_returns(state, moves, last_return)
    return moves


@inlined
def list_actions(tree: Tree, at: int) -> int:
    """The actions that get an edge at a node, into the scratch buffer; how many there are."""
    return list_actions_of(tree, tree.states[at], tree.nodes[at].last_return)


@inlined
def list_actions_of(tree: Tree, state: State, last_return: int) -> int:
    """Like `list_actions`, at a node with this state."""
    moves, first, n = legal_edges(state, last_return), FIRST_ACTION[state.stage], 0
    while moves != 0:
        tree.actions[n] = first + lowest_bit(moves)
        moves &= moves - 1
        n += 1
    return n


@inlined
def list_priors(tree: Tree, at: int, config: SearchConfig, weights: Any) -> int:
    """The actions that get an edge, with their priors; rollouts know nothing, so theirs are uniform."""
    if config.method == BY_LINEAR:
        return policy(tree.states[at], legal_edges(tree.states[at], tree.nodes[at].last_return), weights, tree)
    count = list_actions(tree, at)
    for i in range(count):
        tree.logits[i] = 1.0 / count
    return count


@inlined
def add_edges(tree: Tree, at: int, count: int) -> None:
    """The listed actions become the edges of a node, the one with the highest prior first."""
    first = tree.counters[EDGE_COUNT]
    for i in range(count):
        add_edge(tree, i, reveals_card(tree.states[at], tree.actions[i]))
    tree.nodes[at].first_edge = first
    tree.nodes[at].edge_count = count
    move_best_prior_first(tree, first, first + count)


@inlined
def expand(tree: Tree, at: int, config: SearchConfig, weights: Any) -> bool:
    """Give a node its edges; False if there is no room."""
    if not has_edge_capacity(tree):
        return False
    add_edges(tree, at, list_priors(tree, at, config, weights))
    return True


@inlined
def select_uct(tree: Tree, node: Any, exploration: float) -> int:
    """Each edge once, then the highest upper bound: Q + c sqrt(ln N / n) (UCB1)."""
    best, chosen = -math.inf, node.first_edge
    for i in range(node.first_edge, node.first_edge + node.edge_count):
        edge = tree.edges[i]
        if edge.visits == 0:
            return i
        score = mean_value(edge)
        if edge.is_proven == 0:
            score += exploration / math.sqrt(edge.visits)
        if score > best:
            best, chosen = score, i
    return chosen


@inlined
def select_edge(tree: Tree, at: int, config: SearchConfig) -> int:
    """The edge with the highest Q + c_puct P sqrt(N) / (1 + n) (PUCT, as in AlphaZero).

    An edge without visits has no Q: it counts as its parent's value less `fpu_reduction` (first-play urgency), so that a good
    move that was tried keeps others from being tried at once. Edges are sorted by prior as far as they are visited, so of all
    unvisited ones only the first can win, and the loop ends there. A proven edge needs no exploration: its value is exact.
    """
    node = tree.nodes[at]
    visits = max(1, node.visits)
    if config.method == BY_ROLLOUT:
        return select_uct(tree, node, config.c_puct * math.sqrt(math.log(visits)))
    exploration = config.c_puct * math.sqrt(visits)
    first_play = max(0.0, node.value_sums[node.seat] / visits - config.fpu_reduction)
    best, chosen = -math.inf, node.first_edge
    for i in range(node.first_edge, node.first_edge + node.edge_count):
        edge = tree.edges[i]
        if edge.visits == 0:
            # `best <= 0`: where all that was tried is lost for certain, anything is better, whatever its prior
            if first_play + exploration * edge.prior > best or best <= 0.0:
                chosen = i
            break
        score = mean_value(edge)
        if edge.is_proven == 0:
            score += exploration * edge.prior / (1 + edge.visits)
        if score > best:
            best, chosen = score, i
    return chosen


@inlined
def common_card(tree: Tree, at: int, tier: int, size: int, number: int) -> int:
    """The place in a deck of the card that the child of this number reveals, whichever move of the node reveals it.

    Common random numbers: moves that are compared on the same cards differ less by luck. Decks are shuffled, so cards that lie
    side by side are a sample without repetition; it begins at a random place, another one at every node.
    """
    random = seeded(tree.counters[SEED] ^ (at * TIER_COUNT + tier))
    return (below(random, size) + number) % size


@inlined
def add_child(tree: Tree, at: int, i: int, config: SearchConfig) -> int:
    """Play an edge's move in a new node, with a random card if it reveals one; NO_NODE if there is no room."""
    child = allocate_node(tree)
    if child == NO_NODE:
        return NO_NODE
    edge = tree.edges[i]
    action: Any = np.int64(edge.action)  # as everywhere else, or Numba compiles `play` once more for bytes
    load_record(tree.states, child, tree.local, at)
    state = current_record(tree.states, child, tree.local)
    if edge.is_chance != 0:
        tier = deck_drawn_from(action)
        size = state.deck_size[tier]
        if config.has_common_cards:
            swap_top_card(state, tier, size, common_card(tree, at, tier, size, edge.child_count))
        else:
            randomize_top_card(state, tier, size, next_random(tree))
    play(state, action)
    store_record(tree.states, child, tree.local)
    if state.stage == RETURN and action >= GIVE_BACK:
        tree.nodes[child].last_return = action - GIVE_BACK
    link_child(tree, i, child)
    if edge.child_count == 1 and edge.visits == 0:  # the next edge that may be tried comes to its place in the order
        move_best_prior_first(tree, i + 1, tree.nodes[at].first_edge + tree.nodes[at].edge_count)
    return child


@inlined
def should_widen(state: State, edge: Any, config: SearchConfig) -> bool:
    """Whether an edge gets another child: the first always; for a chance outcome more with more visits.

    Progressive widening (Couëtoux et al. 2011): k children need c k^2 visits, so that their number grows with the square root of
    the visits. A child for every one of up to forty cards would leave each with too few visits to say anything.
    """
    count = edge.child_count
    if count == 0:
        return True
    if edge.is_chance == 0 or count >= config.max_chance_children or edge.is_proven != 0:
        return False
    if edge.visits < config.visits_per_chance_child * count * count:
        return False
    return not config.has_common_cards or count < state.deck_size[deck_drawn_from(edge.action)]


@inlined
def follow(tree: Tree, at: int, i: int, depth: int, config: SearchConfig) -> tuple[int, bool]:
    """Along an edge to a child, and whether that is a new one; NO_NODE if there is none and no room."""
    edge = tree.edges[i]
    child = add_child(tree, at, i, config) if should_widen(tree.states[at], edge, config) else NO_NODE
    is_new = child != NO_NODE
    if not is_new:
        child = child_in_turn(tree, edge)
    tree.path_nodes[depth] = at
    tree.path_edges[depth] = i
    return child, is_new


@inlined
def select_leaf(tree: Tree, config: SearchConfig, at: int, depth: int, forced: int) -> tuple[int, int, bool]:
    """Select edges from a node on until one leads to a new node, or to one without edges; the node, its depth, if it is new.

    `forced` is the edge to follow from the root, where another rule than PUCT selects there; else NO_EDGE.
    """
    is_new = False
    while not is_new and tree.nodes[at].first_edge != NO_EDGE and tree.nodes[at].is_proven == 0 and depth < MAX_DEPTH:
        i = forced if depth == 0 and forced != NO_EDGE else select_edge(tree, at, config)
        child, is_new = follow(tree, at, i, depth, config)
        if child == NO_NODE:
            break
        at = child
        depth += 1
    if is_new:
        init_node(tree, at)
    return at, depth, is_new


@inlined
def simulate(tree: Tree, config: SearchConfig, weights: Any) -> None:
    """One simulation: select, expand at the second visit, evaluate, back up. A full tree still backs up what it knows."""
    at, depth, is_new, is_expanded = ROOT, TOP, False, True
    while is_expanded:
        at, depth, is_new = select_leaf(tree, config, at, depth, NO_EDGE)
        is_expanded = not is_new and is_open_leaf(tree, at) and depth < MAX_DEPTH and expand(tree, at, config, weights)
    if is_new:
        evaluate_leaf(tree, at, config, weights)
    backup(tree, depth, at)


@inlined
def init_root(tree: Tree, states: Any, seed: int) -> None:
    """Empty the tree and put a position at its root, which is still to be evaluated."""
    tree.counters[NODE_COUNT] = tree.counters[EDGE_COUNT] = 0
    tree.counters[RNG] = tree.counters[SEED] = seeded(seed)
    copy_record(tree.states, allocate_node(tree), states, 0)
    init_node(tree, ROOT)


@kernel
def init_search(tree: Tree, states: Any, seed: int, config: SearchConfig, weights: Any) -> None:
    """Put a position at the root of the tree and evaluate it."""
    init_root(tree, states, seed)
    evaluate_leaf(tree, ROOT, config, weights)


@kernel
def run_simulations(tree: Tree, config: SearchConfig, weights: Any, simulations: int) -> int:
    """Up to this many simulations, fewer if the root is proven; how many there were."""
    for done in range(simulations):
        if tree.nodes[ROOT].is_proven != 0:
            return done
        simulate(tree, config, weights)
    return simulations
