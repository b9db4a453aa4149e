"""The ladder."""

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cabochon import CabochonError
from cabochon.arena import GameResult, parse_match, run_match
from cabochon.arena.ratings import format_ladder, make_ladder, rate
from cabochon.bots.ratings import Rating, ratings
from cabochon.cli import app

from .results import duel, game

pytestmark = pytest.mark.slow


def matches(results: list[tuple[str, int, int]]) -> list[list[GameResult]]:
    """Deals of two bots: `ab`, how many the first won, how many the second; two deals of each kind make a fair pair."""
    deals: list[list[GameResult]] = []
    for pair, won, lost in results:
        for ranks in [(1, 2)] * won + [(2, 1)] * lost:
            deals.append([game(len(deals), 0, pair, ranks), game(len(deals), 1, pair[::-1], ranks[::-1])])
    return deals


def test_ratings_are_as_far_apart_as_results_say() -> None:
    found = rate(matches([("ab", 150, 50), ("bc", 150, 50)]), "c", samples=50)
    assert ["a", "b", "c"] == list(found)
    assert 1000 == found["c"]["rating"]
    assert 1190 == pytest.approx(found["b"]["rating"], abs=3)
    assert 1380 == pytest.approx(found["a"]["rating"], abs=4)
    assert 0 == found["c"]["error"]
    assert 35 < found["b"]["error"] < 75
    assert [400, 800, 400] == [found[name]["games"] for name in "abc"]


def test_four_players_are_rated_by_wins() -> None:
    deals = [[game(i, 0, "abbb", (1, 2, 2, 2) if i % 5 < 2 else (2, 1, 2, 2))] for i in range(1000)]
    found = rate(deals, "b", samples=2)
    assert 1000 + 400 * math.log10(2) == pytest.approx(found["a"]["rating"], abs=3)


def test_who_always_wins_has_a_rating_without_error() -> None:
    found = rate(matches([("ab", 50, 0), ("bc", 3, 1)]), "b", samples=5)
    assert (None, 0) == (found["a"]["error"], found["b"]["error"])
    assert found["c"]["error"] > 0
    assert 1000 + 400 * math.log10(101) == pytest.approx(found["a"]["rating"], abs=1)


def test_who_met_the_others_in_few_deals_is_rated_too() -> None:
    """Such deals are not always among those drawn anew."""
    found = rate(matches([("ab", 60, 40), ("bc", 1, 1), ("cd", 10, 20)]), "a", samples=30)
    assert {"a", "b", "c", "d"} == set(found)
    assert found["d"]["error"] > 100 > found["b"]["error"]


def test_a_ladder_needs_its_anchor_and_links() -> None:
    with pytest.raises(CabochonError, match="the ladder needs its anchor greedy, and no game has it"):
        rate(matches([("ab", 1, 1)]))
    with pytest.raises(CabochonError, match="no chain of games connects every bot with a"):
        rate(matches([("ab", 1, 1), ("cd", 1, 1)]), "a")


def test_the_ladder_file(tmp_path: Path) -> None:
    for name, match in {"two": duel(), "three": parse_match(["greedy", "random", "random"], "marvel")}.items():
        run_match(match, 6, workers=1, file=tmp_path / f"{name}.jsonl", command=[name])
    files = [str(tmp_path / f"{name}.jsonl") for name in ("two", "three")]
    out = tmp_path / "ladder.json"
    result = CliRunner().invoke(app, ["ladder", *files, "--out", str(out), "--markdown"])
    assert 0 == result.exit_code
    ladder = json.loads(out.read_text())
    assert ladder == make_ladder([Path(file) for file in files])
    assert ["greedy", "random"] == list(ladder["bots"])
    assert ["classic 2", "marvel 3"] == list(ladder["tables"])
    assert [["two"], ["three"]] == [match["command"] for match in ladder["matches"]]
    assert format_ladder(ladder) + "\n" == result.stdout
    assert "| greedy | 1000 ± 0 | 12 | 1000 ± 0 | 1000 ± 0 |" in result.stdout
    assert Rating(1000, 0, 12) == ratings(out)["greedy"]
    assert {} == ratings(tmp_path / "none.json")
