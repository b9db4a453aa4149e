"""The server is killed with -9 under load, again and again: every acknowledged move is there, and none twice."""

import asyncio
import math
import os
import random
from pathlib import Path

import httpx
import pytest
import websockets

from tests.server.process import ForkedServer, Guest, Nursery, ServerProcess, run
from tests.support.postgres import every_database

KILLS = int(os.environ.get("KILLS", "10"))
POSTGRESQL_SHARE = 0.06  # the kills are the same; only the commits differ
TABLES = 6
QUICK = {"bot_workers": 0, "requests_per_second": 1000, "tables_per_minute": 1000}
QUICK |= {"max_moves_per_second": 1000, "max_reads_per_minute": 1_000_000}
GONE = (websockets.ConnectionClosed, OSError, httpx.HTTPError, TimeoutError, websockets.InvalidHandshake)


async def keep_playing(guest: Guest, table: str, rng: random.Random, acknowledged: dict[int, str]) -> None:
    """Play at random until the server is gone, writing down what was acknowledged."""
    async with guest.at(table) as chair:
        while not chair.is_over:
            if chair.is_my_turn:
                text = rng.choice(chair.state["choices"]["legal"])
                answer = await chair.play(text)
                assert "ack" == answer["type"], answer
                acknowledged[answer["number"]] = text
            else:
                await chair.next_state()


async def play_until_gone(guests: list[Guest], tables: dict[str, dict[int, str]], rng: random.Random) -> None:
    players = [keep_playing(guest, table, rng, tables[table]) for table in tables for guest in guests]
    for result in await asyncio.gather(*players, return_exceptions=True):
        assert result is None or isinstance(result, GONE), repr(result)


async def stored_moves(guest: Guest, table: str) -> tuple[dict[int, str], bool]:
    """The moves of a table, and whether it is over."""
    async with guest.at(table) as chair:
        numbers = [entry["number"] for entry in chair.entries]
        assert numbers == list(range(1, len(numbers) + 1)), "every number once, in order"
        return {entry["number"]: entry["text"] for entry in chair.entries}, chair.is_over


async def seat_both(guests: list[Guest], variant: str) -> str:
    table = await guests[0].create(variant=variant, players=2)
    async with guests[1].at(table) as second, guests[0].at(table) as first:
        assert "ack" == (await second.ask(type="sit", seat=1, name=guests[1].name))["type"]
        assert "ack" == (await first.ask(type="start"))["type"]
    return table


async def until_acknowledged(playing: asyncio.Task[None], tables: dict[str, dict[int, str]]) -> None:
    """Until two moves more were acknowledged, however slow the machine is."""
    enough = sum(map(len, tables.values())) + 2
    while sum(map(len, tables.values())) < enough and not playing.done():
        await asyncio.sleep(0.01)


async def killed_again_and_again(server: ServerProcess, kills: int) -> int:
    rng = random.Random(1)
    moves = 0
    async with Guest(server.url, "Anna") as anna, Guest(server.url, "Ben") as ben:
        guests = [anna, ben]
        tables: dict[str, dict[int, str]] = {await seat_both(guests, "classic"): {} for _ in range(TABLES)}
        for _ in range(kills):
            playing = asyncio.create_task(play_until_gone(guests, tables, rng))
            await until_acknowledged(playing, tables)
            await asyncio.sleep(rng.uniform(0.0, 0.5))
            server.kill()
            await playing
            server.start()
            for table, acknowledged in list(tables.items()):
                stored, is_over = await stored_moves(anna, table)
                assert acknowledged.items() <= stored.items()
                if is_over:
                    moves += len(tables.pop(table))
                    tables[await seat_both(guests, rng.choice(["classic", "marvel"]))] = {}
    return moves + sum(len(acknowledged) for acknowledged in tables.values())


@pytest.mark.slow
@every_database
def test_acknowledged_moves_survive_kill_9(nursery: Nursery, tmp_path: Path, database: str) -> None:
    kills = KILLS if database.startswith("sqlite") else math.ceil(KILLS * POSTGRESQL_SHARE)
    server = ForkedServer(nursery, tmp_path, database, **QUICK).start()
    try:
        assert run(killed_again_and_again(server, kills)) > kills
    finally:
        server.stop()
