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
from cabochon.learn.device import Device
from cabochon.learn.net.model import effective_units
from cabochon.learn.net.selfplay import SelfPlay, SelfPlayConfig
from cabochon.learn.net.train import Trainer, TrainingRun
from cabochon.learn.plan import Plan
from cabochon.learn.rate import Ratings
from cabochon.search.linear_features import COLOURS_MISSING
from cabochon.search.models.net import load_net, read_net, read_run
from cabochon.search.net import Net
from cabochon.search.net_features import STAGE

PLAN = Plan("classic", (2,), 0.001, games=8, simulations=4, batch=128, updates=2, width=32, hidden=16)


def test_a_hundred_updates_lower_the_losses() -> None:
    trainer = Trainer(PLAN, Device("cpu"))
    selfplay = SelfPlay(Device("cpu"), trainer.playing, SelfPlayConfig("classic", 2, games=8, simulations=4, steps=200))
    selfplay.max_decisions = 20
    for _ in range(60):
        selfplay.advance()
    losses = []
    for _ in range(100):
        trainer.set_rate(0.0)
        losses.append(trainer.update(selfplay).clone())
    first, last = torch.stack(losses[:10]).mean(0), torch.stack(losses[-10:]).mean(0)
    assert (last < first).all(), f"policy, value and points: {first}, then {last}"
    trainer.refresh()
    torch.testing.assert_close(trainer.playing.hidden2.weight, trainer.average.hidden2.weight)


def test_with_sparsity_fewer_units_share_in_an_answer() -> None:
    found = []
    for sparsity in (0.0, 50.0):
        trainer = Trainer(replace(PLAN, sparsity=sparsity), Device("cpu"))
        selfplay = SelfPlay(Device("cpu"), trainer.playing, SelfPlayConfig("classic", 2, games=8, simulations=2, steps=200))
        selfplay.max_decisions = 10
        for _ in range(20):
            selfplay.advance()
        for _ in range(150):
            trainer.set_rate(0.0)
            trainer.update(selfplay)
        embedded = trainer.model.units(trainer.step_for(selfplay).inputs())[0]
        found.append(float(effective_units(embedded.detach()).mean()))
    without, with_it = found
    assert with_it < 0.8 * without


def test_effective_units_are_those_that_share() -> None:
    units = torch.tensor([[1.0, 1.0, 1.0, 1.0], [0.0, 7.0, 0.0, 0.0], [3.0, 0.0, 3.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
    torch.testing.assert_close(effective_units(units), torch.tensor([4.0, 1.0, 2.0, 0.0]))


def test_the_rate_rises_then_falls() -> None:
    trainer = Trainer(PLAN, Device("cpu"))
    rates = []
    for updates, part in ((0, 0.0), (1000, 0.0), (1000, 0.5), (1000, 1.0)):
        trainer.updates = updates
        trainer.set_rate(part)
        rates.append(float(trainer.rate) / PLAN.rate)
    assert rates == pytest.approx([1 / 200, 1.0, 0.515, 0.03])


def test_the_rate_falls_over_a_whole_chain() -> None:
    plan = replace(PLAN, minutes=10.0)
    assert 0.5 == plan.part(30.0, 5.0)
    assert 0.875 == replace(plan, chain_minutes=40.0).part(30.0, 5.0)


@pytest.mark.parametrize(("before", "chain", "steps"), [(30.0, 0.0, 164), (0.0, 40.0, 64), (20.0, 40.0, 114), (40.0, 40.0, 164)])
def test_the_window_grows_along_a_chain(before: float, chain: float, steps: int) -> None:
    assert steps == replace(PLAN, chain_minutes=chain, window=164).steps(before)


def test_a_run_after_the_end_of_its_chain_is_refused(folder: Path, tmp_path: Path) -> None:
    plan = replace(PLAN, minutes=9.5, chain_minutes=10.0)
    plan.check(1.0)
    with pytest.raises(
        CabochonError, match=r"1.5 minutes before and 9.5 now are longer than the chain's 10: say --chain-minutes 11"
    ):
        TrainingRun(plan, tmp_path, Device("cpu"), begin=folder / "classic-2.safetensors")
    with pytest.raises(CabochonError, match="a window of 8 steps is too small: at least 64"):
        replace(PLAN, window=8).check(0.0)
    with pytest.raises(CabochonError, match="a net has 2 hidden layers or more, not 1"):
        replace(PLAN, layers=1).check(0.0)
    with pytest.raises(CabochonError, match="a sparsity of -1 would reward units above zero: 0 or more"):
        replace(PLAN, sparsity=-1.0).check(0.0)


def test_silent_units_are_revived_before_the_first_update(folder: Path, tmp_path: Path) -> None:
    run = TrainingRun(replace(PLAN, revive=True), tmp_path, Device("cpu"), begin=folder / "classic-2.safetensors")
    for model in (run.trainer.model, run.trainer.average):
        model.hidden1.bias.data[3] = -1e4
    for _ in range(30):
        run.selfplays[0].advance()
    kept = run.trainer.model.hidden2.bias.clone()
    _, hidden1, _ = run.trainer.revive(run.selfplays)
    assert hidden1 >= 1
    for model in (run.trainer.model, run.trainer.average):
        assert model.hidden1.bias[3] > -1
        assert not model.hidden2.weight[model.hidden2.bias == kept, 3].any(), "what units not revived take from a revived one"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that played some games, learnt a little and was saved."""
    folder = tmp_path_factory.mktemp("runs")
    run = TrainingRun(PLAN, folder, Device("cpu"))
    run.selfplays[0].max_decisions = 20
    for _ in range(50):
        run.selfplays[0].advance()
        run.losses = run.trainer.update(run.selfplays[0])
    run.save(90.0)
    return folder


def test_a_run_goes_on(folder: Path) -> None:
    run = TrainingRun(PLAN, folder, Device("cpu"))
    assert 50 == run.trainer.updates
    assert {"minutes": 1.5, "games": 16, "decisions": 400} == {key: run.before[key] for key in ("minutes", "games", "decisions")}
    torch.testing.assert_close(run.trainer.playing.hidden2.weight, run.trainer.average.hidden2.weight)
    run.train()
    line = json.loads((folder / "classic-2.jsonl").read_text().splitlines()[-1])
    assert line["minutes"] >= 1.5
    assert line["decisions"] > 400
    assert 2 == len(TrainingRun(PLAN, folder, Device("cpu")).before["runs"])


OLD_LAYERS = {"embedding": "sights", "hidden1": "first", "hidden2": "second", "policy": "names"}


def test_a_checkpoint_of_an_older_version_goes_on(folder: Path, tmp_path: Path) -> None:
    """Its layers have the names that they had before."""
    saved = torch.load(folder / "classic-2.pt", weights_only=True)
    expected = saved["average"]["hidden1.weight"].clone()
    for name in ("model", "average"):
        old = [(*key.split("."), array) for key, array in saved[name].items()]
        saved[name] = {f"{OLD_LAYERS.get(layer, layer)}.{kind}": array for layer, kind, array in old}
    torch.save(saved, tmp_path / "classic-2.pt")
    resumed = TrainingRun(PLAN, tmp_path, Device("cpu")).trainer.average
    begun = TrainingRun(PLAN, tmp_path / "new", Device("cpu"), begin=tmp_path / "classic-2.pt").trainer.average
    torch.testing.assert_close(resumed.hidden1.weight, expected)
    torch.testing.assert_close(begun.hidden1.weight, expected)


def test_features_that_never_come_have_no_weights_in_the_net(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = TrainingRun(PLAN, folder, Device("cpu")).trainer
    monkeypatch.setattr("cabochon.learn.net.train.MIN_UPDATES_TO_FORGET", trainer.updates)
    kept, whole = trainer.net().embedding, trainer.average.to_net().embedding
    gone = (kept == 0).all(axis=1, keepdims=True)[:, 0]
    assert gone[COLOURS_MISSING], "only Marvel has a Gauntlet"
    assert not gone[STAGE], "turns are there in every game"
    np.testing.assert_array_equal(whole[~gone], kept[~gone])
    assert whole[gone].any(1).all()


def test_its_net_plays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CABOCHON_NETS", str(folder))
    assert 32 == load_net("classic", 2).embedding_bias.size
    game = Game("classic", 2, seed=4, goal=4)
    for seed in range(300):
        if not game.is_over:
            game.play(bot("legend").choose(game.view(game.turn), Budget(nodes=8), seed))
    assert game.is_over


def test_a_run_for_more_begins_with_one_for_two(folder: Path, tmp_path: Path) -> None:
    plan = Plan("classic", (3, 4), 0.001, games=4, simulations=2, width=32, hidden=16)
    run = TrainingRun(plan, tmp_path, Device("cpu"), begin=folder / "classic-2.pt")
    first = run.trainer.playing.hidden1.weight
    torch.testing.assert_close(first[:, 32:64], first[:, 96:128])
    run.train()
    assert (tmp_path / "classic-3-4.safetensors").exists()


def test_a_shipped_net_is_the_last_link_of_a_chain(folder: Path, tmp_path: Path) -> None:
    net = folder / "classic-2.safetensors"
    run = TrainingRun(PLAN, tmp_path, Device("cpu"), begin=net)
    shipped, seen = read_net(net), run.trainer.average.to_net()
    for name in Net._fields:
        np.testing.assert_array_equal(getattr(shipped, name), getattr(seen, name), name)
    assert 0 == run.trainer.updates
    run.save(30.0)
    before, after = read_run(net), read_run(tmp_path / "classic-2.safetensors")
    assert json.loads(before["minutes"]) + 0.5 == json.loads(after["minutes"])
    *earlier, last = json.loads(after["runs"])
    assert json.loads(before["runs"]) == earlier
    assert "classic-2" == last["begin"]


def test_a_run_gives_a_net_more_layers(folder: Path, tmp_path: Path) -> None:
    run = TrainingRun(replace(PLAN, layers=3), tmp_path, Device("cpu"), begin=folder / "classic-2.safetensors")
    run.save(30.0)
    again = TrainingRun(replace(PLAN, layers=3), tmp_path / "next", Device("cpu"), begin=tmp_path / "classic-2.safetensors")
    for net in (read_net(tmp_path / "classic-2.safetensors"), again.trainer.net()):
        np.testing.assert_array_equal(net.further, np.eye(16)[None])
    with pytest.raises(CabochonError, match="3 hidden layers of 16 and 16 units"):
        TrainingRun(PLAN, tmp_path / "third", Device("cpu"), begin=tmp_path / "classic-2.safetensors")
    resumed = TrainingRun(replace(PLAN, layers=3), tmp_path, Device("cpu"))
    begun = TrainingRun(replace(PLAN, layers=3), tmp_path / "more", Device("cpu"), begin=tmp_path / "classic-2.pt")
    for run in (resumed, begun):
        torch.testing.assert_close(run.trainer.model.further[0].weight, torch.eye(16))


def test_a_run_of_another_size_in_the_folder_is_refused(folder: Path) -> None:
    expected = "2 hidden layers of 16 and 16 units, not width 32 and 3 hidden layers of 16 and 16 units: say another --out"
    with pytest.raises(CabochonError, match=expected):
        TrainingRun(replace(PLAN, layers=3), folder, Device("cpu"))


def test_a_run_with_sparsity_reports_how_many_units_share(tmp_path: Path) -> None:
    run = TrainingRun(replace(PLAN, sparsity=0.1), tmp_path, Device("cpu"))
    assert "units" not in TrainingRun(PLAN, tmp_path / "without", Device("cpu")).progress(1.0)
    run.selfplays[0].max_decisions = 10
    for _ in range(20):
        run.selfplays[0].advance()
    run.losses = run.trainer.update(run.selfplays[0])
    assert 1 <= run.progress(1.0)["units"] <= 2 * 32 + 16 + 16


def test_a_larger_net_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(
        CabochonError, match="width 32 and 2 hidden layers of 16 and 16 units: say --width, --layers and --hidden at least so"
    ):
        TrainingRun(replace(PLAN, width=24), tmp_path, Device("cpu"), begin=folder / "classic-2.safetensors")


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
