"""A policy on observations as a bot."""

import numpy as np
import pytest

from cabochon import CabochonError, Game
from cabochon.bots import PolicyBot


def test_an_action_that_does_not_exist_is_refused() -> None:
    game = Game("classic", seed=1)
    for action in (-1, 73):
        player = PolicyBot("far", lambda _rows, _masks, action=action: np.array([action]))  # type: ignore[misc]
        with pytest.raises(CabochonError, match=f"far: an action is a number from 0 to 72, not {action}"):
            player.choose(game.view(game.turn))
