# mypy: warn-return-any=False
"""Monte Carlo tree search with a net, which gives a leaf its values and its priors at once (AlphaZero).

The tree, selection and backup are those of `mcts`. What differs: a node is expanded when it is evaluated, not at its second
visit, since the net computes the priors anyway.

A simulation has three parts: select a leaf, evaluate it, expand and back up. On a GPU (`cabochon.learn.net.selfplay`) many trees
select first, the net then evaluates all their leaves as one batch, and every tree expands with its own part of the output. On the
CPU one part follows the other.
"""

from typing import Any

from ..rules.compile import inlined, kernel
from .linear_eval import softmax_inplace
from .mcts import SearchConfig, add_edges, init_root, list_actions, select_leaf
from .net import FastNet, Workspace, forward, policy_logit, read_values
from .net_features import policy_index
from .tree import NO_EDGE, ROOT, TOP, Tree, backup, has_edge_capacity, is_open_leaf, set_values

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
    forward(net, state, work)
    read_values(net, state, work, tree.values)
    count = list_actions(tree, at)
    for i in range(count):
        tree.logits[i] = policy_logit(net, work, policy_index(state, tree.actions[i]))
    expand_leaf(tree, at, count)


@kernel
def run_net_simulations(tree: Tree, config: SearchConfig, net: FastNet, work: Workspace, simulations: int) -> int:
    """Up to this many simulations, fewer if the root is proven; how many there were. A new root is evaluated before them.

    The net is in this function once: it is large, and every place it is evaluated at takes a second to compile.
    """
    done = 0
    while tree.nodes[ROOT].is_proven == 0:
        is_new_root = is_open_leaf(tree, ROOT)
        if done >= simulations and not is_new_root:
            break
        at, depth, _ = select_leaf(tree, config, ROOT, TOP, NO_EDGE)
        if is_open_leaf(tree, at):
            evaluate_with_net(tree, at, net, work)
        if not is_new_root:
            backup(tree, depth, at)
            done += 1
    return done


@kernel
def init_net_search(tree: Tree, states: Any, seed: int) -> None:
    """Put a position at the root of the tree; `run_net_simulations` evaluates it first."""
    init_root(tree, states, seed)
