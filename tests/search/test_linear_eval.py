"""The linear evaluation and its policy."""

import numpy as np
import pytest

from cabochon.batch import legal
from cabochon.search.linear_eval import PHASES, Scratch, evaluate, policy, sum_weights, value_of_tokens, value_of_tokens_fused
from cabochon.search.linear_features import (
    LINEAR_FEATURES,
    MAX_LINEAR_ACTIVE,
    MAX_TARGETS,
    NO_PLACE,
    TARGET_COLUMNS,
    list_linear_features,
    list_targets,
)
from cabochon.search.models.linear import load_weights

from .games import GAMES, random_positions


def new_scratch() -> Scratch:
    targets, features = np.empty((MAX_TARGETS, TARGET_COLUMNS), np.int64), np.empty(MAX_LINEAR_ACTIVE, np.int32)
    return Scratch(targets, features, np.empty(64, np.int32), np.empty(64))


@pytest.mark.slow
@pytest.mark.parametrize("variant, players", GAMES)
def test_the_fused_value_of_tokens_agrees_with_the_listed_one(variant: str, players: int) -> None:
    weights = np.random.default_rng(2).normal(size=(PHASES, LINEAR_FEATURES)).astype(np.float32)
    scratch = new_scratch()
    for state in random_positions(variant, players, 60, 50):
        tokens, points = int(state["tokens"][0]), int(state["points"][0])
        count = list_targets(state, 0, int(state["bonuses"][0]), NO_PLACE, scratch.targets)
        listed = value_of_tokens(weights[3], scratch, count, tokens, points)
        assert listed == pytest.approx(value_of_tokens_fused(weights[3], scratch.targets, count, tokens, points), abs=1e-4)


@pytest.mark.slow
def test_a_logit_is_the_sum_of_the_weights_of_the_features() -> None:
    weights = np.random.default_rng(2).normal(size=(PHASES, LINEAR_FEATURES)).astype(np.float32) / 10
    scratch, values = new_scratch(), np.zeros(4)
    for state in random_positions("marvel", 3, 20, 50):
        evaluate(state, weights, scratch, values)
        row = min(int(state["points"].max()), PHASES - 1)
        sums = [
            sum_weights(weights[row], scratch.features, list_linear_features(state, seat, scratch.targets, scratch.features))
            for seat in range(3)
        ]
        assert values[:3] == pytest.approx(np.exp(sums) / np.exp(sums).sum(), abs=1e-4)


@pytest.mark.slow
def test_priors_cover_the_legal_moves() -> None:
    weights = load_weights("classic", 2)
    scratch = new_scratch()
    for state in random_positions("classic", 2, 60, 50):
        mask = int(legal(np.array([state]))[0])
        count = policy(state, mask, weights, scratch)
        assert mask.bit_count() == count
        assert scratch.logits[:count].sum() == pytest.approx(1)
