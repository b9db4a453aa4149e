"""What a net sees in the positions of random games, and what it says at first."""

from typing import Any

import numpy as np

from cabochon.batch import legal
from cabochon.rules.actions import FIRST_ACTION
from cabochon.rules.state import OVER
from cabochon.search.net import Net, new_desk
from cabochon.search.net_features import MOST_SIGHTS, list_sights, name_of
from cabochon.search.net_mcts import EDGES_PER_NODE, begin_guided
from cabochon.search.tree import new_tree
from tests.envs.games import reserving_games

SPARE = 8


def positions(variant: str, players: int, **house: Any) -> Any:
    """Positions of all parts of random games with many reserved cards, none over."""
    parts = [reserving_games(variant, players, 12, decisions, **house) for decisions in (0, 15, 40, 90)]
    states = np.concatenate(parts)
    return states[states["stage"] != OVER]


def sights(state: Any) -> list[list[int]]:
    """What the seat to decide sees of every seat, sorted."""
    facts = np.empty(MOST_SIGHTS + SPARE, np.int32)
    return [sorted(facts[: list_sights(state, seat, facts)].tolist()) for seat in range(state["players"])]


def actions(state: Any) -> list[int]:
    """The legal actions."""
    mask = int(legal(np.array([state]))[0])
    return [int(FIRST_ACTION[state["stage"]]) + bit for bit in range(64) if mask >> bit & 1]


def names(state: Any) -> list[int]:
    return [int(name_of(state, action)) for action in actions(state)]


def first_thoughts(state: Any, net: Net) -> tuple[list[float], dict[int, float]]:
    """The net's chances by seat and its policy by name, before any search."""
    tree = new_tree(2, EDGES_PER_NODE)
    begin_guided(tree, np.array([state]), 1, net, new_desk(net))
    root = tree.nodes[0]
    edges = tree.edges[int(root["first_edge"]) :][: int(root["edge_count"])]
    policy = {int(name_of(state, int(edge["action"]))): float(edge["prior"]) for edge in edges}
    return root["values"][: state["players"]].tolist(), policy
