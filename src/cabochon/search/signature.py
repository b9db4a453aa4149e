"""One number for what the search does: fixed positions, fixed budgets. If it changes, the search plays differently."""

import zlib
from collections.abc import Iterator

from ..game import Game
from .analysis import LINEAR_SEARCH, analyse
from .budget import Budget
from .mcts import SearchConfig

GAMES = tuple((variant, players) for variant in ("classic", "marvel") for players in (2, 3, 4))
MOVES_BEFORE = (0, 14, 40)
NODES_BEFORE, NODES = 12, 2000


def positions() -> Iterator[Game]:
    """The beginning, an early and a later position of each game, played by tiny searches."""
    for seed, (variant, players) in enumerate(GAMES):
        game = Game(variant, players, seed=seed, start=0)
        for number in range(MOVES_BEFORE[-1] + 1):
            if number in MOVES_BEFORE:
                yield game
            game.play(analyse(game.view(game.turn), Budget(nodes=NODES_BEFORE), number).best)


def signature(config: SearchConfig = LINEAR_SEARCH) -> tuple[int, list[str], int]:
    """How many nodes were searched in all, the best moves, and both as one number."""
    analyses = [analyse(game.view(game.turn), Budget(nodes=NODES), 1, config=config) for game in positions()]
    nodes, moves = sum(one.nodes for one in analyses), [str(one.best) for one in analyses]
    return nodes, moves, zlib.crc32(f"{nodes} {'; '.join(moves)}".encode())
