"""The room around a table: everything about it that is not stored.

Its sockets, who is here and who is away, questions that wait for answers, and what works on it now. A room that is dropped loses
nothing: its table is read again from the log, and the people come back by themselves.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from ..notation.move import Move
from .broadcast import StateCache
from .clock import Moment
from .connection import Connection
from .push import News
from .settings import Sources
from .table import Entry, SeatChange, Table


@dataclass(slots=True)
class Ask:
    """A question to the others; it is carried out when nobody is waited for any more."""

    number: int
    what: str
    by: int
    seat: int
    waiting_for: list[int]

    def out(self) -> dict[str, Any]:
        """An AskOut."""
        return {"ask": self.number, "what": self.what, "by": self.by, "seat": self.seat, "waiting_for": self.waiting_for}


@dataclass(slots=True, eq=False)
class Room:
    """A table in memory. `away_since` has the playing time since which a seat's user is away, by seat; None: here."""

    table: Table
    sources: Sources
    away_since: list[float | None] = field(default_factory=list)
    connections: dict[Connection, None] = field(default_factory=dict)  # in the order in which they came
    asks: dict[int, Ask] = field(default_factory=dict)
    asked: int = 0
    used: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    thinking: "asyncio.Task[None] | None" = None
    cache: StateCache = field(default_factory=StateCache)
    news: News | None = None  # what was last worth telling those who are away
    telling: "asyncio.Task[None] | None" = None

    def __post_init__(self) -> None:
        self.used = now = self.sources.playing()
        self.away_since = [now] * len(self.table.seats)

    # what is stored changes

    def begin(self, began: float) -> None:
        """Deal; `began` is the time of day that is stored."""
        game = self.table.first_game(self.sources.deal)
        self.table.begin(game, Moment(began, self.sources.playing()))
        self.cache.table = None

    def change_seats(self, change: SeatChange) -> None:
        """Seats have changed hands."""
        self.table.change_seats(change)
        for seat in change.seats:
            self.away_since[seat.seat] = self.sources.playing()
        self.note_presence()

    def apply(self, entry: Entry, move: Move | None = None) -> None:
        """Do what a stored entry says. Most moves leave what is said about the table itself as it was."""
        self.table.apply(entry, self.sources.playing(), move)
        if entry.kind != "move" or self.table.status == "finished":
            self.cache.table = None
        if self.asks:
            self._drop_asks()

    # who is here

    def note_presence(self) -> None:
        """Who is here, and since when the others are not. A question about a seat is over when its user is here."""
        self.used = now = self.sources.playing()
        here = {self.table.seat_of(connection.user) for connection in self.connections}
        for seat, since in enumerate(self.away_since):
            if seat in here:
                self.away_since[seat] = None
            elif since is None:
                self.away_since[seat] = now
        self.asks = {n: ask for n, ask in self.asks.items() if ask.what != "replace" or ask.seat not in here}
        self.cache.table = None

    def people_here(self) -> list[int]:
        """The seats of users who are connected."""
        return [seat.seat for seat in self.table.seats if seat.is_person and self.away_since[seat.seat] is None]

    def sockets_of(self, user: str) -> list[Connection]:
        """The sockets of a user that are not being closed, the oldest first."""
        return [connection for connection in self.connections if connection.user == user and connection.close_reason is None]

    def spectators(self, address: str | None = None) -> int:
        """The sockets of those who hold no seat, or those from one address."""
        seat_of = self.table.seat_of
        return sum(seat_of(connection.user) is None and address in (None, connection.address) for connection in self.connections)

    @property
    def is_used(self) -> bool:
        """Whether somebody is here or works on it."""
        return bool(self.connections or self.thinking or self.lock.locked())

    # questions

    def ask(self, what: str, by: int, seat: int, waiting_for: list[int]) -> None:
        """Put a question to the others."""
        self.asked += 1
        self.asks[self.asked] = Ask(self.asked, what, by, seat, waiting_for)

    def has_asked(self, seat: int) -> bool:
        """Whether the others have still to answer this seat's wish to take something back."""
        return any(ask.what == "takeback" and ask.by == seat for ask in self.asks.values())

    def can_undo(self, seat: int | None) -> str:
        """Whether a seat may take its last decision back: no, free, or if the others agree (ask)."""
        return "no" if seat is not None and self.has_asked(seat) else self.table.can_undo(seat)

    def _drop_asks(self) -> None:
        """A question about taking back is over when the game goes on; one about a seat when a bot plays there."""
        table = self.table
        self.asks = {
            number: ask
            for number, ask in self.asks.items()
            if ask.what == "replace" and table.seats[ask.seat].is_human and table.status == "running"
        }
