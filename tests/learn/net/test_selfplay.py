"""Games of a net against itself, on the CPU: what is kept of them is what happened."""

from typing import Any

import numpy as np
import pytest
import torch

from cabochon.learn.device import STATE_WORDS, Device, made_for, order_on_gpu
from cabochon.learn.net.inputs import DenseInputs
from cabochon.learn.net.model import INPUT_COLUMNS, Model
from cabochon.learn.net.selfplay import MAX_CONSIDERED, SelfPlay, SelfPlayConfig, halving_schedule
from cabochon.rules.variants import TILES
from cabochon.search.models.net import load_net
from cabochon.search.net_features import MAX_NET_ACTIVE

GAMES, STEPS = 12, 130
SIMULATIONS = 8
LAST = 40  # decisions of a game that all are longer than
CPU = Device("cpu")


class LikeGpu(Device):
    """A processor that works as a GPU does: states in local memory, the entries of all trees side by side."""

    def launcher_with_local(self, function: Any, count: int, *arguments: Any) -> Any:
        return self.launcher(function, count, np.zeros(STATE_WORDS, np.int64), *arguments)

    def side_by_side(self, games: int, arrays: Any) -> Any:
        return made_for(games, arrays, lambda shape, dtype: np.zeros(shape, dtype, order_on_gpu(dtype)))


def played(variant: str, players: int, td_lambda: float = 1.0, device: Device = CPU, steps: int = STEPS) -> SelfPlay:
    """Games of a trained net, some of them over."""
    torch.manual_seed(1)
    config = SelfPlayConfig(variant, players, GAMES, SIMULATIONS, steps=300, td_lambda=td_lambda)
    found = SelfPlay(device, Model.from_net(load_net(variant, players)), config)
    for _ in range(steps):
        found.advance()
    return found


@pytest.fixture(scope="module", params=[("classic", 2), ("marvel", 3)], ids=["classic-2", "marvel-3"])
def selfplay(request: pytest.FixtureRequest) -> SelfPlay:
    return played(*request.param)


def test_policies_are_on_legal_moves_only(selfplay: SelfPlay) -> None:
    policy, indices = selfplay.buffer.policy[:STEPS], selfplay.policy_indices[:STEPS]
    torch.testing.assert_close(policy.sum(-1), torch.ones(STEPS, GAMES))
    assert (policy >= 0).all()
    assert 0 == policy[indices < 0].sum()
    assert (policy.max(-1).values < 0.99).any()


@pytest.mark.parametrize("variant, players", [("classic", 2), ("marvel", 3), ("cities", 4)])
def test_local_memory_and_another_order_of_entries_change_nothing(variant: str, players: int) -> None:
    here, there = (played(variant, players, device=device, steps=LAST) for device in (CPU, LikeGpu("cpu")))
    for mine, theirs in zip(here.buffer, there.buffer, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=0)
    assert (here.games.states == there.games.states).all()


def test_root_values_and_results_are_probabilities(selfplay: SelfPlay) -> None:
    finished = selfplay.buffer.is_finished[:STEPS].bool()
    torch.testing.assert_close(selfplay.buffer.root_value[:STEPS].sum(-1), torch.ones(STEPS, GAMES), atol=1e-4, rtol=0)
    torch.testing.assert_close(selfplay.buffer.result[:STEPS][finished].sum(-1), torch.ones(int(finished.sum())))


def test_finished_positions_are_those_of_games_that_are_over(selfplay: SelfPlay) -> None:
    assert selfplay.games.finished.sum() > 0
    for game in range(GAMES):
        still_open = int(selfplay.games.decisions[game])
        expected = [1] * (STEPS - still_open) + [0] * still_open
        assert expected == selfplay.buffer.is_finished[:STEPS, game].tolist()


def test_the_winner_has_most_points(selfplay: SelfPlay) -> None:
    finished = selfplay.buffer.is_finished[:STEPS].bool()
    results, points = selfplay.buffer.result[:STEPS][finished], selfplay.buffer.points[:STEPS][finished]
    assert (points.max(-1).values == (points * (results > 0)).max(-1).values).float().mean() > 0.9


def test_the_lambda_return_goes_from_the_result_to_the_values_on_the_way() -> None:
    """Worked out by hand from the end of a game, for the seats by number."""
    selfplay, td_lambda = played("classic", 3, 0.8), 0.8 ** (1 / 3)
    buffer = selfplay.buffer
    game = int(selfplay.games.finished.argmax())
    end = STEPS - int(selfplay.games.decisions[game]) - 1

    def by_seat(values: torch.Tensor, step: int) -> torch.Tensor:
        return values[step, game].roll(int(buffer.turn[step, game]))

    expected = by_seat(buffer.result, end)
    assert (1.0, 0.0) == (expected.max(), expected.min())
    for step in range(end, end - LAST, -1):
        torch.testing.assert_close(by_seat(buffer.result, step), expected)
        expected = td_lambda * expected + (1 - td_lambda) * by_seat(buffer.root_value, step)


def test_a_game_of_cities_ends_with_a_city() -> None:
    selfplay = played("cities", 2)
    assert selfplay.games.finished.sum() > 0
    assert selfplay.max_decisions > STEPS, "so none of them was cut short"
    finished = selfplay.buffer.is_finished[:STEPS].bool()
    results, points = selfplay.buffer.result[:STEPS][finished], selfplay.buffer.points[:STEPS][finished]
    assert (points[results > 0] >= min(tile.prestige for tile in TILES["cities"])).all()


@pytest.mark.parametrize("variant", ["classic", "cities"])
def test_a_game_that_goes_on_for_too_long_is_ranked_as_it_stands(variant: str) -> None:
    selfplay = SelfPlay(Device("cpu"), Model(16, 8), SelfPlayConfig(variant, 2, games=4, simulations=2, steps=200))
    selfplay.max_decisions = 7
    for _ in range(14):
        selfplay.advance()
    assert [2] * 4 == selfplay.games.finished.tolist()
    assert selfplay.buffer.is_finished[:14].all()
    torch.testing.assert_close(selfplay.buffer.result[:14].sum(-1), torch.ones(14, 4))


@pytest.mark.parametrize("simulations", [2, 5, 8, 16, 32, 64])
@pytest.mark.parametrize("count", range(1, MAX_CONSIDERED + 1))
def test_halving_uses_every_simulation_and_ends_with_the_best_two(count: int, simulations: int) -> None:
    order = halving_schedule(simulations)[count]
    assert simulations == len(order)
    visits = [0] * count  # the first is best, the second next, and so on
    for wanted in order:
        visits[visits.index(wanted)] += 1
    assert simulations == sum(visits)
    if simulations >= 2 * count > 2:
        assert visits == sorted(visits, reverse=True)
        assert visits[0] - visits[1] <= 1
        assert all(visits[1] > fewer for fewer in visits[2:])


def test_features_become_counts() -> None:
    rng = np.random.default_rng(5)
    features = torch.from_numpy(rng.integers(0, 12, (6, 3, MAX_NET_ACTIVE)).astype(np.int16))
    counts = torch.from_numpy(rng.integers(0, 40, (6, 3)).astype(np.int16))
    features[0, 0, :16], counts[0, 0] = 7, 16
    rows = DenseInputs(Device("cpu"), features, counts)().float()
    for i in np.ndindex(6, 3):
        expected = np.bincount(features[i][: counts[i]].numpy(), minlength=INPUT_COLUMNS)
        np.testing.assert_array_equal(expected, rows[i].numpy())
