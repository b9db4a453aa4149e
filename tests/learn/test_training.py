"""Learning lowers the losses; a run is kept, goes on, and leaves a net that the bots play with."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from cabochon import CabochonError, Game
from cabochon.bots import Budget, bot
from cabochon.learn.batch import Device
from cabochon.learn.rate import Ratings
from cabochon.learn.selfplay import Tables
from cabochon.learn.train import Learner, Plan, Run
from cabochon.search.net import Net, load_net, read_net, read_run

PLAN = Plan("classic", (2,), 0.001, games=8, simulations=4, batch=128, updates=2, width=32, hidden=16)


def test_a_hundred_updates_lower_the_losses() -> None:
    learner = Learner(PLAN, Device("cpu"))
    tables = Tables(Device("cpu"), learner.playing, "classic", 2, 8, 4, 200)
    tables.longest = 20
    for _ in range(60):
        tables.advance()
    losses = []
    for _ in range(100):
        learner.set_rate(0.0)
        losses.append(learner.learn(tables).clone())
    first, last = torch.stack(losses[:10]).mean(0), torch.stack(losses[-10:]).mean(0)
    assert (last < first).all(), f"policy, value and points: {first}, then {last}"
    learner.refresh()
    torch.testing.assert_close(learner.playing.second.weight, learner.average.second.weight)


def test_the_rate_rises_then_falls() -> None:
    learner = Learner(PLAN, Device("cpu"))
    rates = []
    for updates, part in ((0, 0.0), (1000, 0.0), (1000, 0.5), (1000, 1.0)):
        learner.updates = updates
        learner.set_rate(part)
        rates.append(float(learner.rate) / PLAN.rate)
    assert rates == pytest.approx([1 / 200, 1.0, 0.515, 0.03])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that played some games, learnt a little and was saved."""
    folder = tmp_path_factory.mktemp("runs")
    run = Run(PLAN, folder, Device("cpu"))
    run.tables[0].longest = 20
    for _ in range(50):
        run.tables[0].advance()
        run.losses = run.learner.learn(run.tables[0])
    run.save(90.0)
    return folder


def test_a_run_goes_on(folder: Path) -> None:
    run = Run(PLAN, folder, Device("cpu"))
    assert 50 == run.learner.updates
    assert {"minutes": 1.5, "games": 16, "decisions": 400} == {key: run.before[key] for key in ("minutes", "games", "decisions")}
    torch.testing.assert_close(run.learner.playing.second.weight, run.learner.average.second.weight)
    run.train()
    line = json.loads((folder / "classic-2.jsonl").read_text().splitlines()[-1])
    assert line["minutes"] >= 1.5
    assert line["decisions"] > 400
    assert 2 == len(Run(PLAN, folder, Device("cpu")).before["runs"])


def test_its_net_plays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CABOCHON_NETS", str(folder))
    assert 32 == load_net("classic", 2).start.size
    game = Game("classic", 2, seed=4, goal=4)
    for seed in range(300):
        if not game.is_over:
            game.play(bot("legend").choose(game.view(game.turn), Budget(nodes=8), seed))
    assert game.is_over


def test_a_run_for_more_begins_with_one_for_two(folder: Path, tmp_path: Path) -> None:
    plan = Plan("classic", (3, 4), 0.001, games=4, simulations=2, width=32, hidden=16)
    run = Run(plan, tmp_path, Device("cpu"), begin=folder / "classic-2.pt")
    first = run.learner.playing.first.weight
    torch.testing.assert_close(first[:, 32:64], first[:, 96:128])
    run.train()
    assert (tmp_path / "classic-3-4.safetensors").exists()


def test_a_shipped_net_is_the_last_link_of_a_chain(folder: Path, tmp_path: Path) -> None:
    net = folder / "classic-2.safetensors"
    run = Run(PLAN, tmp_path, Device("cpu"), begin=net)
    shipped, seen = read_net(net), run.learner.average.to_net()
    for name in Net._fields:
        np.testing.assert_array_equal(getattr(shipped, name), getattr(seen, name), name)
    assert 0 == run.learner.updates
    run.save(30.0)
    before, after = read_run(net), read_run(tmp_path / "classic-2.safetensors")
    assert json.loads(before["minutes"]) + 0.5 == json.loads(after["minutes"])
    *earlier, last = json.loads(after["runs"])
    assert json.loads(before["runs"]) == earlier
    assert "classic-2" == last["begin"]


def test_a_larger_net_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(CabochonError, match="width 32 and hidden layers of 16: say --width and --hidden at least so"):
        Run(replace(PLAN, width=24), tmp_path, Device("cpu"), begin=folder / "classic-2.safetensors")


class Match:
    """A match that is over."""

    returncode = 0

    def __init__(self, share: float) -> None:
        self.standings = {"standings": [{"entrant": "greedy", "share": 1 - share}, {"entrant": "legend", "share": share}]}

    def poll(self) -> int:
        return 0

    def communicate(self) -> tuple[str, str]:
        return json.dumps(self.standings), ""


def test_who_wins_every_game_has_no_rating() -> None:
    ratings = Ratings(1)
    for share, expected in ((0.9, {"share_greedy", "rating_by_greedy"}), (1.0, {"share_greedy"})):
        match: Any = Match(share)
        ratings.running = [("greedy", match)]
        assert expected == set(ratings.latest())
