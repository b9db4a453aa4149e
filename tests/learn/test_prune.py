"""A pruned net has no units that do nothing, and says what it said."""

from pathlib import Path

import pytest

from cabochon.learn.prune import parts_active, pruned
from cabochon.search.models.net import net_path, players_of, read_net
from cabochon.search.net import Net, random_net
from tests.support.net_inputs import first_evaluation, positions

SILENT, ALWAYS, POSITIONS = 3, 5, 2000


@pytest.fixture(scope="module")
def net() -> Net:
    """A net with a unit that is never above zero and one that always is."""
    net = random_net(24, 16)
    net.hidden1_bias[SILENT], net.hidden1_bias[ALWAYS] = -1e4, 1e3
    return net


def test_units_are_counted_in_positions_of_searches(net: Net) -> None:
    parts = parts_active(net, "classic", 2, POSITIONS)
    assert (16,) == parts.shape
    assert (0.0, 1.0) == (parts[SILENT], parts[ALWAYS])
    assert ((parts >= 0) & (parts <= 1)).all()


@pytest.mark.parametrize("variant, players", [("classic", (2,)), ("marvel", (3, 4))])
def test_without_its_silent_unit_a_net_says_the_same(variant: str, players: tuple[int, ...], net: Net) -> None:
    kept = pruned(net, variant, players, POSITIONS)
    assert kept.hidden1_bias.size < 16
    assert ALWAYS in [list(net.hidden1_bias).index(bias) for bias in kept.hidden1_bias]
    assert SILENT not in [list(net.hidden1_bias).index(bias) for bias in kept.hidden1_bias]
    for state in positions(variant, players[0])[::5]:
        (values, policy), (values_now, policy_now) = (first_evaluation(state, one) for one in (net, kept))
        assert values_now == pytest.approx(values, abs=0.01)
        assert policy_now == pytest.approx(policy, abs=0.01)


@pytest.mark.parametrize("name, units", [("classic-2", 199), ("classic-3-4", 156), ("marvel-2", 161), ("marvel-3-4", 154)])
def test_the_nets_of_the_package_are_pruned(name: str, units: int) -> None:
    variant, players = name.split("-")[0], players_of(Path(name))
    for count in players:
        assert units == read_net(net_path(variant, count)).hidden1_bias.size
