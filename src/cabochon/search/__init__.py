"""Tree search on the record, compiled: who will win, and by which moves. It is given a View and never sees what is hidden."""

from .analysis import Analysis, Considered, analyse
from .tree import Style

__all__ = ["Analysis", "Considered", "Style", "analyse"]
