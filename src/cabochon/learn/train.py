"""The loop: a net plays against itself, and learns to say what its searches found and how its games ended.

The net that plays is an average of the last few hundred steps of the one that learns.
"""

import copy
import json
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch.optim.swa_utils import get_ema_multi_avg_fn

from ..errors import CabochonError
from ..search.net import ENDING, players_of, read_net, read_run, save_net
from .batch import Device
from .model import Model
from .rate import Ratings
from .selfplay import LONGEST, Spreader, Tables

WINDOW = 64  # steps kept besides those of a whole game
WARM_UP, LAST_RATE = 200, 0.03  # updates until the full learning rate; the part of it at the end
DECAY, AVERAGE = 1e-4, 0.998
RUNS_BEFORE_RECORDING = 5
average = get_ema_multi_avg_fn(AVERAGE)
TRUST = 0.3  # how much the search's own guess counts beside the result of the game
VALUE_WEIGHT, POINTS_WEIGHT, FULL_POINTS = 1.5, 0.3, 15.0


@dataclass(frozen=True)
class Plan:
    """What to train and for how long."""

    variant: str
    players: tuple[int, ...]
    minutes: float
    games: int = 32768  # at once, of two players; fewer of more
    simulations: int = 32
    batch: int = 8192
    updates: int = 8  # a step
    rate: float = 1.5e-3
    width: int = 256
    hidden: int = 128
    seed: int = 1
    every: float = 2.0  # minutes between checkpoints


class Learner:
    """The net that learns, and the one that plays."""

    def __init__(self, plan: Plan, device: Device) -> None:
        torch.manual_seed(plan.seed)
        self.plan, self.device = plan, device
        self.model = Model(plan.width, plan.hidden).to(device.name)
        self.average = copy.deepcopy(self.model).requires_grad_(requires_grad=False)
        self.playing = (
            copy.deepcopy(self.model).to(torch.bfloat16 if device.is_gpu else torch.float32).requires_grad_(requires_grad=False)
        )
        self.rate = torch.tensor(plan.rate, device=device.name)
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), self.rate, weight_decay=DECAY, fused=device.is_gpu, capturable=device.is_gpu
        )
        self.updates = 0
        self.lessons: dict[int, Lesson] = {}

    def refresh(self) -> None:
        """The playing net becomes the average."""
        for mine, theirs in zip(self.playing.parameters(), self.average.parameters(), strict=True):
            mine.copy_(theirs.detach())

    def set_rate(self, part: float) -> None:
        """The learning rate when this part of the time is over."""
        falling = LAST_RATE + (1 - LAST_RATE) * 0.5 * (1 + math.cos(math.pi * min(1.0, part)))
        self.rate.fill_(self.plan.rate * falling * min(1.0, (self.updates + 1) / WARM_UP))

    def learn(self, tables: Tables) -> torch.Tensor:
        """One step on positions drawn from the window; the losses of policy, value and points."""
        if tables.players not in self.lessons:
            self.lessons[tables.players] = Lesson(self, tables)
        self.updates += 1
        return self.lessons[tables.players].run()


class Lesson:
    """A step of learning. On a GPU it is one recording that is played again every time."""

    def __init__(self, learner: Learner, tables: Tables) -> None:
        batch, self.learner, self.tables = learner.plan.batch, learner, tables
        device = learner.device
        self.facts = device.zeros(batch, *tables.facts.shape[2:], dtype=torch.int16)
        self.counts = device.zeros(batch, *tables.counts.shape[2:], dtype=torch.int16)
        self.spread = Spreader(device, self.facts, self.counts)
        self.filled, self.losses = device.zeros(1), device.zeros(3)
        self.runs = 0
        self._recorded: torch.cuda.CUDAGraph | None = None

    def _step(self) -> None:
        learner, tables, history = self.learner, self.tables, self.tables.history
        device, batch, seats = learner.device.name, learner.plan.batch, tables.players
        step = (torch.rand(batch, device=device) * self.filled).long()
        game = torch.randint(0, tables.games, (batch,), device=device)
        self.facts.copy_(tables.facts[step, game])
        self.counts.copy_(tables.counts[step, game])
        known = history.is_known[step, game].float()
        with torch.autocast(device, torch.bfloat16, enabled=learner.device.is_gpu, cache_enabled=False):
            said = learner.model(self.spread())
        target = (1 - TRUST) * history.result[step, game] + TRUST * history.guess[step, game]
        policy = -(history.policy[step, game] * torch.log_softmax(said.policy(tables.names[step, game]), -1)).sum(-1)
        value = -(target * torch.log_softmax(said.value[:, :seats].float(), -1)).sum(-1)
        points = (said.points[:, :seats].float() - history.points[step, game] / FULL_POINTS).square().mean(-1)
        losses = torch.stack([policy, value, points]) @ known / known.sum().clamp(min=1)
        learner.optimiser.zero_grad(set_to_none=False)
        (losses[0] + VALUE_WEIGHT * losses[1] + POINTS_WEIGHT * losses[2]).backward()
        learner.optimiser.step()
        self.losses.copy_(losses.detach())
        with torch.no_grad():
            average(list(learner.average.parameters()), list(learner.model.parameters()), 0)

    def run(self) -> torch.Tensor:
        """One step; the losses."""
        self.filled.fill_(min(self.tables.step, self.tables.steps))
        self.runs += 1
        if self._recorded is not None:
            self._recorded.replay()
        elif not self.learner.device.is_gpu or self.runs <= RUNS_BEFORE_RECORDING:
            self._apart()
        else:
            self._recorded = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._recorded):
                self._step()
        return self.losses

    def _apart(self) -> None:
        """A step on a stream of its own, as a recording wants it to be before."""
        if not self.learner.device.is_gpu:
            self._step()
            return
        apart = torch.cuda.Stream()
        apart.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(apart):
            self._step()
        torch.cuda.current_stream().wait_stream(apart)


def _chain(run: dict[str, str]) -> dict[str, Any]:
    """The runs that made a net, as its file tells."""
    return {key: json.loads(run[key]) for key in ("minutes", "games", "decisions", "runs")}


def _take_over(model: Model, known: Model, file: Path) -> None:
    """The model says what the known one says, which may be smaller."""
    sizes, wanted = ((one.width, one.first.out_features) for one in (known, model))
    if sizes == wanted:
        model.load_state_dict(known.state_dict())
    elif sizes[0] <= wanted[0] and sizes[1] <= wanted[1]:
        model.widen_from(known)
    else:
        raise CabochonError(f"{file} has width {sizes[0]} and hidden layers of {sizes[1]}: say --width and --hidden at least so")


class Run:
    """A training run with its folder: checkpoint, nets, log."""

    def __init__(
        self, plan: Plan, folder: Path, device: Device, ratings: Ratings | None = None, begin: Path | None = None
    ) -> None:
        self.plan, self.folder, self.device, self.ratings = plan, folder, device, ratings
        self.learner = Learner(plan, device)
        self.begun_with = begin.stem if begin else ""
        self.before: dict[str, Any] = {"minutes": 0.0, "games": 0, "decisions": 0, "runs": []}
        if begin is not None:
            self.begin_with(begin)
        self.resume()
        self.learner.refresh()
        self.tables = [
            Tables(
                device, self.learner.playing, plan.variant, players, max(1, plan.games * 2 // (players * len(plan.players))),
                plan.simulations, LONGEST[players] + WINDOW, plan.seed + int(self.before["games"]),
            )
            for players in plan.players
        ]  # fmt: skip
        self.losses = torch.zeros(3)

    @property
    def checkpoint(self) -> Path:
        """Where to go on from."""
        return self.folder / f"{self.name}.pt"

    @property
    def name(self) -> str:
        """The game and the numbers of players."""
        return f"{self.plan.variant}-{'-'.join(map(str, self.plan.players))}"

    def begin_with(self, other: Path) -> None:
        """Begin with what another net has learnt: a checkpoint, or a net as it is shipped.

        A net for two does not know the third and fourth seat: they start out like the one opposite. A smaller net gets units to
        spare. A net for the same players is the last link of a chain of runs, which goes on here.
        """
        if other.suffix == ENDING:
            known, before = [Model.from_net(read_net(other))] * 2, _chain(read_run(other))
        else:
            saved = torch.load(other, map_location="cpu", weights_only=True)
            known, before = [Model.from_state(saved[name]) for name in ("model", "average")], saved["before"]
        for model, small in zip((self.learner.model, self.learner.average), known, strict=True):
            _take_over(model, small.to(self.device.name), other)
            if max(self.plan.players) > max(players_of(other)):
                model.copy_opposite()
        if players_of(other) == self.plan.players:
            self.before = before

    def resume(self) -> None:
        """Go on where an earlier run stopped."""
        if self.checkpoint.exists():
            saved = torch.load(self.checkpoint, map_location=self.device.name, weights_only=True)
            self.learner.model.load_state_dict(saved["model"])
            self.learner.average.load_state_dict(saved["average"])
            self.learner.optimiser.load_state_dict(saved["optimiser"])
            self.learner.updates, self.before = saved["updates"], saved["before"]

    def progress(self, seconds: float) -> dict[str, Any]:
        """How far everything is."""
        games = sum(int(tables.ended.sum()) for tables in self.tables)
        decisions = sum(tables.step * tables.games for tables in self.tables)
        policy, value, points = (round(float(loss), 4) for loss in self.losses)
        return {
            "run": self.name, "minutes": round(self.before["minutes"] + seconds / 60, 2), "games": self.before["games"] + games,
            "decisions": self.before["decisions"] + decisions, "updates": self.learner.updates,
            "games_per_second": round(games / seconds), "decisions_per_second": round(decisions / seconds),
            "simulations_per_second": round(decisions * self.plan.simulations / seconds),
            "length": round(decisions / max(1, games), 1), "policy": policy, "value": value, "points": points,
        }  # fmt: skip

    def save(self, seconds: float) -> None:
        """Write the checkpoint and the net as it plays."""
        self.folder.mkdir(parents=True, exist_ok=True)
        now = self.progress(seconds)
        learner = self.learner
        run = {
            **asdict(self.plan),
            "players": list(self.plan.players),
            "begin": self.begun_with,
            "run_minutes": round(seconds / 60, 2),
        }
        before = {key: now[key] for key in ("minutes", "games", "decisions")} | {"runs": [*self.before["runs"], run]}
        saved = {
            "model": learner.model.state_dict(), "average": learner.average.state_dict(),
            "optimiser": learner.optimiser.state_dict(), "updates": learner.updates, "before": before,
        }  # fmt: skip
        torch.save(saved, self.checkpoint)
        record = {key: json.dumps(value) for key, value in before.items()} | {"updates": str(learner.updates)}
        save_net(self.folder / f"{self.name}{ENDING}", learner.average.to_net(), record)

    def say(self, seconds: float) -> None:
        """A line of progress, printed and kept."""
        line = self.progress(seconds) | (self.ratings.latest() if self.ratings else {})
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{self.name}.jsonl").open("a", encoding="utf-8") as log:
            log.write(json.dumps(line) + "\n")
        print("  ".join(f"{key} {value:,}" for key, value in line.items() if key != "run"), flush=True)

    def train(self) -> None:
        """Play and learn until the time is over."""
        start, whole = time.perf_counter(), self.plan.minutes * 60
        said = saved = 0.0
        while (seconds := time.perf_counter() - start) < whole:
            self.learner.set_rate(seconds / whole)
            for tables in self.tables:
                tables.advance()
                for _ in range(self.plan.updates if tables.has_results() else 0):
                    self.losses = self.learner.learn(tables)
            self.learner.refresh()
            if seconds - said > 15:
                self.say(seconds)
                said = seconds
            if seconds - saved > self.plan.every * 60:
                self.save(seconds)
                saved = seconds
                if self.ratings and 2 in self.plan.players:
                    self.ratings.begin(self.folder, self.plan.variant)
        self.save(time.perf_counter() - start)
        self.say(time.perf_counter() - start)
