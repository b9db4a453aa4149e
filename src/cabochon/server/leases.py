"""One server for one database: a lock that ends with its holder, and an epoch that every transaction checks.

The lock keeps a second server from starting: a lock of the operating system beside a SQLite file, a session advisory lock in
PostgreSQL. A lock can be lost without notice (PostgreSQL restarted, the network away), so each server also raises the epoch when
it starts, and one that finds a later epoch than its own has been replaced and may not write any more.

In PostgreSQL everything is written on the connection that holds the lock: whoever has lost the lock has lost the connection.

The nodes of a cluster share the lock, so that they keep a single server out and it them; they share one epoch too. What they do
to the same table at once is settled by its version: `nodes.py`.
"""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from filelock import FileLock, Timeout
from sqlalchemy.engine import Connection, Engine

from ..errors import CabochonError

LOCK_SECONDS = 2.0  # a server that was killed a moment ago may take so long to be gone
LOCK_PAUSE = 0.05
ADVISORY_LOCK = 0x6361626F63686F6E  # "cabochon"; such locks belong to one database of PostgreSQL
START_LOCK = ADVISORY_LOCK + 1
CLUSTER = "(a cluster)"  # in place of a host: the nodes of a cluster share the lock and the epoch
ONLY_ROW = 1
MAX_NAME_LENGTH = 200

metadata = sa.MetaData()

lease = sa.Table(
    "lease", metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("epoch", sa.Integer, nullable=False),
    sa.Column("host", sa.String(MAX_NAME_LENGTH), nullable=False),
    sa.Column("process", sa.Integer, nullable=False),
    sa.Column("since", sa.Float, nullable=False),
    sa.Column("address", sa.String(MAX_NAME_LENGTH), nullable=False),
    sa.Column("checked", sa.Float),
)  # fmt: skip
# FOR SHARE, so that the next server cannot raise the epoch between this look and the commit.
EPOCH = sa.select(lease.c.epoch).with_for_update(read=True)


def one_at_a_time(connection: Connection) -> None:
    """Wait until no other server is at the same place of its start; it ends with the transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SET LOCAL lock_timeout = 0"))  # another one's migration may take its time
        connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(START_LOCK)))


class Taken(CabochonError):
    """Another server has this database."""


class Held(CabochonError):
    """The lock is not free, although no other server has begun: PostgreSQL may not have noticed that our last session ended."""


class Misplaced(CabochonError):
    """The file that is open is no longer the one of this name: what is stored there will not be found again."""


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116  with every commit, and a Path takes twice as long
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Lease:
    """The right to write to a database. Used by one thread at a time."""

    def __init__(self, engine: Engine, *, is_shared: bool = False) -> None:
        self.engine, self.is_shared = engine, is_shared
        self.is_sqlite = engine.dialect.name == "sqlite"
        self.epoch: int | None = None
        self.epoch_query = str(EPOCH.compile(dialect=engine.dialect))
        self.connection: Connection | None = None
        self.lock: FileLock | None = None
        self.files: dict[str, tuple[int, int] | None] = {}

    # taking it

    def take(self) -> Connection:
        """Lock the database, or say who has it."""
        connection = self.connection = self._connect()
        if self.is_sqlite:
            self._lock_file()
        elif not self._lock_session(connection, LOCK_SECONDS):
            raise self._taken()
        return connection

    def _connect(self) -> Connection:
        connection = self.engine.connect().execution_options(writes=True)
        connection.detach()  # not one of the pool: closing it ends the session, and the lock with it
        return connection

    def _lock_file(self) -> None:
        with self.engine.connect() as connection:
            name = connection.exec_driver_sql("PRAGMA database_list").all()[0][2]
        if not name:
            raise CabochonError("a database in memory is another one for each thread of the server: name a file")
        path = Path(name).resolve()
        self.files = {str(path): _identity(str(path))}
        self.lock = FileLock(f"{path}.lock", thread_local=False)
        try:
            self.lock.acquire(timeout=LOCK_SECONDS, poll_interval=LOCK_PAUSE)
        except Timeout:
            raise self._taken() from None

    def _lock_session(self, connection: Connection, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        lock = sa.func.pg_try_advisory_lock_shared if self.is_shared else sa.func.pg_try_advisory_lock
        while True:
            with connection.begin():
                if connection.scalar(sa.select(lock(ADVISORY_LOCK))):
                    return True
            if time.monotonic() > deadline:
                return False
            time.sleep(LOCK_PAUSE)

    def _taken(self) -> Taken:
        return Taken(f"the database is in use by {self.holder()}: stop that server first, or use another database")

    def holder(self) -> str:
        """The server that has begun last, in words."""
        with self.engine.connect() as connection:
            row = connection.execute(sa.select(lease)).mappings().first() if sa.inspect(connection).has_table("lease") else None
        if row is None:
            return "another server"
        if row["host"] == CLUSTER:
            return "a cluster of servers (started with --broker)"
        since = datetime.fromtimestamp(row["since"], UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        place = f", at {row['address']}" if row["address"] else ""
        return f"another server (process {row['process']} on {row['host']}, since {since}{place})"

    def begin(self, address: str) -> None:
        """Raise the epoch: no server before this one can write any more. The nodes of a cluster go on with the first one's."""
        assert self.connection is not None
        facts = {
            "host": CLUSTER if self.is_shared else socket.gethostname()[:MAX_NAME_LENGTH],
            "process": os.getpid(),
            "since": time.time(),
            "address": address[:MAX_NAME_LENGTH],
        }
        with self.connection.begin():
            one_at_a_time(self.connection)
            last = self.connection.execute(sa.select(lease.c.epoch, lease.c.host).with_for_update()).first()
            if last is not None and self.is_shared and last.host == CLUSTER:
                self.epoch = last.epoch
                return
            self.epoch = (last.epoch if last else 0) + 1
            change = lease.insert() if last is None else lease.update()
            self.connection.execute(change.values(id=ONLY_ROW, epoch=self.epoch, **facts))
        if self.is_sqlite:
            written = f"{next(iter(self.files))}-wal"
            self.files[written] = _identity(written)

    def release(self) -> None:
        """Let another server have it."""
        if self.connection is not None:
            with suppress(sa.exc.SQLAlchemyError):
                self.connection.close()
            self.connection = None
        if self.lock is not None:
            self.lock.release()

    # writing

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction, committed only if this server still has the database. It may be acknowledged after the block."""
        self._check_files()  # before, so that nothing that is refused is stored; and after, when it is acknowledged
        connection = self._connected()
        try:
            with connection.begin():
                self._check_epoch(connection)
                yield connection
        finally:
            if connection.invalidated:
                self.connection = None  # it would come back by itself, but without the lock
        self._check_files()

    def _connected(self) -> Connection:
        if self.connection is None:
            self.connection = self._connected_again()
        return self.connection

    def _connected_again(self) -> Connection:
        connection = self._connect()
        try:
            if not self._lock_session(connection, 0):
                self._explain(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _explain(self, connection: Connection) -> None:
        """Why the lock cannot be had again."""
        with connection.begin():
            self._check_epoch(connection)
        raise Held("the lock of this server's last session is not free yet")

    def _check_epoch(self, connection: Connection) -> None:
        # As text: every commit asks, and SQLAlchemy would look its statement up each time.
        if connection.exec_driver_sql(self.epoch_query).scalar() != self.epoch:
            raise Taken("another server has taken over this database")

    def _check_files(self) -> None:
        for path, identity in self.files.items():
            if _identity(path) != identity:
                raise Misplaced(f"the database file {Path(path).name} was deleted or replaced while the server ran")

    def proof(self) -> sa.Update:
        """A small change that shows that the database can be written to."""
        return lease.update().values(checked=time.time())
