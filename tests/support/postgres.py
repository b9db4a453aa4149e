"""A PostgreSQL of our own for the tests: in a temporary folder, on a socket there, gone at the end."""

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
from pathlib import Path

import pytest

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
            self.process = subprocess.Popen(command, cwd="/", stdout=log, stderr=log)
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
        self.made += 1
        name = f"test_{self.made}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0")
        yield f"postgresql+psycopg://{self.user}@/{name}?host={self.folder}"
        self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def execute(self, statement: str) -> None:
        import psycopg

        with psycopg.connect(host=str(self.folder), user=self.user, dbname="postgres", autocommit=True) as connection:
            connection.execute(statement.encode())


DATABASES = ["sqlite", "postgresql"] if PROGRAMS else ["sqlite"]
every_database = pytest.mark.parametrize("database", DATABASES, indirect=True)
