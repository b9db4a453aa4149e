"""A table as the fold of what is stored about it: no sockets, no database, no tasks, and no time but what it is told.

`load_table` folds the stored log. After that an entry is checked first, then stored, and only then applied, so that memory never
knows more than the log. What is not stored (who is connected, what is being asked) belongs to the room around it: `room.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from orjson import Fragment, loads

from ..errors import CabochonError
from ..events import event_of
from ..game import Game, Outcome
from ..notation.move import Move, parse_move
from ..notation.position import format_position
from ..view import View
from .chat import Chat
from .clock import Moment, TableClock, clock_of
from .commitment import DealInputs, bot_seed_of
from .dealing import Dealing, DealOrigin, Phase
from .errors import Refused, forbidden, not_a_move
from .messages import TableOptions
from .serialise import PositionViews, packed, view_out

if TYPE_CHECKING:
    from .repository import Stored

SEAT_FIELDS = ("seat", "kind", "name", "bot", "token", "rematch")
ENTRY_FIELDS = ("number", "kind", "seat", "text", "at", "undoes", "spent", "thought")
DEAL_PHASES: dict[str, Phase] = {"waiting": "waiting", "dealing": "sealing", "running": "dealt", "finished": "dealt"}
MAX_LOG_ENTRIES = 4000  # a game can go on for ever, a table cannot
Deal = Callable[[TableOptions, DealInputs], Game]


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
        return written_line(entry, before, after, move.action, left)

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
        return noted_line(entry, self.views.any_view.turns)

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
        ended, seats = self.game.outcome, self.options.players
        if ended is None and not self.is_given_up:
            return Outcome((1,) * seats, (), "log_full")
        left = [seat.seat for seat in self.seats if not seat.resigned]
        place = ended.ranks if ended else (1,) * seats
        better = [sum(place[other] < place[seat] for other in left) for seat in range(seats)]
        ranks = tuple(1 + (better[seat] if seat in left else len(left)) for seat in range(seats))
        return Outcome(ranks, tuple(seat for seat in left if ranks[seat] == 1), ended.reason if ended else "resigned")

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
        places = range(len(self.standing) - 1, -1, -1)
        return next((place for place in places if self.standing[place].entry.seat == seat), None)

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
        return "free" if is_last and not self.standing[place].reveals else "ask"


def read_table(stored: "Stored") -> Table:
    """What is stored about a table, without its log: all that the lobby says."""
    row = stored.table
    options = TableOptions.model_validate_json(row["options"])
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
    for row in stored.entries:
        table.apply(Entry(**{name: row[name] for name in ENTRY_FIELDS}), now.playing)
    if table.clock:
        table.clock.catch_up(now.playing, now.day)
    return table


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


def written_line(entry: Entry, before: View, after: View, action: int, left: float | None) -> Line:
    """A move, with what its seat may know and what the others may know."""
    did = event_of(before, after, action)
    out = _line_out(entry, before.turns)
    # Where reserves lie face down, what was turned up in a place would tell for ever which card was reserved from there.
    turned_up = did.turned_up if before.rules.open_reserves else None
    out |= {"card": did.card, "turned_up": turned_up, "shown": did.shown}
    out |= {"tile": did.tile, "avengers": did.avengers, "gems": did.gems}
    own = packed(out)
    others = packed({**out, "card": None}) if did.is_hidden else own
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
        "shown": (),
        "tile": None,
        "avengers": False,
        "gems": (),
        "undoes": entry.undoes,
        "turns": turns,
        "at": entry.at,
        "thought": None if entry.thought is None else Fragment(entry.thought),
    }


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
