"""The parts of a cluster as processes that can be killed, and lines between them that can be cut."""

import os
import random
import select
import socket
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import sqlalchemy as sa

from tests.server.process import Nursery, free_port
from tests.support.postgres import Postgres
from tests.support.valkey import Valkey

CHUNK = 65_536


class Line:
    """A TCP proxy to another port or to a socket in the file system. Cut, it neither answers nor refuses (a lost network)."""

    def __init__(self, target: tuple[str, int] | str) -> None:
        self.target, self.is_cut = target, False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.pairs: dict[socket.socket, socket.socket] = {}
        self.is_over = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while not self.is_over:
            ready, _, _ = select.select([self.listener, *([] if self.is_cut else self.pairs)], [], [], 0.05)
            for one in ready:
                if one is self.listener:
                    self._accept()
                elif one in self.pairs:
                    self._pass_on(one)

    def _accept(self) -> None:
        here, _ = self.listener.accept()
        there = socket.socket(socket.AF_UNIX if isinstance(self.target, str) else socket.AF_INET)
        try:
            there.connect(self.target)
        except OSError:
            here.close()
            there.close()
            return
        self.pairs[here], self.pairs[there] = there, here

    def _pass_on(self, one: socket.socket) -> None:
        other = self.pairs[one]
        try:
            data = one.recv(CHUNK)
            if data:
                other.sendall(data)
                return
        except OSError:
            pass
        for end in (one, other):
            self.pairs.pop(end, None)
            end.close()

    def cut(self) -> None:
        self.is_cut = True

    def heal(self) -> None:
        """What waited arrives late, as in a network that comes back."""
        self.is_cut = False

    def close(self) -> None:
        self.is_over = True
        self.thread.join()
        for end in [self.listener, *self.pairs]:
            end.close()


class Part:
    """A node or a worker: forked from a process that has compiled everything, so that it starts at once."""

    def __init__(self, nursery: Nursery, folder: Path, database: str, broker: str, *, is_worker: bool, **settings: Any) -> None:
        self.nursery, self.is_worker = nursery, is_worker
        self.port = free_port()
        self.log = folder / f"{'worker' if is_worker else 'node'}-{self.port}.log"
        self.log.touch()
        self.environment = {f"CABOCHON_{name.upper()}": str(value) for name, value in settings.items()}
        self.environment["CABOCHON_BROKER"] = broker
        self.database = database
        self.process: Any = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = self.nursery.fork(
            port=self.port, database=self.database, environment=self.environment, log=str(self.log), is_worker=self.is_worker
        ).process

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.is_running() and self.process.status() != psutil.STATUS_ZOMBIE

    def kill(self) -> None:
        """With -9."""
        if self.is_alive:
            self.process.kill()
            self.process.wait()

    def stop(self) -> None:
        """With SIGTERM, and wait."""
        if self.is_alive:
            self.process.terminate()
            self.process.wait(30)


class Cluster:
    """Nodes, workers, PostgreSQL and broker, with a line from each node to both that can be cut."""

    def __init__(self, folder: Path, nursery: Nursery, valkey: Valkey, nodes: int = 2, workers: int = 2, **settings: Any) -> None:
        self.postgres, self.valkey = Postgres(), valkey
        self.entered = self.postgres.database()
        database = self.entered.__enter__()
        self.database = database
        name = sa.make_url(database).database
        self.lines: list[Line] = []
        self.parts: list[Part] = []
        for number in range(nodes + workers):
            to_database = Line(f"{self.postgres.folder}/.s.PGSQL.5432")
            to_broker = Line(("127.0.0.1", self.valkey.port))
            self.lines += [to_database, to_broker]
            url = f"postgresql+psycopg://{self.postgres.user}@127.0.0.1:{to_database.port}/{name}"
            broker = f"redis://127.0.0.1:{to_broker.port}/0"
            is_worker = number >= nodes
            self.parts.append(Part(nursery, folder, url, broker, is_worker=is_worker, **settings))
        for part in self.parts:
            part.start()

    @property
    def nodes(self) -> list[Part]:
        return [part for part in self.parts if not part.is_worker]

    @property
    def workers(self) -> list[Part]:
        return [part for part in self.parts if part.is_worker]

    def harm(self, rng: random.Random) -> str:
        """Kill a part with -9 and start it again, or cut a line for a moment."""
        what = rng.choices(["node", "worker", "broker", "postgresql", "line"], [4, 3, 2, 1, 3])[0]
        if what in ("node", "worker"):
            part = rng.choice(self.nodes if what == "node" else self.workers)
            part.kill()
            time.sleep(rng.uniform(0, 0.3))
            part.start()
        elif what == "broker":
            self.valkey.kill()
            time.sleep(rng.uniform(0, 1.0))
            self.valkey.start()
        elif what == "postgresql":
            self.kill_postgres()
            time.sleep(rng.uniform(0, 0.5))
            self.postgres.start()
        else:
            line = rng.choice(self.lines)
            line.cut()
            time.sleep(rng.uniform(0.2, 2.0))
            line.heal()
        return what

    def kill_postgres(self) -> None:
        """All its processes at once, with -9, as when its machine loses power. (What it said is stored was written by then.)"""
        master = psutil.Process(self.postgres.process.pid)
        family = [master, *master.children(recursive=True)]
        for process in family:
            with suppress(psutil.NoSuchProcess):  # one that has just ended by itself
                process.kill()
        self.postgres.process.wait()
        psutil.wait_procs(family, 5)
        (self.postgres.folder / "data" / "postmaster.pid").unlink(missing_ok=True)

    def close(self) -> None:
        for part in self.parts:
            part.kill()
        for line in self.lines:
            line.close()
        self.postgres.remove()


def log_tails(cluster: Cluster) -> str:
    found = []
    for part in cluster.parts:
        command = ["tail", "-n", "40", str(part.log)]
        found.append(f"--- {part.log.name}\n" + subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return "\n".join(found)


def seed() -> int:
    return int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 16)))
