# mypy: warn-return-any=False
"""Units of hidden1 that never do anything are left out of a net: it says the same, and a search is faster.

Learning leaves some units below zero in every position (dormant neurons: Sokar et al. 2023). A search meets odder positions than
a game, so all positions of many search trees are looked at. Fewer units of hidden2 would not make a search faster.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..rules.compile import kernel
from ..rules.deal import ANY_START, deal_from
from ..rules.play import play, random_action
from ..rules.rng import below, seeded, stir
from ..rules.state import OVER
from ..ruleset import blank_states, ruleset
from ..search.analysis import NET_SEARCH
from ..search.determinize import determinize
from ..search.mcts import SearchConfig
from ..search.net import FastNet, Net, Workspace, fast_net, forward, new_workspace
from ..search.net_mcts import NET_EDGES_PER_NODE, init_net_search, run_net_simulations
from ..search.tree import NODE_COUNT, Tree, new_tree
from .games import MAX_TURNS, choose_root_action

NODES = 1000  # of a tree whose positions are looked at
PLAY_NODES = 16  # of a decision in between
LOOKED_AT, RANDOM = 4, 7  # one decision in so many is looked at; one in so many is played at random
RARE = 0.005  # a unit above zero in a smaller part of the positions is left out too
FIRST_SEED = 5_000_001


Counts = NDArray[np.int64]


@kernel
def count_positions(tree: Tree, net: FastNet, work: Workspace, counts: Counts) -> int:
    """Count for every unit of hidden1 in how many positions of a tree it is above zero; how many positions these are."""
    looked_at = 0
    for i in range(tree.counters[NODE_COUNT]):
        if tree.states[i].stage == OVER:
            continue
        forward(net, tree.states[i], work)
        looked_at += 1
        for unit in range(counts.shape[0]):
            counts[unit] += work.units1[unit] > 0
    return looked_at


@kernel
def count_game(tree: Tree, states: Any, config: SearchConfig, net: FastNet, work: Workspace, counts: Counts, seed: int) -> int:
    """Count in the trees of a game of the net against itself, with some random moves; how many positions were looked at."""
    state, looked_at, random = states[0], 0, seeded(seed + 1)
    deal_from(state, seed, ANY_START)
    while state.stage != OVER and state.turns < MAX_TURNS:
        random = stir(random)
        is_looked_at = below(stir(random), LOOKED_AT) == 0
        states[1] = state
        determinize(states[1], random)
        init_net_search(tree, states[1:], random)
        run_net_simulations(tree, config, net, work, NODES if is_looked_at else PLAY_NODES)
        if is_looked_at:
            looked_at += count_positions(tree, net, work, counts)
        random = stir(random)
        is_random = below(stir(random), RANDOM) == 0
        play(state, random_action(state, random) if is_random else choose_root_action(tree, random, 1))
    return looked_at


def parts_active(net: Net, variant: str, players: int, positions: int) -> NDArray[np.float64]:
    """The part of at least so many positions in which each unit of hidden1 is above zero."""
    whole, looked_at, seed = fast_net(net), 0, FIRST_SEED
    work, tree = new_workspace(whole), new_tree(NODES + 2, NET_EDGES_PER_NODE)
    counts, states = np.zeros(net.hidden1_bias.size, np.int64), blank_states(ruleset(variant, players, {}), 2)
    while looked_at < positions:
        looked_at += count_game(tree, states, NET_SEARCH, whole, work, counts, seed)
        seed += 1
    found: NDArray[np.float64] = counts / looked_at
    return found


def pruned(net: Net, variant: str, players: tuple[int, ...], positions: int) -> Net:
    """The net without the units of hidden1 that do next to nothing in so many positions with each number of players."""
    is_kept = np.zeros(net.hidden1_bias.size, bool)
    for count in players:
        is_kept |= parts_active(net, variant, count, positions) >= RARE
    return net._replace(hidden1=net.hidden1[:, is_kept], hidden1_bias=net.hidden1_bias[is_kept], hidden2=net.hidden2[is_kept])
