"""Named opponents: a bot takes a View and a Budget and returns a Move. It never gets what its seat may not know."""

from ..search.budget import Budget
from .base import NO_LIMIT, Analyst, BaseBot, Bot, Thought, legal_moves
from .levels import LEVELS, Level
from .policy import Policy, PolicyBot
from .registry import BOTS, YARDSTICKS, AnyBot, FunctionBot, add_bot, bot, bot_of
from .searchless import Greedy, Random

__all__ = [
    "BOTS", "LEVELS", "NO_LIMIT", "YARDSTICKS", "Analyst", "AnyBot", "BaseBot", "Bot", "Budget", "FunctionBot", "Greedy", "Level",
    "Policy", "PolicyBot", "Random", "Thought", "add_bot", "bot", "bot_of", "legal_moves",
]  # fmt: skip
