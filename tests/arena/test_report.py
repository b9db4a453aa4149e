"""The report of a match."""

from dataclasses import replace

import pytest

from cabochon.arena import Sprt, format_report, summarise
from cabochon.arena.runner import CUT

from .results import deals_of

pytestmark = pytest.mark.slow


def test_the_result_in_words() -> None:
    scores = [1.0, 0.5, 0.75, 0.0, 1.0, 0.5]
    games = deals_of(scores)
    games[2] = replace(games[2], reason=CUT)
    games[3] = replace(games[3], reason="forfeit", why="b: silent")
    assert [
        "12 games on 6 deals, 50.0 moves a game",
        "a  +7 =1 -4  62.5 % ± 30.3 (fair share 50 %)  rating difference +89 ± 287  0.0 ms a move, longest 0.00 s",
        "b  +4 =1 -7  37.5 % ± 30.3 (fair share 50 %)  rating difference -89 ± 287  0.0 ms a move, longest 0.00 s",
        "1 games were cut and count as draws",
        "forfeit: b: silent",
        "SPRT [0, 10]: not decided; LLR 0.07 (-2.94, 2.94), pairs 1, 0, 2, 1, 2",
    ] == format_report(summarise(games, Sprt(0, 10))).splitlines()
