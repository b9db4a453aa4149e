# mypy: disallow-untyped-decorators=False
"""Many games at once, on the processor or on a GPU: a function written for one game runs for all of them.

Arrays are torch tensors that the compiled functions look at without a copy; records and trees, which torch has no type for, are
arrays of Numba on a GPU and of NumPy on the processor.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numba
import numba.cuda
import numpy as np
import torch
from numpy.typing import NDArray

from ..errors import CabochonError
from ..search.tree import Tree, new_tree

cuda: Any = numba.cuda
THREADS = 64

One = Callable[..., None]


@cache
def on_processor(one: One) -> Any:
    """The function for one game as a loop over all."""

    @numba.njit(nogil=True, error_model="numpy")
    def run(count: int, arguments: Any) -> None:
        for i in range(count):
            one(i, *arguments)

    return run


@cache
def on_gpu(one: One) -> Any:
    """The function for one game as a thread for each."""

    @cuda.jit
    def run(count: int, arguments: Any) -> None:
        i = cuda.grid(1)
        if i < count:
            one(i, *arguments)

    return run


class Device:
    """Where the games are played: "cuda" or "cpu"."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_gpu = name == "cuda"
        if self.is_gpu and not torch.cuda.is_available():
            raise CabochonError("no CUDA GPU was found: the processor does the same, slower, with --device cpu")

    def for_each(self, one: One, count: int, *arguments: Any) -> None:
        """Run a function for every game."""
        self.prepared(one, count, *arguments)()

    def prepared(self, one: One, count: int, *arguments: Any) -> Callable[[], None]:
        """A function for every game, to be run often: to lay out the arguments takes longer than to start it."""
        seen = tuple(self._seen(argument) for argument in arguments)
        if not self.is_gpu:
            return partial(on_processor(one), count, seen)
        blocks = (count + THREADS - 1) // THREADS

        def start() -> None:
            on_gpu(one)[blocks, THREADS, cuda.external_stream(torch.cuda.current_stream().cuda_stream)](count, seen)

        return start

    def _seen(self, argument: Any) -> Any:
        """A tensor as the compiled functions see it."""
        if isinstance(argument, tuple) and any(isinstance(part, torch.Tensor) for part in argument):
            return type(argument)._make(self._seen(part) for part in argument)  # type: ignore[attr-defined]
        if not isinstance(argument, torch.Tensor):
            return argument
        return cuda.as_cuda_array(argument) if self.is_gpu else argument.numpy()

    def zeros(self, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """An array of numbers."""
        return torch.zeros(shape, dtype=dtype, device=self.name)

    def records(self, array: NDArray[Any]) -> Any:
        """An array of records."""
        return cuda.to_device(array) if self.is_gpu else array

    def trees(self, games: int, nodes: int, edges_per_node: int) -> Tree:
        """A tree for every game."""
        make = cuda.device_array if self.is_gpu else np.empty
        return Tree._make(make((games, *array.shape), array.dtype) for array in new_tree(nodes, edges_per_node))
