"""The database itself: connections with time limits, migrations, and its errors as sentences that everybody may read."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, unquote_plus

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine, make_url

from ..errors import CabochonError
from ..version import __version__
from .leases import Held, Misplaced, Taken

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
MIN_SECRET_LENGTH = 3
# A password ends at the first @ for SQLAlchemy; whoever forgot to encode one of its own meant the last.
SECRETS_IN_URL = [re.compile(found) for found in (r"://[^:/]*:([^@]*)@", r"://[^:@/]*:([^?]*)@", r"[?&][a-z]*password=([^&#]+)")]


@contextmanager
def connecting(url: str) -> Iterator[None]:
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
    with connecting(url):
        parsed = make_url(url)
        is_sqlite = parsed.get_backend_name() == "sqlite"
        if is_sqlite and parsed.database and not parsed.database.startswith("file:"):  # that is a URL of SQLite's own
            Path(parsed.database).expanduser().parent.mkdir(parents=True, exist_ok=True)
        is_psycopg = parsed.drivername == "postgresql+psycopg"
        engine = sa.create_engine(
            parsed,
            pool_pre_ping=not is_sqlite,
            # An error's text would otherwise hold what was to be stored, the secret of a deal too, and go into the log.
            hide_parameters=True,
            connect_args=postgresql_limits(parsed) if is_psycopg else {},
        )
        sa.event.listen(engine, "handle_error", _hide_row)
        if is_sqlite:
            sa.event.listen(engine, "connect", _set_pragmas)
            sa.event.listen(engine, "begin", _begin)
        if is_psycopg:
            sa.event.listen(engine, "do_connect", _connect_with_timeouts)
        return engine


def postgresql_limits(url: sa.URL) -> dict[str, Any]:
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


def version(connection: Connection) -> str | None:
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


def migrate(connection: Connection) -> None:
    """Bring the database to this version's form, all of it or nothing."""
    found, newest = version(connection), newest_version()
    if found == newest:
        return
    if found is not None and found > newest:
        raise CabochonError(
            f"the database has form {found}, and this cabochon ({__version__}) knows none after {newest}: "
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


def is_of_the_database(error: Exception) -> bool:
    """Whether the database is in trouble, and not a job: then no other job would fare better."""
    at_fault = (sa.exc.OperationalError, sa.exc.InterfaceError, CabochonError, OSError)
    return isinstance(error, at_fault) or type(error) is sa.exc.DatabaseError


def first_line(error: BaseException) -> str:
    """An error without the statement and its values."""
    return str(error.orig if isinstance(error, sa.exc.DBAPIError) else error).strip().partition("\n")[0]
