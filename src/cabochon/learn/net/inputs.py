# mypy: disallow-untyped-decorators=False
"""Lists of features as the rows that a torch net takes.

One matrix product is faster than an embedding with atomic additions, although most of a row is zero. On a GPU a warp makes a row
in shared memory and writes it out in one piece. Clearing all rows first and then writing their few numbers one by one goes over
the memory twice, the second time with most of every line of memory unused.
"""

from typing import Any

import numba.cuda
import numpy as np
import torch

from ...rules.compile import inlined
from ..device import Device
from .model import INPUT_COLUMNS

cuda: Any = numba.cuda
ONE_IN_BFLOAT16 = 0x3F80
WARP, WARPS = 32, 8  # a warp makes a row, and a block eight of them side by side
WORDS = INPUT_COLUMNS // 2  # of two columns: 6 KB a row, 48 KB a block, which is what a block may have without asking for more
BLOCKS = 528  # four on each of 132 multiprocessors; each goes on with further rows
HALF, LOW = 16, 0xFFFF
assert INPUT_COLUMNS % 2 == 0
assert WARPS * WORDS * 4 <= 48 * 1024


@inlined
def densify_one(i: int, features: Any, counts: Any, out: Any) -> None:
    """A list of features as a row of bfloat16 counts: how often each is there, up to 16 times.

    Numba has no bfloat16, so the bits are written as integers: from one whole number to the next their step halves at every power
    of two.
    """
    for n in range(counts[i]):
        feature = features[i, n]
        bits = out[i, feature]
        if bits == 0:
            out[i, feature] = ONE_IN_BFLOAT16
        elif bits < 0x4000:
            out[i, feature] = bits + 0x80
        elif bits < 0x4080:
            out[i, feature] = bits + 0x40
        elif bits < 0x4100:
            out[i, feature] = bits + 0x20
        else:
            out[i, feature] = bits + 0x10


@inlined
def bfloat16_bits(count: int) -> int:
    """The bits of a whole number from 1 to 16 in bfloat16."""
    power = (count >= 2) + (count >= 4) + (count >= 8) + (count >= 16)
    return ONE_IN_BFLOAT16 + (power << 7) + ((count << 7 - power) & 0x7F)


@cuda.jit
def write_rows(features: Any, counts: Any, out: Any) -> None:
    """Every list of features as a row, two columns in a word.

    A warp counts in shared memory. Whoever counts a feature first turns its count into bfloat16 when all have counted, and clears
    it for the next row when the row has been written.
    """
    staged = cuda.shared.array((WARPS, WORDS), np.int32)
    warp, lane = cuda.threadIdx.x // WARP, cuda.threadIdx.x % WARP
    for k in range(lane, WORDS, WARP):
        staged[warp, k] = 0
    for first in range(cuda.blockIdx.x * WARPS, out.shape[0], cuda.gridDim.x * WARPS):
        row, own, flag = first + warp, 0, 1
        count = counts[row] if row < out.shape[0] else 0
        cuda.syncthreads()
        for n in range(lane, count, WARP):
            feature = int(features[row, n])
            shift = (feature & 1) * HALF
            if cuda.atomic.add(staged, (warp, feature >> 1), 1 << shift) >> shift & LOW == 0:
                own |= flag
            flag <<= 1
        cuda.syncthreads()
        flag = 1
        for n in range(lane, count, WARP):
            if own & flag:
                feature = int(features[row, n])
                shift = (feature & 1) * HALF
                number = int(staged[warp, feature >> 1]) >> shift & LOW
                cuda.atomic.add(staged, (warp, feature >> 1), (bfloat16_bits(number) - number) << shift)
            flag <<= 1
        cuda.syncthreads()
        if row < out.shape[0]:
            for k in range(lane, WORDS, WARP):
                out[row, k] = staged[warp, k]
        cuda.syncthreads()
        for n in range(lane, count, WARP):
            staged[warp, int(features[row, n]) >> 1] = 0


class DenseInputs:
    """Lists of features as rows, always in the same memory."""

    by_warps = True  # on a GPU

    def __init__(self, device: Device, features: torch.Tensor, counts: torch.Tensor) -> None:
        positions, seats, _ = features.shape
        self.rows = device.zeros(positions, seats, INPUT_COLUMNS, dtype=torch.bfloat16)
        flat, lists = self.rows.view(positions * seats, -1), features.view(positions * seats, -1)
        self._is_staged = device.is_gpu and self.by_warps
        if self._is_staged:
            blocks = min(BLOCKS, -(-len(flat) // WARPS))
            self._write = device.kernel_launcher(write_rows, blocks, WARPS * WARP, lists, counts.view(-1), flat.view(torch.int32))
        else:
            self._write = device.launcher(densify_one, len(flat), lists, counts.view(-1), flat.view(torch.int16))

    def __call__(self) -> torch.Tensor:
        """Positions x seats x INPUT_COLUMNS, of the features as they are now."""
        if not self._is_staged:
            self.rows.zero_()
        self._write()
        return self.rows
