"""What is kept: tables, who sits at them, and the log, which is only ever added to.

Everything is written by one thread. It gathers what many tables want to store within a few milliseconds into one transaction, and
whoever asked is told after that transaction was committed.
"""

import asyncio
import logging
import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_plus

import sqlalchemy as sa
from orjson import dumps
from sqlalchemy.engine import Connection, Engine, RowMapping, make_url

from ..errors import CabochonError
from ..version import __version__
from .errors import Refused
from .leases import Held, Lease, Misplaced, Taken
from .leases import metadata as metadata

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_MILLISECONDS = 5_000
# PostgreSQL: how long a connection, a statement and any answer are waited for. A PostgreSQL that stands still keeps no limit
# of its own: the last is kept here.
CONNECT_SECONDS, STATEMENT_SECONDS, ANSWER_SECONDS = 5, 5, 8
POSTGRESQL_LINE = {
    "connect_timeout": CONNECT_SECONDS,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": ANSWER_SECONDS * 1000,
    "application_name": "cabochon",
}
# The keepalives on its side let PostgreSQL free the lock of a server whose machine has vanished.
POSTGRESQL_OPTIONS = (
    f"-c statement_timeout={STATEMENT_SECONDS}s -c lock_timeout={STATEMENT_SECONDS}s -c idle_in_transaction_session_timeout=30s "
    "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
)
MAX_JOBS_PER_COMMIT = 512
MAX_LISTED = 50
MIN_SECRET_LENGTH = 3
# A password ends at the first @ for SQLAlchemy; whoever forgot to encode one of its own meant the last.
SECRETS_IN_URL = [re.compile(found) for found in (r"://[^:/]*:([^@]*)@", r"://[^:@/]*:([^?]*)@", r"[?&][a-z]*password=([^&#]+)")]
NUL = "\0"  # no text in PostgreSQL contains it, and a query with one is an error
MAX_OPEN_TABLES = 500
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

seals = sa.Table(
    "seals", metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("seal", sa.String(64), nullable=False),
    sa.Column("nonce", sa.String(64)),
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
    seals: Sequence[Row] = ()


@contextmanager
def _connecting(url: str) -> Iterator[None]:
    """Say in one sentence why a database cannot be opened."""
    try:
        yield
    except (sa.exc.ArgumentError, sa.exc.NoSuchModuleError, ModuleNotFoundError, OSError, ValueError) as error:
        raise CabochonError(without_secrets(f"--database {url}: {error}", url)) from None  # what it came from may name them too
    except sa.exc.DBAPIError as error:
        raise CabochonError(without_secrets(f"--database {url}: {error.orig}", url)) from None


def without_secrets(text: str, url: str) -> str:
    """A text about the database of this URL, without its password, however that was written."""
    written = [secret for found in SECRETS_IN_URL for secret in found.findall(url)]
    parts = {part for secret in written for part in (secret, *secret.split("@"))}  # a driver may take one for the host
    known = {form for part in parts for form in (part, unquote(part), unquote_plus(part)) if len(form) >= MIN_SECRET_LENGTH}
    for secret in sorted(known, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text


def open_engine(url: str) -> Engine:
    """Connections to a database; SQLite is told to be careful on each."""
    with _connecting(url):
        parsed = make_url(url)
        is_sqlite = parsed.get_backend_name() == "sqlite"
        if is_sqlite and parsed.database:
            Path(parsed.database).expanduser().parent.mkdir(parents=True, exist_ok=True)
        is_psycopg = parsed.drivername == "postgresql+psycopg"
        engine = sa.create_engine(
            parsed,
            pool_pre_ping=not is_sqlite,
            # An error's text would otherwise hold what was to be stored, the secret of a deal too, and go into the log.
            hide_parameters=True,
            connect_args=_limits(parsed) if is_psycopg else {},
        )
        sa.event.listen(engine, "handle_error", _hide_row)
        if is_sqlite:
            sa.event.listen(engine, "connect", _set_pragmas)
            sa.event.listen(engine, "begin", _begin)
        if is_psycopg:
            sa.event.listen(engine, "do_connect", _connect_with_timeouts)
        return engine


def _limits(url: sa.URL) -> dict[str, Any]:
    """Time limits for PostgreSQL; what the URL says comes first."""
    own = {name: value for name, value in POSTGRESQL_LINE.items() if name not in url.query}
    return {**own, "options": f"{POSTGRESQL_OPTIONS} {url.query.get('options', '')}".strip()}


def _connect_with_timeouts(_dialect: Any, _record: Any, arguments: Any, settings: Any) -> Any:
    from .postgres_timeouts import TimeoutConnection  # psycopg need not be installed

    connection = TimeoutConnection.connect(*arguments, **settings)
    connection.answer_seconds = ANSWER_SECONDS
    return connection


def _begin(connection: Connection) -> None:
    """SQLite's own transactions instead of the driver's, which leave out changes of tables: all of a migration or nothing.

    Whoever will write says so at once: SQLite waits for its lock then, and not in the middle.
    """
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")


def _hide_row(context: sa.engine.ExceptionContext) -> None:
    """An error is told by the first line of its message: PostgreSQL prints the whole row below it, secrets included."""
    for error in (context.original_exception, context.sqlalchemy_exception):
        if error is not None and error.args and isinstance(error.args[0], str):
            error.args = (error.args[0].partition("\n")[0], *error.args[1:])


def _set_pragmas(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
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


def _migrate(connection: Connection) -> None:
    """Bring the database to this version's form, all of it or nothing."""
    version, newest = _version(connection), newest_version()
    if version == newest:
        return
    if version is not None and version > newest:
        raise CabochonError(
            f"the database has form {version}, and this cabochon ({__version__}) knows none after {newest}: "
            "a newer version has used it, so start that one"
        )
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SET LOCAL statement_timeout = 0"))  # a large database may take its time
    _upgrade(connection)


SQLITE_TROUBLE = {
    "SQLITE_FULL": "the disk is full",
    "SQLITE_BUSY": "the database is locked by another program",
    "SQLITE_LOCKED": "the database is locked by another program",
    "SQLITE_READONLY": "the database may not be written to",
    "SQLITE_PERM": "the database may not be written to",
    "SQLITE_CANTOPEN": "the database file cannot be opened",
    "SQLITE_IOERR": "the disk does not read or write",
    "SQLITE_CORRUPT": "the database file is damaged",
    "SQLITE_NOTADB": "the database file is damaged",
}
POSTGRESQL_TROUBLE = {
    "53100": "the disk is full",
    "55P03": "the database is locked by another program",
    "57014": "the database takes too long to answer",
    "25006": "the database may not be written to",
}


def trouble_sentence(error: BaseException | None) -> str:
    """What is wrong with a database, in words that everybody may read: no paths, no addresses."""
    if isinstance(error, Taken | Held | Misplaced):
        return str(error)
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    name = str(getattr(cause, "sqlite_errorname", ""))
    for known, sentence in SQLITE_TROUBLE.items():
        if name == known or name.startswith(f"{known}_"):
            return sentence
    state = getattr(cause, "sqlstate", None)
    if state is not None and state in POSTGRESQL_TROUBLE:
        return POSTGRESQL_TROUBLE[state]
    return "the database does not answer"


class Repository:
    """Reading from the database, and the changes before the server answers. The rest goes through the Writer."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.engine = open_engine(url)
        self.lease = Lease(self.engine)
        self.is_away = False
        self.trial = threading.Lock()

    def open(self, address: str = "") -> None:
        """Become the one server of this database and bring it to this version's form. Another server is named."""
        try:
            with _connecting(self.url):
                connection = self.lease.take()
                with connection.begin():
                    _migrate(connection)
                self.lease.begin(address)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of everything."""
        self.lease.release()
        self.engine.dispose()

    def migrate(self) -> None:
        """Bring the database to this version's form."""
        with _connecting(self.url), self.engine.begin() as connection:
            _migrate(connection)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection to read from. What goes wrong is told to the log, and to whoever asked in a sentence.

        While PostgreSQL is away one reader tries and the others are refused at once: there are few threads to wait in.
        """
        is_trial = self.is_away
        if is_trial and not self.trial.acquire(blocking=False):
            raise Refused("no_database")
        try:
            with self.engine.connect() as connection:
                yield connection
            self.is_away = False
        except sa.exc.SQLAlchemyError as error:
            self.is_away = isinstance(error, sa.exc.OperationalError) and self.engine.dialect.name != "sqlite"
            log.warning("could not read: %s", _first_line(error))
            raise Refused("no_database") from error
        finally:
            if is_trial:
                self.trial.release()

    def secret_key(self, name: str, new: str) -> str:
        """The key of this name; the first server to ask has made it."""
        with _connecting(self.url), self.engine.begin() as connection:
            query = sa.select(secret_keys.c.key).where(secret_keys.c.name == name)
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
            parts = [_of_table(connection, part, table_id) for part in (seats, holders, entries, seals)]
            return Stored(row, *parts)

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

    def open_tables(self, table_ids: Sequence[str]) -> list[Stored]:
        """Those of these tables that wait for players."""
        return self._listed(sa.select(tables).where(tables.c.status == "waiting", tables.c.id.in_(table_ids)))

    def waiting_tables(self, user: str) -> int:
        """How many tables wait where this guest holds a seat."""
        query = sa.select(sa.func.count()).select_from(tables).join(holders, holders.c.table_id == tables.c.id)
        with self.reading() as connection:
            return connection.scalar(query.where(holders.c.user_id == user, tables.c.status == "waiting")) or 0

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
        query = sa.select(tables.c.id).where(sa.or_(sa.false(), *is_old), tables.c.id.not_in(list(used)))
        with self.reading() as connection:
            return list(connection.scalars(query.order_by(tables.c.created).limit(most)))

    def tables_of(self, user: str, status: str) -> list[Stored]:
        """A guest's own tables of this status, newest first."""
        query = sa.select(tables).join(holders, holders.c.table_id == tables.c.id)
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
    """The one thread that writes. It goes on whatever happens; if it has to end, nobody waits for it any more."""

    def __init__(
        self, engine: Engine, window: float, lease: Lease | None = None, failed: Callable[[str], None] = log.critical
    ) -> None:
        self.transaction = engine.begin if lease is None else lease.writing
        self.window = max(0.0, window)
        self.failed = failed
        self.loop = asyncio.get_running_loop()
        self.jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self.commits = self.stored = 0
        self.has_ended = False
        self.thread = threading.Thread(target=self._run, name="cabochon-writer", daemon=True)
        self.thread.start()

    def store(self, *statements: Any, entries: Sequence[dict[str, Any]] = ()) -> "asyncio.Future[None]":
        """Ask that this is stored; what comes back is done when it is committed, or has failed with a refusal."""
        job = Job(statements, entries, self.loop.create_future())
        self.jobs.put(job)
        assert job.done is not None
        if self.has_ended:
            _tell([job], [RuntimeError("the writer has ended")])
        return job.done

    def stop(self) -> None:
        """Store what is waiting, then end."""
        self.jobs.put(None)
        self.thread.join()

    def _run(self) -> None:
        try:
            while self._write_batch():
                pass
        except BaseException as error:
            log.critical("the thread that writes has ended", exc_info=error)
            self._call(self.failed, "the thread that writes has ended")
        finally:
            self.has_ended = True
            self._give_up()

    def _write_batch(self) -> bool:
        """Store what is waiting; False if that was the last."""
        batch = self._gather()
        jobs = [job for job in batch if job is not None]
        outcomes: Sequence[BaseException | None] = [RuntimeError("the writer has ended")] * len(jobs)
        try:
            outcomes = self._commit(jobs)
        finally:
            self._call(_tell, jobs, outcomes)
        return None not in batch

    def _give_up(self) -> None:
        """Nobody will store what is still waiting."""
        while not self.jobs.empty():
            job = self.jobs.get()
            if job is not None:
                self._call(_tell, [job], [RuntimeError("the writer has ended")])

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call something in the loop's thread, if there is still a loop."""
        try:
            self.loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            log.warning("the server has stopped before everything was stored")

    def _gather(self) -> list[Job | None]:
        """The next job, and those that come within the window."""
        batch = [self.jobs.get()]
        if batch[0] is not None and self.window:
            time.sleep(self.window)
        while len(batch) < MAX_JOBS_PER_COMMIT and batch[-1] is not None and not self.jobs.empty():
            batch.append(self.jobs.get())
        return batch

    def _commit(self, jobs: list[Job]) -> list[Exception | None]:
        """Everything in one transaction; if a job is at fault, each in its own, so that one cannot harm another."""
        try:
            self._store(jobs)
        except Exception as error:
            if len(jobs) > 1 and not is_of_the_database(error):
                return [outcome for job in jobs for outcome in self._commit([job])]
            log.warning("could not store: %s", _first_line(error))
            if isinstance(error, Taken):
                self._call(self.failed, str(error))
            return [error] * len(jobs)
        return [None] * len(jobs)

    def _store(self, jobs: list[Job]) -> None:
        with self.transaction() as connection:
            for job in jobs:
                for statement in job.statements:
                    connection.execute(statement)
            rows = [row for job in jobs for row in job.entries]
            if rows:
                add_entries(connection, rows)
        self.commits += 1
        self.stored += len(rows)


def is_of_the_database(error: Exception) -> bool:
    """Whether the database is in trouble, and not a job: then no other job would fare better."""
    at_fault = (sa.exc.OperationalError, sa.exc.InterfaceError, CabochonError, OSError)
    return isinstance(error, at_fault) or type(error) is sa.exc.DatabaseError


def _first_line(error: BaseException) -> str:
    """An error without the statement and its values."""
    return str(error.orig if isinstance(error, sa.exc.DBAPIError) else error).strip().partition("\n")[0]


def _tell(jobs: list[Job], outcomes: Sequence[BaseException | None]) -> None:
    for job, outcome in zip(jobs, outcomes, strict=True):
        if job.done is None or job.done.done():
            continue
        if outcome is None:
            job.done.set_result(None)
        else:
            refusal = Refused("not_stored")
            refusal.__cause__ = outcome
            job.done.set_exception(refusal)
