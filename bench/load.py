"""`make load`: many tables with two sockets each, random moves as fast as they are acknowledged, on this machine.

Prints tables, sockets, moves a second, and the time from sending a move to its stored acknowledgement (p50, p99).
"""

import argparse
import asyncio
import gc
import random
import statistics
import tempfile
import time
from pathlib import Path

import uvloop

from cabochon.machine import commit, machine
from tests.server.process import Guest, ServerProcess

SEATED_AT_ONCE = 20
WARM_UP_SECONDS = 5
UNLIMITED = {"bot_workers": 0, "requests_per_second": 1000, "tables_per_minute": 1_000_000, "most_sockets": 100_000}


class Load:
    """What the players have seen so far."""

    def __init__(self) -> None:
        self.connected = 0
        self.times: list[float] = []
        self.refused = 0
        self.finished = 0


async def seat_two(first: Guest, second: Guest, gate: asyncio.Semaphore) -> str:
    async with gate:
        table = await first.create(variant=random.choice(["classic", "marvel"]), players=2)
        async with second.at(table) as there, first.at(table) as here:
            await there.ask(type="sit", seat=1, name=second.name)
            await here.ask(type="start")
        return table


async def play(guest: Guest, table: str, load: Load, pause: float, ready: asyncio.Event) -> None:
    """One socket: play when it is our turn, think `pause` seconds on average, until the game is over."""
    rng = random.Random(hash((guest.name, table)))
    async with guest.at(table) as chair:
        load.connected += 1
        await ready.wait()
        while not chair.is_over:
            if not chair.is_my_turn:
                await chair.next_state()
                continue
            await asyncio.sleep(rng.uniform(0, 2 * pause))
            text = rng.choice(chair.state["choices"]["legal"])
            sent = time.perf_counter()
            answer = await chair.ask(type="move", number=chair.state["number"] + 1, text=text)
            load.times.append(time.perf_counter() - sent)
            load.refused += answer["type"] != "ack"
            while chair.state["number"] < answer.get("number", 0):
                await chair.next_state()
        load.finished += chair.is_over


async def run(server: ServerProcess, tables: int, rate: float, seconds: float) -> None:
    load = Load()
    ready = asyncio.Event()
    async with Guest(server.url, "Anna") as anna, Guest(server.url, "Ben") as ben:
        gate = asyncio.Semaphore(SEATED_AT_ONCE)
        names = await asyncio.gather(*(seat_two(anna, ben, gate) for _ in range(tables)))
        pause = tables / rate
        players = [asyncio.create_task(play(guest, table, load, pause, ready)) for table in names for guest in (anna, ben)]
        while load.connected < len(players):
            await asyncio.sleep(0.1)
        gc.disable()
        ready.set()
        await asyncio.sleep(WARM_UP_SECONDS)
        load.times.clear()
        start = time.monotonic()
        await asyncio.sleep(seconds)
        took, count = time.monotonic() - start, len(load.times)
        memory = server.memory()
        for player in players:
            player.cancel()
        await asyncio.gather(*players, return_exceptions=True)
    times = sorted(load.times)
    print(f"tables {tables}, sockets {2 * tables}, moves/s {count / took:,.0f}")
    print(f"refused {load.refused}, games ended {load.finished // 2}")
    print(f"from sending to the stored acknowledgement: p50 {statistics.median(times) * 1000:.1f} ms, "
          f"p99 {times[int(len(times) * 0.99)] * 1000:.1f} ms, most {times[-1] * 1000:.1f} ms")  # fmt: skip
    print(f"server memory {memory / 2**20:,.0f} MiB; commit {commit()}; {machine()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=700, help="moves a second to aim at")
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = ServerProcess(Path(folder), **UNLIMITED).start()
        try:
            uvloop.run(run(server, options.tables, options.rate, options.seconds))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
