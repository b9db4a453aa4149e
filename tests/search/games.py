"""Games and positions for the tests of the search."""

from typing import Any

import numpy as np

from cabochon import Game, View
from cabochon.batch import choose, deal, play
from cabochon.rules.state import OVER

GAMES = [(variant, players) for variant in ("classic", "marvel") for players in (2, 3, 4)]
ALL_GAMES = [*GAMES, *(("cities", players) for players in (2, 3, 4))]


def played(variant: str, players: int, seed: int, moves: int, **house: Any) -> Game:
    """A game after some random moves, or shortly before it is over."""
    game, rng = Game(variant, players, seed=seed, **house), np.random.default_rng(seed)
    for _ in range(moves):
        before = game.copy()
        game.play(game.legal_moves()[rng.integers(len(game.legal_moves()))])
        if game.is_over:
            return before
    return game


def own_view(game: Game) -> View:
    return game.view(game.turn)


def random_positions(variant: str, players: int, count: int, moves: int) -> Any:
    """Positions after so many random moves, none over."""
    states, rng = deal(variant, players, np.arange(count)), np.random.default_rng(1)
    for _ in range(moves):
        play(states, choose(states, seeds=rng.integers(0, 2**60, count)))
    return states[states["stage"] != OVER]
