"""An attacker who sees the first view of a game and looks for the seed of `Game(seed=…)`.

The fast generator (`rules/rng.py`) is linear over its 64 bits, and a shuffled card shows the leading bits of one number. A few
of those bits from each of the twelve face-up cards are a system of linear equations; what they leave open is tried.
"""

from collections.abc import Iterable
from functools import reduce
from operator import xor

import numpy as np
from numpy.typing import NDArray

from cabochon import View
from cabochon.rules.cards import CARD_COUNT, TIER_SIZES
from cabochon.rules.rng import MIX_1, MIX_2, SPREAD
from cabochon.rules.state import SLOTS_PER_TIER
from cabochon.rules.variants import TILES

WORD = 64
BITS = 5  # so many leading bits of each number are guessed: 12 numbers give 60 equations
MASK = (1 << WORD) - 1
Words = NDArray[np.uint64]


def stirred(words: Words) -> Words:
    """`stir` of the generator, for many states at once."""
    words = words ^ words << np.uint64(13)
    words = words ^ words >> np.uint64(7)
    return words ^ words << np.uint64(17)


def picks(view: View) -> list[list[tuple[int, int]]]:
    """For each tier the numbers its first draws gave, as (number, how many there were), from the cards that lie face up."""
    found, first = [], 1
    for size, row in zip(TIER_SIZES, view.market, strict=True):
        order, drawn = list(range(first, first + size)), []
        for place, card in enumerate(row[:SLOTS_PER_TIER]):
            assert card is not None
            last = size - 1 - place
            at = order.index(card)
            drawn.append((at, last + 1))
            order[last], order[at] = order[at], order[last]
        found.append(drawn)
        first += size
    return found


def first_number(tier: int) -> int:
    """How many numbers are drawn before this tier's first."""
    return sum(size - 1 for size in TIER_SIZES[:tier])


def leading(pick: int, count: int, bits: int) -> range:
    """The leading bits a number below 2**32 can have that was scaled down to this pick out of so many."""
    scale = 1 << 32
    low, high = -(-pick * scale // count), -(-(pick + 1) * scale // count) - 1
    return range(low >> 32 - bits, (high >> 32 - bits) + 1)


def equations(places: list[int]) -> list[int]:
    """For each wanted bit (the leading ones of each place's number, highest first) the bits of the state it is the sum of."""
    basis = np.uint64(1) << np.arange(WORD, dtype=np.uint64)
    rows, at = [], 0
    for place in places:
        while at <= place:
            basis, at = stirred(basis), at + 1
        wanted = range(WORD - 1, WORD - 1 - BITS, -1)
        rows += [sum(1 << i for i in range(WORD) if int(basis[i]) >> bit & 1) for bit in wanted]
    return rows


def solved(rows: list[int]) -> tuple[list[int], list[int], list[int]]:
    """Gauss: what each equation adds to a solution, what it must add up to zero with (as masks), and the kernel."""
    pivots: dict[int, tuple[int, int]] = {}
    checks = []
    for number, row in enumerate(rows):
        used = 1 << number
        for bit, (other, by) in pivots.items():
            if row >> bit & 1:
                row, used = row ^ other, used ^ by
        if row == 0:
            checks.append(used)
            continue
        bit = row.bit_length() - 1
        for old, (other, by) in pivots.items():
            if other >> bit & 1:
                pivots[old] = other ^ row, by ^ used
        pivots[bit] = row, used
    adds = [sum(1 << bit for bit, (_, by) in pivots.items() if by >> number & 1) for number in range(len(rows))]
    free = [bit for bit in range(WORD) if bit not in pivots]
    kernel = [1 << bit | sum(1 << old for old, (row, _) in pivots.items() if row >> bit & 1) for bit in free]
    return adds, checks, kernel


def states_that_fit(view: View) -> list[int]:
    """The states of the generator, before its first number, that turn up the cards of this first view."""
    drawn = picks(view)
    places = [first_number(tier) + i for tier in range(len(drawn)) for i in range(SLOTS_PER_TIER)]
    known = [pick for tier in drawn for pick in tier]
    adds, checks, kernel = solved(equations(places))
    states, residues = np.zeros(1, np.uint64), np.zeros(1, np.uint64)
    for number, pick in enumerate(known):
        first = number * BITS
        set_bits = [[first + i for i in range(BITS) if value >> BITS - 1 - i & 1] for value in leading(*pick, BITS)]
        states = _combined(states, [reduce(xor, (adds[bit] for bit in bits), 0) for bits in set_bits])
        residues = _combined(residues, [_residue(bits, checks) for bits in set_bits])
    states = states[residues == 0]
    for word in kernel:
        states = np.concatenate([states, states ^ np.uint64(word)])
    return [int(state) for state in states[fits(states, view)]]


def _combined(words: Words, others: Iterable[int]) -> Words:
    """The sum of every pair."""
    return (words[:, None] ^ np.array(list(others), np.uint64)).ravel()


def _residue(set_bits: list[int], checks: list[int]) -> int:
    """Which of the checks these bits alone would break."""
    return sum((sum(check >> bit & 1 for bit in set_bits) & 1) << i for i, check in enumerate(checks))


def fits(states: Words, view: View) -> NDArray[np.bool_]:
    """Which of these states turn up all cards and tiles of the view."""
    wanted = {first_number(tier) + i: pick for tier, row in enumerate(picks(view)) for i, pick in enumerate(row)}
    alive, words = np.arange(len(states)), states
    for place in range(first_number(len(TIER_SIZES))):
        words = stirred(words)
        if place in wanted:
            pick, count = wanted[place]
            same = (words >> np.uint64(32)) * np.uint64(count) >> np.uint64(32) == pick
            alive, words = alive[same], words[same]
    tiles = [tile.number for tile in view.tiles]
    good = np.zeros(len(states), bool)
    good[alive] = [tiles_of(int(word), view) == tiles for word in words]
    return good


def tiles_of(word: int, view: View) -> list[int]:
    """The tiles the generator lays out after this state."""
    faces = view.rules.row.faces
    tiles: list[int] = []
    used: set[int] = set()
    state = np.array([word], np.uint64)
    while len(tiles) < len(view.tiles):
        state = stirred(state)
        face = (int(state[0]) >> 32) * len(TILES[view.rules.variant]) >> 32
        if face // faces not in used:
            used.add(face // faces)
            tiles.append(face + 1)
    return tiles


def seed_of(state: int) -> int:
    """The seed whose well mixed start this is (splitmix64 backwards)."""
    word = _unshifted(state, 31) * pow(MIX_2, -1, 1 << WORD) & MASK
    word = _unshifted(word, 27) * pow(MIX_1, -1, 1 << WORD) & MASK
    word = (_unshifted(word, 30) - SPREAD) & MASK
    return word - (1 << WORD) if word >> 63 else word


def _unshifted(word: int, shift: int) -> int:
    """The number that was mixed with itself, shifted."""
    found = word
    for _ in range(WORD // shift + 1):
        found = word ^ found >> shift
    return found


def seeds_that_fit(view: View) -> list[int]:
    """Every seed whose deal begins with this first view (the start seat is not looked at)."""
    assert view.turns == 0 and CARD_COUNT == sum(TIER_SIZES)
    return [seed_of(state) for state in states_that_fit(view)]
