"""The search with a net: what is near the end is proven, and cards that are revealed do not decide by luck."""

from typing import Any

from cabochon.batch import deal
from cabochon.bots import Budget
from cabochon.rules.actions import BUY, RESERVE, RESERVE_DECK, deck_drawn_from
from cabochon.rules.gems import pack
from cabochon.search import analyse
from cabochon.search.analysis import NET_SEARCH
from cabochon.search.mcts import SearchConfig
from cabochon.search.net import fast_net, new_workspace, random_net
from cabochon.search.net_mcts import NET_EDGES_PER_NODE, init_net_search, run_net_simulations
from cabochon.search.tree import NO_NODE, Tree, new_tree
from tests.support.positions import position

COMMON = NET_SEARCH._replace(has_common_cards=True)
NET = fast_net(random_net(32, 16))  # one that knows nothing visits many moves


def test_a_win_is_proven_and_played() -> None:
    slots = {"1a": "w1 4g", "1b": "w 3u"}
    market = {f"{tier}{place}": slots.get(f"{tier}{place}", "-") for tier in (1, 2, 3) for place in "abcd"}
    game = position(market=market, tokens="4g3u", points=14, points1=14, turn=1, tokens1="4g3u")
    found = analyse(game.view(game.turn), Budget(nodes=50), config=NET_SEARCH)
    assert "buy 1a" == str(found.best)
    assert (0.0, 1.0) == found.moves[0].values
    assert found.moves[0].is_proven


def rich() -> Any:
    """A deal in which both seats can buy much."""
    states = deal("classic", 2, [7])
    states["bonuses"][:, :2] = pack((1, 1, 1, 1, 1))
    states["tokens"][:, :2] = pack((2, 2, 2, 2, 2))
    states["bank"] -= 2 * pack((2, 2, 2, 2, 2))
    return states


def grown(config: SearchConfig, nodes: int, seed: int = 1) -> Tree:
    """The tree of a search."""
    tree, work = new_tree(nodes + 2, NET_EDGES_PER_NODE), new_workspace(NET)
    init_net_search(tree, rich(), seed)
    run_net_simulations(tree, config, NET, work, nodes)
    return tree


def root_edges(tree: Tree) -> Any:
    """The edges of the root that reveal a card in the market."""
    root = tree.nodes[0]
    edges = tree.edges[int(root["first_edge"]) :][: int(root["edge_count"])]
    return [edge for edge in edges if edge["is_chance"] and not RESERVE_DECK <= edge["action"] < BUY]


def children_of(tree: Tree, edge: Any) -> list[int]:
    """The nodes that an edge leads to, the oldest first."""
    child, found = int(edge["child"]), []
    while child != NO_NODE:
        found.append(child)
        child = int(tree.nodes[child]["sibling"])
    return found[::-1]


def revealed(tree: Tree, edge: Any) -> list[int]:
    """The cards that the children of an edge have revealed."""
    action = int(edge["action"])
    slot = action - (BUY if action >= BUY else RESERVE)
    return [int(tree.states[child]["market"][slot]) for child in children_of(tree, edge)]


def test_moves_of_a_node_are_compared_on_the_same_cards() -> None:
    tree = grown(COMMON, 1200)
    orders: dict[int, list[int]] = {}
    for edge in root_edges(tree):
        cards = revealed(tree, edge)
        assert len(cards) == len(set(cards))
        order = orders.setdefault(deck_drawn_from(int(edge["action"])), [])
        shared = min(len(order), len(cards))
        assert order[:shared] == cards[:shared]
        orders[deck_drawn_from(int(edge["action"]))] = max(order, cards, key=len)
    assert sum(len(order) > 1 for order in orders.values()) > 1
    other = [revealed(grown(COMMON, 300, seed), edge) for seed in (2, 3) for edge in root_edges(grown(COMMON, 300, seed))]
    assert len({tuple(cards[:1]) for cards in other if cards}) > 3, "another seed has other cards"


def test_a_small_deck_has_no_more_children_than_cards() -> None:
    config = COMMON._replace(max_chance_children=40, visits_per_chance_child=0.01)
    tree, work, states = new_tree(500, NET_EDGES_PER_NODE), new_workspace(NET), rich()
    states["deck_size"] = 2
    init_net_search(tree, states, 1)
    run_net_simulations(tree, config, NET, work, 400)
    counts = [len(revealed(tree, edge)) for edge in root_edges(tree) if edge["visits"] > 4]
    assert counts
    assert {2} == set(counts)
