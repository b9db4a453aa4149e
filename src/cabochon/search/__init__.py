"""Tree search on the record, compiled: who will win, and by which moves. It is given a View and never sees what is hidden."""

from .analysis import Analysis, MoveStats, analyse
from .mcts import SearchConfig

__all__ = ["Analysis", "MoveStats", "SearchConfig", "analyse"]
