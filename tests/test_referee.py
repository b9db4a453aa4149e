"""The kernel and the independent referee agree: legal moves, states, views, outcomes."""

import pytest

from cabochon import VARIANTS
from tests.support.comparing import cases, explain_everything, play_both

# Classic and Marvel have the corpus besides, 2,000 recorded games; `make fuzz` plays 100,000.
GAMES = {"classic": 200, "marvel": 200, "cities": 2000}
GAMES_A_TEST = 100
BATCHES = [(variant, first) for variant in VARIANTS for first in range(0, GAMES[variant], GAMES_A_TEST)]


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "first"), BATCHES)
def test_kernel_and_referee_agree(variant: str, first: int) -> None:
    decisions = sum(play_both(case) for case in cases(GAMES_A_TEST, first_seed=first, variants=[variant]))
    assert decisions > 20 * GAMES_A_TEST


def test_kernel_and_referee_agree_on_a_few_games() -> None:
    assert sum(play_both(case) for case in cases(24, first_seed=10_000)) > 500


@pytest.mark.parametrize("first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in range(12, 60, 12))])
@pytest.mark.parametrize("variant", VARIANTS)
def test_mask_and_why_not_agree(variant: str, first: int) -> None:
    positions = sum(explain_everything(case) for case in cases(12, first_seed=20_000 + first, variants=[variant]))
    assert positions > 500
