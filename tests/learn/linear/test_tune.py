"""Learning the weights: a small round on few games gives weights that know more than nothing."""

import math

import numpy as np
import pytest

from cabochon.learn.linear import tune
from cabochon.learn.linear.fit import FULL_GAME, Line, fit_policy, fit_value, mean_loss
from cabochon.learn.linear.selfplay import SearchPlayer, play_greedy_games
from cabochon.learn.linear.tune import OnCpu, Table, duel, gather
from cabochon.search.analysis import LINEAR_SEARCH
from cabochon.search.linear_eval import GAIN_SCALE, PHASES, POLICY_WEIGHTS, LinearWeights
from cabochon.search.linear_features import LINEAR_FEATURES
from cabochon.search.models.linear import load_weights

pytestmark = pytest.mark.slow


def player(weights: LinearWeights, nodes: int) -> SearchPlayer:
    return SearchPlayer(LINEAR_SEARCH, weights, nodes)


@pytest.mark.parametrize("table", [Table("classic", 2), Table("marvel", 3)], ids=["classic-2", "marvel-3"])
def test_weights_learnt_from_greedy_games_predict_others(table: Table) -> None:
    seen = gather(table, 400, 0, 2, play_greedy_games)
    weights = fit_value(seen, table.players, passes=3)
    assert (PHASES, LINEAR_FEATURES) == weights.shape
    unseen = gather(table, 100, 10_000, 2, play_greedy_games)
    base, slope = weights[0].astype(float), (weights[int(FULL_GAME)] - weights[0]).astype(float)
    line = Line(base, slope, np.ones((2, LINEAR_FEATURES)))
    assert mean_loss(unseen, np.arange(len(unseen.phases)), table.players, line) < 0.95 * math.log(table.players)


def test_results_and_root_values_are_probabilities() -> None:
    samples = OnCpu(2).samples(Table("classic", 3), player(load_weights("classic", 3), 8), 6, 1)
    assert len(samples.phases) > 100
    for chances in (samples.results, samples.root_values):
        assert chances[:, :3].sum(1) == pytest.approx(np.ones(len(samples.phases)), abs=1e-4)


def test_the_policy_follows_the_visits_of_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "CHOICE_POSITIONS", 60)
    choices = OnCpu(1).choices(Table("classic", 2), player(load_weights("classic", 2), tune.CHOICE_NODES), 1)
    weights = fit_policy(choices, steps=100)
    assert (POLICY_WEIGHTS,) == weights.shape
    assert weights[GAIN_SCALE] > 1, "moves that gain more are visited more"


def test_known_weights_beat_none() -> None:
    known = load_weights("classic", 2)
    none = LinearWeights(np.zeros_like(known.value), known.policy)
    won, drawn, lost = duel("classic", player(known, 40), player(none, 40), 10, 2).tolist()
    assert 20 == won + drawn + lost
    assert won > 15
