# mypy: disallow-untyped-decorators=False
"""Many games at once, on the CPU or on a GPU: a function written for one game runs for all of them.

The only module that knows which of the two it is. Arrays of numbers are torch tensors, which compiled functions read and write in
place, without a copy; records and trees, which torch has no type for, are arrays of Numba on a GPU and of NumPy on the CPU.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, Literal, TypeVar

import numba
import numba.cuda
import numpy as np
import torch
from numpy.typing import NDArray

from ..errors import CabochonError
from ..rules.compile import unkept
from ..rules.state import state_t
from ..search.records import NO_LOCAL

cuda: Any = numba.cuda
THREADS_PER_BLOCK = 64  # two warps
STATE_WORDS = state_t.itemsize // 8
LINE = 128  # bytes of memory that a GPU reads at once

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


def named_kernel(run: Callable[..., None], function: ForOneGame) -> Any:
    """A CUDA kernel with the name of the function that it runs for every game: a profile has these names."""
    run.__qualname__ = function.__name__
    return cuda.jit(run)


@cache
def gpu_kernel_with_local(function: ForOneGame) -> Any:
    """Like `gpu_kernel`; the function gets local memory too, room for a state of its own.

    A GPU interleaves the local memories of a warp's threads, so one access serves all that read the same byte of their states.
    In an array of records each of them would read another line of memory.
    """

    def run(count: int, arguments: Any) -> None:
        i = cuda.grid(1)
        local = cuda.local.array(STATE_WORDS, np.int64)  # words, so that it is aligned to them
        if i < count:
            function(i, local, *arguments)

    return named_kernel(run, function)


@cache
def gpu_kernel(function: ForOneGame) -> Any:
    """The function for one game as a CUDA kernel with a thread for each."""

    def run(count: int, arguments: Any) -> None:
        i = cuda.grid(1)
        if i < count:
            function(i, *arguments)

    return named_kernel(run, function)


@cache
def keep_tables_in_global_memory() -> None:
    """Let Numba put the tables that compiled functions name into global memory, not into constant memory.

    Constant memory serves one address at a time, and each thread of a warp looks up another card; it has room for 64 KB, too.
    """
    from numba.cuda.cudadrv import nvvm  # here, since the simulator has no such modules
    from numba.cuda.target import CUDATargetContext

    in_constant_memory = CUDATargetContext.make_constant_array

    def in_global_memory(context: Any, builder: Any, kind: Any, table: Any) -> Any:
        constant = nvvm.ADDRSPACE_CONSTANT
        nvvm.ADDRSPACE_CONSTANT = nvvm.ADDRSPACE_GLOBAL
        try:
            return in_constant_memory(context, builder, kind, table)
        finally:
            nvvm.ADDRSPACE_CONSTANT = constant

    CUDATargetContext.make_constant_array = in_global_memory


class Device:
    """Where the games are played: "cuda" or "cpu"."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_gpu = name == "cuda"
        if self.is_gpu and not torch.cuda.is_available():
            raise CabochonError("no CUDA GPU was found: the processor does the same, slower, with --device cpu")
        if self.is_gpu and cuda.implementation == "Built-in":
            raise CabochonError("Numba's own CUDA target is too old: install numba-cuda, which the extra [gpu] brings")
        if self.is_gpu:
            keep_tables_in_global_memory()

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
        return self.kernel_launcher(gpu_kernel(function), self._blocks(count), THREADS_PER_BLOCK, count, converted)

    def _blocks(self, count: int) -> int:
        return (count + THREADS_PER_BLOCK - 1) // THREADS_PER_BLOCK

    def launcher_with_local(self, function: ForOneGame, count: int, *arguments: Any) -> Callable[[], None]:
        """Like `launcher`; the function gets local memory for a state too, or NO_LOCAL on the CPU."""
        if not self.is_gpu:
            return self.launcher(function, count, NO_LOCAL, *arguments)
        converted = tuple(self._converted(argument) for argument in arguments)
        return self.kernel_launcher(gpu_kernel_with_local(function), self._blocks(count), THREADS_PER_BLOCK, count, converted)

    def kernel_launcher(self, kernel: Any, blocks: int, threads: int, *arguments: Any) -> Callable[[], None]:
        """A CUDA kernel, to be run often."""
        converted = tuple(self._converted(argument) for argument in arguments)

        def launch() -> None:
            stream = cuda.external_stream(torch.cuda.current_stream().cuda_stream)
            kernel[blocks, threads, stream](*converted)

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

    def side_by_side(self, games: int, arrays: Arrays) -> Arrays:
        """Like `for_all_games`; on a GPU the same entry of all games lies side by side (`order_on_gpu`)."""
        if not self.is_gpu:
            return self.for_all_games(games, arrays)
        return made_for(games, arrays, lambda shape, dtype: cuda.device_array(shape, dtype, order=order_on_gpu(dtype)))

    def for_all_games(self, games: int, arrays: Arrays) -> Arrays:
        """Empty arrays of the device, with one more axis than those of one game: a tree for every game, for example."""
        return made_for(games, arrays, cuda.device_array if self.is_gpu else np.empty)


def order_on_gpu(dtype: np.dtype[Any]) -> Literal["C", "F"]:
    """How the entries of many games lie in memory: the same entry of all games side by side, in Fortran's order.

    The threads of a warp mostly look at the same entry, each in its own game, and one access to memory then serves several.
    Records that fill lines of memory gain nothing by that.
    """
    return "C" if dtype.itemsize > LINE else "F"


def made_for(games: int, arrays: Arrays, make: Callable[..., Any]) -> Arrays:
    """An array with one more axis for each of these; what is none stays what it is."""
    made = (make((games, *array.shape), array.dtype) if isinstance(array, np.ndarray) else array for array in arrays)
    return type(arrays)._make(made)  # type: ignore[attr-defined, no-any-return]
