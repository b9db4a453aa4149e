"""Named opponents: a bot takes a View and a Budget and returns a Move. It is never shown what is hidden."""

from ..errors import CabochonError
from ..search.budget import Budget
from .base import Bot, Greedy, Random, Thinker, Thought, legal_moves, think
from .levels import LEVELS, ROLLOUT, Level

__all__ = [
    "BOTS",
    "LEVELS",
    "YARDSTICKS",
    "Bot",
    "Budget",
    "Greedy",
    "Level",
    "Random",
    "Thinker",
    "Thought",
    "bot",
    "legal_moves",
    "think",
]

_WEAK_TO_STRONG: tuple[Bot, ...] = (Random(), LEVELS[0], Greedy(), *LEVELS[1:])
BOTS: dict[str, Bot] = {player.name: player for player in _WEAK_TO_STRONG}
YARDSTICKS: dict[str, Bot] = {ROLLOUT.name: ROLLOUT}  # to measure by, not to play against


def bot(name: str) -> Bot:
    """The bot of this name."""
    found = BOTS.get(name) or YARDSTICKS.get(name)
    if found is None:
        raise CabochonError(f"unknown bot {name!r}: choose one of {', '.join((*BOTS, *YARDSTICKS))}")
    return found
