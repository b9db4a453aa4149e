"""The logs of the runs that made the nets in the package are drawn."""

from pathlib import Path

import pytest

from cabochon.learn.plots import draw_log, lengths, rated, read_log

LOGS = sorted((Path(__file__).parents[2] / "docs/training").glob("*.jsonl"))


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_a_log_is_drawn(log: Path, tmp_path: Path) -> None:
    picture = draw_log(log, tmp_path)
    assert f"training-{log.stem}.png" == picture.name
    assert b"\x89PNG" == picture.read_bytes()[:4]


def test_there_are_logs() -> None:
    nets = ["classic-2", "classic-3-4", "marvel-2", "marvel-3-4"]
    assert {"cities-2", "cities-2-3-4", *nets, *[f"{net}-lambda" for net in nets]} == {log.stem for log in LOGS}
    assert all(read_log(log) for log in LOGS)


def test_a_rating_counts_once_and_only_if_not_every_game_was_won() -> None:
    lines = [{"share_greedy": share, "minutes": i} for i, share in enumerate([0.5, 0.5, 0.9, 1.0, 1.0])]
    assert [0, 2] == [line["minutes"] for line in rated([{"minutes": -1}, *lines], "greedy")]


def test_lengths_are_those_of_the_last_games() -> None:
    lines = [{"minutes": i, "games": 10 * i, "decisions": 600 * i + 5000} for i in range(6)]
    assert ([4, 5], [60.0, 60.0]) == lengths(lines)
