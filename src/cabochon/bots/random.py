"""The bot that plays at random: the lowest point of the ladder, and an opponent for tests."""

import random
from dataclasses import dataclass

from ..notation.move import Move
from ..search.analysis import Signal
from ..search.budget import Budget
from ..view import View
from .base import BaseBot, check, legal_moves


@dataclass(frozen=True, slots=True)
class Random(BaseBot):
    """Every legal move is equally likely."""

    name: str = "random"
    character: str = "plays any legal move, all equally likely"
    default_budget: Budget | None = None

    def choose(self, view: View, budget: Budget, seed: int, stop: Signal | None = None) -> Move:  # noqa: ARG002
        check(view)
        return random.Random(seed).choice(legal_moves(view))
