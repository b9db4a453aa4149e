"""Tree search on the record, compiled: who will win, and by which moves. It is given a View and never sees what is hidden."""

from .analysis import LINEAR_SEARCH, NET_SEARCH, Analysis, MoveStats, analyse
from .budget import Budget
from .evaluate import Evaluation, evaluate
from .mcts import SearchConfig

__all__ = [
    "LINEAR_SEARCH", "NET_SEARCH", "Analysis", "Budget", "Evaluation", "MoveStats", "SearchConfig", "analyse", "evaluate",
]  # fmt: skip
