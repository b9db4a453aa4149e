"""`make load`: many tables with two sockets each, random moves at a rate that is aimed at, on this machine.

Prints tables, sockets, moves a second, the time from sending a move to its stored acknowledgement (p50, p99), memory, what a move
costs the server's processor, and the longest garbage collection. With `--back` also how long all sockets wait that come back at
once: after their lines broke, and after a restart of the server.

The players share the machine with the server. They are not the limit as long as their own share of a core is well below one, and
a move is sent when it was meant to be ("sent late").
"""

import argparse
import asyncio
import gc
import os
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

import orjson
import psutil
import uvloop

from cabochon.tools.provenance import commit, machine
from tests.server.process import UNLIMITED, Guest, ServerProcess

SEATED_AT_ONCE = 20
SEATING_SECONDS = 120
CONNECTING_SECONDS = 60
CONNECTING_PAUSE = 0.004  # people do not all come in the same second; uvicorn would ping them all in the same second ever after
WARM_UP_SECONDS = 5
IDLE_SECONDS, QUIET_SECONDS = 5.0, 80.0
LINES_KNOWN, LEAVING_SECONDS = 10, 2.0
TEXT, CLOSE, PING, PONG = 0x81, 0x88, 0x89, 0x8A


class Load:
    """What the players have seen so far."""

    def __init__(self, pause: float) -> None:
        self.pause = pause
        self.times: list[float] = []
        self.late: list[float] = []  # how much later than meant a move was sent
        self.refused = self.finished = self.lost = 0


class Player(asyncio.Protocol):
    """One socket: plays when it is its turn, thinks `pause` seconds on average, until the game is over.

    It speaks just enough of the WebSocket protocol, and reads only what lets it decide: it must cost little beside the server.
    """

    def __init__(self, guest: Guest, table: str, load: Load, since: int = 0) -> None:
        self.load, self.rng = load, random.Random(f"{guest.name} {table}")
        self.opening = opening(guest, table, since)
        self.buffer = bytearray()
        self.is_open = self.is_seated = self.has_begun = False
        self.next = 0
        self.legal: list[str] = []
        self.sent = self.due = self.seated = 0.0
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.transport.write(self.opening)

    def connection_lost(self, _wrong: Exception | None) -> None:
        self.load.lost += 1

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.is_open and b"\r\n\r\n" in self.buffer:
            head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
            self.is_open = head.startswith(b"HTTP/1.1 101 ")
        if self.is_open:
            for kind, message in frames(self.buffer):
                self._read(kind, message)

    def _read(self, kind: int, message: bytes) -> None:
        if kind == PING:
            self.transport.write(frame(PONG, message))
        elif kind == CLOSE:
            self.transport.close()
        elif message.startswith(b'{"type":"state"'):
            self._look(message)
        else:
            self.load.times.append(time.perf_counter() - self.sent)
            self.load.refused += not message.startswith(b'{"type":"ack"')

    def _look(self, message: bytes) -> None:
        if not self.is_seated:
            self.is_seated, self.seated = True, time.perf_counter()
        self.load.finished += b'"outcome":null' not in message
        if b'"choices":{' not in message:
            return
        state = orjson.loads(message)
        if state["number"] + 1 != self.next:
            self.next, self.legal = state["number"] + 1, state["choices"]["legal"]
            if self.has_begun:
                self._think()

    def begin(self) -> None:
        self.has_begun = True
        if self.legal:
            self._think()

    def _think(self) -> None:
        pause = self.rng.uniform(0, 2 * self.load.pause)
        self.due = time.perf_counter() + pause
        asyncio.get_running_loop().call_later(pause, self._play)

    def _play(self) -> None:
        if self.transport.is_closing():
            return
        move = {"type": "move", "id": 1, "number": self.next, "text": self.rng.choice(self.legal)}
        self.sent = time.perf_counter()
        self.load.late.append(self.sent - self.due)
        self.transport.write(frame(TEXT, orjson.dumps(move)))


def opening(guest: Guest, table: str, since: int) -> bytes:
    """The request that opens a socket, of a client that has the lines up to `since`."""
    cookies = "; ".join(f"{name}={value}" for name, value in guest.http.cookies.items())
    return (
        f"GET /api/tables/{table}/socket?since={since} HTTP/1.1\r\nHost: {urlsplit(guest.url).netloc}\r\nOrigin: {guest.url}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nCookie: {cookies}\r\n\r\n"
    ).encode()


def frame(kind: int, message: bytes) -> bytes:
    """A short message with a mask of zeros."""
    assert len(message) < 126
    return bytes((kind, 0x80 | len(message), 0, 0, 0, 0)) + message


def frames(buffer: bytearray) -> Iterator[tuple[int, bytes]]:
    """The whole messages in a buffer, taken out of it."""
    while len(buffer) > 1:
        size, start = buffer[1], 2
        if size > 125:
            start = 4 if size == 126 else 10
            size = int.from_bytes(buffer[2:start], "big")
        if len(buffer) < start + size:
            return
        kind, message = buffer[0], bytes(buffer[start : start + size])
        del buffer[: start + size]
        yield kind, message


async def seat_two(first: Guest, second: Guest, gate: asyncio.Semaphore) -> str:
    async with gate:
        table = await first.create(variant=random.choice(["classic", "marvel"]), players=2)
        async with second.at(table) as there, first.at(table) as here:
            await there.ask(type="sit", seat=1, name=second.name)
            await here.ask(type="start")
        return table


async def seat_all(guests: tuple[Guest, Guest], tables: int) -> list[str]:
    gate = asyncio.Semaphore(SEATED_AT_ONCE)
    try:
        async with asyncio.timeout(SEATING_SECONDS):
            return await asyncio.gather(*(seat_two(*guests, gate) for _ in range(tables)))
    except TimeoutError:
        raise SystemExit(f"load: {tables} tables could not be set within {SEATING_SECONDS} seconds") from None


def itself(player: Player) -> Player:
    return player


async def connect_all(guests: tuple[Guest, Guest], names: list[str], load: Load) -> list[Player]:
    address = urlsplit(guests[0].url)
    players = [Player(guest, name, load) for name in names for guest in guests]
    deadline = time.monotonic() + CONNECTING_SECONDS
    for player in players:
        await asyncio.get_running_loop().create_connection(partial(itself, player), address.hostname or "", address.port or 0)
        await asyncio.sleep(CONNECTING_PAUSE)
    while missing := sum(not player.is_seated for player in players):
        if time.monotonic() > deadline or load.lost:
            raise SystemExit(f"load: {missing} of {len(players)} sockets could not connect ({load.lost} were closed)")
        await asyncio.sleep(0.1)
    return players


async def memory_when_left(server: ServerProcess, guest: Guest) -> int:
    """Memory after the server has forgotten all tables, and has had a quiet moment to collect and give back."""
    while (await guest.http.get("/api/health")).json()["tables"]:
        await asyncio.sleep(1)
    await asyncio.sleep(QUIET_SECONDS)
    return server.memory()


async def come_back(guests: tuple[Guest, Guest], names: list[str], since: int) -> list[float]:
    """All sockets open at the same moment: the seconds until each has been sent its table, the shortest first."""
    load, address = Load(pause=1), urlsplit(guests[0].url)
    players = [Player(guest, name, load, since) for name in names for guest in guests]
    loop, start = asyncio.get_running_loop(), time.perf_counter()
    deadline = start + CONNECTING_SECONDS
    connecting = [
        loop.create_connection(partial(itself, player), address.hostname or "", address.port or 0) for player in players
    ]
    await asyncio.gather(*connecting)
    while not all(player.is_seated for player in players):
        if time.perf_counter() > deadline or load.lost:
            missing = sum(not player.is_seated for player in players)
            raise SystemExit(f"load: {missing} of {len(players)} sockets could not come back ({load.lost} were closed)")
        await asyncio.sleep(0.01)
    for player in players:
        player.transport.abort()
    return sorted(player.seated - start for player in players)


async def tell_come_back(server: ServerProcess, guests: tuple[Guest, Guest], names: list[str]) -> None:
    for after in ("their lines broke", "a restart of the server"):
        if after != "their lines broke":
            await asyncio.to_thread(server.restart)
        waited = await come_back(guests, names, since=LINES_KNOWN)
        print(f"{len(waited)} sockets at once after {after}: half had their table after {statistics.median(waited):.2f} s, "
              f"99 % after {waited[int(len(waited) * 0.99)]:.2f} s, the last after {waited[-1]:.2f} s")  # fmt: skip
        await asyncio.sleep(LEAVING_SECONDS)


async def run(server: ServerProcess, tables: int, rate: float, seconds: float, *, closing: bool, back: bool) -> None:
    load, empty = Load(pause=tables / rate), server.memory()
    async with Guest(server.url, "Anna") as anna, Guest(server.url, "Ben") as ben:
        names = await seat_all((anna, ben), tables)
        players = await connect_all((anna, ben), names, load)
        gc.disable()
        for player in players:
            player.begin()
        await asyncio.sleep(WARM_UP_SECONDS)
        load.times.clear()
        load.late.clear()
        start, worked = time.monotonic(), busy(server)
        await asyncio.sleep(seconds)
        took, count = time.monotonic() - start, len(load.times)
        spent = [after - before for before, after in zip(worked, busy(server), strict=True)]
        memory, collections = server.memory(), (await anna.http.get("/api/health")).json()["collections"]
        print(f"tables {tables}, sockets {2 * tables}, aimed at {rate:,.0f} moves/s: {count / took:,.0f} moves/s")
        print(f"refused {load.refused}, sockets lost {load.lost}, games ended {load.finished // 2}")
        for player in players:
            player.transport.abort()
        left = await memory_when_left(server, anna) if closing else None
        _tell(load, spent, took, count)
        after = "" if left is None else f", {left / 2**20:,.0f} when everybody had left"
        print(f"server memory {empty / 2**20:,.0f} MiB empty, {memory / 2**20:,.0f} with all tables{after}")
        wall, cpu_time = collections["longest"] * 1000, collections["longest_cpu"] * 1000
        print(f"longest garbage collection {wall:.1f} ms, {cpu_time:.1f} ms of a core; full collections {collections['full']}")
        if back:
            await asyncio.sleep(LEAVING_SECONDS)
            await tell_come_back(server, (anna, ben), names)
    print(f"commit {commit()}; {machine()}; load average {os.getloadavg()[0]:.1f}", flush=True)


def _tell(load: Load, spent: list[float], took: float, count: int) -> None:
    times, late = sorted(load.times), sorted(load.late)
    print(f"from sending to the stored acknowledgement: p50 {statistics.median(times) * 1000:.1f} ms, "
          f"p99 {times[int(len(times) * 0.99)] * 1000:.1f} ms, most {times[-1] * 1000:.1f} ms")  # fmt: skip
    server, main, own = spent
    print(f"of one core the server used {100 * server / took:.0f} % ({100 * main / took:.0f} % its main thread), "
          f"the players {100 * own / took:.0f} %; a move cost the server {1e6 * server / count:.0f} us, "
          f"{1e6 * main / count:.0f} us of it in the main thread")  # fmt: skip
    print(f"sent late: p50 {statistics.median(late) * 1000:.1f} ms, p99 {late[int(len(late) * 0.99)] * 1000:.1f} ms")


def busy(server: ServerProcess) -> tuple[float, float, float]:
    """Seconds of CPU the server, its main thread and this process have used."""
    assert server.process
    process, own = psutil.Process(server.process.pid), os.times()
    main = next(thread for thread in process.threads() if thread.id == process.pid)
    return sum(process.cpu_times()[:2]), main.user_time + main.system_time, own.user + own.system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[1000])
    parser.add_argument("--rate", type=float, nargs="+", default=[700], help="moves a second to aim at")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--close", action="store_true", help="at the end also wait until all tables are forgotten")
    parser.add_argument("--back", action="store_true", help="at the end let all sockets come back at once, twice")
    options = parser.parse_args()
    for tables, rate in product(options.tables, options.rate):
        with tempfile.TemporaryDirectory() as folder:
            idle = {"idle_seconds": IDLE_SECONDS} if options.close else {}
            server = ServerProcess(Path(folder), **UNLIMITED, **idle).start()
            try:
                uvloop.run(run(server, tables, rate, options.seconds, closing=options.close, back=options.back))
            finally:
                server.stop()


if __name__ == "__main__":
    main()
