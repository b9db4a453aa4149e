"""Files of linear weights."""

from pathlib import Path

import numpy as np
import pytest

from cabochon.search.models import linear
from cabochon.search.models.linear import load_weights, save_weights, weights_path
from tests.search.games import GAMES


@pytest.mark.parametrize("variant, players", GAMES)
def test_every_game_has_weights(variant: str, players: int) -> None:
    weights = load_weights(variant, players)
    assert weights.value.any() and weights.policy.any()


def test_weights_are_written_as_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = load_weights("classic", 2)
    monkeypatch.setattr(linear, "FOLDER", tmp_path)
    save_weights("classic", 2, known)
    with np.load(weights_path("classic", 2)) as file:
        assert {"worths", "habits"} == set(file), "the names that older versions read"
        np.testing.assert_array_equal(known.value, file["worths"])
        np.testing.assert_array_equal(known.policy, file["habits"])
