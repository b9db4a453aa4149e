"""The arena: matches on paired deals, results with errors, ratings. It needs numpy and numba only (ratings need more)."""

from .entrant import Entrant, parse_entrant
from .match import match_of, run_match
from .pairing import Fixture, Match
from .playing import Played, play_game
from .results import Results, read_results
from .statistics import Sprt
from .tally import Standing, Tally, tally
from .telling import tell

__all__ = [
    "Entrant", "Fixture", "Match", "Played", "Results", "Sprt", "Standing", "Tally",
    "match_of", "parse_entrant", "play_game", "read_results", "run_match", "tally", "tell",
]  # fmt: skip
