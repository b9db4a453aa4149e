"""Two checkouts side by side on one machine: `python bench/compare.py FOLDER [FOLDER]`, the second this one if it is left out.

A process for each takes turns with the other, slice by slice, so that what else the machine does falls on both. Printed are the
best times of both, the ratio of the bests and the median of the ratios. Speeds move by some percent from run to run, and a fresh
cache of compiled code by more: run it twice, and believe the second.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path

KERNEL_GAMES, ARRAY_GAMES, ARRAY_STEPS, NODES = 3000, 4096, 40, {"linear": 30_000, "net": 5_000, "rollout": 8_000}
JOBS = [
    *[f"kernel {variant} {players}" for variant in ("classic", "marvel") for players in (2, 3, 4)],
    *[f"array {variant} {players}" for variant in ("classic", "marvel") for players in (2, 4)],
    *[f"search {variant} 2 {method}" for variant in ("classic", "marvel") for method in NODES],
    *["search classic 4 linear", "search classic 4 net", "env classic 2", "env marvel 2", "vector classic 2", "vector marvel 2"],
]
Slice = Callable[[], object]


def kernel(variant: str, players: int) -> Slice:
    """Random games inside one compiled function."""
    from cabochon.ruleset import blank_states, ruleset
    from cabochon.tools import bench

    states = blank_states(ruleset(variant, players, {}), 1)
    return lambda: bench._random_games(states, 1, KERNEL_GAMES)


def array(variant: str, players: int) -> Slice:
    """Random moves through the array API, on one core."""
    import numpy as np

    from cabochon import batch

    states = batch.deal(variant, players, np.arange(ARRAY_GAMES))
    seeds = np.random.default_rng(1).integers(0, 2**62, (ARRAY_STEPS, ARRAY_GAMES))

    def play() -> None:
        games = states.copy()
        with batch.cores(1):
            for row in seeds:
                batch.play(games, batch.choose(games, batch.legal(games), seeds=row))

    return play


def search(variant: str, players: int, method: str) -> Slice:
    """Simulations from the first position, each time of another deal: the same tree once more would be easier for a net."""
    from cabochon import batch
    from cabochon.bots.levels import ROLLOUT
    from cabochon.search.analysis import LINEAR_SEARCH, NET_SEARCH, evaluator_for
    from cabochon.search.net_mcts import NET_EDGES_PER_NODE
    from cabochon.search.tree import new_tree

    config = {"linear": LINEAR_SEARCH, "net": NET_SEARCH, "rollout": ROLLOUT.config}[method]
    evaluator = evaluator_for(variant, players, config)
    deals, tree = count(1), new_tree(NODES[method] + 1, NET_EDGES_PER_NODE)

    def think() -> None:
        evaluator.init(tree, batch.deal(variant, players, [next(deals)]), 1)
        evaluator.run(tree, NODES[method])

    return think


def env(variant: str, _players: int) -> Slice:
    """PettingZoo, random moves."""
    import numpy as np

    from cabochon.envs import splendor_marvel_v0, splendor_v0

    games = (splendor_v0 if variant == "classic" else splendor_marvel_v0).env()

    def play() -> None:
        rng = np.random.default_rng(1)
        for seed in range(8):
            games.reset(seed=seed)
            for _ in games.agent_iter():
                seen, _, ended, cut, _ = games.last()
                games.step(None if ended or cut else int(rng.choice(np.flatnonzero(seen["action_mask"]))))

    return play


def vector(variant: str, _players: int) -> Slice:
    """Gymnasium's vector environment, random moves."""
    import numpy as np

    from cabochon.envs.vector import SplendorVectorEnv

    games = SplendorVectorEnv(256, variant=variant)

    def play() -> None:
        rng = np.random.default_rng(1)
        _, info = games.reset(seed=1)
        for _ in range(30):
            mask = info["action_mask"]
            _, _, _, _, info = games.step((rng.random(mask.shape) * mask).argmax(1))

    return play


def work() -> None:
    """A worker: reads the name of a job, runs one slice of it, prints its seconds of this thread."""
    made: dict[str, Slice] = {}
    for line in sys.stdin:
        name, variant, players, *rest = line.split()
        if line not in made:
            made[line] = globals()[name](variant, int(players), *rest)
            made[line]()
        begun = time.thread_time()
        made[line]()
        print(time.thread_time() - begun, flush=True)


def start(folder: Path) -> "subprocess.Popen[str]":
    """A worker with the package of this checkout."""
    environment = {**os.environ, "PYTHONPATH": f"{folder / 'src'}{os.pathsep}{folder}"}
    command = [sys.executable, __file__, "--work"]
    return subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(worker: "subprocess.Popen[str]", job: str) -> float:
    """The seconds of one slice."""
    assert worker.stdin
    assert worker.stdout
    worker.stdin.write(f"{job}\n")
    worker.stdin.flush()
    answer = worker.stdout.readline()
    if not answer:
        sys.exit(f"the worker ended at: {job}")
    return float(answer)


def compare(before: Path, after: Path, slices: int, only: str) -> None:
    """Print the ratios of all jobs whose name holds `only`."""
    workers = [start(before), start(after)]
    for job in (job for job in JOBS if only in job):
        times = []
        for i in range(slices):
            order = (0, 1) if i % 2 else (1, 0)
            spent = {place: ask(workers[place], job) for place in order}
            times.append((spent[0], spent[1]))
        best = [min(pair[place] for pair in times) for place in (0, 1)]
        median = statistics.median(new / old for old, new in times)
        ratios = f"best {best[1] / best[0]:.3f}   median {median:.3f}"
        print(f"{job:26} {best[0] * 1000:8.2f} ms {best[1] * 1000:8.2f} ms   {ratios}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work()
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("before", type=Path)
        parser.add_argument("after", type=Path, nargs="?", default=Path(__file__).parent.parent)
        parser.add_argument("--slices", type=int, default=15)
        parser.add_argument("--only", default="", help="jobs whose name holds this")
        given = parser.parse_args()
        compare(given.before.resolve(), given.after.resolve(), given.slices, given.only)
