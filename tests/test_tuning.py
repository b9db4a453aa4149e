"""Learning the weights: a small round on few games gives weights that know more than nothing."""

import math

import numpy as np
import pytest

from cabochon.learn import tuning
from cabochon.learn.tuning import OnProcessor, duel, fit, fit_habits, gather, greedy_games, loss_of
from cabochon.search.linear_eval import HABITS, PHASES
from cabochon.search.linear_features import FEATURES
from cabochon.search.tree import Style
from cabochon.search.weights import Weights, load_weights

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("variant, players", [("classic", 2), ("marvel", 3)])
def test_weights_learnt_from_greedy_games_predict_others(variant: str, players: int) -> None:
    seen = gather(variant, players, 400, 0, 2, greedy_games)
    worths = fit(seen, players, passes=3)
    assert (PHASES, FEATURES) == worths.shape
    unseen = gather(variant, players, 100, 10_000, 2, greedy_games)
    full = int(tuning.FULL_GAME)
    base, slope = worths[0].astype(float), (worths[full] - worths[0]).astype(float)
    assert loss_of(unseen, np.arange(len(unseen.rows)), players, base, slope) < 0.95 * math.log(players)


def test_results_and_guesses_are_chances() -> None:
    samples = OnProcessor(2).samples("classic", 3, 6, load_weights("classic", 3), 8, Style(), 1)
    assert len(samples.rows) > 100
    for chances in (samples.results, samples.guesses):
        assert chances[:, :3].sum(1) == pytest.approx(np.ones(len(samples.rows)), abs=1e-4)


def test_habits_follow_what_a_search_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "HABIT_POSITIONS", 60)
    choices = OnProcessor(1).choices("classic", 2, load_weights("classic", 2), Style(), 1)
    habits = fit_habits(choices, steps=100)
    assert (HABITS,) == habits.shape
    assert habits[0] > 1, "moves that gain more are looked at more"


def test_known_weights_beat_none() -> None:
    known = load_weights("classic", 2)
    none = Weights(np.zeros_like(known.worths), known.habits)
    won, drawn, lost = duel("classic", known, none, 40, 10, 2).tolist()
    assert 20 == won + drawn + lost
    assert won > 15
