"""The arena: matches on paired deals, results with errors, ratings. It needs numpy and numba only (ratings need more)."""

from .entrant import Entrant, parse_entrant
from .match import match_of, run_match
from .pairings import Fixture, Match
from .report import tell
from .results import Results, read_results
from .runner import Played, play_game
from .statistics import Sprt
from .summary import Standing, Tally, tally

__all__ = [
    "Entrant", "Fixture", "Match", "Played", "Results", "Sprt", "Standing", "Tally",
    "match_of", "parse_entrant", "play_game", "read_results", "run_match", "tally", "tell",
]  # fmt: skip
