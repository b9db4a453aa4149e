"""A decorator for kernels that are handed arrays.

Numba counts who holds an array. A function that hands one on to another raises and lowers that count, and each is a locked
instruction: with a dozen arrays this took half the time of a step. Melted into its caller, a function does not count.
"""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def inlined(function: Function) -> Function:
    """Like `kernel`, but always part of the kernel that calls it. It is kept on disk with that one."""
    return cast(Function, numba.njit(nogil=True, error_model="numpy", forceinline=True)(function))
