"""Ratings, errors and the SPRT against known values."""

import math
import random
from collections import Counter

import pytest

from cabochon.arena import Sprt
from cabochon.arena.statistics import expected_share, mean_error, rating, rating_error

pytestmark = pytest.mark.slow


def test_rating_is_elo() -> None:
    assert 0 == rating(0.5)
    assert 190.85 == pytest.approx(rating(0.75), abs=0.01)
    assert -400 == pytest.approx(rating(1 / 11))
    assert [None, None] == [rating(0.0), rating(1.0)]


@pytest.mark.parametrize("fair", [1 / 2, 1 / 3, 1 / 4, 2 / 4, 3 / 4])
def test_an_equal_has_its_fair_share(fair: float) -> None:
    assert 0 == pytest.approx(rating(fair, fair), abs=1e-9)
    assert fair == pytest.approx(expected_share(0, fair))
    assert 123 == pytest.approx(rating(expected_share(123, fair), fair))


def test_one_against_three_at_double_odds() -> None:
    assert 2 / 5 == pytest.approx(expected_share(400 * math.log10(2), 1 / 4))


def test_error_of_a_mean() -> None:
    assert 1.96 * math.sqrt(1 / 3 / 4) == pytest.approx(mean_error([0.0, 1.0, 1.0, 0.0]))
    assert 3 / 50 == mean_error([1.0] * 50)
    assert 1.0 == mean_error([0.5])


def test_error_of_a_rating() -> None:
    assert 34.9 == pytest.approx(rating_error(0.5, 0.05), abs=0.1)
    assert rating_error(0.97, 0.05) is None


@pytest.mark.parametrize(
    "elo0, elo1, pairs, llr",
    [  # as fishtest published them with Stockfish's commits 58746d9 and 220ef1d
        (-0.5, 1.5, (795, 5276, 10352, 5500, 813), 2.96),
        (0.25, 1.75, (156, 2090, 6658, 2298, 170), 2.94),
        (-0.5, 1.5, (17, 253, 1042, 337, 39), 2.96),
        (0.25, 1.75, (11, 407, 3238, 513, 11), 2.93),
    ],
)
def test_sprt_as_fishtest_does_it(elo0: float, elo1: float, pairs: tuple[int, ...], llr: float) -> None:
    assert llr == pytest.approx(Sprt(elo0, elo1).llr(pairs), abs=0.005)


def test_sprt_bounds_and_verdicts() -> None:
    test = Sprt(0, 50)
    assert (-2.944, 2.944) == pytest.approx(test.bounds, abs=0.001)
    assert "elo1" == test.verdict([0, 0, 10, 0, 60])
    assert "elo0" == test.verdict([60, 0, 10, 0, 0])
    assert "" == test.verdict([0, 0, 0, 0, 0])
    assert test.llr([5, 1, 9, 2, 8]) == pytest.approx(-Sprt(-50, 0).llr([8, 2, 9, 1, 5]))


def test_sprt_errs_seldom() -> None:
    """Of 100 matches between equals, and of 100 with the larger difference, about 5 may be judged wrongly."""
    chance, test = random.Random(1), Sprt(0, 100)
    for truth, error in [(0.0, "elo1"), (100.0, "elo0")]:
        verdicts = Counter(judge(test, expected_share(truth), chance) for _ in range(100))
        assert verdicts[error] <= 10
        assert 0 == verdicts[""]


def judge(test: Sprt, share: float, chance: random.Random) -> str:
    pairs = [0] * 5
    for number in range(5000):
        pairs[2 * (chance.random() < share) + 2 * (chance.random() < share)] += 1
        if number % 4 == 0 and (verdict := test.verdict(pairs)):
            return verdict
    return ""
