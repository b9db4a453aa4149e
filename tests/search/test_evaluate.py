"""Positions through the net in one call: the same as one at a time in the search."""

import numpy as np
import pytest

from cabochon import CabochonError, Game, batch, choose, deal, is_over, legal_table, play, winners
from cabochon.search import NET_SEARCH, Budget, analyse, evaluate

from .games import random_positions


@pytest.mark.parametrize(("variant", "players"), [("classic", 2), ("marvel", 3)])
def test_many_positions_are_evaluated_as_one_is(variant: str, players: int) -> None:
    states = random_positions(variant, players, 12, 30)
    found = evaluate(states)
    assert (len(states), players) == found.values.shape
    np.testing.assert_allclose(1.0, found.values.sum(axis=1), atol=1e-5)
    np.testing.assert_allclose(1.0, found.priors.sum(axis=1), atol=1e-5)
    assert not found.priors[legal_table(states) == 0].any()
    for i in range(4):
        alone = analyse(Game.from_states(states[i]), Budget(nodes=1), config=NET_SEARCH)
        for move in alone.moves:
            assert move.prior == pytest.approx(found.priors[i, move.move.action], abs=1e-4)
    with batch.cores(1):
        np.testing.assert_array_equal(found.values, evaluate(states).values)


def test_a_finished_game_has_its_result() -> None:
    states, rng = deal("classic", 2, np.arange(40)), np.random.default_rng(1)
    while not is_over(states).all():
        play(states, choose(states, rng=rng))
    found, won = evaluate(states), winners(states)
    np.testing.assert_allclose(won / won.sum(axis=1, keepdims=True), found.values)
    assert not found.priors.any()


def test_games_of_different_kinds_are_refused() -> None:
    with pytest.raises(CabochonError, match="evaluate them apart"):
        evaluate(np.concatenate([deal("classic", 2, [1]), deal("classic", 3, [1])]))
    with pytest.raises(CabochonError, match="there is no game"):
        evaluate(deal("classic", 2, np.arange(0)))
