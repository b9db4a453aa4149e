"""The room around a table: everything about it that is not stored.

Its sockets, who is here and who is away, questions that wait for answers, and what works on it now. A room that is dropped loses
nothing: its table is read again from the log, and the people come back by themselves.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from ..notation.move import Move
from .broadcast import StateCache
from .clock import Moment
from .connection import Connection
from .messages import TableOptions
from .push import News
from .settings import Sources
from .table import Entry, SeatChange, Table

MAX_ASK_SECONDS = 30.0  # how long a clock stands still for a question; who has not answered then has said no
MAX_ASKS_PER_DECISION = 2  # how often the others are asked about taking the same decision back


@dataclass(slots=True)
class Ask:
    """A question to the others; it is carried out when nobody is waited for any more. `until`: the playing time of its end."""

    number: int
    what: str
    by: int
    seat: int
    waiting_for: list[int]
    until: float = math.inf

    def out(self, now: float) -> dict[str, Any]:
        """An AskOut."""
        left = None if self.until == math.inf else round(max(0.0, self.until - now), 3)
        named = {"ask": self.number, "what": self.what, "by": self.by, "seat": self.seat}
        return {**named, "waiting_for": self.waiting_for, "left": left}


@dataclass(frozen=True, slots=True)
class Declined:
    """A question that was answered with no: by whom and how."""

    ask: Ask
    how: str
    by: int | None = None

    def out(self) -> dict[str, Any]:
        """A DeclinedOut."""
        ask = self.ask
        return {"ask": ask.number, "what": ask.what, "by": ask.by, "seat": ask.seat, "how": self.how, "declined_by": self.by}


@dataclass(slots=True, eq=False)
class Room:
    """A table in memory. `away_since` has the playing time since which a seat's user is away, by seat; None: here."""

    table: Table
    sources: Sources
    away_seconds: float = 30.0  # how long a user is away before a bot may play
    away_since: list[float | None] = field(default_factory=list)
    connections: dict[Connection, None] = field(default_factory=dict)  # in the order in which they came
    asks: dict[int, Ask] = field(default_factory=dict)
    asked: int = 0
    asked_back: Counter[tuple[int, int]] = field(default_factory=Counter)  # by seat and the number of the decision
    declined: Declined | None = None  # the last question that was answered with no, until the game goes on
    used: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    thinking: "asyncio.Task[None] | None" = None
    cache: StateCache = field(default_factory=StateCache)
    version: int = 0  # in a cluster: of what this node has read, and of what it has read beside the log
    parts: int = 0
    state: str = ""  # in a cluster: what is stored of this room (room_state.py)
    nodes: dict[str, tuple[list[int], int]] = field(default_factory=dict)  # in a cluster: seats and spectators at the other nodes
    silent_nodes: AbstractSet[str] = frozenset()  # in a cluster: others where somebody was connected, and which do not beat
    on_presence: "Callable[[Room], None] | None" = None
    told_presence: tuple[list[int], int] = field(default_factory=lambda: ([], 0))  # in a cluster: what the others know
    is_telling_presence: bool = False
    bot_wanted: tuple[int, float] = (-1, 0.0)  # in a cluster: for which number, and when, a worker was asked to move
    clock_wanted: tuple[int, float] = (-1, 0.0)  # in a cluster: for which number, and until when, a worker looks at the clock
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

    def change_options(self, options: TableOptions) -> None:
        """Another agreement."""
        self.table.change_options(options)
        self.cache.table = None

    def change_seats(self, change: SeatChange) -> None:
        """Seats have changed hands."""
        self.table.change_seats(change)
        for seat in change.seats:
            self.away_since[seat.seat] = self.sources.playing()
        self.note_presence()

    def apply(self, entry: Entry, move: Move | None = None) -> None:
        """Do what a stored entry says. Most moves leave what is said about the table itself as it was."""
        self.table.apply(entry, self.sources.playing() if entry.playing is None else entry.playing, move)
        if entry.kind != "move" or self.table.status == "finished":
            self.cache.table = None
        self.go_on(entry)

    def go_on(self, entry: Entry) -> None:
        """The game goes on: what was declined is over, and so are some questions."""
        self.declined = None
        if self.asks:
            self._drop_asks(entry)

    # who is here

    def note_presence(self) -> None:
        """Who is here, and since when the others are not. A question about a seat is over when its user is here."""
        self.used = now = self.sources.playing()
        here = {self.table.seat_of(connection.user) for connection in self.connections}
        here.update(seat for seats, _ in self.nodes.values() for seat in seats)
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

    @property
    def is_somebody_away(self) -> bool:
        """Whether a user who plays is away from a running game."""
        if self.table.status != "running" or self.away_since.count(None) == len(self.away_since):
            return False
        return any(seat.is_human and self.away_since[seat.seat] is not None for seat in self.table.seats)

    @property
    def tells_time(self) -> bool:
        """Whether a state says how much time is left for something."""
        return self.table.clock is not None or self.is_somebody_away

    def replaceable_in(self, now: float) -> list[float | None]:
        """Seconds until a bot may play for each seat; None where a bot plays, the user is here or there is no game."""
        if not self.is_somebody_away:
            return [None] * len(self.table.seats)
        away = [since if seat.is_human else None for seat, since in zip(self.table.seats, self.away_since, strict=True)]
        return [None if since is None else round(max(0.0, since + self.away_seconds - now), 3) for since in away]

    def is_gone(self, seat: int) -> bool:
        """Whether the user of a seat has been away for long enough not to be waited for."""
        since = self.away_since[seat]
        return since is not None and self.sources.playing() - since >= self.away_seconds

    def has_others_like(self, connection: Connection) -> bool:
        """Whether another socket is shown the same: another spectator, or the same seat in another window."""
        seat_of = self.table.seat_of
        return [seat_of(other.user) for other in self.connections].count(seat_of(connection.user)) > 1

    def sockets_of(self, user: str) -> list[Connection]:
        """The sockets of a user that are not being closed, the oldest first."""
        return [connection for connection in self.connections if connection.user == user and connection.close_reason is None]

    def spectators(self, address: str | None = None) -> int:
        """The sockets of those who hold no seat, or those from one address."""
        holders = self.table.holders
        found = [connection for connection in self.connections if connection.user not in holders]
        if address is not None:
            return sum(connection.address == address for connection in found)
        return len(found) + sum([count for _, count in self.nodes.values()])

    def presence(self) -> tuple[list[int], int]:
        """The seats whose users have a socket at this node, and the spectators of this node."""
        held = [self.table.seat_of(connection.user) for connection in self.connections]
        return sorted({seat for seat in held if seat is not None}), held.count(None)

    @property
    def player_address(self) -> str | None:
        """Where one of the players is connected from; None if none is."""
        seat_of = self.table.seat_of
        return next((one.address for one in self.connections if seat_of(one.user) is not None), None)

    @property
    def is_public(self) -> bool:
        """Whether a game goes on here that anybody may find and watch."""
        table = self.table
        has_player = self.player_address is not None or any(seats for seats, _ in self.nodes.values())
        return table.status == "running" and table.options.watch == "anybody" and has_player

    @property
    def is_used(self) -> bool:
        """Whether somebody is here or works on it."""
        return bool(self.connections or self.thinking or self.lock.locked())

    # questions

    def ask(self, what: str, by: int, seat: int, waiting_for: list[int]) -> None:
        """Put a question to the others."""
        self.asked += 1
        ask = self.asks[self.asked] = Ask(self.asked, what, by, seat, waiting_for)
        self.declined = None
        if what == "takeback":
            self.asked_back[self._decision(by)] += 1
            if self._holds_clock(ask):
                ask.until = self.sources.playing() + MAX_ASK_SECONDS
            self._hold_clock()

    def end_ask(self, ask: Ask, how: str = "", by: int | None = None) -> None:
        """A question is over, because somebody (`by`) said no, nobody answered in time, or whoever asked has withdrawn it."""
        del self.asks[ask.number]
        self.declined = Declined(ask, how, by) if how else None
        self._hold_clock()

    def late_asks(self, now: float) -> list[Ask]:
        """The questions whose time is up."""
        return [ask for ask in self.asks.values() if now >= ask.until]

    def _hold_clock(self) -> None:
        """The clock stands still as long as a question has to be answered for which it does."""
        if self.table.clock is None:
            return
        now = self.sources.playing()
        if any(self._holds_clock(ask) for ask in self.asks.values()):
            self.table.clock.hold(now)
        else:
            self.table.clock.release(now)

    def _holds_clock(self, ask: Ask) -> bool:
        """Whether the seat to decide is asked by another. Days are long enough, and nobody gets time by asking."""
        table = self.table
        return table.clock is not None and table.clock.kind != "days" and ask.what == "takeback" and ask.by != table.decides

    def _decision(self, seat: int) -> tuple[int, int]:
        """The decision a seat would take back: the seat and the number of its line."""
        place = self.table.own_last(seat)
        return seat, 0 if place is None else self.table.standing[place].entry.number

    def has_asked(self, seat: int) -> bool:
        """Whether the others have still to answer this seat's wish to take something back."""
        return any(ask.what == "takeback" and ask.by == seat for ask in self.asks.values())

    def can_undo(self, seat: int | None) -> str:
        """Whether a seat may take its last decision back: no, free, or if the others agree (ask)."""
        if seat is None or (self.asks and self.has_asked(seat)):
            return "no"
        allowed = self.table.can_undo(seat)
        return "no" if allowed == "ask" and self.has_asked_enough(seat) else allowed

    def has_asked_enough(self, seat: int) -> bool:
        """Whether the others have been asked often enough about the same decision."""
        return bool(self.asked_back) and self.asked_back[self._decision(seat)] >= MAX_ASKS_PER_DECISION

    def _drop_asks(self, entry: Entry) -> None:
        """A question about taking back is over when the game goes on; one about a seat when a bot plays there."""
        table = self.table
        if entry.kind == "move":
            unanswered = [ask for ask in self.asks.values() if ask.what == "takeback"]
            self.declined = Declined(unanswered[-1], "gone_on", entry.seat) if unanswered else None
        self.asks = {
            number: ask
            for number, ask in self.asks.items()
            if ask.what == "replace" and table.seats[ask.seat].is_human and table.status == "running"
        }
