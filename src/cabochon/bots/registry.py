"""All bots by name. `add_bot` adds one to this process; a plain Python function becomes a bot here, once."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import index
from typing import Protocol, SupportsIndex

from ..errors import CabochonError, WrongType, quoted
from ..notation.move import Move
from ..search.analysis import Signal
from ..search.budget import Budget
from ..view import View
from .base import NO_LIMIT, BaseBot, Bot, fresh_seed
from .external import ExternalBot
from .levels import LEVELS, ROLLOUT
from .searchless import Greedy, Random

NAME = re.compile(r"[a-z][a-z0-9_-]{0,30}")
WORD_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_WEAK_TO_STRONG: tuple[Bot, ...] = (Random(), LEVELS[0], Greedy(), *LEVELS[1:])
BOTS: dict[str, Bot] = {player.name: player for player in _WEAK_TO_STRONG}
PACKAGE_BOTS = frozenset(BOTS)
YARDSTICKS: dict[str, Bot] = {ROLLOUT.name: ROLLOUT}  # for measuring; not offered as opponents

Answer = Move | str | SupportsIndex  # a move, its text, or its action number
ChooseMove = Callable[[View, Budget, int], Answer]


class PlainBot(Protocol):
    """An object with nothing but a method `choose(view, budget, seed)`."""

    def choose(self, view: View, budget: Budget, seed: int) -> Answer:
        """A legal move."""


AnyBot = Bot | PlainBot | ChooseMove  # what `add_bot`, the arena, the environments and the server take besides a name


@dataclass(frozen=True, slots=True)
class FunctionBot(BaseBot):
    """The adapter for users' own bots: makes a `Bot` of a function of view, budget and seed. It cannot be stopped."""

    name: str
    function: ChooseMove
    character: str = "a bot written in Python"

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int | None = None, stop: Signal | None = None) -> Move:  # noqa: ARG002
        answer = self.function(view, budget, fresh_seed(seed))
        try:
            return as_move(answer, view.rules.variant)
        except WrongType as wrong:
            raise WrongType(f"{self.name}: {wrong}") from None


def bot(name: str) -> Bot:
    """The bot of this name."""
    if not isinstance(name, str):
        raise WrongType(f"the name of a bot is a text, not {quoted(name)}")
    found = BOTS.get(name) or YARDSTICKS.get(name)
    if found is None:
        raise CabochonError(f"unknown bot {name!r}: choose one of {', '.join((*BOTS, *YARDSTICKS))}")
    return found


def bot_of(player: str | AnyBot) -> Bot:
    """A bot by its name, or a user's own: an object with `choose`, or a function. One without a name has that of its class."""
    return bot(player) if isinstance(player, str) else as_bot(name_of(player), player)


def name_of(player: AnyBot) -> str:
    """The name of a user's own bot: its own, that of the function, or that of its class, such as my_bot for MyBot."""
    name = getattr(player, "name", None) or getattr(player, "__name__", None) or type(player).__name__
    return WORD_BORDER.sub("_", str(name)).strip("<>").lower()


def as_move(answer: Answer, variant: str) -> Move:
    """What a user's own bot answered as a Move."""
    if isinstance(answer, Move):
        return answer
    if isinstance(answer, str):
        return Move.parse(answer, variant)
    try:
        action = index(answer)
    except TypeError:
        raise WrongType(f"a bot answers with a Move, the text of one, or an action number, not {quoted(answer)}") from None
    return Move(action, None, variant)


def add_bot(name: str, player: AnyBot) -> None:
    """Add a bot under this name, in this process only: a `BaseBot`, an object with `choose`, or a function."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise CabochonError(f"bot {quoted(name)}: a bot's name is small letters, digits, - and _, and begins with a letter")
    if name in PACKAGE_BOTS or name in YARDSTICKS:
        raise CabochonError(f"bot {name!r}: there is a bot of this name already")
    BOTS[name] = as_bot(name, player)


def is_object_here(name: str) -> bool:
    """Whether a bot was added as an object or a function: other processes do not have it, and it thinks in this one."""
    return name in BOTS and name not in PACKAGE_BOTS and not isinstance(BOTS[name], ExternalBot)


def as_bot(name: str, player: AnyBot) -> Bot:
    """The one place where a user's own bot is adapted, so that everybody else can rely on the whole protocol."""
    if isinstance(player, type):
        raise WrongType(f"{player.__name__} is a class: a bot is an object of it, {player.__name__}()")
    if isinstance(player, BaseBot):
        return player
    choose = getattr(player, "choose", player)
    if not callable(choose):
        raise WrongType(f"a bot is a name, a function of view, budget and seed, or an object with `choose`, not {quoted(player)}")
    return FunctionBot(name, choose)


def add_commands(options: Iterable[str]) -> None:
    """Add programs as bots, each given as NAME=COMMAND."""
    for text in options:
        name, equals, command = text.partition("=")
        if not equals or not command.strip():
            raise CabochonError(f"bot {text!r}: a program is given as NAME=COMMAND")
        add_bot(name.strip(), ExternalBot(command.strip(), name.strip()))
