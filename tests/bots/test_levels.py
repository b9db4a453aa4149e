"""Levels: budgets, sampling, and what they do without a net."""

import logging
from pathlib import Path

import pytest

from cabochon import CabochonError, Game, Move, WrongType
from cabochon.bots import LEVELS, Budget, bot
from cabochon.bots.levels import LEGEND, MASTER, sample_move, warn_once
from cabochon.search.analysis import Analysis, MoveStats

GAME = Game("classic", seed=7)
VIEW = GAME.view(GAME.turn)
BUDGET = Budget(nodes=40)


def analysis(*moves: MoveStats) -> Analysis:
    return Analysis(moves, moves[0].values, (moves[0].move,), 40, 0.1)


LIKELY = MoveStats(Move.parse("take wug"), 0.5, 30, (0.6, 0.4), is_proven=False)
UNLIKELY = MoveStats(Move.parse("take rr"), 0.1, 10, (0.5, 0.5), is_proven=False)


def test_moves_are_sampled_by_how_often_they_were_searched() -> None:
    counts = dict.fromkeys(("take wug", "take rr"), 0)
    for seed in range(1000):
        counts[str(sample_move(analysis(LIKELY, UNLIKELY), 1.0, seed))] += 1
    assert 0.75 == pytest.approx(counts["take wug"] / 1000, abs=0.05)


def test_a_lower_temperature_means_fewer_mistakes() -> None:
    moves = [str(sample_move(analysis(LIKELY, UNLIKELY), 0.1, seed)) for seed in range(100)]
    assert {"take wug"} == set(moves)


def test_a_proven_win_is_always_played() -> None:
    sure = MoveStats(Move.parse("take rr"), 0.1, 1, (1.0, 0.0), is_proven=True)
    assert {"take rr"} == {str(sample_move(analysis(sure, LIKELY), 10.0, seed)) for seed in range(50)}


def test_only_a_level_that_plays_its_best_move_is_an_analyst() -> None:
    assert ["apprentice", "pedlar", "merchant"] == [level.name for level in LEVELS if level.analyst is None]


def test_a_level_says_what_its_move_took() -> None:
    thought = bot("cutter").think(VIEW, BUDGET, 5)
    assert bot("cutter").choose(VIEW, BUDGET, 5) == thought.move
    assert 40 == thought.nodes


@pytest.fixture
def no_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CABOCHON_NETS", str(tmp_path))
    warn_once.cache_clear()
    return tmp_path


def test_without_a_net_a_level_searches_without_one_and_warns_once(no_nets: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        found = [LEGEND.choose(VIEW, BUDGET, seed) for seed in range(2)]
    assert [MASTER.choose(VIEW, BUDGET, seed) for seed in range(2)] == found
    expected = f"there is no net for classic with 2 players in {no_nets}: bots that use a net search without one"
    assert [expected] == [record.message for record in caplog.records]


def test_a_folder_of_nets_that_was_asked_for_must_have_one(tmp_path: Path) -> None:
    level = type(LEGEND)("other", "", BUDGET, config=LEGEND.config, nets=str(tmp_path))
    with pytest.raises(CabochonError, match="there is no net for classic with 2 players in"):
        level.choose(VIEW, BUDGET, 1)


def test_a_plain_number_is_no_budget() -> None:
    game = Game("classic", seed=1)
    with pytest.raises(WrongType, match="a budget is written"):
        bot("cutter").choose(game.view(game.turn), 5)  # type: ignore[arg-type]
