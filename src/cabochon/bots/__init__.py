"""Named opponents: a bot takes a View and a Budget and returns a Move. It never gets what its seat may not know."""

from ..search.budget import Budget
from .base import Analyst, BaseBot, Bot, Thought, legal_moves
from .levels import LEVELS, Level
from .registry import BOTS, YARDSTICKS, FunctionBot, add_bot, bot
from .searchless import Greedy, Random

__all__ = [
    "BOTS", "LEVELS", "YARDSTICKS", "Analyst", "BaseBot", "Bot", "Budget", "FunctionBot", "Greedy", "Level", "Random", "Thought",
    "add_bot", "bot", "legal_moves",
]  # fmt: skip
