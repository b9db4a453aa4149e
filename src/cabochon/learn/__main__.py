"""`python -m cabochon.learn` is `cabochon learn` where Typer is not installed, as on many GPU machines."""

import argparse
import sys
from pathlib import Path

from ..errors import CabochonError
from ..rules.variants import VARIANTS
from .command import train
from .plan import DEFAULTS, Plan

WRONG_INPUT = 2


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser("python -m cabochon.learn", description="Train a net by games against itself.")
    parser.add_argument("--variant", choices=tuple(VARIANTS), default=DEFAULTS.variant)
    parser.add_argument(
        "--players", type=int, nargs="+", choices=(2, 3, 4), default=DEFAULTS.players, help="one net for all of them"
    )
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("--games", type=int, default=DEFAULTS.games, help="at once")
    parser.add_argument("--simulations", type=int, default=DEFAULTS.simulations, help="for every decision")
    parser.add_argument("--batch", type=int, default=DEFAULTS.batch)
    parser.add_argument("--updates", type=int, default=DEFAULTS.updates, help="after every decision of all games")
    parser.add_argument("--rate", type=float, default=DEFAULTS.rate, help="of learning, at the start; it falls to the end")
    parser.add_argument("--width", type=int, default=DEFAULTS.width)
    parser.add_argument("--hidden", type=int, default=DEFAULTS.hidden)
    parser.add_argument(
        "--layers", type=int, default=DEFAULTS.layers, help="hidden layers; a net that begins with fewer gets more"
    )
    parser.add_argument("--seed", type=int, default=DEFAULTS.seed)
    parser.add_argument("--every", type=float, default=DEFAULTS.every, help="minutes between checkpoints")
    parser.add_argument(
        "--td-lambda", type=float, default=DEFAULTS.td_lambda, help="TD(lambda) for the value, by rounds; 1: the result alone"
    )
    parser.add_argument(
        "--chain-minutes", type=float, default=0.0, help="of all runs of a chain, over which the rate falls; else over this run"
    )
    parser.add_argument("--window", type=int, default=DEFAULTS.window, help="steps kept besides a whole game, at the chain's end")
    parser.add_argument(
        "--sparsity", type=float, default=DEFAULTS.sparsity, help="weight of every thousand effective units: fewer are faster"
    )
    parser.add_argument("--revive", action="store_true", help="new weights for units that are never above zero")
    parser.add_argument("--out", type=Path, default=Path("runs"), help="folder of checkpoint, nets and log; a run there goes on")
    parser.add_argument("--begin", type=Path, metavar="FILE", help="a checkpoint or a net to begin with")
    parser.add_argument("--rate-with", type=int, default=0, metavar="WORKERS", help="processes that rate the net beside")
    parser.add_argument("--device", choices=("cuda", "cpu"), help="cuda if there is one")
    return parser.parse_args(arguments)


def main() -> None:
    """Train with the options of the command line."""
    given = vars(options())
    run = {name: given.pop(name) for name in ("out", "begin", "rate_with", "device")}
    train(Plan(**{**given, "players": tuple(given["players"])}), **run)


if __name__ == "__main__":
    try:
        main()
    except CabochonError as error:
        print(f"cabochon: {error}", file=sys.stderr)
        sys.exit(WRONG_INPUT)
