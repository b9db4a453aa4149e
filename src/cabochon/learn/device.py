# mypy: disallow-untyped-decorators=False
"""Many games at once, on the CPU or on a GPU: a function written for one game runs for all of them.

The only module that knows which of the two it is. Arrays of numbers are torch tensors, which compiled functions read and write in
place, without a copy; records and trees, which torch has no type for, are arrays of Numba on a GPU and of NumPy on the CPU.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, TypeVar

import numba
import numba.cuda
import numpy as np
import torch
from numpy.typing import NDArray

from ..errors import CabochonError
from ..rules.compile import unkept

cuda: Any = numba.cuda
THREADS_PER_BLOCK = 64  # two warps

ForOneGame = Callable[..., None]
Arrays = TypeVar("Arrays", bound=tuple[Any, ...])


@cache
def cpu_loop(function: ForOneGame) -> Any:
    """The function for one game as a loop over all."""

    @unkept
    def run(count: int, arguments: Any) -> None:
        for i in range(count):
            function(i, *arguments)

    return run


@cache
def gpu_kernel(function: ForOneGame) -> Any:
    """The function for one game as a CUDA kernel with a thread for each."""

    @cuda.jit
    def run(count: int, arguments: Any) -> None:
        i = cuda.grid(1)
        if i < count:
            function(i, *arguments)

    return run


class Device:
    """Where the games are played: "cuda" or "cpu"."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_gpu = name == "cuda"
        if self.is_gpu and not torch.cuda.is_available():
            raise CabochonError("no CUDA GPU was found: the processor does the same, slower, with --device cpu")

    def for_each(self, function: ForOneGame, count: int, *arguments: Any) -> None:
        """Run a function for every game."""
        self.launcher(function, count, *arguments)()

    def launcher(self, function: ForOneGame, count: int, *arguments: Any) -> Callable[[], None]:
        """A function for every game, to be run often. Converting the arguments takes longer than a launch, so it is done once.

        On a GPU it runs in torch's current stream, so that it keeps its order with the net and can be recorded in a CUDA graph.
        """
        converted = tuple(self._converted(argument) for argument in arguments)
        if not self.is_gpu:
            return partial(cpu_loop(function), count, converted)
        blocks = (count + THREADS_PER_BLOCK - 1) // THREADS_PER_BLOCK

        def launch() -> None:
            stream = cuda.external_stream(torch.cuda.current_stream().cuda_stream)
            gpu_kernel(function)[blocks, THREADS_PER_BLOCK, stream](count, converted)

        return launch

    def _converted(self, argument: Any) -> Any:
        """A tensor, or a named tuple of them, as compiled functions take it: the same memory."""
        if isinstance(argument, tuple) and any(isinstance(part, torch.Tensor) for part in argument):
            return type(argument)._make(self._converted(part) for part in argument)  # type: ignore[attr-defined]
        if not isinstance(argument, torch.Tensor):
            return argument
        return cuda.as_cuda_array(argument) if self.is_gpu else argument.numpy()

    def zeros(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """A tensor of zeros."""
        return torch.zeros(shape, dtype=dtype, device=self.name)

    def upload(self, array: NDArray[Any]) -> Any:
        """An array, of records for example, on the device."""
        return cuda.to_device(array) if self.is_gpu else array

    def download(self, array: Any) -> NDArray[Any]:
        """An array of the device on the host."""
        copied: NDArray[Any] = array.copy_to_host() if self.is_gpu else array
        return copied

    def for_all_games(self, games: int, arrays: Arrays) -> Arrays:
        """Empty arrays of the device, with one more axis than those of one game: a tree for every game, for example."""
        make = cuda.device_array if self.is_gpu else np.empty
        return type(arrays)._make(make((games, *array.shape), array.dtype) for array in arrays)  # type: ignore[attr-defined, no-any-return]
