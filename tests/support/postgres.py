"""A PostgreSQL of our own for the tests: in a temporary folder, on a socket there, gone at the end.

Tests of the server run on SQLite, those that are marked with `every_database` on PostgreSQL too, and with
TEST_DATABASE=postgresql all of them on PostgreSQL, but for those that are about SQLite itself.
"""

import getpass
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from tests.support.children import start_child

ROOT = Path(__file__).parent.parent.parent
OWNER = "postgres"
START_SECONDS = 60
# Nothing here has to outlive the machine: a server that is killed has lost nothing even so.
QUICK = ("fsync=off", "full_page_writes=off", "max_connections=60", "shared_buffers=16MB", "autovacuum=off")


def _programs() -> str:
    found = subprocess.run([ROOT / "scripts/postgres", "find"], capture_output=True, text=True, check=False).stdout.strip()
    return found if importlib.util.find_spec("psycopg") and shutil.which("setpriv") and _has_owner() else ""


def _has_owner() -> bool:
    """Whether somebody may start it: not root, but root may become its owner."""
    return os.getuid() != 0 or any(user.pw_name == OWNER for user in pwd.getpwall())


PROGRAMS = _programs()


class Postgres:
    """A running server. It ends with this process, however that ends."""

    def __init__(self) -> None:
        # Not pytest's folder: the path of a socket may have about a hundred characters, and another user must be able to enter.
        self.folder = Path(tempfile.mkdtemp(prefix="cabochon-pg-"))
        self.made = 0
        self.user = getpass.getuser()
        self.as_owner = ["setpriv", "--pdeathsig=INT"]
        if os.getuid() == 0:  # PostgreSQL refuses to be started by root
            shutil.chown(self.folder, OWNER, OWNER)
            self.as_owner += [f"--reuid={OWNER}", f"--regid={OWNER}", "--init-groups"]
            self.user = OWNER
        self._run("initdb", "-D", f"{self.folder}/data", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")
        self.process = self.start()

    def _run(self, program: str, *arguments: str) -> None:
        command = [*self.as_owner, f"{PROGRAMS}/{program}", *arguments]
        done = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def start(self) -> "subprocess.Popen[bytes]":
        """Start it; it can be stopped and started again on the same databases."""
        settings = [part for setting in QUICK for part in ("-c", setting)]
        place = ["-D", f"{self.folder}/data", "-k", str(self.folder), "-c", "listen_addresses="]
        with (self.folder / "log").open("ab") as log:
            command = [*self.as_owner, f"{PROGRAMS}/postgres", *place, *settings]
            self.process = start_child(command, cwd="/", stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        ready = [f"{PROGRAMS}/pg_isready", "-q", "-h", str(self.folder)]
        while subprocess.run(ready, check=False).returncode:
            assert self.process.poll() is None and time.monotonic() < deadline, (self.folder / "log").read_text()
            time.sleep(0.02)
        return self.process

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT: clients are disconnected; SIGQUIT: at once."""
        self.process.send_signal(how)
        self.process.wait()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    @contextmanager
    def database(self) -> Iterator[str]:
        """The URL of a new, empty database."""
        name = self.create()
        yield self.url(name)
        self.drop(name)

    def create(self, template: str = "template0") -> str:
        """The name of a new database."""
        self.made += 1
        name = f"test_{self.made}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def drop(self, name: str) -> None:
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def url(self, name: str) -> str:
        return f"postgresql+psycopg://{self.user}@/{name}?host={self.folder}"

    def execute(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(host=str(self.folder), user=self.user, dbname="postgres", autocommit=True) as connection:
            connection.execute(statement.encode())


@cache
def shared_postgres() -> Postgres:
    """One server for all tests of this process, started when the first of them asks."""
    return Postgres()


@cache
def _migrated() -> str:
    """The name of a database with all tables and nothing in them: a copy of it is made sooner than the tables are."""
    from cabochon.server.database import migrate, open_engine

    name = shared_postgres().create()
    engine = open_engine(shared_postgres().url(name))
    with engine.begin() as connection:
        migrate(connection)
    engine.dispose()
    return name


ON_POSTGRESQL = os.environ.get("TEST_DATABASE") == "postgresql"
stand_ins: dict[Path, str] = {}  # databases of PostgreSQL in place of files of SQLite


def own_database(path: Path) -> str:
    """The URL of a database that is new for a new path: a file of SQLite, or what stands for it in PostgreSQL."""
    if not ON_POSTGRESQL:
        return f"sqlite:///{path}"
    if path not in stand_ins:
        stand_ins[path] = shared_postgres().create(_migrated())
    return shared_postgres().url(stand_ins[path])


DATABASES = ["sqlite", "postgresql"] if PROGRAMS else ["sqlite"]
every_database = pytest.mark.parametrize("database", DATABASES, indirect=True)
