"""Monte Carlo tree search: what its simulations leave out, and that what they play is legal."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cabochon.batch import deal
from cabochon.rules.compile import kernel
from cabochon.rules.gems import pack, total, unpack
from cabochon.rules.play import is_legal
from cabochon.rules.play import play as play_action
from cabochon.rules.rng import seeded, stir
from cabochon.rules.state import OVER
from cabochon.ruleset import blank_states, ruleset
from cabochon.search.analysis import LINEAR_SEARCH
from cabochon.search.mcts import init_search, ordered_returns, run_simulations
from cabochon.search.models.linear import load_weights
from cabochon.search.tree import allocate_node, child_in_turn, least_visited_child, link_child, new_tree

from .games import GAMES

SEARCHED_MOVES = 1_000_000


def test_a_tree_that_is_full_is_still_looked_at() -> None:
    weights = load_weights("classic", 2)
    tree = new_tree(50)
    init_search(tree, deal("classic", 2, [1]), 1, LINEAR_SEARCH, weights)
    assert 500 == run_simulations(tree, LINEAR_SEARCH, weights, 500)
    assert 500 == tree.nodes[0]["visits"]


@kernel
def _visits_out_of_turn(tree: Any, is_new: Any) -> int:
    """Visit the children of an edge, some of them new; how often it was not the least visited one's turn."""
    wrong, edge = 0, tree.edges[0]
    edge.child, edge.child_count = -1, 0
    for i in range(is_new.shape[0]):
        if is_new[i] or i == 0:
            child = allocate_node(tree)
            link_child(tree, 0, child)
        else:
            least = least_visited_child(tree, edge)
            child = child_in_turn(tree, edge)
            wrong += child != least
        tree.nodes[child].visits += 1
    return wrong


@given(st.lists(st.integers(1, 40), max_size=12))
def test_the_children_of_an_edge_take_turns(visits_between: list[int]) -> None:
    is_new = np.concatenate([np.arange(visits) == 0 for visits in [*visits_between, 100]])
    tree = new_tree(20)
    tree.counters[:] = 0
    assert 0 == _visits_out_of_turn(tree, is_new)


@kernel
def _moves_in_order(tokens: int, limit: int, states: Any, last: int, found: Any, count: int) -> int:
    """Every hand that ordered returns lead to."""
    state = states[0]
    state.tokens[0] = tokens
    state.token_limit = limit
    if total(tokens) <= limit:
        found[count] = tokens
        return count + 1
    moves = ordered_returns(state, 0b111111, last)
    for kind in range(6):
        if moves >> kind & 1 and tokens >> 8 * kind & 0xFF:
            count = _moves_in_order(tokens - (1 << 8 * kind), limit, states, kind, found, count)
    return count


def _all_hands(tokens: tuple[int, ...], limit: int) -> set[tuple[int, ...]]:
    if sum(tokens) <= limit:
        return {tokens}
    fewer = [(*tokens[:i], tokens[i] - 1, *tokens[i + 1 :]) for i in range(6) if tokens[i]]
    return {hand for left in fewer for hand in _all_hands(left, limit)}


@settings(deadline=None)
@given(st.lists(st.integers(0, 4), min_size=6, max_size=6), st.integers(1, 3))
def test_returns_in_order_lead_to_every_hand_once(counts: list[int], over: int) -> None:
    tokens = (*counts, 0)
    limit = max(0, sum(tokens) - over)
    found = np.zeros(500, np.int64)
    count = _moves_in_order(pack(tokens), limit, blank_states(ruleset("classic", 2, {}), 1), 0, found, 0)
    hands = [unpack(hand) for hand in found[:count].tolist()]
    assert sorted(_all_hands(tokens, limit)) == sorted(hands)


@kernel
def _play_searched(tree: Any, states: Any, config: Any, weights: Any, nodes: int, moves: int, seed: int) -> int:
    """Play games by tiny searches, any visited move; how many moves were not legal."""
    wrong = 0
    state, random = states[0], seeded(seed)
    fresh = states[1]
    for _ in range(moves):
        random = stir(random)
        if state.stage == OVER or state.turns > 300:
            states[0] = fresh
        init_search(tree, states, random, config, weights)
        run_simulations(tree, config, weights, nodes)
        root = tree.nodes[0]
        edge = tree.edges[root.first_edge + (random >> 20 & 0xFFFF) % min(nodes, root.edge_count)]
        action = edge.action
        if is_legal(state, action):
            play_action(state, action)
        else:
            wrong += 1
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("variant, players", GAMES)
def test_a_million_searched_moves_are_legal(variant: str, players: int) -> None:
    weights = load_weights(variant, players)
    states = deal(variant, players, [3, 3], start=0)
    tree = new_tree(16)
    assert 0 == _play_searched(tree, states, LINEAR_SEARCH, weights, 2, SEARCHED_MOVES // len(GAMES) + 1, 5)
