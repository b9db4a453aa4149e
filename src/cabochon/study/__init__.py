"""Study: what a game teaches. `review` judges every decision of a game, and tells skill and luck apart."""

from .plot import plot
from .report import as_json, format_html, format_text
from .review import Decision, MoveChance, Review, SeatSummary, decisions, review

__all__ = [
    "Decision",
    "MoveChance",
    "Review",
    "SeatSummary",
    "as_json",
    "decisions",
    "format_html",
    "format_text",
    "plot",
    "review",
]
