"""The ladder of named opponents. `master` and `legend` have a second; the others have a fixed number of nodes on any machine."""

import logging
import random
from dataclasses import dataclass
from functools import cache

from ..errors import CabochonError
from ..notation.move import Move
from ..search.analysis import LINEAR_SEARCH, NET_SEARCH, Analysis, Signal, analyse
from ..search.budget import Budget, require_budget
from ..search.mcts import BY_NET, BY_ROLLOUT, SearchConfig
from ..search.models.net import net_path
from ..view import View
from .base import NO_LIMIT, Analyst, BaseBot, Thought, check, fresh_seed

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Level(BaseBot):
    """A tree search of fixed strength.

    With a `temperature` above 0 it samples among the moves it searched, instead of playing the best one: so the weak levels
    make mistakes. `nets` is a folder of nets to use in place of the package's own.
    """

    name: str
    character: str
    default_budget: Budget
    temperature: float = 0.0
    config: SearchConfig = LINEAR_SEARCH
    nets: str = ""

    @property
    def analyst(self) -> Analyst | None:
        return None if self.temperature else self

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int | None = None, stop: Signal | None = None) -> Move:
        return self.think(view, budget, seed, stop).move

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int | None = None, stop: Signal | None = None) -> Thought:
        check(view)
        seed = fresh_seed(seed)
        found = self.analyse(view, budget, seed, stop=stop)
        move = sample_move(found, self.temperature, seed) if self.temperature else found.best
        return Thought(move, found.nodes, found.seconds)

    def analyse(
        self,
        view: View,
        budget: Budget = NO_LIMIT,
        seed: int = 0,
        *,
        threads: int = 1,
        stop: Signal | None = None,
        lines: int = 0,
    ) -> Analysis:
        """The result of the search within the budget, or within the level's own if the budget has no limit."""
        limited = budget if require_budget(budget).nodes or budget.seconds else self.default_budget
        config = self.config_for(view)
        return analyse(view, limited, seed, config=config, threads=threads, stop=stop, nets=self.nets, lines=lines)

    def config_for(self, view: View) -> SearchConfig:
        """The search of this level; without a net if there is none for this game. A folder that was asked for must have one."""
        rules = view.rules
        if self.config.method != BY_NET or self.nets or has_net(rules.variant, rules.players):
            return self.config
        return LINEAR_SEARCH


def has_net(variant: str, players: int) -> bool:
    """Whether there is a net for this game; a missing one is logged."""
    try:
        net_path(variant, players)
    except CabochonError as error:
        warn_once(f"{error}: bots that use a net search without one")
        return False
    return True


@cache
def warn_once(text: str) -> None:
    """Log a warning, the same one only once in a process: it would come with every move."""
    log.warning(text)


def sample_move(found: Analysis, temperature: float, seed: int) -> Move:
    """A move drawn with weights (prior + visits) ** (1 / temperature); a proven win is always played.

    AlphaZero draws by visits alone. With a budget of one node there are none, so the prior decides.
    """
    best = found.moves[0]
    if best.is_proven:
        return best.move
    weights = [(one.prior + one.visits) ** (1 / temperature) for one in found.moves]
    return random.Random(seed).choices([one.move for one in found.moves], weights)[0]


MASTER = Level("master", "weighs everything in sight", Budget(seconds=1.0))
LEGEND = Level("legend", "the strongest: learnt from its own games alone", Budget(seconds=1.0), config=NET_SEARCH)
LEVELS = (
    Level("apprentice", "a first game: sees little and forgets much", Budget(nodes=1), temperature=1.5),
    Level("pedlar", "knows what is cheap, misses what you are up to", Budget(nodes=1), temperature=1.0),
    Level("merchant", "plans a few purchases ahead", Budget(nodes=48), temperature=0.2),
    Level("cutter", "counts, races and reserves in time", Budget(nodes=200)),
    Level("jeweller", "sees most of what is coming", Budget(nodes=1200)),
    MASTER,
    Level("virtuoso", "knows at a glance what is good", Budget(nodes=16), config=NET_SEARCH),
    LEGEND,
)
ROLLOUT = Level(
    "rollout", "plays every position out at random and counts who wins", Budget(seconds=1.0),
    config=SearchConfig(method=BY_ROLLOUT, c_puct=0.7, max_chance_children=8),
)  # fmt: skip
