"""The command `cabochon`. It says which libraries are missing; matches and the line protocol of engines need none."""

import sys

NEEDED = "cabochon: the command needs {name}: pip install 'cabochon-game[play]'"
WITHOUT_LIBRARIES = "Without it there are `cabochon engine [BOT]`, `cabochon arena BOT BOT ...` and `cabochon --version`."
INVALID_INPUT = 2


def main() -> None:
    """Run the command."""
    try:
        from .cli import app
    except ModuleNotFoundError as missing:
        if missing.name is None or missing.name.partition(".")[0] == __package__:
            raise
        sys.exit(_run_plain(sys.argv[1:], missing.name))
    app()


def _run_plain(words: list[str], missing: str) -> int:
    """What can be done with numpy, numba and safetensors alone; the exit status."""
    match words:
        case ["--version"] | ["version"]:
            from .version import __version__

            print(__version__)
        case ["engine", *rest]:
            from .bots.engine import main as engine

            engine(rest[-1] if rest else "greedy")
        case ["arena", *rest]:
            from .arena.__main__ import run

            return run(rest)
        case _:
            print(f"{NEEDED.format(name=missing)}\n{WITHOUT_LIBRARIES}", file=sys.stderr)
            return INVALID_INPUT
    return 0
