"""The training run: a net plays against itself, and learns to predict what its searches found and how its games ended.

The net that plays is an exponential moving average (EMA) of the one that learns: its weights jump less from step to step, and it
plays better than the last step's.
"""

import copy
import json
import math
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch.optim.swa_utils import get_ema_multi_avg_fn

from ...errors import CabochonError
from ...search.models.net import SUFFIX, players_of, read_net, read_run, save_net
from ...search.net import Net
from ..device import Device
from ..plan import MIN_LAYERS, Plan
from ..rate import Ratings
from .inputs import DenseInputs
from .model import Model, current_names, effective_units
from .selfplay import MAX_DECISIONS, SelfPlay, SelfPlayConfig

WARM_UP, LAST_RATE = 200, 0.03  # updates until the full learning rate; the part of it at the end
WEIGHT_DECAY, EMA_DECAY = 1e-4, 0.998
BATCHES_TO_LOOK_AT = 16  # for units that are never above zero
LOSSES = 3  # of policy, value and points; with sparsity there is one more number
RUNS_BEFORE_RECORDING = 5  # torch wants a few runs outside a CUDA graph first, in which it allocates what it needs
update_average = get_ema_multi_avg_fn(EMA_DECAY)
ROOT_VALUE_WEIGHT = 0.3  # of the search's own value beside the result of the game: less noise, for a little bias
VALUE_WEIGHT, POINTS_WEIGHT = 1.5, 0.3  # of the losses, beside that of the policy
POINTS_SCALE = 15.0  # points of a usual end: the target is about 1
SECONDS_BETWEEN_LINES = 15
MIN_UPDATES_TO_FORGET = 20_000  # a feature that no update so far had never comes; after fewer it may only be rare


class Trainer:
    """The net that learns, its average, and the copy of that which plays, on a GPU in half precision."""

    def __init__(self, plan: Plan, device: Device) -> None:
        torch.manual_seed(plan.seed)
        self.plan, self.device = plan, device
        self.model = Model(plan.width, plan.hidden, further=plan.layers - MIN_LAYERS).to(device.name)
        self.average = copy.deepcopy(self.model).requires_grad_(requires_grad=False)
        self.playing = (
            copy.deepcopy(self.model).to(torch.bfloat16 if device.is_gpu else torch.float32).requires_grad_(requires_grad=False)
        )
        self.rate = torch.tensor(plan.rate, device=device.name)
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), self.rate, weight_decay=WEIGHT_DECAY, fused=device.is_gpu, capturable=device.is_gpu
        )
        self.updates = 0
        self.steps: dict[int, TrainStep] = {}

    def refresh(self) -> None:
        """The playing net becomes the average."""
        for mine, theirs in zip(self.playing.parameters(), self.average.parameters(), strict=True):
            mine.copy_(theirs.detach())

    def set_rate(self, part: float) -> None:
        """The learning rate when this part of the time is over: a linear warm-up, then a cosine."""
        falling = LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * min(1.0, part)))
        self.rate.fill_(self.plan.rate * falling * min(1.0, (self.updates + 1) / WARM_UP))

    def net(self) -> Net:
        """The average as a net file has it: without weights, random still, of features that never come, so that it packs well."""
        net: Net = self.average.to_net()
        if self.updates >= MIN_UPDATES_TO_FORGET:
            squares = self.optimiser.state[self.model.embedding.weight]["exp_avg_sq"]  # Adam's mean of the squared gradients
            net.embedding[squares.sum(0).cpu().numpy()[: len(net.embedding)] == 0] = 0
        return net

    def step_for(self, selfplay: SelfPlay) -> "TrainStep":
        """What an update on these games needs, made once."""
        if selfplay.players not in self.steps:
            self.steps[selfplay.players] = TrainStep(self, selfplay)
        return self.steps[selfplay.players]

    def update(self, selfplay: SelfPlay) -> torch.Tensor:
        """One update on positions drawn from the replay buffer; its losses, as `TrainStep` has them."""
        self.updates += 1
        return self.step_for(selfplay).run()

    @torch.no_grad()
    def revive(self, selfplays: list[SelfPlay]) -> list[int]:
        """Give units that were never above zero new weights, before the first update; how many there were, by layer."""
        silent: list[torch.Tensor] = []
        for step in [self.step_for(selfplay) for selfplay in selfplays for _ in range(BATCHES_TO_LOOK_AT)]:
            step.count_filled()
            step.draw()
            found = self.model.silent_units(step.inputs())
            silent = [one & other for one, other in zip(silent, found, strict=True)] if silent else found
        self.model.revive(silent)
        self.average.load_state_dict(self.model.state_dict())
        return [int(one.sum()) for one in silent]


class TrainStep:
    """An update for games of one number of players. On a GPU it is recorded once as a CUDA graph and replayed."""

    def __init__(self, trainer: Trainer, selfplay: SelfPlay) -> None:
        batch, self.trainer, self.selfplay = trainer.plan.batch, trainer, selfplay
        device = trainer.device
        self.features = device.zeros(batch, *selfplay.features.shape[2:], dtype=torch.int16)
        self.feature_counts = device.zeros(batch, *selfplay.feature_counts.shape[2:], dtype=torch.int16)
        self.inputs = DenseInputs(device, self.features, self.feature_counts)
        self.filled, self.losses = device.zeros(1), device.zeros(LOSSES + bool(trainer.plan.sparsity))
        self.weights = torch.tensor([1.0, VALUE_WEIGHT, POINTS_WEIGHT, trainer.plan.sparsity], device=device.name)
        self.runs = 0
        self._graph: torch.cuda.CUDAGraph | None = None

    def count_filled(self) -> None:
        """How much of the replay buffer is there to draw from: a number of Python's, so a CUDA graph would keep it as it was."""
        self.filled.fill_(min(self.selfplay.step, self.selfplay.steps))

    def draw(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Positions drawn at random become the inputs; their steps and games."""
        selfplay, device, batch = self.selfplay, self.trainer.device.name, self.trainer.plan.batch
        step = (torch.rand(batch, device=device) * self.filled).long()
        game = torch.randint(0, selfplay.count, (batch,), device=device)
        self.features.copy_(selfplay.features[step, game])
        self.feature_counts.copy_(selfplay.feature_counts[step, game])
        return step, game

    def _losses(self) -> torch.Tensor:
        """The losses of policy, value and points on positions drawn at random; those of games still running do not count.

        With `sparsity` also how many units share in the answer, in thousands: fewer above zero are fewer to multiply in a search.
        """
        trainer, selfplay, buffer = self.trainer, self.selfplay, self.selfplay.buffer
        device, seats = trainer.device.name, selfplay.players
        step, game = self.draw()
        finished = buffer.is_finished[step, game].float()
        with torch.autocast(device, torch.bfloat16, enabled=trainer.device.is_gpu, cache_enabled=False):
            units = trainer.model.units(self.inputs())
            output = trainer.model.output_of(units[-1])
        target = (1 - ROOT_VALUE_WEIGHT) * buffer.result[step, game] + ROOT_VALUE_WEIGHT * buffer.root_value[step, game]
        logits = output.action_logits(selfplay.policy_indices[step, game])
        policy = -(buffer.policy[step, game] * torch.log_softmax(logits, -1)).sum(-1)
        value = -(target * torch.log_softmax(output.value[:, :seats].float(), -1)).sum(-1)
        points = (output.points[:, :seats].float() - buffer.points[step, game] / POINTS_SCALE).square().mean(-1)
        losses = [policy, value, points]
        if trainer.plan.sparsity:
            losses.append(torch.stack([effective_units(layer) for layer in units]).sum(0) / 1000)
        return torch.stack(losses) @ finished / finished.sum().clamp(min=1)

    def _step(self) -> None:
        trainer, losses = self.trainer, self._losses()
        trainer.optimiser.zero_grad(set_to_none=False)
        (losses * self.weights[: len(losses)]).sum().backward()
        trainer.optimiser.step()
        self.losses.copy_(losses.detach())
        with torch.no_grad():
            update_average(list(trainer.average.parameters()), list(trainer.model.parameters()), 0)

    def run(self) -> torch.Tensor:
        """One update; the losses."""
        self.count_filled()
        self.runs += 1
        if self._graph is not None:
            self._graph.replay()
        elif not self.trainer.device.is_gpu or self.runs <= RUNS_BEFORE_RECORDING:
            self._run_unrecorded()
        else:
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._step()
        return self.losses

    def _run_unrecorded(self) -> None:
        """An update before the recording; on a GPU in a stream of its own, as torch asks for."""
        if not self.trainer.device.is_gpu:
            self._step()
            return
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            self._step()
        torch.cuda.current_stream().wait_stream(stream)


def chain_of(run: dict[str, str]) -> dict[str, Any]:
    """The runs that made a net, from the metadata of its file."""
    return {key: json.loads(run[key]) for key in ("minutes", "games", "decisions", "runs")}


def selfplay_config(plan: Plan, players: int, before: dict[str, Any]) -> SelfPlayConfig:
    """Fewer games of more players, whose positions take more memory; other seeds than the runs before."""
    games = max(1, plan.games * 2 // (players * len(plan.players)))
    steps = MAX_DECISIONS[players] + plan.steps(before["minutes"])
    return SelfPlayConfig(plan.variant, players, games, plan.simulations, steps, plan.seed + int(before["games"]), plan.td_lambda)


def in_words(sizes: tuple[int, int, int, int]) -> str:
    """A model's sizes, to be read."""
    width, hidden1, hidden2, further = sizes
    return f"width {width} and {MIN_LAYERS + further} hidden layers of {hidden1} and {hidden2} units"


def load_or_widen(model: Model, known: Model, file: Path) -> None:
    """The model computes what the known one does, which may be smaller."""
    sizes, wanted = known.sizes, model.sizes
    if sizes == wanted:
        model.load_state_dict(known.state_dict())
    elif all(size <= room for size, room in zip(sizes, wanted, strict=True)):
        model.widen_from(known)
    else:
        raise CabochonError(f"{file} has {in_words(sizes)}: say --width, --layers and --hidden at least so")


class TrainingRun:
    """A training run with its folder: checkpoint, nets, log."""

    def __init__(
        self, plan: Plan, folder: Path, device: Device, ratings: Ratings | None = None, begin: Path | None = None
    ) -> None:
        self.plan, self.folder, self.device, self.ratings = plan, folder, device, ratings
        self.trainer = Trainer(plan, device)
        self.begun_with = begin.stem if begin else ""
        self.before: dict[str, Any] = {"minutes": 0.0, "games": 0, "decisions": 0, "runs": []}
        if begin is not None:
            self.begin_with(begin)
        self.resume()
        plan.check(self.before["minutes"])
        self.trainer.refresh()
        configs = [selfplay_config(plan, players, self.before) for players in plan.players]
        self.selfplays = [SelfPlay(device, self.trainer.playing, config) for config in configs]
        self.losses = torch.zeros(LOSSES)

    @property
    def checkpoint(self) -> Path:
        """The file to go on from."""
        return self.folder / f"{self.name}.pt"

    @property
    def name(self) -> str:
        """The game and the numbers of players."""
        return f"{self.plan.variant}-{'-'.join(map(str, self.plan.players))}"

    def begin_with(self, other: Path) -> None:
        """Begin with another net: a checkpoint, or a net file.

        A net for two knows nothing of the third and fourth seat: they start out like the one opposite. A smaller net gets units
        to spare. A net for the same players is the last of a chain of runs, which goes on here.
        """
        if other.suffix == SUFFIX:
            known, before = [Model.from_net(read_net(other))] * 2, chain_of(read_run(other))
        else:
            saved = torch.load(other, map_location="cpu", weights_only=True)
            known, before = [Model.from_state(saved[name]) for name in ("model", "average")], saved["before"]
        for model, small in zip((self.trainer.model, self.trainer.average), known, strict=True):
            load_or_widen(model, small.to(self.device.name), other)
            if max(self.plan.players) > max(players_of(other)):
                model.copy_opposite()
        if players_of(other) == self.plan.players:
            self.before = before

    def resume(self) -> None:
        """Go on where an earlier run stopped."""
        if self.checkpoint.exists():
            saved = torch.load(self.checkpoint, map_location=self.device.name, weights_only=True)
            found, wanted = Model.from_state(saved["model"]).sizes, self.trainer.model.sizes
            if found != wanted:
                raise CabochonError(f"{self.checkpoint} has {in_words(found)}, not {in_words(wanted)}: say another --out")
            self.trainer.model.load_state_dict(current_names(saved["model"]))
            self.trainer.average.load_state_dict(current_names(saved["average"]))
            self.trainer.optimiser.load_state_dict(saved["optimiser"])
            self.trainer.updates, self.before = saved["updates"], saved["before"]

    def progress(self, seconds: float) -> dict[str, Any]:
        """How far everything is."""
        games = sum(int(selfplay.games.finished.sum()) for selfplay in self.selfplays)
        decisions = sum(selfplay.step * selfplay.count for selfplay in self.selfplays)
        policy, value, points, *units = (round(float(loss), 4) for loss in self.losses)
        line = {
            "run": self.name, "minutes": round(self.before["minutes"] + seconds / 60, 2), "games": self.before["games"] + games,
            "decisions": self.before["decisions"] + decisions, "updates": self.trainer.updates,
            "games_per_second": round(games / seconds), "decisions_per_second": round(decisions / seconds),
            "simulations_per_second": round(decisions * self.plan.simulations / seconds),
            "length": round(decisions / max(1, games), 1), "policy": policy, "value": value, "points": points,
        }  # fmt: skip
        return line | ({"units": round(1000 * units[0], 1)} if units else {})

    def save(self, seconds: float) -> None:
        """Write the checkpoint and the net as it plays."""
        self.folder.mkdir(parents=True, exist_ok=True)
        now = self.progress(seconds)
        trainer = self.trainer
        run = {
            **asdict(self.plan),
            "players": list(self.plan.players),
            "begin": self.begun_with,
            "run_minutes": round(seconds / 60, 2),
        }
        before = {key: now[key] for key in ("minutes", "games", "decisions")} | {"runs": [*self.before["runs"], run]}
        saved = {
            "model": trainer.model.state_dict(), "average": trainer.average.state_dict(),
            "optimiser": trainer.optimiser.state_dict(), "updates": trainer.updates, "before": before,
        }  # fmt: skip
        torch.save(saved, self.checkpoint)
        record = {key: json.dumps(value) for key, value in before.items()} | {"updates": str(trainer.updates)}
        save_net(self.folder / f"{self.name}{SUFFIX}", trainer.net(), record)

    def report(self, seconds: float) -> None:
        """A line of progress, printed and written to the log."""
        line = self.progress(seconds) | (self.ratings.latest() if self.ratings else {})
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{self.name}.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
        print("  ".join(f"{key} {value:,}" for key, value in line.items() if key != "run"), flush=True)

    def train(self) -> None:
        """Play and learn until the time is over."""
        start, whole = time.perf_counter(), self.plan.minutes * 60
        reported = saved = 0.0
        while (seconds := time.perf_counter() - start) < whole:
            self.trainer.set_rate(self.plan.part(self.before["minutes"], seconds / 60))
            for selfplay in self.selfplays:
                selfplay.advance()
            if self.plan.revive and self.trainer.updates == 0 and all(selfplay.has_results() for selfplay in self.selfplays):
                print("units revived:", *self.trainer.revive(self.selfplays), flush=True)
            for selfplay in self.selfplays:
                for _ in range(self.plan.updates if selfplay.has_results() else 0):
                    self.losses = self.trainer.update(selfplay)
            self.trainer.refresh()
            if seconds - reported > SECONDS_BETWEEN_LINES:
                self.report(seconds)
                reported = seconds
            if seconds - saved > self.plan.every * 60:
                self.save(seconds)
                saved = seconds
                if self.ratings and 2 in self.plan.players:
                    self.ratings.begin(self.folder, self.plan.variant)
        self.save(time.perf_counter() - start)
        self.report(time.perf_counter() - start)
