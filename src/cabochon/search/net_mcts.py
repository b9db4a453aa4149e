# mypy: warn-return-any=False
"""The search with a net: it judges every new position and says at once how promising its moves are.

A simulation has three parts, so that on a GPU many trees can walk first, the net then judges all their new positions together,
and every tree takes in what it said. On the CPU one follows the other.
"""

from typing import Any

from ..rules.actions import FIRST_ACTION
from ..rules.bits import lowest_bit
from ..rules.compile import inlined, kernel
from ..rules.play import legal
from ..rules.state import RETURN
from .linear_eval import soften
from .net import Desk, Net, answer, read_chances, think_over
from .net_features import name_of
from .tree import (
    MOST_DEPTH,
    NO_NODE,
    Style,
    Tree,
    add_edges,
    back_up,
    follow,
    has_room,
    meet,
    returns_in_order,
    select,
    set_root,
    write_values,
)

EDGES_PER_NODE = 26  # every node has its edges at once


@inlined
def walk(tree: Tree, style: Style, first: int) -> tuple[int, int]:
    """From the root, by this edge first if one is said, to a position not seen before; the node and its depth."""
    at, depth, is_new = 0, 0, False
    while not is_new and tree.nodes[at].is_solved == 0 and tree.nodes[at].first_edge != NO_NODE and depth < MOST_DEPTH:
        i = first if depth == 0 and first != NO_NODE else select(tree, at, style)
        child, is_new = follow(tree, at, i, depth, style)
        if child == NO_NODE:
            break
        at = child
        depth += 1
    if is_new:
        meet(tree, at)
    return at, depth


@inlined
def is_unjudged(tree: Tree, at: int) -> bool:
    """Whether a net has still to say what it thinks of a node."""
    return tree.nodes[at].is_over == 0 and tree.nodes[at].first_edge == NO_NODE


@inlined
def list_actions(tree: Tree, at: int) -> int:
    """The moves worth an edge; how many there are."""
    state, n = tree.states[at], 0
    moves, first = legal(state), FIRST_ACTION[state.stage]
    if state.stage == RETURN:
        moves = returns_in_order(state, moves, tree.nodes[at].last_return)
    while moves != 0:
        tree.actions[n] = first + lowest_bit(moves)
        moves &= moves - 1
        n += 1
    return n


@inlined
def take_in(tree: Tree, at: int, count: int) -> None:
    """A node gets the values and the moves just judged."""
    write_values(tree, at)
    if has_room(tree):
        soften(tree.logits, count)
        add_edges(tree, at, count)


@inlined
def judge_by_net(tree: Tree, at: int, net: Net, desk: Desk) -> None:
    """Ask the net about a node."""
    state = tree.states[at]
    think_over(net, state, desk)
    read_chances(net, state, desk, tree.value)
    count = list_actions(tree, at)
    for i in range(count):
        name = name_of(state, tree.actions[i])
        tree.logits[i] = answer(net.names[name], net.names_start[name], desk.hidden[1])
    take_in(tree, at, count)


@kernel
def think_guided(tree: Tree, style: Style, net: Net, desk: Desk, simulations: int) -> int:
    """Up to this many simulations, fewer if the root is solved; how many there were."""
    for done in range(simulations):
        if tree.nodes[0].is_solved != 0:
            return done
        at, depth = walk(tree, style, NO_NODE)
        if is_unjudged(tree, at):
            judge_by_net(tree, at, net, desk)
        back_up(tree, depth, at)
    return simulations


@kernel
def begin_guided(tree: Tree, states: Any, seed: int, net: Net, desk: Desk) -> None:
    """Begin a tree at a position and judge its root."""
    set_root(tree, states, seed)
    if is_unjudged(tree, 0):
        judge_by_net(tree, 0, net, desk)
