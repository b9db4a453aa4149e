"""What the CUDA kernels of self-play take, as CUDA's assembler says: registers, stack, spills. It needs no GPU.

So they are known to compile before a GPU is asked for.

PYTHONPATH=src python bench/kernels.py        needs torch, numba-cuda, and CUDA's libnvvm, nvrtc and ptxas
"""

import argparse
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numba
import numpy as np
import torch
from numba.cuda import dispatcher

from cabochon.learn import device as devices
from cabochon.learn.net.model import Model
from cabochon.learn.net.selfplay import MAX_DECISIONS, BatchedSearch, SelfPlay, SelfPlayConfig

GAMES, SIMULATIONS = 8, 2
NUMBERS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores|Used (\d+) registers")


class Recorder(devices.Device):
    """A processor that is asked for what a GPU would be, and only notes the kernels and the types of their arguments."""

    def __init__(self) -> None:
        super().__init__("cpu")
        self.is_gpu = True
        self.kernels: dict[str, tuple[Any, Any]] = {}

    def kernel_launcher(self, kernel: Any, _blocks: int, _threads: int, *arguments: Any) -> Callable[[], None]:
        """Note a kernel; nothing is run."""
        kinds = [numba.typeof(self._converted(argument)) for argument in arguments]
        self.kernels[kernel.py_func.__qualname__] = kernel.py_func, numba.types.void(*kinds)
        return lambda: None

    def _converted(self, argument: Any) -> Any:
        if isinstance(argument, tuple) and any(isinstance(part, torch.Tensor) for part in argument):
            return type(argument)._make(self._converted(part) for part in argument)  # type: ignore[attr-defined]
        return argument.numpy() if isinstance(argument, torch.Tensor) else argument

    def upload(self, array: Any) -> Any:
        """Stays where it is."""
        return array


def kernels(variant: str, players: int) -> dict[str, tuple[Any, Any]]:
    """All kernels of self-play with the types of their arguments."""
    recorder = Recorder()
    config = SelfPlayConfig(variant, players, GAMES, SIMULATIONS, MAX_DECISIONS[players] + 1)
    with patch.object(devices.cuda, "device_array", np.zeros), patch.object(BatchedSearch, "run", lambda _: None):
        SelfPlay(recorder, Model(16, 16), config).advance()
    return recorder.kernels


def assembled(function: Any, signature: Any, capability: tuple[int, int]) -> str:
    """What ptxas says about a kernel."""
    found = SimpleNamespace(compute_capability=capability)  # functions that a kernel calls ask the GPU what it is
    with patch.object(dispatcher, "get_current_device", lambda: found), tempfile.TemporaryDirectory() as folder:
        code, _ = numba.cuda.compile(function, signature, device=False, abi="numba", cc=capability)
        source = Path(folder) / "kernel.ptx"
        source.write_text(code)
        target, out = f"-arch=sm_{capability[0]}{capability[1]}", str(source.with_suffix(".cubin"))
        command = ["ptxas", "-v", target, str(source), "-o", out]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout


def main() -> None:
    """A line for every kernel."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variant", default="classic")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--capability", default="9.0", help="of the GPU: 9.0 is an H100 or H200")
    options = parser.parse_args()
    major, minor = (int(part) for part in options.capability.split("."))
    devices.keep_tables_in_global_memory()
    for name, (function, signature) in kernels(options.variant, options.players).items():
        stack = spills = registers = 0
        for found in NUMBERS.finditer(assembled(function, signature, (major, minor))):
            stack, spills = max(stack, int(found[1] or 0)), max(spills, int(found[2] or 0))
            registers = max(registers, int(found[3] or 0))
        print(f"{name:16} {registers:4} registers {stack:5} bytes of stack {spills:5} bytes spilled", flush=True)


if __name__ == "__main__":
    main()
