"""Matches in several processes."""

from pathlib import Path

import pytest

from cabochon.arena import read_results, run_match

from .results import duel, untimed

pytestmark = pytest.mark.slow


def test_the_same_seed_gives_the_same_games_in_any_number_of_processes(tmp_path: Path) -> None:
    for workers in (1, 2):
        run_match(duel(), 6, workers=workers, file=tmp_path / f"{workers}.jsonl")
    alone, both = (untimed(read_results(tmp_path / f"{workers}.jsonl").games) for workers in (1, 2))
    assert alone == both
    assert 6 == len(alone)
    run_match(duel(seed=2), 6, workers=1, file=tmp_path / "other.jsonl")
    assert alone != untimed(read_results(tmp_path / "other.jsonl").games)
