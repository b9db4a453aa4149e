"""`python -m cabochon.arena A B ...` plays a match where nothing but numpy and numba is installed."""

import argparse
import json
import sys
from pathlib import Path

from ..errors import CabochonError
from .match import match_of, run_match
from .report import tell
from .statistics import Sprt

WRONG_INPUT, STOPPED = 2, 130


def arguments() -> argparse.Namespace:
    """What was asked for; `cabochon arena --help` says more."""
    parser = argparse.ArgumentParser("python -m cabochon.arena")
    parser.add_argument("bots", nargs="+", metavar="BOT")
    parser.add_argument("--variant", default="classic")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"))
    parser.add_argument("--out", type=Path)
    parser.add_argument("--ray", metavar="ADDRESS")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def report(done: int, total: int) -> None:
    """A line that grows, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r{done} of {total} games", end="\n" if done == total else "", file=sys.stderr, flush=True)


def main() -> None:
    """Play the match and print its result."""
    said = arguments()
    result = run_match(
        match_of(said.bots, said.variant, said.seed, said.nodes, said.seconds),
        said.games,
        workers=said.workers,
        sprt=Sprt(*said.sprt) if said.sprt else None,
        file=said.out,
        command=sys.argv[1:],
        ray=said.ray,
        progress=report,
    )
    print(json.dumps(result.as_json(), indent=2) if said.json else tell(result))


if __name__ == "__main__":
    try:
        main()
    except CabochonError as wrong:
        print(f"cabochon: {wrong}", file=sys.stderr)
        sys.exit(WRONG_INPUT)
    except KeyboardInterrupt:
        sys.exit(STOPPED)
