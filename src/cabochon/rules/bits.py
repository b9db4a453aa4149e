"""Bits of an int64 mask. Written out, so that the same source compiles for the CPU and for CUDA."""

from .compile import kernel


@kernel
def count_bits(mask: int) -> int:
    """How many bits are set."""
    mask = mask - (mask >> 1 & 0x5555555555555555)
    mask = (mask & 0x3333333333333333) + (mask >> 2 & 0x3333333333333333)
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0F
    return ((mask * 0x0101010101010101) >> 56) & 0x7F


@kernel
def lowest_bit(mask: int) -> int:
    """The place of the lowest set bit."""
    return count_bits((mask & -mask) - 1)


@kernel
def nth_bit(mask: int, n: int) -> int:
    """The place of the n-th set bit, counted from 0."""
    for _ in range(n):
        mask &= mask - 1
    return lowest_bit(mask)
