"""Compile what most tests use, beside the checks that come before them: each process of pytest would compile it all again."""

from cabochon import Game
from cabochon.bots import Budget, bot
from cabochon.envs import splendor_v0
from cabochon.envs.vector import SplendorVectorEnv
from cabochon.search import analyse
from cabochon.search.analysis import LINEAR_SEARCH, NET_SEARCH

NODES = 8


def main() -> None:
    """The rules and greedy first: everything needs them."""
    game = Game(seed=1)
    shown = game.view(game.turn)
    bot("greedy").choose(shown, Budget(nodes=1), 1)
    for config in (LINEAR_SEARCH, NET_SEARCH):
        analyse(shown, Budget(nodes=NODES), 1, config=config)
    splendor_v0.env().reset(seed=1)
    SplendorVectorEnv(2, opponents="greedy").reset(seed=1)


if __name__ == "__main__":
    main()
