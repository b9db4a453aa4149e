"""A table in memory: a cache of its log. It stores nothing and sends nothing by itself; it says what is so and what is allowed.

An entry is checked first, then stored, and only then applied, so that memory never knows more than the log.
"""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orjson import Fragment, dumps

from ..errors import CabochonError
from ..game import Game
from ..notation.move import parse_move
from ..rules.deal import ANY_START
from ..view import View
from .clock import clock_of
from .commitment import DealInputs
from .dealing import Dealing, Phase
from .errors import Refused
from .messages import TableOptions
from .repository import Stored
from .serialise import PositionViews, facts, outcome_out, packed, view_out
from .settings import Sources

if TYPE_CHECKING:
    from .connection import Connection

STORED_FIELDS = ("id", "status", "host", "start", "seed", "salt", "secret", "commitment", "created", "rematch")
DEAL_PHASES: dict[str, Phase] = {"waiting": "waiting", "dealing": "sealing", "running": "dealt", "finished": "dealt"}
MAX_LOG_ENTRIES = 4000
PRESENCE_SECONDS = 0.1  # who comes and goes within this time is told at once
MAX_CACHED_STATES = 16
CACHED_CLOCK_SECONDS = 0.05  # a state says how much time is left, so it cannot be used for long
NOT_FOR_STRANGERS: dict[str, None] = {"reveal": None, "rematch": None}


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log as it is stored. `spent` are the seconds taken from the seat whose time ran; `thought` is a bot's."""

    number: int
    kind: str
    seat: int
    text: str
    at: float
    undoes: int | None = None
    spent: float = 0.0
    thought: str | None = None

    def row(self, table_id: str) -> dict[str, Any]:
        """The entry as it is stored."""
        return {
            "table_id": table_id,
            "number": self.number,
            "kind": self.kind,
            "seat": self.seat,
            "text": self.text,
            "undoes": self.undoes,
            "at": self.at,
            "spent": self.spent,
            "thought": self.thought,
        }


@dataclass(frozen=True, slots=True)
class Line:
    """An entry with what it did, written for the seat it belongs to and for everybody else."""

    entry: Entry
    reveals: bool
    left: float | None
    own: Fragment
    others: Fragment

    def out(self, viewer: int | None) -> Fragment:
        """The line as this viewer may read it."""
        return self.own if viewer == self.entry.seat else self.others


@dataclass(slots=True)
class Seat:
    """A place at the table. `stand_in` is the bot that plays while its user is away."""

    seat: int
    kind: str
    name: str
    bot: str | None = None
    token: str | None = None
    stand_in: str | None = None
    away_since: float | None = 0.0

    @property
    def played_by(self) -> str | None:
        """The bot that plays here now, if one does."""
        return self.bot if self.kind == "bot" else self.stand_in

    @property
    def is_person(self) -> bool:
        """Whether the seat belongs to a user, also while a bot stands in."""
        return self.kind == "user"

    @property
    def is_human(self) -> bool:
        """Whether a user decides here."""
        return self.is_person and self.stand_in is None

    def out(self) -> dict[str, Any]:
        """A SeatOut."""
        connected = self.is_person and self.away_since is None
        return {"seat": self.seat, "kind": self.kind, "name": self.name, "bot": self.played_by, "connected": connected}


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


@dataclass(slots=True)
class Table:
    """Seats, options and, once it has begun, a game with its log."""

    id: str
    options: TableOptions
    status: str
    host: int | None
    start: int
    seed: int
    salt: str
    secret: str | None
    commitment: str
    created: float
    rematch: str | None
    seats: list[Seat]
    holders: dict[str, int]
    sources: Sources
    dealing: Dealing
    game: Game | None = None
    log: list[Line] = field(default_factory=list)
    standing: list[Line] = field(default_factory=list)
    asks: dict[int, Ask] = field(default_factory=dict)
    connections: "dict[Connection, None]" = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    used: float = 0.0
    asked: int = 0
    thinking: "asyncio.Task[None] | None" = None
    clock: Any = None
    watchers: int = 0
    _views: PositionViews | None = None
    _written: Fragment | None = None
    _outcome: Fragment | None = None
    _options: Fragment | None = None
    _states: dict[tuple[int | None, int], tuple[bytes, int]] = field(default_factory=dict)
    _states_at: float = 0.0
    _presence_timer: asyncio.TimerHandle | None = None

    def __post_init__(self) -> None:
        options = self.options
        self._options = Fragment(options.model_dump_json())
        self.clock = clock_of(options.clock, options.players)

    @classmethod
    def load(cls, stored: Stored, sources: Sources, *, replayed: bool = True) -> "Table":
        """The table that lies in the database, its log replayed; or only what is said about it in the lobby."""
        row, now = stored.table, sources.playing()
        table = cls(
            **{name: row[name] for name in STORED_FIELDS},
            options=TableOptions.model_validate_json(row["options"]),
            seats=[_seat(seat, now) for seat in stored.seats],
            holders={holder["user_id"]: holder["seat"] for holder in stored.holders},
            sources=sources,
            dealing=Dealing(
                row["id"],
                DEAL_PHASES.get(row["status"], "waiting"),
                {seal["seat"]: seal["seal"] for seal in stored.seals},
                {seal["seat"]: seal["nonce"] for seal in stored.seals if seal["nonce"]},
            ),
            used=now,
        )
        _check_seats(table)
        if table.status in ("waiting", "dealing") or not replayed:
            return table
        table.begin(row["began"])
        for entry in stored.entries:
            table.apply(Entry(**{name: entry[name] for name in Entry.__slots__}))
        if table.clock:
            table.clock.catch_up(sources.playing(), sources.clock())
        return table

    # the game

    def begin(self, now: float) -> None:
        """Deal."""
        self.status, self._written = "running", None
        self.dealing.finish()
        self.game = self.first_game()
        self._changed(now)

    def first_game(self) -> Game:
        """The game before its first move. That of an older server (format 1) follows from a seed."""
        options = self.options
        if self.secret is None:
            return Game(options.variant, options.players, seed=self.seed, start=self.start, **options.house_rules())
        return self.sources.deal(options, DealInputs(self.id, self.secret, self.start, self.dealing.nonces))

    @property
    def number(self) -> int:
        """The number of the last line."""
        return len(self.log)

    @property
    def views(self) -> PositionViews:
        """The views of the position."""
        if self._views is None:
            assert self.game is not None
            self._views = PositionViews(self.game)
        return self._views

    def _renew_views(self) -> None:
        """The position has changed."""
        assert self.game is not None
        self._views = PositionViews(self.game, self._views)

    @property
    def is_full(self) -> bool:
        """Whether the log is as long as it may become: a game can go on for ever, a table cannot."""
        return self.number >= MAX_LOG_ENTRIES

    def check_room(self, lines: int) -> None:
        """Refuse lines for which the log has no room."""
        if self.number + lines > MAX_LOG_ENTRIES:
            raise Refused("log_full", most=MAX_LOG_ENTRIES)

    @property
    def decides(self) -> int | None:
        """The seat to decide."""
        return self.views.any_view.turn if self.game and self.status == "running" else None

    def entry(
        self, kind: str, seat: int, text: str, undoes: int | None = None, later: int = 0, thought: str | None = None
    ) -> Entry:
        """The next line, or one `later`; only the first takes time from the clock."""
        at = self.sources.clock()
        spent = self.clock.elapsed(self.sources.playing()) if self.clock and not later else 0.0
        return Entry(self.number + 1 + later, kind, seat, text, at, undoes, spent, thought)

    def apply(self, entry: Entry) -> None:
        """Do what a stored entry says."""
        if entry.number != self.number + 1:
            raise CabochonError(f"entry {entry.number} comes after entry {self.number}")
        if self.clock:
            self.clock.charge(entry.spent)
        line = self._moved(entry) if entry.kind == "move" else self._noted(entry)
        self.log.append(line)
        if entry.kind == "move":
            self.standing.append(line)
        self._changed(entry.at)

    def _moved(self, entry: Entry) -> Line:
        assert self.game is not None
        before = self.views.view(entry.seat)
        self.game.play(entry.text)
        self._renew_views()
        after = self.views.view(entry.seat)
        ends_turn = after.turns != before.turns
        left = self.clock.end_turn(entry.seat) if self.clock and ends_turn else None
        return written_line(entry, before, after, left)

    def _noted(self, entry: Entry) -> Line:
        """Everything but a move: a move taken back, a bot for a seat, its user again."""
        if entry.kind == "undo":
            self._take_back(entry)
        else:
            self.seats[entry.seat].stand_in = None if entry.kind == "back" else entry.text
            if entry.kind == "back" and self.clock:
                self.clock.come_back(entry.seat)
        self._written = None
        return noted_line(entry, self.views.any_view.turns)

    def _take_back(self, entry: Entry) -> None:
        assert self.game is not None
        line = self.standing.pop()
        assert line.entry.number == entry.undoes, "the log takes back its last standing move"
        self.game.undo()
        self._renew_views()
        if self.clock:
            self.clock.take_back(line.entry.seat, line.left)

    def _changed(self, at: float) -> None:
        if self.views.any_view.stage == "over" or self.is_full:
            self.status = "finished"
            self._written = None
        if self.asks:
            self._drop_asks()
        if self.clock:
            seat = self.decides
            self.clock.run(seat if seat is not None and self.seats[seat].is_human else None, self.sources.playing())
            self.clock.changed = at

    def _drop_asks(self) -> None:
        """A question about taking back is over when the game goes on; one about a seat when a bot plays there."""
        self.asks = {
            number: ask
            for number, ask in self.asks.items()
            if ask.what == "replace" and self.seats[ask.seat].is_human and self.status == "running"
        }

    # who may do what

    def seat_of(self, user: str | None) -> int | None:
        """The seat a user holds."""
        return None if user is None else self.holders.get(user)

    def others(self, seat: int) -> list[int]:
        """The other seats that belong to a user. A bot that stands in takes nobody's right to be asked."""
        return [other.seat for other in self.seats if other.is_person and other.seat != seat]

    def why_not_now(self, seat: int) -> Refused | None:
        """Why this seat has nothing to decide now."""
        if self.game is None:
            return Refused("not_begun")
        turn = self.views.any_view.turn
        if self.status == "finished":
            return Refused("over")
        if self.seats[seat].stand_in:
            return Refused("stand_in")
        return None if turn == seat else Refused("not_your_turn", seat=turn)

    def why_no_hint(self, seat: int) -> Refused | None:
        """Why this seat is given no hint now. Somebody who is away may come back, and would find it unfair."""
        if self.others(seat):
            return Refused("hint_alone")
        return self.why_not_now(seat)

    def why_not(self, seat: int, text: str) -> Refused | None:
        """Why this seat may not play this move now."""
        forbidden = self.why_not_now(seat)
        if forbidden or self.game is None:
            return forbidden
        try:
            move = parse_move(text, self.game.variant)
            if str(move) in self.views.choices:
                return None
            rule = self.game.why_not(move)
        except CabochonError as error:
            return Refused("rule", sentence=str(error))
        return None if rule is None else Refused("rule", sentence=f"{move}: {rule.sentence()}")

    def own_last(self, seat: int) -> int | None:
        """The place of a seat's last standing move among all of them."""
        places = range(len(self.standing) - 1, -1, -1)
        return next((place for place in places if self.standing[place].entry.seat == seat), None)

    def can_undo(self, seat: int | None) -> str:
        """Whether a seat may take its last decision back: no, free, or if the others agree (ask)."""
        policy = self.options.takeback
        if seat is None or policy == "never" or self.status != "running" or not self.seats[seat].is_human:
            return "no"
        place = self.own_last(seat)
        if place is None or self.has_asked(seat):
            return "no"
        if self.number + len(self.standing) - place > MAX_LOG_ENTRIES:
            return "no"
        if policy == "free" or not self.others(seat):
            return "free"
        is_last = place == len(self.standing) - 1
        return "free" if is_last and not self.standing[place].reveals else "ask"

    def has_asked(self, seat: int) -> bool:
        """Whether the others have still to answer this seat's wish to take something back."""
        return any(ask.what == "takeback" and ask.by == seat for ask in self.asks.values())

    def undoing(self, seat: int) -> list[Entry]:
        """The entries that take back everything from a seat's last decision on."""
        place = self.own_last(seat)
        assert place is not None
        lines = [line.entry for line in reversed(self.standing[place:])]
        return [self.entry("undo", seat, entry.text, entry.number, later) for later, entry in enumerate(lines)]

    def ask(self, what: str, by: int, seat: int, waiting_for: list[int]) -> None:
        """Put a question to the others."""
        self.asked += 1
        self.asks[self.asked] = Ask(self.asked, what, by, seat, waiting_for)

    def may_watch(self, user: str | None) -> bool:
        """Whether a user may see the game. A table that waits is shown to everybody with its link: somebody must sit down."""
        return self.options.watch != "nobody" or self.status == "waiting" or self.seat_of(user) is not None

    # connections

    def greet(self, connection: "Connection") -> None:
        """A socket has come: it is sent the state at once, the others hear of it soon."""
        self.connections[connection] = None
        self.note_presence()
        connection.refresh()
        self._tell_presence_soon()

    def miss(self, connection: "Connection") -> None:
        """A socket has gone."""
        self.connections.pop(connection, None)
        self.note_presence()
        self._tell_presence_soon()

    def _tell_presence_soon(self) -> None:
        """One state for all who come and go within a moment."""
        if self._presence_timer is None:
            self._presence_timer = asyncio.get_running_loop().call_later(PRESENCE_SECONDS, self.broadcast)

    def note_presence(self) -> None:
        """Who is here, and since when the others are not. A question about a seat is over when its user is here."""
        self.used = now = self.sources.playing()
        here = {self.seat_of(connection.user) for connection in self.connections}
        for seat in self.seats:
            if seat.seat in here:
                seat.away_since = None
            elif seat.away_since is None:
                seat.away_since = now
        self.asks = {n: ask for n, ask in self.asks.items() if ask.what != "replace" or ask.seat not in here}
        self._written = None

    def sockets_of(self, user: str) -> list["Connection"]:
        """The sockets of a user that are not being closed, the oldest first."""
        return [connection for connection in self.connections if connection.user == user and connection.farewell is None]

    def spectators(self, address: str | None = None) -> int:
        """The sockets of those who hold no seat, or those from one address."""
        return sum(
            self.seat_of(connection.user) is None and address in (None, connection.address) for connection in self.connections
        )

    # messages

    def out(self, user: str | None = None, *, watched: bool | None = None) -> Fragment:
        """A TableOut, written, for a user (or for somebody of whom is known whether they may watch)."""
        if self.may_watch(user) if watched is None else watched:
            if self._written is None:
                self._written = packed(self._out())
            return self._written
        return packed({**self._out(), **NOT_FOR_STRANGERS})

    def _out(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "options": self._options,
            "status": self.status,
            "seats": [seat.out() for seat in self.seats],
            "host": self.host,
            "watchers": self.watchers,
            "commitment": self.commitment,
            "deal": self._deal_out(),
            "reveal": self.reveal(),
            "rematch": self.rematch,
            "created": self.created,
        }

    def _deal_out(self) -> dict[str, Any]:
        start = None if self.start == ANY_START else self.start
        return {"format": 1 if self.secret is None else 2, "start": start, **self.dealing.out(self.options.players)}

    def reveal(self) -> dict[str, str | None] | None:
        """A RevealOut after the end."""
        if self.status != "finished":
            return None
        is_old = self.secret is None
        return {"secret": self.secret, "seed": str(self.seed) if is_old else None, "salt": self.salt if is_old else None}

    def outcome(self) -> Fragment | None:
        """An OutcomeOut after the end."""
        if self.status != "finished" or self.game is None:
            return None
        if self._outcome is None:
            self._outcome = packed(outcome_out(self.game))
        return self._outcome

    def state(self, viewer: int | None, since: int) -> bytes:
        """A StateOut for a seat or a spectator who has the lines up to `since`."""
        view, prices = self.views.out(viewer) if self.game else (None, {})
        return dumps(
            {
                "type": "state",
                "table": self.out(watched=True),
                "seat": viewer,
                "number": self.number,
                "view": view,
                "choices": self._choices(viewer),
                "prices": prices,
                "entries": [line.out(viewer) for line in self.log[since:]],
                "clock": self._clock_out(),
                "asks": [ask.out() for ask in self.asks.values()],
                "can_undo": self.can_undo(viewer),
                "outcome": self.outcome(),
            }
        )

    def _clock_out(self) -> dict[str, Any] | None:
        out: dict[str, Any] | None = self.clock.out(self.sources.playing()) if self.clock and self.game else None
        return out

    def _choices(self, viewer: int | None) -> dict[str, Any] | None:
        if viewer is None or viewer != self.decides or not self.seats[viewer].is_human:
            return None
        choices = self.views.choices
        return {"legal": choices.legal, "payments": choices.payments}

    def broadcast(self) -> None:
        """Send everybody the state and the lines they do not have yet, as soon as each can be sent something."""
        if self._presence_timer:
            self._presence_timer.cancel()
            self._presence_timer = None
        self._states.clear()
        watchers = self.spectators()
        if watchers != self.watchers:
            self.watchers, self._written = watchers, None
        for connection in self.connections:
            connection.refresh()

    def state_for(self, connection: "Connection") -> bytes | None:
        """The newest state for a socket, with the lines it does not have yet; nothing for somebody who may not watch."""
        if not self.may_watch(connection.user):
            return None
        now = self.sources.playing()
        if len(self._states) >= MAX_CACHED_STATES or (self.clock and now - self._states_at > CACHED_CLOCK_SECONDS):
            self._states.clear()
        key = self.seat_of(connection.user), connection.sent
        if key not in self._states:
            if not self._states:
                self._states_at = now
            self._states[key] = self.state(*key), self.number
        state, connection.sent = self._states[key]
        return state

    def names(self) -> tuple[str, ...]:
        """The names at the table."""
        return tuple(seat.name for seat in self.seats)


def written_line(entry: Entry, before: View, after: View, left: float | None) -> Line:
    """A move, with what its seat may know and what the others may know."""
    did = facts(before, after, parse_move(entry.text, before.rules.variant).action)
    out = _line_out(entry, before.turns)
    out |= {"card": did.card, "turned_up": did.turned_up, "tile": did.tile, "avengers": did.avengers, "gems": did.gems}
    own = packed(out)
    others = packed({**out, "card": None}) if did.unseen else own
    return Line(entry, did.reveals, left, own, others)


def noted_line(entry: Entry, turns: int) -> Line:
    """A line that is no move."""
    written = packed(_line_out(entry, turns))
    return Line(entry, False, None, written, written)  # noqa: FBT003


def _line_out(entry: Entry, turns: int) -> dict[str, Any]:
    """An EntryOut, without what a move did."""
    return {
        "number": entry.number,
        "kind": entry.kind,
        "seat": entry.seat,
        "text": entry.text,
        "card": None,
        "turned_up": None,
        "tile": None,
        "avengers": False,
        "gems": (),
        "undoes": entry.undoes,
        "turns": turns,
        "at": entry.at,
        "thought": None if entry.thought is None else Fragment(entry.thought),
    }


def _seat(row: Any, now: float) -> Seat:
    return Seat(row["seat"], row["kind"], row["name"], row["bot"], row["token"], away_since=now)


def _check_seats(table: Table) -> None:
    """Stored seats and holders that fit the options."""
    expected = list(range(table.options.players))
    found = [seat.seat for seat in table.seats]
    if found != expected:
        raise CabochonError(f"seats {found} are stored, and {expected} are needed")
    if not set(table.holders.values()) <= set(expected):
        raise CabochonError(f"holders of seats {sorted(set(table.holders.values()))} are stored, and seats are {expected}")
    if table.status not in DEAL_PHASES:
        raise CabochonError(f"{table.status!r} is stored as status")


def replay_views(game: Game, entries: list[Entry], viewer: int | None) -> list[Fragment]:
    """What a viewer saw before the first entry and after each."""
    views = [_view_for(game, viewer)]
    for entry in entries:
        if entry.kind == "move":
            game.play(entry.text)
        elif entry.kind == "undo":
            game.undo()
        views.append(_view_for(game, viewer))
    return views


def _view_for(game: Game, viewer: int | None) -> Fragment:
    return packed(view_out(game.view(viewer), game.is_last_round))
