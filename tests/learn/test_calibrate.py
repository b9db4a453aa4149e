"""Whether forecasts come true is counted rightly, on games that are played to their end."""

from pathlib import Path

import numpy as np
import pytest

from cabochon.learn.calibrate import best_temperature, calibrate, draw, forecast, tenths


def test_tenths_of_forecasts_that_come_true() -> None:
    rng = np.random.default_rng(1)
    chance = rng.random(100_000)
    won = rng.random(100_000) < chance
    rows = tenths(np.arange(100_000), np.stack([chance, 1 - chance], 1), np.stack([won, ~won], 1))
    assert 200_000 == sum(row["count"] for row in rows)
    assert all(abs(row["points"]) < 4 * row["error"] for row in rows)
    assert [row["expected"] for row in rows] == pytest.approx([0.05 + i / 10 for i in range(10)], abs=0.01)


def test_tenths_of_forecasts_that_do_not() -> None:
    rows = tenths(np.arange(100), np.full((100, 2), 0.75, np.float32), np.ones((100, 2), np.float32))
    row = {"count": 200, "games": 100, "expected": 0.75, "came": 1.0, "points": 25.0, "error": 0.0}
    assert {"from": 0.7, "to": 0.8, **row} == rows[7]
    assert 0 == sum(row["count"] for row in rows[:7] + rows[8:])


@pytest.mark.parametrize("temperature", [0.8, 1.0, 1.25])
def test_chances_that_are_too_modest_or_too_sure_have_another_temperature(temperature: float) -> None:
    rng = np.random.default_rng(2)
    logits = rng.normal(0, 1.5, (50_000, 3))
    true, said = (np.exp(one) / np.exp(one).sum(1, keepdims=True) for one in (logits, logits * temperature))
    won = np.eye(3)[(true.cumsum(1) < rng.random((50_000, 1))).sum(1)]
    assert best_temperature(said, won) == pytest.approx(temperature, abs=0.03)


@pytest.mark.parametrize("variant, players", [("classic", 2), ("marvel", 4)])
def test_forecasts_are_chances_of_games_played_to_the_end(variant: str, players: int) -> None:
    found, again = (forecast(variant, players, 4, 8, 900_001, threads) for threads in (1, 2))
    assert [900_001, 900_002, 900_003, 900_004] == np.unique(found.games).tolist()
    for array, same in zip(found, again, strict=True):
        np.testing.assert_array_equal(array, same)
    for chances in found[1:]:
        assert chances[:, :players].sum(1) == pytest.approx(np.ones(len(chances)), abs=1e-4)
    for game in np.unique(found.games):
        assert 1 == len(np.unique(found.results[found.games == game], axis=0))
    assert not np.array_equal(found.glances, found.searches)


def test_a_calibration_is_drawn(tmp_path: Path) -> None:
    found = calibrate("classic", 2, 3, 4, 5)
    assert 3 == found["games"]
    draw(found, tmp_path / "calibration.png")
    assert b"\x89PNG" == (tmp_path / "calibration.png").read_bytes()[:4]
