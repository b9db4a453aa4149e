"""What a bot is: the protocols `Bot` and `Analyst`, and `BaseBot`, which has a default for everything but `choose`."""

import secrets
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

from .. import batch
from ..errors import CabochonError, WrongType, quoted
from ..notation.move import Move
from ..rules.actions import FIRST_ACTION
from ..rules.state import STAGES
from ..ruleset import is_count
from ..search.analysis import Analysis, Signal
from ..search.budget import Budget
from ..view import View, state_of

NO_LIMIT = Budget()
SEED_BITS = 48


@dataclass(frozen=True, slots=True)
class Thought:
    """A move and its cost: the positions searched (None if the bot does not say) and the seconds."""

    move: Move
    nodes: int | None
    seconds: float


class Bot(Protocol):
    """A program that decides for a seat. The same view, budget in nodes and seed give the same move.

    Without a budget a bot takes its default; without a seed the bots of this package draw one.

    The protocol is complete: callers never have to find out by inspection what a bot can do. Bots inherit the defaults from
    `BaseBot`; `registry.add_bot` wraps a plain function.
    """

    @property
    def name(self) -> str:
        """The name that users type."""

    @property
    def character(self) -> str:
        """How it plays, in one line."""

    @property
    def default_budget(self) -> Budget | None:
        """The budget for a caller who gives none; None: the bot does not search, and budgets have no effect."""

    @property
    def analyst(self) -> "Analyst | None":
        """The bot itself if it can explain its moves, and always plays the move that its analysis names as best."""

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, stop: Signal | None = None) -> Move:
        """A legal move for the seat to decide, from the view of that seat. Once `stop` is set it should answer at once."""

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, stop: Signal | None = None) -> Thought:
        """The move of `choose`, with its cost."""

    def new_game(self) -> None:
        """Another game begins: forget the last one."""

    def close(self) -> None:
        """Release what the bot holds, such as a process."""


class Analyst(Bot, Protocol):
    """A bot that also gives the chances of all seats, the value of each move, and the main line."""

    def analyse(
        self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, *, threads: int = 1, stop: Signal | None = None
    ) -> Analysis:
        """The result of the search within the budget; `threads` search in parallel."""


class BaseBot(ABC):
    """Defaults for a bot that only chooses: it has no state, takes any budget, and is timed from outside."""

    __slots__ = ()

    name: str
    character: str
    default_budget: Budget | None = NO_LIMIT

    @property
    def analyst(self) -> Analyst | None:
        return None

    @abstractmethod
    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, stop: Signal | None = None) -> Move: ...

    def think(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, stop: Signal | None = None) -> Thought:
        before = time.perf_counter()
        move = self.choose(view, budget, seed, stop)
        return Thought(move, None, time.perf_counter() - before)

    def new_game(self) -> None:
        return

    def close(self) -> None:
        return


def legal_moves(view: View) -> list[Move]:
    """The legal moves of the seat to decide, from its own view (or from a Position)."""
    mask = int(batch.legal(state_of(view))[0])
    first = int(FIRST_ACTION[STAGES.index(view.stage)])
    return [Move(first + bit, None, view.rules.variant) for bit in range(mask.bit_length()) if mask >> bit & 1]


def fresh_seed(seed: int | None) -> int:
    """The seed, or a new one for a caller who gave none."""
    if seed is not None and not is_count(seed):
        raise WrongType(f"the seed of a bot is a whole number, not {quoted(seed)}")
    return secrets.randbits(SEED_BITS) if seed is None else int(seed)


def check(view: View) -> None:
    """Refuse what is no view, a finished game, and the view of a seat that is not to decide."""
    if not isinstance(view, View):
        raise WrongType(f"a bot needs a View, such as game.view(game.turn), not {quoted(view)}")
    if view.stage == "over":
        raise CabochonError("the game is over: there is nothing to choose")
    if view.seat != view.turn:
        raise CabochonError(f"seat {view.turn} is to decide: a bot needs the view of that seat")
