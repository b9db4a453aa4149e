"""What is kept: tables, who sits at them, and the log, which is only ever added to.

Everything is written by one thread. It gathers what many tables want to store within a few milliseconds into one transaction, and
whoever asked is told after that transaction was committed.
"""

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from orjson import dumps
from sqlalchemy.engine import Connection, Engine, RowMapping, make_url

from ..errors import CabochonError

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_MILLISECONDS = 10_000
MOST_IN_ONE_COMMIT = 512
MOST_LISTED = 50
log = logging.getLogger("cabochon.server")

metadata = sa.MetaData()

users = sa.Table(
    "users", metadata,
    sa.Column("id", sa.String(40), primary_key=True),
    sa.Column("name", sa.String(24), nullable=False),
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
    sa.Column("created", sa.Float, nullable=False),
    sa.Column("began", sa.Float),
    sa.Column("rematch", sa.String(24)),
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
)  # fmt: skip

secret_keys = sa.Table(
    "secret_keys", metadata,
    sa.Column("name", sa.String(24), primary_key=True),
    sa.Column("key", sa.String(86)),
)  # fmt: skip

ENTRY_COLUMNS = entries.columns.keys()
ENTRIES_FROM_JSON = sa.text(
    f"INSERT INTO entries ({', '.join(ENTRY_COLUMNS)}) "
    f"SELECT {', '.join(f'value ->> {place}' for place in range(len(ENTRY_COLUMNS)))} FROM json_each(:rows)"
)

Row = RowMapping | dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stored:
    """A table as it lies in the database."""

    table: Row
    seats: Sequence[Row]
    holders: Sequence[Row] = ()
    entries: Sequence[Row] = ()


@contextmanager
def _connecting(url: str) -> Iterator[None]:
    """Say in one sentence why a database cannot be opened."""
    try:
        yield
    except (sa.exc.ArgumentError, sa.exc.NoSuchModuleError, ModuleNotFoundError, OSError) as wrong:
        raise CabochonError(f"--database {url}: {wrong}") from wrong
    except sa.exc.DBAPIError as wrong:
        raise CabochonError(f"--database {url}: {wrong.orig}") from wrong


def open_engine(url: str) -> Engine:
    """Connections to a database; SQLite is told to be careful on each."""
    with _connecting(url):
        parsed = make_url(url)
        is_sqlite = parsed.get_backend_name() == "sqlite"
        if is_sqlite and parsed.database:
            Path(parsed.database).expanduser().parent.mkdir(parents=True, exist_ok=True)
        engine = sa.create_engine(parsed, pool_pre_ping=not is_sqlite)
        if is_sqlite:
            sa.event.listen(engine, "connect", _be_careful)
        return engine


def _be_careful(connection: Any, _record: Any) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={BUSY_MILLISECONDS}", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def newest_version() -> str:
    """The number of the last migration; each file's name begins with its own."""
    return max(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def _version(connection: Connection) -> str | None:
    """The last migration this database has seen."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    return found


def _upgrade(connection: Connection) -> None:
    from alembic import command  # a quarter of a second that most starts need not wait for
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


class Storage:
    """Reading from the database, and the changes before the server answers. The rest goes through the Writer."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = open_engine(url)

    def migrate(self) -> None:
        """Bring the database to this version's form."""
        with _connecting(self.url), self.engine.begin() as connection:
            if _version(connection) != newest_version():
                _upgrade(connection)

    def secret_key(self, name: str, new: str) -> str:
        """The key of this name; the first server to ask has made it."""
        with self.engine.begin() as connection:
            query = sa.select(secret_keys.c.key).where(secret_keys.c.name == name)
            found = connection.scalar(query)
            if found is None:
                connection.execute(secret_keys.insert().values(name=name, key=new))
            return str(found or new)

    def check(self) -> None:
        """Raise if the database does not answer."""
        with self.engine.connect() as connection:
            connection.execute(sa.select(sa.literal(1)))

    def user_name(self, user: str) -> str | None:
        """The nickname a guest has chosen."""
        with self.engine.connect() as connection:
            return connection.scalar(sa.select(users.c.name).where(users.c.id == user))

    def table(self, table_id: str) -> Stored | None:
        """A table with its whole log."""
        with self.engine.connect() as connection:
            row = connection.execute(sa.select(tables).where(tables.c.id == table_id)).mappings().first()
            if row is None:
                return None
            parts = [_of_table(connection, part, table_id) for part in (seats, holders, entries)]
            return Stored(row, *parts)

    def table_of_token(self, token: str) -> tuple[str, int] | None:
        """The table and seat of a private link."""
        with self.engine.connect() as connection:
            row = connection.execute(sa.select(seats.c.table_id, seats.c.seat).where(seats.c.token == token)).first()
            return None if row is None else (row[0], row[1])

    def timed_tables(self) -> list[str]:
        """Running tables with a clock: their time goes on although nobody looks."""
        with self.engine.connect() as connection:
            query = sa.select(tables.c.id).where(tables.c.status == "running", tables.c.timed)
            return list(connection.scalars(query))

    def open_tables(self, since: float) -> list[Stored]:
        """Tables that wait for players and may be shown to everybody."""
        query = sa.select(tables).where(tables.c.status == "waiting", tables.c.listed, tables.c.created > since)
        return self._listed(query)

    def tables_of(self, user: str, status: str) -> list[Stored]:
        """A guest's own tables of this status, newest first."""
        query = sa.select(tables).join(holders, holders.c.table_id == tables.c.id)
        return self._listed(query.where(holders.c.user_id == user, tables.c.status == status))

    def _listed(self, query: sa.Select[Any]) -> list[Stored]:
        with self.engine.connect() as connection:
            rows = connection.execute(query.order_by(tables.c.created.desc()).limit(MOST_LISTED)).mappings().all()
            found = sa.select(seats).where(seats.c.table_id.in_([row["id"] for row in rows])).order_by(seats.c.seat)
            seated = connection.execute(found).mappings().all()
            return [Stored(row, [seat for seat in seated if seat["table_id"] == row["id"]]) for row in rows]


def _of_table(connection: Connection, part: sa.Table, table_id: str) -> Sequence[RowMapping]:
    query = sa.select(part).where(part.c.table_id == table_id).order_by(*part.primary_key.columns)
    return connection.execute(query).mappings().all()


def add_entries(connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Add lines to the log. In SQLite by one statement: after each the writer would have to wait until Python lets it go on."""
    if connection.dialect.name == "sqlite":
        written = dumps([[row[name] for name in ENTRY_COLUMNS] for row in rows])
        connection.execute(ENTRIES_FROM_JSON, {"rows": written.decode()})
    else:
        connection.execute(entries.insert(), rows)


@dataclass(slots=True)
class Job:
    """Something to be stored, all of it or nothing: new log entries, and other statements before them."""

    statements: Sequence[Any] = ()
    entries: Sequence[dict[str, Any]] = ()
    done: "asyncio.Future[None] | None" = field(default=None, repr=False)


class Writer:
    """The one thread that writes."""

    def __init__(self, engine: Engine, window: float) -> None:
        self.engine, self.window = engine, window
        self.loop = asyncio.get_running_loop()
        self.jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self.commits = self.stored = 0
        self.thread = threading.Thread(target=self._run, name="cabochon-writer", daemon=True)
        self.thread.start()

    def store(self, *statements: Any, entries: Sequence[dict[str, Any]] = ()) -> "asyncio.Future[None]":
        """Ask that this is stored; what comes back is done when it is committed."""
        job = Job(statements, entries, self.loop.create_future())
        self.jobs.put(job)
        assert job.done is not None
        return job.done

    def stop(self) -> None:
        """Store what is waiting, then end."""
        self.jobs.put(None)
        self.thread.join()

    def _run(self) -> None:
        going_on = True
        while going_on:
            batch = self._gather()
            going_on = None not in batch
            jobs = [job for job in batch if job is not None]
            outcomes = self._commit(jobs)
            self.loop.call_soon_threadsafe(_tell, jobs, outcomes)

    def _gather(self) -> list[Job | None]:
        """The next job, and those that come within the window."""
        batch = [self.jobs.get()]
        if batch[0] is not None and self.window:
            time.sleep(self.window)
        while len(batch) < MOST_IN_ONE_COMMIT and batch[-1] is not None and not self.jobs.empty():
            batch.append(self.jobs.get())
        return batch

    def _commit(self, jobs: list[Job]) -> list[Exception | None]:
        """Everything in one transaction; if that fails, each job in its own, so that one cannot harm another."""
        try:
            self._store(jobs)
        except Exception as wrong:
            if len(jobs) == 1:
                log.warning("could not store: %s", wrong)
                return [wrong]
            return [outcome for job in jobs for outcome in self._commit([job])]
        return [None] * len(jobs)

    def _store(self, jobs: list[Job]) -> None:
        with self.engine.begin() as connection:
            for job in jobs:
                for statement in job.statements:
                    connection.execute(statement)
            rows = [row for job in jobs for row in job.entries]
            if rows:
                add_entries(connection, rows)
        self.commits += 1
        self.stored += len(rows)


def _tell(jobs: list[Job], outcomes: list[Exception | None]) -> None:
    for job, outcome in zip(jobs, outcomes, strict=True):
        if job.done is None or job.done.done():
            continue
        if outcome is None:
            job.done.set_result(None)
        else:
            job.done.set_exception(outcome)
