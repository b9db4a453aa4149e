"""All bots by name. `add_bot` adds one to this process; a plain Python function becomes a bot here, once."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from ..errors import CabochonError
from ..notation.move import Move
from ..search.analysis import Signal
from ..search.budget import Budget
from ..view import View
from .base import BaseBot, Bot
from .external import ExternalBot
from .levels import LEVELS, ROLLOUT
from .searchless import Greedy, Random

NAME = re.compile(r"[a-z][a-z0-9_-]{0,30}")

_WEAK_TO_STRONG: tuple[Bot, ...] = (Random(), LEVELS[0], Greedy(), *LEVELS[1:])
BOTS: dict[str, Bot] = {player.name: player for player in _WEAK_TO_STRONG}
YARDSTICKS: dict[str, Bot] = {ROLLOUT.name: ROLLOUT}  # for measuring; not offered as opponents

ChooseMove = Callable[[View, Budget, int], Move]


class PlainBot(Protocol):
    """An object with nothing but a method `choose(view, budget, seed)`."""

    def choose(self, view: View, budget: Budget, seed: int) -> Move:
        """A legal move."""


@dataclass(frozen=True, slots=True)
class FunctionBot(BaseBot):
    """The adapter for users' own bots: makes a `Bot` of a function of view, budget and seed. It cannot be stopped."""

    name: str
    function: ChooseMove
    character: str = "a bot written in Python"

    def choose(self, view: View, budget: Budget, seed: int, stop: Signal | None = None) -> Move:  # noqa: ARG002
        return self.function(view, budget, seed)


def bot(name: str) -> Bot:
    """The bot of this name."""
    found = BOTS.get(name) or YARDSTICKS.get(name)
    if found is None:
        raise CabochonError(f"unknown bot {name!r}: choose one of {', '.join((*BOTS, *YARDSTICKS))}")
    return found


def add_bot(name: str, player: BaseBot | PlainBot | ChooseMove) -> None:
    """Add a bot under this name, in this process only: a `BaseBot`, an object with `choose`, or a function."""
    if not NAME.fullmatch(name):
        raise CabochonError(f"bot {name!r}: a bot's name is small letters, digits, - and _, and begins with a letter")
    if name in BOTS and not isinstance(BOTS[name], ExternalBot):
        raise CabochonError(f"bot {name!r}: there is a bot of this name already")
    BOTS[name] = as_bot(name, player)


def as_bot(name: str, player: BaseBot | PlainBot | ChooseMove) -> Bot:
    """The one place where a user's own bot is adapted, so that everybody else can rely on the whole protocol."""
    if isinstance(player, BaseBot):
        return player
    return FunctionBot(name, player if callable(player) else player.choose)


def add_commands(options: Iterable[str]) -> None:
    """Add programs as bots, each given as NAME=COMMAND."""
    for text in options:
        name, equals, command = text.partition("=")
        if not equals or not command.strip():
            raise CabochonError(f"bot {text!r}: a program is given as NAME=COMMAND")
        add_bot(name.strip(), ExternalBot(command.strip(), name.strip()))
