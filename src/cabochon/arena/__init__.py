"""The arena: matches on paired deals, results with errors, ratings. It needs only numpy, numba and safetensors.

`play_match` plays and sums up; the rest is what it is made of.
"""

from .entrant import Entrant, parse_entrant
from .match import parse_match, play_match, run_match
from .pairings import Fixture, Match
from .report import format_report
from .results import Results, read_results
from .runner import GameResult, play_game
from .statistics import Sprt
from .summary import Standing, Summary, summarise

__all__ = [
    "Entrant", "Fixture", "GameResult", "Match", "Results", "Sprt", "Standing", "Summary",
    "format_report", "parse_entrant", "parse_match", "play_game", "play_match", "read_results", "run_match", "summarise",
]  # fmt: skip
