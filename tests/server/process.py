"""A real server in a process of its own, and guests that talk to it over HTTP and sockets."""

import asyncio
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import httpx
import orjson
import psutil
import uvicorn
import websockets
from websockets import Origin
from websockets.asyncio.client import ClientConnection

from cabochon.server.run import bound_socket, config
from cabochon.server.settings import Settings
from tests.support.postgres import own_database

START_SECONDS = 60
POLL_SECONDS = 0.02
ANSWER_SECONDS = 30
STOPPED_SECONDS = 60

Result = TypeVar("Result")


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """What a coroutine returns, in a thread of its own: a browser driven from this one keeps its loop running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


# What a crowd on one machine needs that no guest does.
UNLIMITED = {
    "bot_workers": 0,
    "requests_per_second": 1000,
    "tables_per_minute": 1_000_000,
    "max_spectators": 100_000,
    "max_sockets_per_address": 1_000_000,
    "max_spectators_per_address": 1_000_000,
    "max_seated_sockets_per_address": 1_000_000,
    "max_moves_per_second": 1_000_000,
    "max_tables_per_day": 1_000_000,
    "max_reads_per_minute": 1_000_000,
    "max_waiting_tables": 1_000_000,
    "max_waiting_tables_per_address": 1_000_000,
}


class ServerProcess:
    """`cabochon play` on a database, else a file in the folder; it can be killed and started again on the same port."""

    def __init__(self, folder: Path, database: str = "", /, **settings: float) -> None:
        self.port = free_port()
        self.database = database or own_database(folder / "tables.db")
        self.settings = {f"CABOCHON_{name.upper()}": str(value) for name, value in settings.items()}
        self.environment = os.environ | self.settings
        self.log = (folder / "server.log").open("ab")
        self.process: Any = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "ServerProcess":
        self.process = self.launch()
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            assert self.process.poll() is None, "the server stopped: see server.log"
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(POLL_SECONDS)
        return self

    def launch(self) -> Any:
        options = ["--no-browser", "--port", str(self.port), "--database", self.database]
        command = [sys.executable, "-m", "cabochon", "play", *options]
        return subprocess.Popen(command, env=self.environment, stdout=self.log, stderr=self.log)

    def is_ready(self) -> bool:
        try:
            health = httpx.get(f"{self.url}/api/health", timeout=2, verify=False)  # to load certificates takes longer than to ask
            return bool(health.json()["status"] == "ok")
        except (httpx.HTTPError, ValueError, KeyError):
            return False

    def memory(self) -> int:
        """Bytes held by the server and its workers."""
        assert self.process
        own = psutil.Process(self.process.pid)
        return sum(process.memory_info().rss for process in [own, *own.children(recursive=True)])

    def kill(self) -> None:
        """kill -9: no chance to tidy up."""
        assert self.process
        self.process.kill()
        self.process.wait()

    def restart(self) -> None:
        """Kill it and start it again."""
        self.kill()
        self.start()

    def stop(self) -> None:
        assert self.process
        self.process.terminate()
        try:
            self.process.wait(20)
        except (subprocess.TimeoutExpired, psutil.TimeoutExpired):
            self.kill()
        self.log.close()


class Nursery:
    """The process from which servers are forked."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.server.nursery"]
        self.process = subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def fork(self, **wanted: Any) -> "Forked":
        assert self.process.stdin and self.process.stdout
        print(orjson.dumps(wanted).decode(), file=self.process.stdin, flush=True)
        return Forked(psutil.Process(int(self.process.stdout.readline())))

    def close(self) -> None:
        self.process.communicate()


class ForkedServer(ServerProcess):
    """The same server, forked from one that has imported and compiled everything: for many starts."""

    def __init__(self, nursery: Nursery, folder: Path, database: str = "", /, **settings: float) -> None:
        super().__init__(folder, database, **settings)
        self.nursery = nursery

    def launch(self) -> "Forked":
        return self.nursery.fork(port=self.port, database=self.database, environment=self.settings, log=self.log.name)


class Forked:
    """A grandchild, called like a Popen."""

    def __init__(self, process: Any) -> None:
        self.process, self.pid = process, process.pid

    def poll(self) -> int | None:
        return None if self.process.is_running() else 0

    def kill(self) -> None:
        self.process.kill()

    def terminate(self) -> None:
        self.process.terminate()

    def wait(self, seconds: float | None = None) -> None:
        self.process.wait(seconds)


@contextmanager
def running(app: Any) -> Iterator[str]:
    """An application in a thread of this process, served as the command does it; its address."""
    port = free_port()
    server = uvicorn.Server(config(app, Settings()))
    thread = threading.Thread(target=server.run, args=([bound_socket("127.0.0.1", port)],))
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(STOPPED_SECONDS)
        assert not thread.is_alive(), "the server did not stop"


class Guest:
    """A person without an account: a cookie, a name, and sockets to tables."""

    def __init__(self, url: str, name: str) -> None:
        self.url, self.name = url, name
        self.http = httpx.AsyncClient(base_url=url, headers={"Origin": url}, timeout=ANSWER_SECONDS, verify=False)

    async def __aenter__(self) -> "Guest":
        (await self.http.get("/api/me")).raise_for_status()
        (await self.http.put("/api/me", json={"name": self.name})).raise_for_status()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()

    async def create(self, **options: Any) -> str:
        answer = await self.http.post("/api/tables", json=options)
        assert answer.is_success, answer.text
        return str(answer.json()["id"])

    @asynccontextmanager
    async def at(self, table: str, since: int = 0) -> AsyncIterator["Chair"]:
        """A socket at a table."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        address = f"{self.url.replace('http', 'ws')}/api/tables/{table}/socket?since={since}"
        async with websockets.connect(address, origin=Origin(self.url), additional_headers={"Cookie": cookies}) as connection:
            chair = Chair(connection)
            await chair.next_state()
            yield chair


class Chair:
    """A guest's socket at one table: what came last, and what has been stored."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.state: dict[str, Any] = {}
        self.entries: list[dict[str, Any]] = []
        self.received: list[str] = []
        self.requests = 0

    async def receive(self) -> dict[str, Any]:
        text = await asyncio.wait_for(self.connection.recv(), ANSWER_SECONDS)
        self.received.append(text if isinstance(text, str) else text.decode())
        message: dict[str, Any] = orjson.loads(text)
        if message["type"] == "state":
            self.state = message
            self.entries += message["entries"]
        return message

    async def next_state(self) -> dict[str, Any]:
        while (message := await self.receive())["type"] != "state":
            pass
        return message

    async def send(self, **message: Any) -> None:
        await self.connection.send(orjson.dumps(message).decode())

    async def ask(self, **message: Any) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        self.requests += 1
        await self.send(id=self.requests, **message)
        while True:
            answer = await self.receive()
            if answer["type"] in ("ack", "refused") and answer["id"] in (self.requests, None):
                return answer

    @property
    def is_my_turn(self) -> bool:
        return bool(self.state["choices"])

    @property
    def is_over(self) -> bool:
        return bool(self.state["outcome"])

    async def play(self, text: str) -> dict[str, Any]:
        """Play a move and wait for its acknowledgement and for the state after it."""
        answer = await self.ask(type="move", number=self.state["number"] + 1, text=text)
        while answer["type"] == "ack" and self.state["number"] < answer["number"]:
            await self.next_state()
        return answer

    async def play_randomly(self, rng: random.Random) -> dict[str, Any]:
        return await self.play(rng.choice(self.state["choices"]["legal"]))
