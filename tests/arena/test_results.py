"""The file of a match: written, resumed, refused."""

from pathlib import Path

import pytest

from cabochon import CabochonError, WrongType
from cabochon.arena import read_results, run_match

from .results import duel, untimed

pytestmark = pytest.mark.slow


def test_a_stopped_match_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    expected = run_match(duel(), 8, workers=1, file=whole)
    lines = whole.read_text().splitlines(keepends=True)
    part.write_text("".join(lines[:4]) + lines[4][:30])
    played: list[int] = []
    found = run_match(duel(), 8, workers=1, file=part, progress=lambda done, total: played.append(done))
    assert [3, 4, 5, 6, 7, 8] == played
    assert [row.wins for row in expected.standings] == [row.wins for row in found.standings]
    assert untimed(read_results(whole).games) == untimed(read_results(part).games)
    monkeypatch.setattr("cabochon.arena.match._play_all", None)
    assert found == run_match(duel(), 8, workers=1, file=part)


def test_a_file_of_another_match_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    run_match(duel(), 2, workers=1, file=file)
    kept = file.read_text()
    with pytest.raises(CabochonError, match="records another match \\(seed 1, not 2\\): choose another file"):
        run_match(duel(seed=2), 2, workers=1, file=file)
    with pytest.raises(CabochonError, match="records another match \\(variant classic, not marvel\\)"):
        run_match(duel("marvel"), 2, workers=1, file=file)
    assert kept == file.read_text()
    file.write_text(kept.replace('"format": 1', '"format": 9'))
    with pytest.raises(CabochonError, match="format 9 is not known here"):
        read_results(file)
    file.write_text("a poem\n")
    with pytest.raises(CabochonError, match="not the results of a match"):
        run_match(duel(), 2, workers=1, file=file)


def test_the_record_says_which_match_it_is(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    run_match(duel(), 2, workers=1, file=file, command=["greedy", "random"])
    header = read_results(file).header
    assert (["greedy", "random"], ["greedy", "random"], "classic", 1) == (
        header["command"],
        header["entrants"],
        header["variant"],
        header["seed"],
    )
    assert header["commit"] and header["machine"]


def test_the_file_may_be_a_text(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    run_match(duel(), 2, workers=1, file=file)
    assert read_results(file) == read_results(str(file))
    with pytest.raises(WrongType, match="the file of a match is a path or a text, not 5"):
        read_results(5)  # type: ignore[arg-type]
