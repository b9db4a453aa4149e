"""A net's input in the positions of random games, and its first output."""

from typing import Any

import numpy as np

from cabochon.batch import legal
from cabochon.rules.actions import FIRST_ACTION
from cabochon.rules.state import OVER
from cabochon.search.analysis import NET_SEARCH
from cabochon.search.net import FastNet, Net, fast_net, new_workspace
from cabochon.search.net_features import MAX_NET_ACTIVE, list_net_features, policy_index
from cabochon.search.net_mcts import NET_EDGES_PER_NODE, init_net_search, run_net_simulations
from cabochon.search.tree import new_tree
from tests.envs.games import reserving_games

SPARE = 8


def positions(variant: str, players: int, **house: Any) -> Any:
    """Positions of all parts of random games with many reserved cards, none over."""
    parts = [reserving_games(variant, players, 12, decisions, **house) for decisions in (0, 15, 40, 90)]
    states = np.concatenate(parts)
    return states[states["stage"] != OVER]


def net_features(state: Any) -> list[list[int]]:
    """The active features of every seat as the seat to decide knows them, sorted."""
    features = np.empty(MAX_NET_ACTIVE + SPARE, np.int32)
    return [sorted(features[: list_net_features(state, seat, features)].tolist()) for seat in range(state["players"])]


def actions(state: Any) -> list[int]:
    """The legal actions."""
    mask = int(legal(np.array([state]))[0])
    return [int(FIRST_ACTION[state["stage"]]) + bit for bit in range(64) if mask >> bit & 1]


def policy_indices(state: Any) -> list[int]:
    return [int(policy_index(state, action)) for action in actions(state)]


_converted: dict[int, tuple[Net, FastNet]] = {}


def converted(net: Net) -> FastNet:
    """The net as the search uses it, converted once: that takes longer than an evaluation."""
    if id(net) not in _converted:
        _converted[id(net)] = net, fast_net(net)  # the net is kept, so that no other has its id
    return _converted[id(net)][1]


def first_evaluation(state: Any, net: Net) -> tuple[list[float], dict[int, float]]:
    """The net's values by seat and its policy by index, before any search."""
    tree, fast = new_tree(2, NET_EDGES_PER_NODE), converted(net)
    init_net_search(tree, np.array([state]), 1)
    run_net_simulations(tree, NET_SEARCH, fast, new_workspace(fast), 0)
    root = tree.nodes[0]
    edges = tree.edges[int(root["first_edge"]) :][: int(root["edge_count"])]
    policy = {int(policy_index(state, int(edge["action"]))): float(edge["prior"]) for edge in edges}
    return root["values"][: state["players"]].tolist(), policy
