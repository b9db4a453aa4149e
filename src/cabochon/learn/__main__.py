"""`python -m cabochon.learn --variant classic --players 2 --minutes 25 --out runs` trains a net from zero, or goes on."""

import argparse
from pathlib import Path

import torch

from .batch import Device
from .rate import Ratings
from .train import Plan, Run


def arguments() -> argparse.Namespace:
    """What was asked for."""
    usual = Plan("classic", (2,), 0)
    parser = argparse.ArgumentParser("python -m cabochon.learn", description="Train a net by games against itself.")
    parser.add_argument("--variant", choices=("classic", "marvel"), default=usual.variant)
    parser.add_argument(
        "--players", type=int, nargs="+", choices=(2, 3, 4), default=usual.players, help="one net for all of them"
    )
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--games", type=int, default=usual.games, help="at once")
    parser.add_argument("--simulations", type=int, default=usual.simulations, help="for every decision")
    parser.add_argument("--batch", type=int, default=usual.batch)
    parser.add_argument("--updates", type=int, default=usual.updates, help="after every decision of all games")
    parser.add_argument("--rate", type=float, default=usual.rate, help="of learning, at the start; it falls to the end")
    parser.add_argument("--width", type=int, default=usual.width)
    parser.add_argument("--hidden", type=int, default=usual.hidden)
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--every", type=float, default=usual.every, help="minutes between checkpoints")
    parser.add_argument("--out", type=Path, default=Path("runs"), help="folder of checkpoint, nets and log; a run there goes on")
    parser.add_argument("--begin", type=Path, metavar="FILE", help="a checkpoint or a net to begin with")
    parser.add_argument("--rate-with", type=int, default=0, metavar="WORKERS", help="processes that rate the net beside")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda" if torch.cuda.is_available() else "cpu")
    return parser.parse_args()


def main() -> None:
    """Train."""
    said = vars(arguments())
    out, device, workers, begin = said.pop("out"), Device(said.pop("device")), said.pop("rate_with"), said.pop("begin")
    plan = Plan(**{**said, "players": tuple(said["players"])})
    Run(plan, out, device, Ratings(workers) if workers else None, begin).train()


if __name__ == "__main__":
    main()
