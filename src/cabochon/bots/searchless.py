"""The two bots that do not search: one plays at random, one takes what looks best now.

`Greedy` stands apart from its kernel in `greedy.py`: compiled code is cached by what its module imports, and this module imports
much that the kernel does not need.
"""

import random
from dataclasses import dataclass

import numpy as np

from ..notation.move import Move
from ..search.analysis import Signal
from ..search.budget import Budget
from ..view import View, state_of
from .base import NO_LIMIT, BaseBot, check, fresh_seed, legal_moves
from .greedy import greedy_actions

SEED_MASK = (1 << 63) - 1  # the kernel takes 64 bits


@dataclass(frozen=True, slots=True)
class Random(BaseBot):
    """Every legal move is equally likely."""

    name: str = "random"
    character: str = "plays any legal move, all equally likely"
    default_budget: Budget | None = None

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int | None = None, stop: Signal | None = None) -> Move:  # noqa: ARG002
        check(view)
        return random.Random(fresh_seed(seed)).choice(legal_moves(view))


@dataclass(frozen=True, slots=True)
class Greedy(BaseBot):
    """Looks one move ahead: what it has then, and how near the next good cards are."""

    name: str = "greedy"
    character: str = "buys the best card in reach, or takes what brings the next one closer"
    default_budget: Budget | None = None

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int | None = None, stop: Signal | None = None) -> Move:  # noqa: ARG002
        check(view)
        seeds = np.array([_in_64_bits(fresh_seed(seed))], np.int64)
        return Move(int(greedy_actions(state_of(view), seeds)[0]), None, view.rules.variant)


def _in_64_bits(seed: int) -> int:
    """The seed itself where it fits; of a longer one, what fits."""
    return seed if -SEED_MASK <= seed <= SEED_MASK else seed & SEED_MASK
