"""The repository: the schema of what is kept, and every statement that reads or changes it.

Tables, who sits at them, and the log, which is only ever added to. Reads are methods of `Repository` and run in threads; changes
are functions that return statements, which the `Writer` carries out in its transaction. (The lease has its own row: `leases.py`.)
"""

import logging
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from orjson import dumps
from sqlalchemy.engine import Connection, RowMapping

from ..errors import CabochonError
from .database import SQLITE_TROUBLE, connecting, first_line, migrate, open_engine, trouble_sentence
from .errors import Refused
from .imports import imports as imports
from .leases import Lease, one_at_a_time
from .leases import metadata as metadata
from .nodes import presence, shared_row, versions, versions_of
from .push_subscriptions import subscriptions as subscriptions
from .review_store import reviews as reviews
from .tries import tries as tries

if TYPE_CHECKING:
    from .table import Entry, Seat

MAX_LISTED = 50
NUL = "\0"  # no text in PostgreSQL contains it, and a query with one is an error
MAX_OPEN_TABLES = 500
CLOSE_SECONDS = 5.0  # for reads that are under way
log = logging.getLogger("cabochon.server")

users = sa.Table(
    "users", metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("name", sa.String(24), nullable=False),
    sa.Column("seen", sa.Float, nullable=False, server_default="0"),  # to the day
)  # fmt: skip

tables = sa.Table(
    "tables", metadata,
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("options", sa.Text, nullable=False),
    sa.Column("status", sa.String(8), nullable=False),
    sa.Column("host", sa.Integer),
    sa.Column("start", sa.Integer, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("salt", sa.String(64), nullable=False),
    sa.Column("secret", sa.String(64)),  # null: format 1, dealt from seed and salt, which format 2 does not use
    sa.Column("commitment", sa.String(64), nullable=False, server_default=""),
    sa.Column("shared", sa.String(40)),  # the name of a deal that several tables share: format 3
    sa.Column("counts", sa.Boolean, nullable=False, server_default=sa.false()),  # the one try of such a deal
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("began", sa.Float),
    sa.Column("rematch", sa.String(24)),
    sa.Column("series", sa.Text),  # the games of the same people before this one
    sa.Column("result", sa.Text),  # of a finished game, for lists; the log says it too
    sa.Column("listed", sa.Boolean, nullable=False),
    sa.Column("timed", sa.Boolean, nullable=False),
    sa.Index("tables_by_status", "status", "created"),
)  # fmt: skip

seats = sa.Table(
    "seats", metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(4), nullable=False),
    sa.Column("name", sa.String(24), nullable=False),
    sa.Column("bot", sa.String(100)),
    sa.Column("token", sa.String(40), unique=True),
    sa.Column("rematch", sa.Boolean, nullable=False, server_default=sa.false()),  # after the end: would like to play again
)  # fmt: skip

holders = sa.Table(
    "holders", metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("user_id", sa.String(40), primary_key=True, index=True),
    sa.Column("seat", sa.Integer, nullable=False),
)  # fmt: skip

entries = sa.Table(
    "entries", metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("seat", sa.Integer, nullable=False),
    sa.Column("text", sa.String(100), nullable=False),
    sa.Column("undoes", sa.Integer),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("spent", sa.Float, nullable=False),
    sa.Column("thought", sa.Text),
    sa.Column("playing", sa.Float),  # in a cluster: the playing time that all nodes share
)  # fmt: skip

seals = sa.Table(
    "seals", metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("seal", sa.String(64), nullable=False),
    sa.Column("nonce", sa.String(64)),
)  # fmt: skip

kicked = sa.Table(
    "kicked", metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("user_id", sa.String(40), primary_key=True),
)  # fmt: skip

chat = sa.Table(
    "chat", metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("room", sa.String(5), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("seat", sa.Integer),  # null: a spectator
    sa.Column("author", sa.String(12), nullable=False),
    sa.Column("name", sa.String(24), nullable=False),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.Column("text", sa.String(200), nullable=False),
    sa.Column("at", sa.Float, nullable=False),
)  # fmt: skip

secret_keys = sa.Table(
    "secret_keys", metadata,
    sa.Column("name", sa.String(24), primary_key=True),
    sa.Column("key", sa.String(86)),
)  # fmt: skip

ENTRY_COLUMNS = entries.columns.keys()
ENTRIES_FROM_JSON = (
    f"INSERT INTO entries ({', '.join(ENTRY_COLUMNS)}) "
    f"SELECT {', '.join(f'value ->> {place}' for place in range(len(ENTRY_COLUMNS)))} FROM json_each(?)"
)

LOGS_AFTER = sa.text(
    """
    SELECT versions.table_id AS name, versions.version, versions.parts, entries.*
    FROM unnest(CAST(:names AS text[]), CAST(:numbers AS int[])) AS known(name, last)
    JOIN versions ON versions.table_id = known.name
    LEFT JOIN entries ON entries.table_id = known.name AND entries.number > known.last
    ORDER BY entries.number
    """
)

Row = RowMapping | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stored:
    """A table as it lies in the database."""

    table: Row
    seats: Sequence[Row]
    holders: Sequence[Row] = ()
    entries: Sequence[Row] = ()
    seals: Sequence[Row] = ()
    kicked: Sequence[Row] = ()
    chat: Sequence[Row] = ()
    shared: Row | None = None  # in a cluster: the version, and what is stored of the room
    presence: Sequence[Row] = ()  # in a cluster: who is connected to which node


class Repository:
    """Reading from the database, and the changes before the server answers. The rest goes through the Writer."""

    def __init__(self, url: str, *, is_shared: bool = False) -> None:
        self.url = url
        self.engine = open_engine(url)
        if is_shared and self.engine.dialect.name != "postgresql":
            raise CabochonError("--broker: several servers need PostgreSQL (--database postgresql+psycopg://...)")
        self.lease = Lease(self.engine, is_shared=is_shared)
        self.is_away = False
        self.trial = threading.Lock()
        self.readers, self.reader_left = 0, threading.Condition()
        self.is_closed = False

    def open(self, address: str = "") -> None:
        """Become the one server of this database and bring it to this version's form. Another server is named."""
        self.is_closed = False
        try:
            with connecting(self.url):
                connection = self.lease.take()
                with connection.begin():
                    one_at_a_time(connection)
                    migrate(connection)
                    if self.lease.is_shared:
                        from .jobs import add_queue  # what it needs is not installed with a single server

                        add_queue(connection)
                self.lease.begin(address)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of everything. Reads run in threads, which cannot be cancelled: their connections would stay open."""
        with self.reader_left:
            self.is_closed = True
            self.reader_left.wait_for(lambda: self.readers == 0, CLOSE_SECONDS)
        self.lease.release()
        self.engine.dispose()

    def migrate(self) -> None:
        """Bring the database to this version's form."""
        with connecting(self.url), self.engine.begin() as connection:
            migrate(connection)

    @contextmanager
    def reading(self, *, is_snapshot: bool = False) -> Iterator[Connection]:
        """A connection to read from. What goes wrong is told to the log, and to whoever asked in a sentence.

        `is_snapshot`: all that is read is of one moment, whatever other nodes write meanwhile.

        While PostgreSQL is away one reader tries and the others are refused at once: there are few threads to wait in.
        """
        is_trial = self.is_away
        if is_trial and not self.trial.acquire(blocking=False):
            raise Refused("no_database")
        try:
            with self._counted(), self.engine.connect() as connection:
                if is_snapshot:
                    connection.execution_options(isolation_level="REPEATABLE READ")
                yield connection
            self.is_away = False
        except sa.exc.SQLAlchemyError as error:
            self.is_away = isinstance(error, sa.exc.OperationalError) and self.engine.dialect.name != "sqlite"
            log.warning("could not read: %s", first_line(error))
            raise Refused("no_database") from error
        finally:
            if is_trial:
                self.trial.release()

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count a reader for `close`; after that there is nothing to read from."""
        with self.reader_left:
            if self.is_closed:
                raise Refused("stopping")
            self.readers += 1
        try:
            yield
        finally:
            with self.reader_left:
                self.readers -= 1
                self.reader_left.notify_all()

    def secret_key(self, name: str, new: str) -> str:
        """The key of this name; the first server to ask has made it."""
        with connecting(self.url), self.engine.begin() as connection:
            query = sa.select(secret_keys.c.key).where(secret_keys.c.name == name)
            one_at_a_time(connection)
            found = connection.scalar(query)
            if found is None:
                connection.execute(secret_keys.insert().values(name=name, key=new))
            return str(found or new)

    def damage(self) -> str | None:
        """Whether SQLite finds its file damaged; it looks at every page. None if all is well."""
        if self.engine.dialect.name != "sqlite":
            return None
        try:
            with self.engine.connect() as connection:
                found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
        except sa.exc.SQLAlchemyError as error:
            return trouble_sentence(error)
        return None if found == "ok" else SQLITE_TROUBLE["SQLITE_CORRUPT"]

    def user(self, user: str) -> Row | None:
        """A guest who has chosen a nickname."""
        with self.reading() as connection:
            return connection.execute(sa.select(users).where(users.c.id == user)).mappings().first()

    def table(self, table_id: str) -> Stored | None:
        """A table with its whole log."""
        if NUL in table_id:
            return None
        with self.reading() as connection:
            row = connection.execute(sa.select(tables).where(tables.c.id == table_id)).mappings().first()
            if row is None:
                return None
            parts = [_of_table(connection, part, table_id) for part in (seats, holders, entries, seals, kicked, chat)]
            seated, held, added, sealed, shown_out, said = parts
            return Stored(row, seated, held, added, sealed, shown_out, said)

    def snapshot(self, table_id: str, number: int = 0, heard: Mapping[Any, int] | None = None) -> Stored | None:
        """A table as it was at one moment, with the lines of its log after `number` and what was said after `heard`."""
        if NUL in table_id:
            return None
        with self.reading(is_snapshot=True) as connection:
            row = connection.execute(sa.select(tables).where(tables.c.id == table_id)).mappings().first()
            if row is None:
                return None
            parts = {part.name: _of_table(connection, part, table_id) for part in (seats, holders, seals, kicked, presence)}
            query = sa.select(chat).where(chat.c.table_id == table_id)
            said = [sa.and_(chat.c.room == place, chat.c.number > count) for place, count in (heard or {}).items()]
            query = query.where(sa.or_(*said)) if said else query
            lines = connection.execute(query.order_by(*chat.primary_key.columns)).mappings().all()
            added = _entries_after(connection, table_id, number)
            return Stored(row, **parts, entries=added, chat=lines, shared=shared_row(connection, table_id))

    def log_after(self, table_id: str, number: int) -> tuple[Row, Sequence[Row]] | None:
        """The version of a table and the lines of its log after `number`, of one moment; None if it has no version."""
        query = (
            sa.select(versions.c.version, versions.c.parts, entries)
            .select_from(
                versions.outerjoin(entries, sa.and_(entries.c.table_id == versions.c.table_id, entries.c.number > number))
            )
            .where(versions.c.table_id == table_id)
            .order_by(entries.c.number)
        )
        with self.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return (rows[0], [row for row in rows if row["number"] is not None]) if rows else None

    def logs_after(self, known: Mapping[str, int]) -> dict[str, tuple[Row, list[Row]]]:
        """The same for many tables at once, by the number of the last line that is known of each."""
        found: dict[str, tuple[Row, list[Row]]] = {}
        with self.reading() as connection:
            rows = connection.execute(LOGS_AFTER, {"names": list(known), "numbers": list(known.values())}).mappings()
            for row in rows:
                _, added = found.setdefault(row["name"], (row, []))
                if row["number"] is not None:
                    added.append(row)
        return found

    def versions(self, table_ids: Sequence[str]) -> Mapping[str, int]:
        """The versions of these tables."""
        with self.reading() as connection:
            return versions_of(connection, table_ids)

    def table_of_token(self, token: str) -> tuple[str, int] | None:
        """The table and seat of a private link."""
        if NUL in token:
            return None
        with self.reading() as connection:
            row = connection.execute(sa.select(seats.c.table_id, seats.c.seat).where(seats.c.token == token)).first()
            return None if row is None else (row[0], row[1])

    def holds_seat(self, table_id: str, user: str) -> bool:
        """Whether a guest holds a seat at a table."""
        if NUL in table_id:
            return False
        with self.reading() as connection:
            found = sa.select(holders.c.seat).where(holders.c.table_id == table_id, holders.c.user_id == user)
            return connection.scalar(found) is not None

    def timed_tables(self) -> list[str]:
        """Running tables with a clock: their time goes on although nobody looks."""
        with self.reading() as connection:
            query = sa.select(tables.c.id).where(tables.c.status == "running", tables.c.timed)
            return list(connection.scalars(query))

    def open_table_ids(self, since: float) -> list[str]:
        """The newest tables that wait for players and may be shown to everybody, newest first; more than can be listed."""
        query = sa.select(tables.c.id).where(tables.c.status == "waiting", tables.c.listed, tables.c.created > since)
        with self.reading() as connection:
            return list(connection.scalars(query.order_by(tables.c.created.desc()).limit(MAX_OPEN_TABLES)))

    def watched_table_ids(self) -> list[str]:
        """In a cluster: running games that anybody may watch, with a player at some node, newest first."""
        has_player = sa.exists().where(presence.c.table_id == tables.c.id, presence.c.seats != "[]")
        query = sa.select(tables.c.id).where(tables.c.status == "running", tables.c.listed, has_player)
        with self.reading() as connection:
            return list(connection.scalars(query.order_by(tables.c.created.desc()).limit(MAX_LISTED)))

    def open_tables(self, table_ids: Sequence[str]) -> list[Stored]:
        """Those of these tables that wait for players."""
        return self._listed(sa.select(tables).where(tables.c.status == "waiting", tables.c.id.in_(table_ids)))

    def waiting_tables(self, user: str) -> int:
        """How many tables wait where this guest holds a seat."""
        query = sa.select(sa.func.count()).select_from(tables).join(holders, holders.c.table_id == tables.c.id)
        with self.reading() as connection:
            return connection.scalar(query.where(holders.c.user_id == user, tables.c.status == "waiting")) or 0

    def waiting_among(self, table_ids: Sequence[str], since: float) -> set[str]:
        """Those of these tables that wait for players and are not older."""
        query = sa.select(tables.c.id).where(tables.c.id.in_(table_ids), tables.c.status == "waiting", tables.c.created > since)
        with self.reading() as connection:
            return set(connection.scalars(query))

    def expired_tables(self, before: dict[str, float], used: Iterable[str], most: int) -> list[str]:
        """Tables that are too old and not in use, the oldest first.

        Those made before `waiting` that nobody has joined, those whose last move was before `finished`, and all that are not over
        whose last move was before `running`.
        """
        users = sa.select(sa.func.count()).where(seats.c.table_id == tables.c.id, seats.c.kind == "user").scalar_subquery()
        last = sa.select(sa.func.max(entries.c.at)).where(entries.c.table_id == tables.c.id).scalar_subquery()
        touched = sa.func.coalesce(last, tables.c.created)
        is_old = []
        if "waiting" in before:
            is_old.append((tables.c.status == "waiting") & (tables.c.created < before["waiting"]) & (users <= 1))
        if "finished" in before:
            is_old.append((tables.c.status == "finished") & (touched < before["finished"]))
        if "running" in before:
            is_old.append((tables.c.status != "finished") & (touched < before["running"]))
        elsewhere = sa.select(presence.c.table_id)  # in a cluster: somebody is connected to some node
        query = sa.select(tables.c.id).where(
            sa.or_(sa.false(), *is_old), tables.c.id.not_in(list(used)), tables.c.id.not_in(elsewhere)
        )
        with self.reading() as connection:
            return list(connection.scalars(query.order_by(tables.c.created).limit(most)))

    def tables_of(self, user: str, status: str) -> list[Stored]:
        """A guest's own tables of this status, newest first, with the seat they have there."""
        query = sa.select(tables, holders.c.seat.label("own_seat")).join(holders, holders.c.table_id == tables.c.id)
        return self._listed(query.where(holders.c.user_id == user, tables.c.status == status))

    def _listed(self, query: sa.Select[Any]) -> list[Stored]:
        with self.reading() as connection:
            rows = connection.execute(query.order_by(tables.c.created.desc()).limit(MAX_LISTED)).mappings().all()
            seated, sealed = (_by_seat(connection, part, [row["id"] for row in rows]) for part in (seats, seals))
            return [Stored(row, seated.get(row["id"], []), seals=sealed.get(row["id"], [])) for row in rows]


def _by_seat(connection: Connection, part: sa.Table, table_ids: list[str]) -> dict[str, list[Row]]:
    """The rows of several tables, in the order of seats, by table."""
    found: dict[str, list[Row]] = {}
    for row in connection.execute(sa.select(part).where(part.c.table_id.in_(table_ids)).order_by(part.c.seat)).mappings():
        found.setdefault(row["table_id"], []).append(row)
    return found


def _of_table(connection: Connection, part: sa.Table, table_id: str) -> Sequence[RowMapping]:
    query = sa.select(part).where(part.c.table_id == table_id).order_by(*part.primary_key.columns)
    return connection.execute(query).mappings().all()


def _entries_after(connection: Connection, table_id: str, number: int) -> Sequence[RowMapping]:
    query = sa.select(entries).where(entries.c.table_id == table_id, entries.c.number > number).order_by(entries.c.number)
    return connection.execute(query).mappings().all()


def add_entries(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Add lines to the log. In SQLite by one statement: after each the writer would have to wait until Python lets it go on."""
    if connection.dialect.name == "sqlite":
        written = dumps([[row.get(name) for name in ENTRY_COLUMNS] for row in rows])
        connection.exec_driver_sql(ENTRIES_FROM_JSON, (written.decode(),))
    else:
        connection.execute(entries.insert(), rows)


# Changes


def insert_table(stored: Stored) -> list[Any]:
    """Store a new table with its seats and holders."""
    parts = [(tables, [stored.table]), (seats, stored.seats), (holders, stored.holders)]
    return [part.insert().values([dict(row) for row in rows]) for part, rows in parts if rows]


def entry_row(table_id: str, entry: "Entry") -> dict[str, Any]:
    """A line of the log as it is stored."""
    return {
        "table_id": table_id,
        "number": entry.number,
        "kind": entry.kind,
        "seat": entry.seat,
        "text": entry.text,
        "undoes": entry.undoes,
        "at": entry.at,
        "spent": entry.spent,
        "thought": entry.thought,
        "playing": entry.playing,
    }


def add_chat(row: Mapping[str, Any]) -> list[Any]:
    """Store a line of chat."""
    return [chat.insert().values(**row)]


def update_table(table_id: str, **values: Any) -> list[Any]:
    """Store something about a table anew."""
    return [tables.update().where(tables.c.id == table_id).values(**values)]


def seat_row(table_id: str, seat: "Seat") -> dict[str, Any]:
    """A seat as it is stored."""
    return {"table_id": table_id, "seat": seat.seat, **_seat_values(seat)}


def _seat_values(seat: "Seat") -> dict[str, Any]:
    return {"kind": seat.kind, "name": seat.name, "bot": seat.bot, "token": seat.token, "rematch": seat.rematch}


def update_seats(table_id: str, changed: Sequence["Seat"]) -> list[Any]:
    """Store seats anew. Their tokens are cleared first: a token is unique, and may go from one of these seats to another."""
    places = [(seats.c.table_id == table_id) & (seats.c.seat == seat.seat) for seat in changed]
    cleared = [seats.update().where(place).values(token=None) for place in places]
    return cleared + [
        seats.update().where(place).values(**_seat_values(seat)) for place, seat in zip(places, changed, strict=True)
    ]


def set_holder(table_id: str, user: str, seat: int | None) -> list[Any]:
    """Store that a user holds a seat, or (None) none."""
    place = (holders.c.table_id == table_id) & (holders.c.user_id == user)
    gone = [holders.delete().where(place)]
    return gone if seat is None else [*gone, holders.insert().values(table_id=table_id, user_id=user, seat=seat)]


def set_kicked(table_id: str, user: str) -> list[Any]:
    """Store that the host has shown a user out."""
    place = (kicked.c.table_id == table_id) & (kicked.c.user_id == user)
    return [kicked.delete().where(place), kicked.insert().values(table_id=table_id, user_id=user)]


def set_seal(table_id: str, seat: int, seal: str | None) -> list[Any]:
    """Store the seal of a seat, or (None) that it has none."""
    place = (seals.c.table_id == table_id) & (seals.c.seat == seat)
    gone = [seals.delete().where(place)]
    return gone if seal is None else [*gone, seals.insert().values(table_id=table_id, seat=seat, seal=seal)]


def set_nonces(table_id: str, nonces: Mapping[int, str]) -> list[Any]:
    """Store the opened nonces."""
    places = {seat: (seals.c.table_id == table_id) & (seals.c.seat == seat) for seat in nonces}
    return [seals.update().where(places[seat]).values(nonce=nonce) for seat, nonce in nonces.items()]


def set_name(user: str, name: str, seen: float) -> list[Any]:
    """Store a guest's nickname."""
    return [users.delete().where(users.c.id == user), users.insert().values(id=user, name=name, seen=seen)]


def set_seen(user: str, seen: float) -> list[Any]:
    """Store when a guest with a nickname was last here."""
    return [users.update().where(users.c.id == user).values(seen=seen)]


def delete_tables(table_ids: Sequence[str]) -> list[Any]:
    """Delete tables, what refers to them first."""
    parts = (entries, chat, holders, seals, kicked, seats, tries, presence, versions)
    deleted = [part.delete().where(part.c.table_id.in_(table_ids)) for part in parts]
    return [*deleted, tables.delete().where(tables.c.id.in_(table_ids))]


def delete_guests(seen_before: float, limit: int) -> list[Any]:
    """Delete the names of some guests who hold no seat and have not been seen since."""
    has_seat = sa.exists().where(holders.c.user_id == users.c.id)
    old = sa.select(users.c.id).where(users.c.seen < seen_before, ~has_seat).limit(limit)
    return [users.delete().where(users.c.id.in_(old))]
