"""Which shape of a net learns most from the same games? Several learn side by side from one net's games; their losses.

All begin with that net, widened and deepened, with new weights for silent units. A shape is WIDTH,HIDDEN,LAYERS[,SPARSITY].

PYTHONPATH=src python bench/shapes.py src/cabochon/search/models/classic-2.safetensors 512,256,2 512,256,3 --minutes 4 --out runs
needs a CUDA GPU, numba-cuda and torch
"""

import argparse
import json
import time
from dataclasses import asdict, replace
from pathlib import Path

import torch

from cabochon.learn.device import Device
from cabochon.learn.net.model import Model
from cabochon.learn.net.selfplay import SelfPlay
from cabochon.learn.net.train import LOSSES, Trainer, chain_of, load_or_widen, selfplay_config
from cabochon.learn.plan import Plan
from cabochon.search.models.net import players_of, read_net, read_run, save_net

SECONDS_BETWEEN_LINES = 30.0


def learner(shape: str, plan: Plan, net: Path, device: Device) -> Trainer:
    """A net of this shape that says what the given one says."""
    width, hidden, layers, sparsity = (*shape.split(","), "0")[:4]
    sized = replace(plan, width=int(width), hidden=int(hidden), layers=int(layers), sparsity=float(sparsity))
    trainer, known = Trainer(sized, device), Model.from_net(read_net(net)).to(device.name)
    for model in (trainer.model, trainer.average):
        load_or_widen(model, known, net)
    return trainer


def main() -> None:
    """A line for every shape, several times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("net", type=Path)
    parser.add_argument("shapes", nargs="+", metavar="SHAPE")
    parser.add_argument("--minutes", type=float, default=4.0)
    parser.add_argument("--games", type=int, default=32768)
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument("--updates", type=int, default=8)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--td-lambda", type=float, default=0.85)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", type=Path, default=Path("runs"))
    options = parser.parse_args()
    variant, device, before = options.net.stem.split("-")[0], Device(options.device), chain_of(read_run(options.net))
    plan = Plan(
        variant, players_of(options.net), options.minutes, games=options.games, batch=options.batch, updates=options.updates,
        rate=options.rate, td_lambda=options.td_lambda, revive=True,
    )  # fmt: skip
    playing = Model.from_net(read_net(options.net)).to(device.name, torch.bfloat16 if device.is_gpu else torch.float32)
    playing.requires_grad_(requires_grad=False)
    selfplays = [SelfPlay(device, playing, selfplay_config(plan, players, before)) for players in plan.players]
    learners = [learner(shape, plan, options.net, device) for shape in options.shapes]
    sums = torch.zeros(len(learners), LOSSES, device=device.name)
    start = reported = time.perf_counter()
    updates = 0
    while (now := time.perf_counter()) - start < options.minutes * 60:
        for selfplay in selfplays:
            selfplay.advance()
        if not all(selfplay.has_results() for selfplay in selfplays):
            continue
        for number, trainer in enumerate(learners):
            if trainer.updates == 0:
                print(options.shapes[number], "units revived:", *trainer.revive(selfplays), flush=True)
            trainer.set_rate((now - start) / 60 / options.minutes)
            for selfplay in options.updates * selfplays:
                sums[number] += trainer.update(selfplay)[:LOSSES]
        updates += options.updates * len(selfplays)
        if now - reported > SECONDS_BETWEEN_LINES:
            for shape, losses in zip(options.shapes, (sums / updates).tolist(), strict=True):
                line = {"shape": shape, "seconds": round(now - start), "updates": learners[0].updates}
                line |= {name: round(loss, 5) for name, loss in zip(("policy", "value", "points"), losses, strict=True)}
                print(json.dumps(line), flush=True)
            sums.zero_()
            updates, reported = 0, now
    played = {
        "minutes": options.minutes,
        "games": sum(int(selfplay.games.finished.sum()) for selfplay in selfplays),
        "decisions": sum(selfplay.step * selfplay.count for selfplay in selfplays),
    }
    for shape, trainer in zip(options.shapes, learners, strict=True):
        run = {
            **asdict(trainer.plan),
            "begin": options.net.stem,
            "run_minutes": options.minutes,
            "others_beside": len(learners) - 1,
        }
        chain = {name: json.dumps(before[name] + more) for name, more in {**played, "runs": [run]}.items()}
        save_net(options.out / shape.replace(",", "-") / options.net.name, trainer.net(), chain)


if __name__ == "__main__":
    main()
