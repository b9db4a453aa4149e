"""A table as the fold of what is stored about it: no sockets, no database, no tasks, and no time but what it is told.

`load_table` folds the stored log. After that an entry is checked first, then stored, and only then applied, so that memory never
knows more than the log. What is not stored (who is connected, what is being asked) belongs to the room around it: `room.py`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from orjson import Fragment, loads

from ..errors import CabochonError
from ..events import event_of
from ..game import Game, Outcome
from ..notation.move import Move, parse_move
from ..notation.position import format_position
from ..notation.record import Resignation
from ..view import View
from .chat import Chat
from .clock import Moment, TableClock, clock_of
from .commitment import DealInputs, bot_seed_of
from .dealing import Dealing, DealOrigin, Phase
from .errors import Refused, forbidden, not_a_move
from .messages import TableOptions
from .serialise import PositionViews, packed, view_out

if TYPE_CHECKING:
    from .repository import Row, Stored

SEAT_FIELDS = ("seat", "kind", "name", "bot", "token", "rematch")
ENTRY_FIELDS = ("number", "kind", "seat", "text", "at", "undoes", "spent", "thought", "playing")
DEAL_PHASES: dict[str, Phase] = {"waiting": "waiting", "dealing": "sealing", "running": "dealt", "finished": "dealt"}
MAX_LOG_ENTRIES = 4000  # a game can go on for ever, a table cannot
Deal = Callable[[TableOptions, DealInputs], Game]


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log as it is stored. `spent` are the seconds taken from the seat whose time ran; `thought` is a bot's.

    `playing` is the playing time of the cluster; None at a single server, whose playing time ends with its process.
    """

    number: int
    kind: str
    seat: int
    text: str
    at: float
    undoes: int | None = None
    spent: float = 0.0
    thought: str | None = None
    playing: float | None = None


class Facts(NamedTuple):
    """What a move did, as a line of the log tells it. `is_hidden`: the card is told to its own seat only."""

    card: int | None = None
    turned_up: int | None = None
    shown: tuple[int, ...] = ()
    tile: int | None = None
    avengers: bool = False
    gems: tuple[int, ...] = ()
    is_hidden: bool = False
    reveals: bool = False


NO_MOVE = Facts()


@dataclass(frozen=True, slots=True)
class Line:
    """An entry with what it did. `turns`: those that were over before it; `left`: the time its seat had left, if it ended a turn.

    It is written when it is sent: most lines are sent once, and the text would take more space than all else a table keeps.
    """

    entry: Entry
    turns: int
    facts: Facts = NO_MOVE
    left: float | None = None

    def out(self, viewer: int | None) -> dict[str, Any]:
        """An EntryOut, as this viewer may read it."""
        entry, facts = self.entry, self.facts
        return {
            "number": entry.number,
            "kind": entry.kind,
            "seat": entry.seat,
            "text": entry.text,
            "card": None if facts.is_hidden and viewer != entry.seat else facts.card,
            "turned_up": facts.turned_up,
            "shown": facts.shown,
            "tile": facts.tile,
            "avengers": facts.avengers,
            "gems": facts.gems,
            "undoes": entry.undoes,
            "turns": self.turns,
            "at": entry.at,
            "thought": None if entry.thought is None else Fragment(entry.thought),
        }


@dataclass(slots=True)
class Seat:
    """A place at the table. `stand_in` is the bot that plays while its user is away, or for good after its user has resigned.

    `rematch`: its user would like to play again.
    """

    seat: int
    kind: str
    name: str
    bot: str | None = None
    token: str | None = None
    rematch: bool = False
    stand_in: str | None = None
    resigned: bool = False

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


@dataclass(frozen=True, slots=True)
class SeatChange:
    """Seats before the game: the new ones, the host, who holds which seat now (None: none), and whose seals are void.

    `kicked` are users the host has shown out.
    """

    seats: list[Seat]
    host: int | None
    holders: Mapping[str, int | None] = field(default_factory=dict)
    unsealed: list[int] = field(default_factory=list)
    kicked: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Series:
    """Games of the same people one after the other: how many, and how many of them each seat has won (a shared one too)."""

    games: int
    wins: tuple[int, ...]

    def out(self) -> dict[str, Any]:
        """A SeriesOut, which is also how it is stored."""
        return {"games": self.games, "wins": self.wins}


@dataclass(slots=True)
class Table:
    """Seats, options and, once it has begun, a game with its log."""

    id: str
    options: TableOptions
    status: str
    host: int | None
    created: float
    rematch: str | None
    origin: DealOrigin
    dealing: Dealing
    seats: list[Seat]
    holders: dict[str, int]
    clock: TableClock | None
    series: Series  # the games before this one
    counts: bool = False  # the one try of a deal that others play too: nothing is taken back, and no hint is given
    kicked: set[str] = field(default_factory=set)
    chat: Chat = field(default_factory=Chat)
    game: Game | None = None
    log: list[Line] = field(default_factory=list)
    standing: list[Line] = field(default_factory=list)  # the moves that are not taken back
    views: PositionViews = field(init=False, repr=False)  # of the position; from the deal on

    # the fold

    def first_game(self, deal: Deal) -> Game:
        """The game before its first move. That of an older server (format 1) follows from a seed."""
        options, origin = self.options, self.origin
        if origin.secret is None:
            return Game(options.variant, options.players, seed=origin.seed, start=origin.start, **options.house_rules())
        inputs = self.deal_inputs
        assert inputs is not None
        return deal(options, inputs)

    @property
    def deal_inputs(self) -> DealInputs | None:
        """What the deal follows from; None where that is a seed."""
        origin = self.origin
        if origin.secret is None:
            return None
        return DealInputs(self.id, origin.secret, origin.start, self.dealing.nonces, origin.shared)

    def bot_seed(self, seat: int) -> int | None:
        """The seed of a bot to decide, where several tables share a deal: the same moves are answered alike. None: any seed."""
        inputs = self.deal_inputs
        if inputs is None or inputs.shared is None:
            return None
        return bot_seed_of(inputs.key, format_position(self.views.view(seat)))

    def begin(self, game: Game, now: Moment) -> None:
        """The cards are dealt."""
        self.status = "running"
        self.dealing.finish()
        self.game, self.views = game, PositionViews(game)
        self._changed(now)

    def change_seats(self, change: SeatChange) -> None:
        """Somebody sits down, leaves, or gives a seat to a bot."""
        for seat in change.seats:
            self.seats[seat.seat] = seat
        for user, held in change.holders.items():
            if held is None:
                self.holders.pop(user, None)
            else:
                self.holders[user] = held
        for place in change.unsealed:
            self.dealing.vacate(place)
        self.kicked.update(change.kicked)
        self.host = change.host

    def take_over(self, stored: "Table") -> None:
        """What another node has changed beside the log and the chat; `stored` was read without its log."""
        for seat, own in zip(stored.seats, self.seats, strict=True):
            seat.stand_in, seat.resigned = own.stand_in, own.resigned
        self.seats, self.holders, self.kicked = stored.seats, stored.holders, stored.kicked
        self.host, self.rematch = stored.host, stored.rematch
        if self.game is None:
            self.options, self.clock, self.status = stored.options, stored.clock, stored.status
            self.dealing = stored.dealing

    def change_options(self, options: TableOptions) -> None:
        """The host has changed what is agreed on, before the game."""
        self.options = options
        self.clock = clock_of(options.clock, options.players)

    def apply(self, entry: Entry, playing: float, move: Move | None = None) -> None:
        """Do what a stored entry says; `move` is its move, where that is known already."""
        if entry.number != self.number + 1:
            raise CabochonError(f"entry {entry.number} comes after entry {self.number}")
        if self.clock:
            self.clock.charge(entry.spent)
        if entry.kind == "move":
            line = self._play(entry, move or parse_move(entry.text, self.options.variant))
            self.standing.append(line)
        else:
            line = self._note(entry)
        self.log.append(line)
        self._changed(Moment(entry.at, playing))

    def _play(self, entry: Entry, move: Move) -> Line:
        assert self.game is not None
        before = self.views.view(entry.seat)
        self.game.play(move)
        self.views = PositionViews(self.game, self.views)
        after = self.views.view(entry.seat)
        ends_turn = after.turns != before.turns
        left = self.clock.end_turn(entry.seat) if self.clock and ends_turn else None
        return move_line(entry, before, after, move.action, left)

    def _note(self, entry: Entry) -> Line:
        """Everything but a move: a move taken back, a bot for a seat, its user again, a user who has resigned."""
        if entry.kind == "undo":
            self._take_back(entry)
        else:
            seat = self.seats[entry.seat]
            seat.stand_in = None if entry.kind == "back" else entry.text
            seat.resigned |= entry.kind == "resign"
            if entry.kind == "back" and self.clock:
                self.clock.come_back(entry.seat)
        return Line(entry, self.views.any_view.turns)

    def _take_back(self, entry: Entry) -> None:
        assert self.game is not None
        line = self.standing.pop()
        assert line.entry.number == entry.undoes, "the log takes back its last standing move"
        self.game.undo()
        self.views = PositionViews(self.game, self.views)
        if self.clock:
            self.clock.take_back(line.entry.seat, line.left)

    def _changed(self, now: Moment) -> None:
        if self.views.any_view.stage == "over" or self.number >= MAX_LOG_ENTRIES or self.is_given_up:
            self.status = "finished"
        if self.clock:
            seat = self.decides
            self.clock.run(seat if seat is not None and self.seats[seat].is_human else None, now.playing)
            self.clock.changed = now.day

    # the next entries

    def entry(self, kind: str, seat: int, text: str, now: Moment, thought: str | None = None) -> Entry:
        """The next line of the log, if there is space for one."""
        if len(self.log) >= MAX_LOG_ENTRIES:
            raise Refused("log_full", most=MAX_LOG_ENTRIES)
        spent = self.clock.elapsed(now.playing) if self.clock else 0.0
        return Entry(len(self.log) + 1, kind, seat, text, now.day, spent=spent, thought=thought)

    def undoing(self, seat: int, now: Moment) -> list[Entry]:
        """The entries that take back everything from a seat's last decision on; only the first takes time from the clock."""
        place = self.own_last(seat)
        assert place is not None
        undone = [line.entry for line in reversed(self.standing[place:])]
        if self.number + len(undone) > MAX_LOG_ENTRIES:
            raise Refused("log_full", most=MAX_LOG_ENTRIES)
        first = self.entry("undo", seat, undone[0].text, now)
        rest = [
            replace(first, number=first.number + i, text=entry.text, undoes=entry.number, spent=0.0)
            for i, entry in enumerate(undone[1:], 1)
        ]
        return [replace(first, undoes=undone[0].number), *rest]

    # what is so

    @property
    def number(self) -> int:
        """The number of the last line."""
        return len(self.log)

    @property
    def decides(self) -> int | None:
        """The seat to decide."""
        return self.views.any_view.turn if self.game and self.status == "running" else None

    @property
    def deadline(self) -> float | None:
        """When the time of the seat to decide is up."""
        return self.clock.deadline if self.clock and self.status == "running" else None

    @property
    def is_given_up(self) -> bool:
        """Whether there is nobody left to play against: all but one seat have resigned, or every user has."""
        left = [seat for seat in self.seats if not seat.resigned]
        return len(left) < len(self.seats) and (len(left) == 1 or not any(seat.is_person for seat in left))

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None before. Who has resigned comes last, however the bot went on."""
        if self.game is None or self.status != "finished":
            return None
        if not self.game.is_over and not self.is_given_up:
            return Outcome((1,) * self.options.players, (), "log_full")
        return self.game.outcome_without([seat.seat for seat in self.seats if seat.resigned])

    @property
    def resigned(self) -> tuple[Resignation, ...]:
        """Who has resigned, and after how many of the moves that stand."""
        return resignations((line.entry.kind, line.entry.seat) for line in self.log)

    @property
    def series_now(self) -> Series:
        """The series, with this game once it is over."""
        outcome = self.outcome
        if outcome is None:
            return self.series
        wins = (won + (seat in outcome.winners) for seat, won in enumerate(self.series.wins))
        return Series(self.series.games + 1, tuple(wins))

    def seat_of(self, user: str | None) -> int | None:
        """The seat a user holds."""
        return None if user is None else self.holders.get(user)

    @property
    def people(self) -> list[int]:
        """The seats that belong to a user."""
        return [seat.seat for seat in self.seats if seat.is_person]

    def others(self, seat: int) -> list[int]:
        """The other seats whose user is asked: also where a bot stands in, but not who has resigned."""
        return [other.seat for other in self.seats if other.is_person and not other.resigned and other.seat != seat]

    def own_last(self, seat: int) -> int | None:
        """The place of a seat's last standing move among all of them."""
        for place in range(len(self.standing) - 1, -1, -1):
            if self.standing[place].entry.seat == seat:
                return place
        return None

    # who may do what

    def may_watch(self, user: str | None) -> bool:
        """Whether a user may see the game. A table that waits is shown to everybody with its link: somebody must sit down."""
        return self.options.watch != "nobody" or self.status == "waiting" or self.seat_of(user) is not None

    def check_turn(self, seat: int) -> None:
        """Refuse a seat that has nothing to decide now."""
        if self.game is None:
            raise Refused("not_begun")
        if self.status == "finished":
            raise Refused("over")
        if self.seats[seat].stand_in:
            raise Refused("resigned" if self.seats[seat].resigned else "stand_in")
        turn = self.views.any_view.turn
        if turn != seat:
            raise Refused("not_your_turn", seat=turn)

    def check_hint(self, seat: int) -> None:
        """Refuse a hint. Somebody who is away may come back, and would find it unfair."""
        if self.counts:
            raise Refused("counts")
        if self.others(seat):
            raise Refused("hint_alone")
        self.check_turn(seat)

    def check_move(self, seat: int, text: str) -> Move:
        """The move that a text is, if this seat may play it now; else the rule that forbids it is raised."""
        self.check_turn(seat)
        assert self.game is not None
        try:
            move = parse_move(text, self.game.variant)
            if str(move) in self.views.choices:
                return move
            rule = self.game.why_not(move)
        except CabochonError as error:
            raise not_a_move(text, error) from error
        if rule is not None:
            raise forbidden(move, rule)
        return move

    def can_undo(self, seat: int | None) -> str:
        """Whether a seat may take its last decision back: no, free, or if the others agree (ask)."""
        policy = self.options.takeback
        if seat is None or policy == "never" or self.status != "running" or not self.seats[seat].is_human:
            return "no"
        place = self.own_last(seat)
        if place is None or self.number + len(self.standing) - place > MAX_LOG_ENTRIES:
            return "no"
        if policy == "free" or not self.others(seat):
            return "free"
        is_last = place == len(self.standing) - 1
        return "free" if is_last and not self.standing[place].facts.reveals else "ask"


def resignations(lines: Iterable[tuple[str, int]]) -> tuple[Resignation, ...]:
    """Who has resigned, from the kinds and seats of a log: after how many of the moves that still stand at its end."""
    found: list[Resignation] = []
    standing = 0
    for kind, seat in lines:
        standing += {"move": 1, "undo": -1}.get(kind, 0)
        found = [replace(one, after=min(one.after, standing)) for one in found]
        if kind == "resign":
            found.append(Resignation(seat, standing))
    return tuple(found)


def read_table(stored: "Stored") -> Table:
    """What is stored about a table, without its log: all that the lobby says."""
    row = stored.table
    options = _read_options(row["options"])
    table = Table(
        **{name: row[name] for name in ("id", "status", "host", "created", "rematch", "counts")},
        options=options,
        origin=DealOrigin(**{name: row[name] for name in DealOrigin.__slots__}),
        dealing=Dealing(
            row["id"],
            DEAL_PHASES.get(row["status"], "waiting"),
            {seal["seat"]: seal["seal"] for seal in stored.seals},
            {seal["seat"]: seal["nonce"] for seal in stored.seals if seal["nonce"]},
        ),
        seats=[Seat(**{name: seat[name] for name in SEAT_FIELDS}) for seat in stored.seats],
        holders={holder["user_id"]: holder["seat"] for holder in stored.holders},
        clock=clock_of(options.clock, options.players),
        series=_read_series(row["series"], options.players),
        kicked={kicked["user_id"] for kicked in stored.kicked},
        chat=Chat.of(stored.chat),
    )
    _check_seats(table)
    return table


@lru_cache(maxsize=1 << 10)
def _read_options(text: str) -> TableOptions:
    """One object for all tables with the same options: they are never changed."""
    return TableOptions.model_validate_json(text)


def _read_series(text: str | None, players: int) -> Series:
    if text is None:
        return Series(0, (0,) * players)
    found = loads(text)
    return Series(found["games"], tuple(found["wins"]))


def load_table(stored: "Stored", deal: Deal, now: Moment) -> Table:
    """The table that lies in the database, its log replayed."""
    table = read_table(stored)
    if table.status in ("waiting", "dealing"):
        return table
    table.begin(table.first_game(deal), Moment(stored.table["began"], now.playing))
    entry: Entry | None = None
    for row in stored.entries:
        entry = read_entry(row)
        table.apply(entry, now.playing if entry.playing is None else entry.playing)
    if table.clock and (entry is None or entry.playing is None or table.clock.kind == "days"):
        table.clock.catch_up(now.playing, now.day)
    return table


def read_entry(row: "Row") -> Entry:
    """A line of the log that lies in the database."""
    return Entry(**{name: row[name] for name in ENTRY_FIELDS})


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


def move_line(entry: Entry, before: View, after: View, action: int, left: float | None) -> Line:
    """A move, with what its seat may know and what the others may know."""
    did = event_of(before, after, action)
    # Where reserves lie face down, what was turned up in a place would tell for ever which card was reserved from there.
    turned_up = did.turned_up if before.rules.open_reserves else None
    facts = _same(did.card, turned_up, did.shown, did.tile, did.avengers, did.gems, did.is_hidden, did.reveals)
    return Line(entry, before.turns, facts, left)


_same = lru_cache(maxsize=1 << 12)(Facts)  # one object for all moves that did the same, at all tables


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
