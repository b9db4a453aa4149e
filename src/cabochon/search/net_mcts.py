# mypy: warn-return-any=False
"""Monte Carlo tree search with a net, which gives a leaf its values and its priors at once (AlphaZero).

The tree, selection and backup are those of `mcts`. What differs: a node is expanded when it is evaluated, not at its second
visit, since the net computes the priors anyway.

A simulation has three parts: select a leaf, evaluate it, expand and back up. On a GPU (`cabochon.learn.net.selfplay`) many trees
select first, the net then evaluates all their leaves as one batch, and every tree expands with its own part of the output. On the
CPU one part follows the other.
"""

from typing import Any

from ..rules.actions import deck_drawn_from
from ..rules.compile import inlined, kernel
from ..rules.play import play
from ..rules.state import MAX_SEATS, OVER
from .determinize import swap_top_card
from .linear_eval import softmax_inplace, terminal_values
from .mcts import SearchConfig, add_edges, init_root, list_actions, select_leaf
from .net import FastNet, Workspace, dot, forward, read_values
from .net_features import policy_index
from .tree import ENUMERATED, NO_EDGE, NO_NODE, Tree, backup, has_edge_capacity, is_open_leaf, set_values

NET_EDGES_PER_NODE = 26  # every node has its edges at once, and about 26 moves are legal on average


@inlined
def expand_leaf(tree: Tree, at: int, count: int) -> None:
    """A node gets the values and, from the logits of its `count` actions, the edges just evaluated."""
    set_values(tree, at)
    if has_edge_capacity(tree):
        softmax_inplace(tree.logits, count)
        add_edges(tree, at, count)


@inlined
def evaluate_with_net(tree: Tree, at: int, net: FastNet, work: Workspace) -> None:
    """Evaluate a leaf and expand it."""
    state = tree.states[at]
    n = forward(net, state, work)
    read_values(net, state, work, n, tree.values)
    count = list_actions(tree, at)
    for i in range(count):
        output = policy_index(state, tree.actions[i])
        tree.logits[i] = dot(net.policy[output], net.policy_bias[output], work, n)
    expand_leaf(tree, at, count)


@kernel
def enumerate_cards(tree: Tree, at: int, i: int, net: FastNet, work: Workspace) -> int:
    """Evaluate the position after every card that an edge's move may reveal; the mean is its baseline. How many cards there are.

    What `backup` does from now on is done here for the visits so far, as far as the node itself.
    """
    scratch, edge, node, baseline = tree.states.shape[0] - 1, tree.edges[i], tree.nodes[at], tree.baselines[i]
    tier = deck_drawn_from(edge.action)
    size = tree.states[at].deck_size[tier]
    for seat in range(MAX_SEATS):
        baseline[seat] = 0.0
    for place in range(size):
        tree.states[scratch] = tree.states[at]
        state = tree.states[scratch]
        swap_top_card(state, tier, size, place)
        play(state, edge.action)
        if state.stage == OVER:
            terminal_values(state, tree.values)
        else:
            read_values(net, state, work, forward(net, state, work), tree.values)
        for seat in range(state.players):
            baseline[seat] += tree.values[seat] / size
    edge.is_chance = ENUMERATED
    child = edge.child
    while child != NO_NODE:
        known = tree.nodes[child]
        if known.is_proven == 0:
            for seat in range(MAX_SEATS):
                node.value_sums[seat] += known.visits * (baseline[seat] - known.values[seat])
            edge.value_sum += known.visits * (baseline[node.seat] - known.values[node.seat])
        child = known.sibling
    return size


@inlined
def enumerate_on_path(tree: Tree, depth: int, config: SearchConfig, net: FastNet, work: Workspace) -> int:
    """Enumerate the cards of the first edge of the path that has the visits for it; how many positions were evaluated."""
    for d in range(depth):
        i, at = tree.path_edges[d], tree.path_nodes[d]
        edge = tree.edges[i]
        if edge.is_chance == 1 and edge.is_proven == 0:
            size = tree.states[at].deck_size[deck_drawn_from(edge.action)]
            if edge.visits >= config.visits_per_enumerated_card * size:
                return enumerate_cards(tree, at, i, net, work)
    return 0


@kernel
def run_net_simulations(tree: Tree, config: SearchConfig, net: FastNet, work: Workspace, simulations: int) -> int:
    """About this many simulations, fewer if the root is proven; how many there were. Enumerated cards count as simulations."""
    done = 0
    while done < simulations and tree.nodes[0].is_proven == 0:
        at, depth, _ = select_leaf(tree, config, 0, 0, NO_EDGE)
        if is_open_leaf(tree, at):
            evaluate_with_net(tree, at, net, work)
        backup(tree, depth, at)
        done += 1
        if config.visits_per_enumerated_card > 0.0:
            done += enumerate_on_path(tree, depth, config, net, work)
    return done


@kernel
def init_net_search(tree: Tree, states: Any, seed: int, net: FastNet, work: Workspace) -> None:
    """Put a position at the root of the tree and evaluate it."""
    init_root(tree, states, seed)
    if is_open_leaf(tree, 0):
        evaluate_with_net(tree, 0, net, work)
