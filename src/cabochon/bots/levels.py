"""The ladder of named opponents. `master` and `legend` take a second, the others a fixed number of positions on any machine."""

import random
from dataclasses import dataclass

from ..notation.move import Move
from ..search.analysis import LINEAR_SEARCH, NET_SEARCH, Analysis, Signal, analyse
from ..search.budget import Budget
from ..search.mcts import BY_ROLLOUT, SearchConfig
from ..view import View
from .base import Thought, check


@dataclass(frozen=True, slots=True)
class Level:
    """A searcher: how much it looks at if nothing is said, and how often it does not play what it found best.

    `nets` is a folder of nets to use in place of the package's own.
    """

    name: str
    character: str
    usual: Budget
    looseness: float = 0.0
    config: SearchConfig = LINEAR_SEARCH
    nets: str = ""

    def choose(self, view: View, budget: Budget, seed: int, stop: Signal | None = None) -> Move:
        """The move looked at most; a loose level draws among those it looked at."""
        return self.think(view, budget, seed, stop).move

    def think(self, view: View, budget: Budget, seed: int, stop: Signal | None = None) -> Thought:
        """The same, with what it took."""
        check(view)
        found = self.analyse(view, budget, seed, stop=stop)
        move = _drawn(found, self.looseness, seed) if self.looseness else found.best
        return Thought(move, found.nodes, found.seconds)

    def analyse(self, view: View, budget: Budget, seed: int, *, threads: int = 1, stop: Signal | None = None) -> Analysis:
        """What the search finds within the budget, or within the usual one if it says nothing."""
        said = budget if budget.nodes or budget.seconds else self.usual
        return analyse(view, said, seed, config=self.config, threads=threads, stop=stop, nets=self.nets)


def _drawn(found: Analysis, looseness: float, seed: int) -> Move:
    """A move drawn by how promising it is and how much it was looked at; a sure win is always played."""
    best = found.moves[0]
    if best.is_proven:
        return best.move
    weights = [(one.prior + one.visits) ** (1 / looseness) for one in found.moves]
    return random.Random(seed).choices([one.move for one in found.moves], weights)[0]


LEVELS = (
    Level("apprentice", "a first game: sees little and forgets much", Budget(nodes=1), looseness=1.5),
    Level("pedlar", "knows what is cheap, misses what you are up to", Budget(nodes=1), looseness=1.0),
    Level("merchant", "plans a few purchases ahead", Budget(nodes=48), looseness=0.2),
    Level("cutter", "counts, races and reserves in time", Budget(nodes=200)),
    Level("jeweller", "sees most of what is coming", Budget(nodes=1200)),
    Level("master", "weighs everything in sight", Budget(seconds=1.0)),
    Level("virtuoso", "knows at a glance what is good", Budget(nodes=16), config=NET_SEARCH),
    Level("legend", "the strongest: learnt from its own games alone", Budget(seconds=1.0), config=NET_SEARCH),
)
ROLLOUT = Level(
    "rollout", "plays every position out at random and counts who wins", Budget(seconds=1.0),
    config=SearchConfig(method=BY_ROLLOUT, c_puct=0.7, max_chance_children=8),
)  # fmt: skip
