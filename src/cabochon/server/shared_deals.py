"""Deals that several tables share: everybody plays the same cards against the same bots, which answer the same moves alike."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from ..bots import BOTS, Level
from ..view import View
from .commitment import DAY, day_secret
from .tries import add_try

if TYPE_CHECKING:
    from .bot_pool import BotMove, BotPool

DUEL = "duel "  # how the name of the deal of a duel begins; its id follows
RETRY_SECONDS = 1.0
MAX_ATTEMPTS = 60
# By weekday, from Monday on: the opponents become stronger, and on the weekend there are more of them. All of them search a fixed
# number of positions with a model that every machine computes alike.
BOTS_BY_WEEKDAY: tuple[tuple[str, ...], ...] = (
    ("merchant",),
    ("cutter",),
    ("merchant",),
    ("cutter",),
    ("jeweller",),
    ("merchant", "cutter"),
    ("merchant", "cutter", "jeweller"),
)
log = logging.getLogger("cabochon.server")


@dataclass(frozen=True, slots=True)
class SharedDeal:
    """A deal by its name, its game, the secret it follows from, and whose try it is (`user`), if this one counts."""

    name: str
    variant: str
    secret: str
    user: str | None = None
    at: float = 0.0

    @property
    def counts(self) -> bool:
        """Whether this is the one try of its player."""
        return self.user is not None

    def statements(self, table_id: str) -> Sequence[Any]:
        """What is stored with its table."""
        return [] if self.user is None else add_try(self.name, self.variant, self.user, table_id, self.at)


def deal_of_day(day: date, variant: str, user: str | None = None, at: float = 0.0) -> SharedDeal:
    """The deal of a day, on every server the same."""
    name = f"{DAY}{day.isoformat()}"
    return SharedDeal(name, variant, day_secret(name, variant), user, at)


def bots_of_day(day: date) -> tuple[str, ...]:
    """The opponents of a day."""
    return BOTS_BY_WEEKDAY[day.weekday()]


def exact_bots() -> list[str]:
    """The bots that answer the same moves alike on any machine: levels with a fixed number of positions."""
    return [name for name, found in BOTS.items() if isinstance(found, Level) and found.default_budget.nodes]


async def choose_alike(bots: "BotPool", name: str, view: View, seed: int) -> "BotMove":
    """The bot's own move, however long that takes: a simple bot in its place would play another game than elsewhere."""
    for _ in range(MAX_ATTEMPTS):
        chosen = await bots.choose(name, view, seed)
        if chosen.instead_of is None:
            return chosen
        await asyncio.sleep(RETRY_SECONDS)
    log.error("bot %s could not move where a deal is shared: a simple one moved, and the game is not the same as elsewhere", name)
    return chosen
