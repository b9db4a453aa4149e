"""Sockets that come and go at a table where two people play."""

import asyncio
import random
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import websockets

from tests.server.process import Chair, Guest

AT_ONCE = 95
THINKING_SECONDS = 0.02
TEXT_FRAME = b"\x81"
# The visitors come from one address here, so limits by address would spare the server the work.
NO_ADDRESS_LIMITS = {
    "bot_workers": 0,
    "max_spectators_per_address": 10_000,
    "max_sockets_per_address": 10_000,
    "max_reads_per_minute": 10_000_000,
}


@dataclass
class Seen:
    """What the players and the visitors have seen. Times are from sending a move to its stored acknowledgement, in seconds."""

    times: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    lost: int = 0
    welcomed: int = 0
    turned_away: int = 0


async def visit(url: str, table: str, seen: Seen) -> asyncio.StreamWriter:
    """Come and look once. It speaks just enough of the protocol: it must cost little beside the server."""
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    writer.write(
        f"GET /api/tables/{table}/socket HTTP/1.1\r\nHost: {where.netloc}\r\nOrigin: {url}\r\n"
        "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n".encode()
    )
    assert b"101" in (await reader.readuntil(b"\r\n\r\n")).splitlines()[0]
    if await reader.readexactly(1) == TEXT_FRAME:
        seen.welcomed += 1
    else:
        seen.turned_away += 1
    return writer


async def visit_all(url: str, table: str, sockets: int, seen: Seen) -> None:
    """Many come together and go in the same moment, again and again: that is harder than one by one."""
    for start in range(0, sockets, AT_ONCE):
        count = min(AT_ONCE, sockets - start)
        for writer in await asyncio.gather(*(visit(url, table, seen) for _ in range(count))):
            writer.transport.abort()


async def play(chair: Chair, seen: Seen, is_over: asyncio.Event) -> None:
    """Play random moves when it is one's turn, and look at the table meanwhile."""
    rng = random.Random(1)
    try:
        while not is_over.is_set():
            if chair.is_my_turn:
                await asyncio.sleep(THINKING_SECONDS)
                start = time.perf_counter()
                answer = await chair.ask(
                    type="move", number=chair.state["number"] + 1, text=rng.choice(chair.state["choices"]["legal"])
                )
                seen.times.append(time.perf_counter() - start)
                if answer["type"] != "ack":
                    seen.refused.append(answer["reason"])
            await chair.next_state()
    except websockets.ConnectionClosed:
        seen.lost += 1


async def churn(url: str, sockets: int) -> Seen:
    """Let so many sockets come and go while two people play."""
    seen, is_over = Seen(), asyncio.Event()
    async with Guest(url, "Anna") as anna, Guest(url, "Ben") as ben:
        table = await anna.create(house={"goal": 100}, takeback="never")
        async with anna.at(table) as first, ben.at(table) as second:
            await second.ask(type="sit", seat=1, name="Ben")
            await first.ask(type="start")
            players = [asyncio.create_task(play(chair, seen, is_over)) for chair in (first, second)]
            await visit_all(url, table, sockets, seen)
            is_over.set()
            for player in players:
                player.cancel()
            await asyncio.gather(*players, return_exceptions=True)
            for chair in (first, second):
                if seen.lost == 0:
                    await chair.send(type="ping")
                    while (await chair.receive())["type"] != "pong":
                        pass
    return seen
