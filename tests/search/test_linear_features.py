"""The features of the linear evaluation."""

import numpy as np
import pytest

from cabochon.search.linear_features import LINEAR_FEATURES, MAX_LINEAR_ACTIVE, MAX_TARGETS, TARGET_COLUMNS, list_linear_features

from .games import GAMES, random_positions


@pytest.mark.slow
@pytest.mark.parametrize("variant, players", GAMES)
def test_features_stay_in_their_table(variant: str, players: int) -> None:
    targets, features = np.empty((MAX_TARGETS, TARGET_COLUMNS), np.int64), np.empty(MAX_LINEAR_ACTIVE + 1, np.int32)
    for moves in (0, 20, 60, 90):
        for state in random_positions(variant, players, 60, moves):
            for seat in range(players):
                features[:] = -1
                count = list_linear_features(state, seat, targets, features)
                assert count <= MAX_LINEAR_ACTIVE
                assert features[:count].min() >= 0
                assert features[:count].max() < LINEAR_FEATURES
