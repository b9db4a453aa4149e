"""Matches on a Ray cluster."""

from pathlib import Path

import pytest

from cabochon.arena import read_results, run_match

from .results import duel, untimed

pytestmark = pytest.mark.slow


def test_a_match_on_a_ray_cluster(tmp_path: Path) -> None:
    run_match(duel(), 4, workers=1, file=tmp_path / "here.jsonl")
    run_match(duel(), 4, file=tmp_path / "there.jsonl", ray="local")
    here, there = (untimed(read_results(tmp_path / name).games) for name in ("here.jsonl", "there.jsonl"))
    assert here == there
