"""How many decisions a second the GPU batch plays, observations and masks written every step.

python examples/gpu_throughput.py        needs a CUDA GPU and the extra [gpu]
"""

import argparse
import time
from typing import Any

import numba.cuda

from cabochon import VARIANTS
from cabochon.envs.gpu import SplendorGpu

cuda: Any = numba.cuda


def decisions_per_second(games: int, steps: int, **settings: Any) -> float:
    """The learner's decisions (not the bots') a second: choose a legal action, play, write observations and masks."""
    batch = SplendorGpu(**settings)
    batch.reset(games, seed=1)
    for _ in range(100):  # the games drift apart, as they are in training
        batch.step(batch.random_actions())
    cuda.synchronize()
    start = time.perf_counter()
    for _ in range(steps):
        batch.step(batch.random_actions())
    cuda.synchronize()
    return games * steps / (time.perf_counter() - start)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1 << 20)
    parser.add_argument("--steps", type=int, default=100)
    said = parser.parse_args()
    print(f"{cuda.get_current_device().name}, {said.games:,} games, {said.steps} steps")
    for opponents in ("random", "greedy"):
        for variant in VARIANTS:
            for players in (2, 3, 4):
                speed = decisions_per_second(said.games, said.steps, variant=variant, players=players, opponents=opponents)
                print(f"{variant:8} {players} players against {opponents:7} {speed / 1e6:9.1f} million decisions/s", flush=True)


if __name__ == "__main__":
    main()
