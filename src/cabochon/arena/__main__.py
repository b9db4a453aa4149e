"""`python -m cabochon.arena A B ...` plays a match where only numpy, numba and safetensors are installed."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from ..errors import CabochonError
from .match import parse_match, run_match
from .report import format_report
from .statistics import Sprt

INVALID_INPUT, INTERRUPTED = 2, 130


def parse_options(words: Sequence[str]) -> argparse.Namespace:
    """The options of the command line; `cabochon arena --help` explains them."""
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
    return parser.parse_args(words)


def print_progress(done: int, total: int) -> None:
    """One line that is written again and again; nothing if nobody watches."""
    if sys.stderr.isatty():
        print(f"\r{done} of {total} games", end="\n" if done == total else "", file=sys.stderr, flush=True)


def play(words: Sequence[str]) -> None:
    """Play the match that the words ask for, and print its result."""
    options = parse_options(words)
    result = run_match(
        parse_match(options.bots, options.variant, options.seed, options.nodes, options.seconds),
        options.games,
        workers=options.workers,
        sprt=Sprt(*options.sprt) if options.sprt else None,
        file=options.out,
        command=words,
        ray=options.ray,
        progress=print_progress,
    )
    print(json.dumps(result.as_json(), indent=2) if options.json else format_report(result))


def run(words: Sequence[str]) -> int:
    """The same, with the exit status of a command; invalid input is answered with one line."""
    try:
        play(words)
    except CabochonError as error:
        print(f"cabochon: {error}", file=sys.stderr)
        return INVALID_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
