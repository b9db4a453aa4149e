"""How fast a GPU plays games of a net against itself: simulations a second, by games at once; --profile says where the time goes.

PYTHONPATH=src python bench/selfplay.py --nets bench/candidates        needs a CUDA GPU, numba-cuda and torch
PYTHONPATH=src python bench/selfplay.py --without rows --profile       leaves out one measure for speed, to see what it brings

The size is that of the nets, or with --width and --hidden that of a net of random weights, whose games are others.
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import torch

from cabochon.learn import device as devices
from cabochon.learn.device import Device
from cabochon.learn.net import model as models
from cabochon.learn.net.inputs import DenseInputs
from cabochon.learn.net.model import Model
from cabochon.learn.net.selfplay import MAX_DECISIONS, SelfPlay, SelfPlayConfig
from cabochon.search.models.net import load_net
from cabochon.search.records import NO_LOCAL

WARM_UP, STEPS = 3, 10


def plain_layer(inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """A layer and then its ReLU."""
    return torch.relu(torch.nn.functional.linear(inputs, weight, bias))


def without_local(device: Device, function: Any, count: int, *arguments: Any) -> Callable[[], None]:
    """Every thread looks at its states where they are."""
    return device.launcher(function, count, NO_LOCAL, *arguments)


SWITCHES = {
    "rows": lambda: setattr(DenseInputs, "by_warps", False),  # rows of features made in shared memory
    "tables": lambda: setattr(devices, "keep_tables_in_global_memory", lambda: None),
    "side-by-side": lambda: setattr(Device, "side_by_side", Device.for_all_games),  # trees interleaved
    "local": lambda: setattr(Device, "launcher_with_local", without_local),  # states looked at in a thread's own memory
    "relu": lambda: setattr(models, "activated", plain_layer),  # with its layer in one kernel
}


def begun(options: argparse.Namespace, games: int) -> SelfPlay:
    """Games of a net, a few steps after their beginning, so that everything is compiled and recorded."""
    if options.width:
        model = Model(options.width, options.hidden)
    else:
        model = Model.from_net(load_net(options.variant, options.players, options.nets))
    model.to("cuda", torch.bfloat16).requires_grad_(requires_grad=False)
    steps = MAX_DECISIONS[options.players] + 1
    selfplay = SelfPlay(
        Device("cuda"), model, SelfPlayConfig(options.variant, options.players, games, options.simulations, steps)
    )
    for _ in range(WARM_UP):
        selfplay.advance()
    return selfplay


def speed(options: argparse.Namespace, games: int) -> float:
    """Simulations a second, without learning."""
    selfplay = begun(options, games)
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(STEPS):
        selfplay.advance()
    torch.cuda.synchronize()
    return float(STEPS * games * options.simulations / (time.perf_counter() - start))


def profile(options: argparse.Namespace) -> None:
    """Where the time goes: kernels by name."""
    selfplay = begun(options, options.games[0])
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
    parser.add_argument("--width", type=int)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--threads", type=int, default=devices.THREADS_PER_BLOCK, help="of a block")
    parser.add_argument("--without", nargs="*", default=[], choices=SWITCHES, help="measures for speed to leave out")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    devices.THREADS_PER_BLOCK = options.threads
    for name in options.without:
        SWITCHES[name]()
    for games in options.games:
        print(f"{games:,} games at once: {speed(options, games) / 1e6:.1f} million simulations/s", flush=True)
    if options.profile:
        profile(options)


if __name__ == "__main__":
    main()
