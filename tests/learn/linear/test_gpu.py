"""Games that `OnGpu` plays, a thread a game, are those that `OnCpu` plays one after the other; here both on the CPU."""

import numpy as np

from cabochon.learn.device import Device
from cabochon.learn.linear.gpu import OnGpu
from cabochon.learn.linear.selfplay import SearchPlayer
from cabochon.learn.linear.tune import OnCpu, Table
from cabochon.search.analysis import LINEAR_SEARCH
from cabochon.search.models.linear import load_weights


def test_the_same_games_are_played() -> None:
    table, player = Table("classic", 2), SearchPlayer(LINEAR_SEARCH, load_weights("classic", 2), nodes=8)
    batched, one_by_one = (backend.samples(table, player, 5, 1) for backend in (OnGpu(Device("cpu")), OnCpu(1)))
    assert len(batched.phases) > 100
    for name in ("counts", "phases", "results", "root_values"):
        seats = np.s_[:, :2] if name != "phases" else np.s_[:]
        np.testing.assert_array_equal(getattr(batched, name)[seats], getattr(one_by_one, name)[seats], name)
