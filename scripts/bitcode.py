"""Writes the code that Numba makes of the functions Python calls into the package, for the Python that runs this.

The build of a wheel calls it, with what the engine needs installed. A second process then searches with what was written, and
must play as the first one did. See src/cabochon/rules/bitcode.py.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GAMES = 2
CHECK = "--check"


def use_everything() -> None:
    """Call what games, bots, arrays of games and Gymnasium's environments call; each call compiles what it needs."""
    import numpy as np

    import cabochon
    from cabochon.bots import BOTS
    from cabochon.envs.episodes import NEXT_STEP, Episodes, compiled_bots
    from cabochon.observation import MASK_WORDS, observation_words

    cabochon.warm_up(*BOTS)
    states = cabochon.deal("classic", 2, np.arange(GAMES))
    cabochon.legal_table(states)
    cabochon.play(states, cabochon.choose(states))
    cabochon.ranks(states)
    cabochon.observe(states)
    everywhere = np.ones(GAMES, np.bool_)
    for opponent in ("random", "greedy"):
        games = Episodes(GAMES, "classic", 2, compiled_bots([opponent]))
        games.seed(np.arange(GAMES), everywhere)
        games.reset(everywhere)
        actions = games.with_legal(np.full(GAMES, cabochon.NO_ACTION), NEXT_STEP)
        games.illegal(actions, NEXT_STEP)
        games.step(actions, NEXT_STEP)
        words = np.empty(observation_words(2, "classic") + MASK_WORDS, np.int64)
        games.look(words)
        games.step_one(int(cabochon.choose(games.states)[0]), words)


def signatures() -> str:
    """What the searches play in fixed positions, as numbers."""
    from cabochon.search.analysis import LINEAR_SEARCH, NET_SEARCH
    from cabochon.search.signature import signature

    return " ".join(f"{signature(config)[-1]:08x}" for config in (LINEAR_SEARCH, NET_SEARCH))


def check() -> str:
    """The signatures, with the code that was written and no other."""
    from cabochon.rules.linking import LinkingDispatcher

    def refuse(dispatcher: LinkingDispatcher, *_: object) -> None:
        sys.exit(f"bitcode: {dispatcher.py_func.__qualname__} is missing")

    LinkingDispatcher.part = refuse  # type: ignore[method-assign]
    return signatures()


def write() -> None:
    """Into an empty folder, and from nothing: what was compiled before is not looked at."""
    from cabochon.rules import bitcode

    shutil.rmtree(bitcode.FOLDER, ignore_errors=True)
    bitcode.is_recording = True
    use_everything()
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        again = subprocess.run([sys.executable, __file__, CHECK], env=environment, capture_output=True, text=True, check=False)
    if again.stdout.strip() != signatures():
        sys.exit(f"bitcode: the search plays otherwise with what was written: {again.stdout}{again.stderr}")
    files = sorted(bitcode.FOLDER.rglob(f"*{bitcode.SUFFIX}"))
    print(f"bitcode: {len(files)} functions, {sum(path.stat().st_size for path in files):,} bytes, {bitcode.versions()}")


def main() -> None:
    sys.path.insert(0, str(ROOT / "src"))
    if CHECK in sys.argv:
        print(check())
        return
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NUMBA_CACHE_DIR"] = cache
        write()


if __name__ == "__main__":
    main()
