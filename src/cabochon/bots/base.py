"""What a bot is, and two that need no search: one plays at random, one takes what looks best now."""

import random
import time
from dataclasses import dataclass
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np

from .. import batch
from ..errors import CabochonError
from ..notation.move import Move
from ..rules.actions import FIRST_ACTION
from ..rules.state import STAGES
from ..search.analysis import Signal
from ..search.budget import Budget
from ..view import View, state_of
from .greedy import greedy_actions


class Bot(Protocol):
    """A program that decides for a seat. The same view, budget in nodes and seed give the same move."""

    @property
    def name(self) -> str:
        """The word it is called by."""

    @property
    def character(self) -> str:
        """How it plays, in one line."""

    def choose(self, view: View, budget: Budget, seed: int) -> Move:
        """A legal move for the seat to decide, from its own view."""


@dataclass(frozen=True, slots=True)
class Thought:
    """A move and what it took: positions looked at, if the bot says, and seconds."""

    move: Move
    nodes: int | None
    seconds: float


@runtime_checkable
class Thinker(Protocol):
    """A bot that says what its move took, and answers early when it is told to stop."""

    def think(self, view: View, budget: Budget, seed: int, stop: Signal | None = None) -> Thought:
        """The move that `choose` gives, with what it took."""


def think(player: Bot, view: View, budget: Budget, seed: int, stop: Signal | None = None) -> Thought:
    """A bot's move and what it took; whoever does not say is timed."""
    if isinstance(player, Thinker):
        return player.think(view, budget, seed, stop)
    before = time.perf_counter()
    move = player.choose(view, budget, seed)
    return Thought(move, None, time.perf_counter() - before)


def legal_moves(view: View) -> list[Move]:
    """The legal moves of the seat to decide, from its own view (or from a Position)."""
    mask = int(batch.legal(state_of(view))[0])
    first = int(FIRST_ACTION[STAGES.index(view.stage)])
    return [Move(first + bit, None, view.rules.variant) for bit in range(mask.bit_length()) if mask >> bit & 1]


def check(view: View) -> None:
    """There is something to decide, and this is the view to decide from."""
    if view.stage == "over":
        raise CabochonError("the game is over: there is nothing to choose")
    if view.seat != view.turn:
        raise CabochonError(f"seat {view.turn} is to decide: a bot needs the view of that seat")


@dataclass(frozen=True, slots=True)
class Random:
    """Every legal move is equally likely."""

    name: ClassVar[str] = "random"
    character: ClassVar[str] = "plays any legal move, all equally likely"

    def choose(self, view: View, _budget: Budget, seed: int) -> Move:
        """Any legal move."""
        check(view)
        return random.Random(seed).choice(legal_moves(view))


@dataclass(frozen=True, slots=True)
class Greedy:
    """Looks one move ahead: what it has then, and how near the next good cards are."""

    name: ClassVar[str] = "greedy"
    character: ClassVar[str] = "buys the best card in reach, or takes what brings the next one closer"

    def choose(self, view: View, _budget: Budget, seed: int) -> Move:
        """The move that looks best, by the kernel in `greedy.py`."""
        check(view)
        return Move(int(greedy_actions(state_of(view), np.array([seed]))[0]), None, view.rules.variant)
