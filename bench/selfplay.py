"""How fast a GPU plays games of a net against itself: simulations a second, by games at once; --profile says where the time goes.

PYTHONPATH=src python bench/selfplay.py --nets bench/candidates        needs a CUDA GPU, numba-cuda and torch
"""

import argparse
import time

import torch

from cabochon.learn.device import Device
from cabochon.learn.net.model import Model
from cabochon.learn.net.selfplay import MAX_DECISIONS, SelfPlay, SelfPlayConfig
from cabochon.search.models.net import load_net

WARM_UP, STEPS = 3, 10


def speed(options: argparse.Namespace, games: int) -> float:
    """Simulations a second, without learning."""
    model = Model.from_net(load_net(options.variant, options.players, options.nets)).to("cuda", torch.bfloat16)
    model.requires_grad_(requires_grad=False)
    steps = MAX_DECISIONS[options.players] + 1
    config = SelfPlayConfig(options.variant, options.players, games, options.simulations, steps)
    selfplay = SelfPlay(Device("cuda"), model, config)
    for _ in range(WARM_UP):
        selfplay.advance()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(STEPS):
        selfplay.advance()
    torch.cuda.synchronize()
    return float(STEPS * games * options.simulations / (time.perf_counter() - start))


def profile(options: argparse.Namespace) -> None:
    """Where the time goes: kernels by name."""
    model = Model.from_net(load_net(options.variant, options.players, options.nets)).to("cuda", torch.bfloat16)
    model.requires_grad_(requires_grad=False)
    config = SelfPlayConfig(options.variant, options.players, 32768, options.simulations, MAX_DECISIONS[options.players] + 1)
    selfplay = SelfPlay(Device("cuda"), model, config)
    for _ in range(WARM_UP):
        selfplay.advance()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as found:
        for _ in range(WARM_UP):
            selfplay.advance()
        torch.cuda.synchronize()
    print(found.key_averages().table(sort_by="cuda_time_total", row_limit=16, max_name_column_width=60))


def main() -> None:
    """A line for every combination."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variant", default="classic")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--simulations", type=int, default=32)
    parser.add_argument("--nets", default="bench/candidates")
    parser.add_argument("--games", type=int, nargs="+", default=[32768, 65536])
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    for games in options.games:
        print(f"{games:,} games at once: {speed(options, games) / 1e6:.1f} million simulations/s", flush=True)
    if options.profile:
        profile(options)


if __name__ == "__main__":
    main()
