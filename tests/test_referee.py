"""The kernel and the independent referee agree: legal moves, states, views, outcomes."""

import pytest

from tests.support.comparing import cases, explain_everything, play_both

GAMES, GAMES_A_TEST = 2000, 100


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, GAMES, GAMES_A_TEST))
def test_kernel_and_referee_agree(first: int) -> None:
    decisions = sum(play_both(case) for case in cases(GAMES_A_TEST, first_seed=first))
    assert decisions > 20 * GAMES_A_TEST


def test_kernel_and_referee_agree_on_a_few_games() -> None:
    assert sum(play_both(case) for case in cases(24, first_seed=10_000)) > 500


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in range(12, 60, 12))])
def test_mask_and_why_not_agree(first: int) -> None:
    positions = sum(explain_everything(case) for case in cases(12, first_seed=20_000 + first))
    assert positions > 500
