"""Which of two searches chooses better, without whole games between them: `python bench/playouts.py SEARCH OTHER`.

    python bench/playouts.py nodes=3000 nodes=3000,c_puct=0.5 --variant classic --players 4 --positions 1000 --workers 2
    python bench/playouts.py nodes=12000 nodes=120000 --positions 400

Positions come from games of the net. Both searches are asked for their move, most often the same one. Where they differ both
moves are played out many times on the same decks, every seat by the net with a few nodes, and the share of wins is compared. A
match of 400 games knows the share within five points; this knows what a decision is worth within a fifth of a point in two
minutes. But playouts are games of weak players: they have praised moves that won no games (docs/search.md). So what they say is
a reason to play a match, not the end of the question.
"""

import argparse
import math
import random
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from decisions import parse_search  # beside this file
from numpy.typing import NDArray

from cabochon import Game
from cabochon.bots import Budget
from cabochon.learn.calibrate import NetPlayer
from cabochon.learn.games import choose_root_action
from cabochon.rules.bits import count_bits
from cabochon.rules.compile import kernel
from cabochon.rules.play import legal, play
from cabochon.rules.rng import seeded, stir
from cabochon.rules.state import OVER
from cabochon.search import analyse
from cabochon.search.analysis import NET_SEARCH, has_hidden_cards
from cabochon.search.determinize import determinize
from cabochon.search.linear_eval import terminal_values
from cabochon.search.models.net import load_fast_net
from cabochon.search.net import new_workspace
from cabochon.search.net_mcts import NET_EDGES_PER_NODE, init_net_search, run_net_simulations
from cabochon.search.tree import Tree, new_tree
from cabochon.tools.provenance import commit, machine
from cabochon.view import View, sample

GAME_NODES, PLAYOUT_NODES = 32, 16  # of the games that positions come from, and of the playouts
KEPT = 1 / 8  # of the decisions of a game
MAX_DECISIONS = 600  # of a playout: then it is ranked as it stands
PARTS = {"leader below 5 points": (0, 5), "5 to 9": (5, 10), "10 and more": (10, 99)}


class Compared(NamedTuple):
    """A position: the points of the leader, whether the moves differ, and what the second one is worth beside the first."""

    leader: int
    differs: bool
    worth: float


@kernel
def play_out(tree: Tree, starts: Any, scratch: Any, action: int, player: NetPlayer, seat: int, out: Any) -> None:
    """A move in every one of these states, then games of the net to their end: the seat's share of each win."""
    for i in range(starts.shape[0]):
        scratch[0] = starts[i]
        state, random, decisions = scratch[0], seeded(i), 0
        play(state, action)
        while state.stage != OVER and decisions < MAX_DECISIONS:
            decisions += 1
            random = stir(random)
            scratch[1] = state
            determinize(scratch[1], stir(random))
            init_net_search(tree, scratch[1:], random)
            nodes = player.nodes if count_bits(legal(state)) > 1 else 1
            run_net_simulations(tree, player.config, player.net, player.work, nodes)
            play(state, choose_root_action(tree, stir(random), 0))
        terminal_values(state, tree.values)
        out[i] = tree.values[seat]


class Judge:
    """Plays moves out."""

    def __init__(self, variant: str, players: int, playouts: int) -> None:
        net = load_fast_net(variant, players)
        self.player = NetPlayer(NET_SEARCH, net, new_workspace(net), PLAYOUT_NODES)
        self.tree, self.playouts = new_tree(PLAYOUT_NODES + 2, NET_EDGES_PER_NODE), playouts

    def shares(self, starts: Any, action: int, seat: int) -> NDArray[np.float64]:
        """The share of the win in every playout."""
        out = np.zeros(len(starts))
        play_out(self.tree, starts, starts[:2].copy(), action, self.player, seat, out)
        return out

    def worth(self, view: View, moves: tuple[int, int], seed: int) -> float:
        """What the second move is worth beside the first, on the same decks."""
        starts = np.concatenate([sample(view, np.random.default_rng([seed, i])) for i in range(self.playouts)])
        first, second = (self.shares(starts, move, view.turn) for move in moves)
        return float((second - first).mean())


def compare(part: int, options: argparse.Namespace) -> list[Compared]:
    """A worker's part of the positions."""
    seed = options.seed + 1_000_000 * part
    rng, judge = random.Random(seed), Judge(options.variant, options.players, options.playouts)
    searches = [parse_search(text, usual_nets="") for text in options.searches]  # the package's nets, if none are named
    found: list[Compared] = []
    while len(found) * options.workers < options.positions:
        game, seed = Game(options.variant, options.players, seed=seed), seed + 1
        while not game.is_over:
            view = game.view(game.turn)
            is_open = view.stage == "main" and len(game.legal_moves()) > 1
            if is_open and rng.random() < KEPT and (has_hidden_cards(view) or not options.hidden):
                moves = tuple(
                    int(analyse(view, budget, len(found), config=config, nets=nets).best.action)
                    for budget, config, nets in searches
                )
                worth = judge.worth(view, (moves[0], moves[1]), seed) if moves[0] != moves[1] else 0.0
                found.append(Compared(max(game.points), moves[0] != moves[1], worth))
            game.play(analyse(view, Budget(nodes=GAME_NODES), seed, config=NET_SEARCH).best)
    return found


def report(name: str, found: list[Compared]) -> None:
    """A line: how often the moves differ, and what that is worth."""
    if not found:
        return
    worth = 100 * np.array([one.worth for one in found])
    error, differ = 1.96 * worth.std() / math.sqrt(len(worth)), sum(one.differs for one in found)
    print(f"{name:24} {len(found):6} positions, {differ:5} differ, second - first {worth.mean():+.3f} ± {error:.3f} points each")


def main() -> None:
    """Compare two searches."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("searches", nargs=2, metavar="SEARCH", help="a budget and constants: nodes=3000,c_puct=0.5")
    parser.add_argument("--variant", default="classic")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--playouts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=4_000_000)
    parser.add_argument("--hidden", action="store_true", help="only positions in which others hold cards unseen")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    start = time.perf_counter()
    with ProcessPoolExecutor(options.workers) as pool:
        parts = pool.map(compare, range(options.workers), [options] * options.workers)
        found = [one for part in parts for one in part]
    print(f"{options.variant} {options.players}: {' against '.join(options.searches)}  ({commit()}, {machine()}, "
          f"{time.perf_counter() - start:.0f} s)")  # fmt: skip
    report("all", found)
    for name, (low, after) in PARTS.items():
        report(name, [one for one in found if low <= one.leader < after])


if __name__ == "__main__":
    main()
