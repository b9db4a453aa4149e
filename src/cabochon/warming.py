"""Compiling before it is needed: the first call of a compiled function takes seconds, all later ones nothing."""

import time

from .game import Game
from .rules.variants import VARIANTS

SEED = 1
RULES_MOVES = 12  # enough to meet every kernel of a game
LOOKED_AT = 16
COMMON_BOTS = ("greedy", "legend", "master")


def warm_up(*bots: str, variant: str = "classic", players: int = 2) -> float:
    """Compile what a game with these bots needs, or load it from disk, so that no clock waits for it. The seconds that took.

    Without names: for `greedy`, `legend` and `master`, which is what all bots need. A line on the terminal or in a notebook
    tells how far it is. What was compiled is kept on disk: on one machine it happens once for every version.
    """
    from .bots import Budget, bot  # not above: whoever only wants the rules need not wait for the search

    before = time.perf_counter()
    warm_up_rules(variant)
    game = Game(variant, players, seed=SEED)
    for name in bots or COMMON_BOTS:
        bot(name).choose(game.view(game.turn), Budget(nodes=LOOKED_AT), SEED)
    return time.perf_counter() - before


def warm_up_rules(*variants: str) -> None:
    """Call once every compiled function that a game needs; without names, in all variants."""
    from .bots import Budget, bot

    for variant in variants or VARIANTS:
        game = Game(variant, 2, seed=SEED)
        for number in range(RULES_MOVES):
            view = game.view(game.turn)
            game.play(bot("greedy").choose(view, Budget(), number))
            game.why_not("pass")
        if game.legal_moves(payments=True):
            game.undo()
