"""Random numbers as plain values: a kernel is given one and hands on the next. No hidden generator, none in the record."""

from .compile import kernel

LOW_BITS = 0xFFFFFFFF
SPREAD = -7046029254386353131  # 2**64 divided by the golden ratio
MIX_1, MIX_2 = -4658895280553007687, -7723592293110705685


@kernel
def seeded(seed: int) -> int:
    """A well mixed, never zero start for any seed (splitmix64)."""
    z = seed + SPREAD
    z = (z ^ (z >> 30 & 0x3FFFFFFFF)) * MIX_1
    z = (z ^ (z >> 27 & 0x1FFFFFFFFF)) * MIX_2
    z ^= z >> 31 & 0x1FFFFFFFF
    return z if z != 0 else SPREAD


@kernel
def stir(rng: int) -> int:
    """The next random number (xorshift64)."""
    rng ^= rng << 13
    rng ^= rng >> 7 & 0x01FFFFFFFFFFFFFF
    rng ^= rng << 17
    return rng


@kernel
def below(rng: int, n: int) -> int:
    """A number from 0 to n - 1, from the better half of the bits."""
    return ((rng >> 32 & LOW_BITS) * n) >> 32
