"""Perft: counts of move sequences, on which two implementations of the rules must agree."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..rules import play as turn
from ..rules.actions import FIRST_ACTION
from ..rules.bits import lowest_bit
from ..rules.compile import allocating

if TYPE_CHECKING:
    from ..game import Game


@allocating
def _perft(stack: Any, depth: int) -> int:
    """Sequences of `depth` decisions from the record `stack[depth]`: depth-first search with a stack of records and masks."""
    masks = np.zeros(depth + 1, np.int64)
    masks[depth] = turn.legal(stack[depth])
    level, found = depth, 0
    while level <= depth:
        if level == 0 or masks[level] == 0:
            found += level == 0
            level += 1
            continue
        bit = lowest_bit(masks[level])
        masks[level] &= masks[level] - 1
        stack[level - 1] = stack[level]
        turn.play(stack[level - 1], FIRST_ACTION[stack[level].stage] + bit)
        level -= 1
        masks[level] = turn.legal(stack[level])
    return found


def perft(game: "Game", depth: int) -> int:
    """The number of sequences of `depth` decisions. Purchases pay colours first; games that end before do not count."""
    stack = np.zeros(depth + 1, game.states.dtype)
    stack[depth] = game.state
    return int(_perft(stack, depth))


def divide(game: "Game", depth: int) -> dict[str, int]:
    """Perft for each first move."""
    counts = {}
    for move in game.legal_moves():
        after = game.copy()
        after.play(move)
        counts[str(move)] = perft(after, depth - 1)
    return counts
