# mypy: warn-return-any=False
"""What every kind of self-play does on the CPU: choose a move at the root, and write the result into a game's positions."""

from typing import Any

from ..rules.compile import inlined, kernel
from ..rules.rng import below
from ..search.linear_eval import terminal_values
from ..search.tree import NO_EDGE, Tree, most_visited_edge, proven_best_edge

MAX_TURNS = 400  # a game that goes on is not kept


@inlined
def best_root_edge(tree: Tree) -> int:
    """The root's edge that is proven best, or the most visited one."""
    proven = proven_best_edge(tree)
    return most_visited_edge(tree) if proven == NO_EDGE else proven


@kernel
def choose_root_action(tree: Tree, random: int, is_sampled: int) -> int:
    """The action that is proven best, or the most visited one; or one drawn by visits (temperature 1)."""
    root = tree.nodes[0]
    first, after, visits = root.first_edge, root.first_edge + root.edge_count, 0
    for i in range(first, after):
        visits += tree.edges[i].visits
    if is_sampled != 0 and visits > 0 and proven_best_edge(tree) == NO_EDGE:
        drawn = below(random, visits)
        for i in range(first, after):
            drawn -= tree.edges[i].visits
            if drawn < 0:
                return tree.edges[i].action
    return tree.edges[best_root_edge(tree)].action


@kernel
def record_result(results: Any, first: int, after: int, state: Any, values: Any) -> None:
    """Write how a game ended into its positions, from `first` to `after`."""
    terminal_values(state, values)
    for at in range(first, after):
        for seat in range(state.players):
            results[at, seat] = values[seat]
