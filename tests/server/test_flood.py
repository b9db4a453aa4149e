"""Ten thousand random messages to a real server: each is refused or carried out, the table is unharmed, memory stays flat."""

import asyncio
import random
from pathlib import Path
from typing import Any

import orjson
import pytest
import websockets

from tests.server.process import ForkedServer, Guest, Nursery, ServerProcess, run

MESSAGES = 10_000
AT_ONCE = 50
MOST_GROWTH = 32 * 2**20
LENIENT = {"bot_workers": 0, "bot_delay": 0.0, "requests_per_second": 100_000, "max_bad": 1_000_000, "tables_per_minute": 1000}
LENIENT |= {"max_moves_per_second": 100_000, "max_takebacks_per_minute": 100_000, "max_reads_per_minute": 1_000_000}
KINDS = ["move", "why_not", "undo", "replace", "answer", "back", "sit", "leave", "set_bot", "start", "rematch", "ping", "dance"]
KINDS += ["chat", "react", "kick", "swap", "set_options", "withdraw"]
MOVES = [
    "take wug",
    "take rr",
    "reserve 3?",
    "buy 1a",
    "buy @1",
    "return w",
    "claim 1",
    "pass",
    "'; drop table entries; --",
    "\x00",
]


def random_value(rng: random.Random) -> Any:
    return rng.choice(
        [None, True, -1, 0, 3, 2**40, 1.5, "", "x" * 200, "<script>alert(1)</script>", [], {}, [1, [2]], {"a": {"b": 1}}]
    )


def random_message(rng: random.Random) -> str:
    """Often nearly right, sometimes not even JSON."""
    if rng.random() < 0.1:
        return rng.choice(
            ["", "{", "[]", "null", '{"type":', "\ud83d\udc8e".encode("utf-16", "surrogatepass").decode("utf-16"), "x" * 3000]
        )
    message: dict[str, Any] = {"type": rng.choice(KINDS), "id": rng.randrange(1000)}
    usual = {"text": rng.choice(MOVES), "number": rng.randrange(40), "seat": rng.randrange(4), "name": "Eve", "bot": "greedy",
             "ask": rng.randrange(3), "yes": True}  # fmt: skip
    for name, value in usual.items():
        if rng.random() < 0.5:
            message[name] = random_value(rng) if rng.random() < 0.2 else value
    return orjson.dumps(message).decode()


async def send_all(guest: Guest, table: str, count: int, seed: int) -> None:
    """Send random messages, reading what comes back; a socket that is closed is opened again."""
    rng = random.Random(seed)
    sent = 0
    while sent < count:
        try:
            async with guest.at(table) as chair:
                while sent < count:
                    for _ in range(AT_ONCE):
                        await chair.connection.send(random_message(rng))
                    sent += AT_ONCE
                    await chair.connection.send('{"type":"ping"}')
                    while (await chair.receive())["type"] != "pong":
                        pass
                    chair.received.clear()
                    chair.entries.clear()
        except websockets.ConnectionClosed:
            continue


async def flood(server: ServerProcess) -> tuple[int, int]:
    """Memory after a tenth of the messages and after all of them; then the table must still play."""
    async with Guest(server.url, "Anna") as anna, Guest(server.url, "Eve") as eve:
        table = await anna.create(players=3, bots=["greedy"])
        await send_all(eve, table, MESSAGES // 10, 1)
        await send_all(anna, table, MESSAGES // 10, 2)
        before = server.memory()
        await asyncio.gather(send_all(anna, table, 2 * MESSAGES // 5, 3), send_all(eve, table, 2 * MESSAGES // 5, 4))
        after = server.memory()
        async with anna.at(table) as chair:
            assert table == chair.state["table"]["id"]
            assert [entry["number"] for entry in chair.entries] == list(range(1, len(chair.entries) + 1))
        fresh = await anna.create(bots=["greedy"], start="host")
        async with anna.at(fresh) as chair:
            assert "ack" == (await chair.play("take wug"))["type"]
    return before, after


@pytest.mark.slow
def test_ten_thousand_random_messages(nursery: Nursery, tmp_path: Path) -> None:
    server = ForkedServer(nursery, tmp_path, **LENIENT).start()
    try:
        before, after = run(flood(server))
        assert after - before < MOST_GROWTH
        assert server.is_ready()
    finally:
        server.stop()
