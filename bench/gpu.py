"""Random games on a GPU by the same kernel, and a check that the GPU and the CPU play the same games byte for byte.

PYTHONPATH=src python bench/gpu.py        needs a CUDA GPU and numba-cuda; prints a table
"""

import argparse
import time
from typing import Any

import numba.cuda
import numpy as np

from cabochon import VARIANTS, batch
from cabochon.rules.deal import deal
from cabochon.rules.play import play, random_action
from cabochon.rules.rng import seeded, stir
from cabochon.rules.state import OVER, state_t
from cabochon.ruleset import blank_states, ruleset

cuda: Any = numba.cuda
THREADS = 128
MOST_DECISIONS = 5000


@cuda.jit
def play_out(states: Any, seeds: Any, decisions: Any) -> None:
    """Every thread deals its game and plays it to the end at random, in the array it was given."""
    i = cuda.grid(1)
    if i >= states.shape[0]:
        return
    state = states[i]
    deal(state, seeds[i])
    rng, played = seeded(seeds[i]), 0
    while state.stage != OVER and played < MOST_DECISIONS:
        rng = stir(rng)
        play(state, random_action(state, rng))
        played += 1
    decisions[i] = played


@cuda.jit
def keep_playing(states: Any, seeds: Any, most: int, games: Any) -> None:
    """Every thread plays one game after the other, `most` decisions in all, on a record of its own in local memory."""
    i = cuda.grid(1)
    own = cuda.local.array(1, state_t)
    own[0] = states[i]
    state = own[0]
    seed = seeds[i]
    deal(state, seed)
    rng, ended = seeded(seed), 0
    for _ in range(most):
        rng = stir(rng)
        play(state, random_action(state, rng))
        if state.stage == OVER:
            ended += 1
            seed += 1
            deal(state, seed)
    games[i] = ended


def best_of(runs: int, run: Any) -> float:
    times = []
    for _ in range(runs):
        cuda.synchronize()
        start = time.perf_counter()
        run()
        cuda.synchronize()
        times.append(time.perf_counter() - start)
    return min(times)


def check_against_cpu(variant: str, players: int, count: int = 4096) -> None:
    """The same seeds give the same final records and the same number of decisions on both."""
    blank = blank_states(ruleset(variant, players, {}), count)
    seeds = np.arange(count, dtype=np.int64)
    on_gpu, decisions = cuda.to_device(blank), cuda.device_array(count, np.int64)
    play_out[count // THREADS, THREADS](on_gpu, cuda.to_device(seeds), decisions)
    on_cpu = batch.deal(variant, players, seeds, start=0)
    counts = [batch.play_out(on_cpu, i, int(seeds[i]), MOST_DECISIONS) for i in range(count)]
    assert on_cpu.tobytes() == on_gpu.copy_to_host().tobytes()
    assert counts == decisions.copy_to_host().tolist()
    print(f"{variant:8} {players} players: {count} games equal on GPU and CPU, {sum(counts):,} decisions", flush=True)


def report(variant: str, players: int, how: str, decisions: int, games: int, seconds: float) -> None:
    print(f"{variant:8} {players}  {how:44} {decisions / seconds:.3g} decisions/s  {games / seconds:.3g} games/s", flush=True)


def measure_once(variant: str, players: int, count: int) -> None:
    """A launch that deals and plays `count` games to the end in one array."""
    states = cuda.to_device(blank_states(ruleset(variant, players, {}), count))
    seeds, decisions = cuda.to_device(np.arange(count, dtype=np.int64)), cuda.device_array(count, np.int64)
    play_out[count // THREADS, THREADS](states, seeds, decisions)
    seconds = best_of(3, lambda: play_out[count // THREADS, THREADS](states, seeds, decisions))
    report(variant, players, f"{count:,} games to the end", int(decisions.copy_to_host().sum()), count, seconds)


def measure_steady(variant: str, players: int, threads: int, most: int = 2000) -> None:
    """Steady play: each thread starts the next game when one is over."""
    blank = cuda.to_device(blank_states(ruleset(variant, players, {}), threads))
    seeds, games = cuda.to_device(np.arange(threads, dtype=np.int64) << 20), cuda.device_array(threads, np.int64)
    keep_playing[threads // THREADS, THREADS](blank, seeds, most, games)
    seconds = best_of(3, lambda: keep_playing[threads // THREADS, THREADS](blank, seeds, most, games))
    report(variant, players, f"{threads:,} threads in steady play", threads * most, int(games.copy_to_host().sum()), seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1 << 20)
    count = parser.parse_args().games
    print(cuda.get_current_device().name)
    for variant in VARIANTS:
        for players in (2, 3, 4):
            check_against_cpu(variant, players)
    for variant in VARIANTS:
        for players in (2, 3, 4):
            measure_once(variant, players, count)
            measure_steady(variant, players, count // 4)


if __name__ == "__main__":
    main()
