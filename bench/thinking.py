"""How long a bot of one second takes to answer while twenty other tables think: `python bench/thinking.py`.

Every table is a guest against `legend` (or another: --bot); the guests play at random as soon as it is their turn. Prints the
time from the stored acknowledgement of a guest's move to the bot's, and how many of the bot's moves were weakened.

`--burst 2000` asks one worker, without a server, for so many tables within one second: how many does the bot itself answer?
"""

import argparse
import asyncio
import random
import tempfile
import time
from pathlib import Path

import uvloop

from cabochon import Game
from cabochon.bots import BOTS
from cabochon.server.app import quiet
from cabochon.server.bot_pool import BotMove, BotPool
from cabochon.server.settings import Settings
from cabochon.tools.provenance import commit, machine
from tests.server.process import Guest, ServerProcess

SETTINGS = {
    "requests_per_second": 1000,
    "tables_per_minute": 1_000_000,
    "max_tables_per_day": 1_000_000,
    "max_moves_per_second": 1000,
    "max_reads_per_minute": 1e9,
}


async def play(guest: Guest, table: str, until: float, times: list[float]) -> None:
    """Play at random, and note how long the bot thinks about its answer."""
    rng = random.Random(table)
    async with guest.at(table) as chair:
        while not chair.is_over and time.monotonic() < until:
            if not chair.is_my_turn:
                await chair.next_state()
                continue
            text = rng.choice(chair.state["choices"]["legal"])
            answer = await chair.ask(type="move", number=chair.state["number"] + 1, text=text)
            start = time.perf_counter()
            while chair.state["number"] < answer.get("number", 0):
                await chair.next_state()
            if not chair.is_my_turn and not chair.is_over:
                number = chair.state["number"]
                while chair.state["number"] == number:
                    await chair.next_state()
                times.append(time.perf_counter() - start)


async def run(server: ServerProcess, bot: str, tables: int, seconds: float) -> None:
    times: list[float] = []
    async with Guest(server.url, "Anna") as anna:
        options = {"players": 2, "bots": [bot]}
        names = [await anna.create(variant=("classic", "marvel")[i % 2], **options) for i in range(tables)]
        until = time.monotonic() + seconds
        await asyncio.gather(*(play(anna, table, until, times) for table in names))
        health = (await anna.http.get("/api/health")).json()["bots"]
    times.sort()
    print(f"{tables} tables against {bot}, {len(times)} answers: median {times[len(times) // 2]:.2f} s, ", end="")
    print(f"99 of 100 within {times[int(len(times) * 0.99)]:.2f} s, longest {times[-1]:.2f} s")
    print(f"moves of a simple bot {health['replaced']}, with less than a quarter of the time {health['shortened']}")
    print(f"commit {commit()}; {machine()}")


async def burst(bot: str, tables: int) -> None:
    """Ask one worker for many tables at once."""
    rng, pool = random.Random(1), BotPool(Settings(bot_workers=1), quiet)
    await pool.warm()

    async def ask(seed: int) -> BotMove:
        game = Game(("classic", "marvel")[seed % 2], 2, seed=seed)
        await asyncio.sleep(rng.random())
        return await pool.choose(bot, game.view(game.turn), seed)

    start = time.perf_counter()
    moves = await asyncio.gather(*(ask(seed) for seed in range(tables)))
    took, nodes = time.perf_counter() - start, sorted(move.nodes or 0 for move in moves)
    print(f"{tables} tables within a second: all answered after {took:.1f} s, {pool.replaced} by a simple bot")
    print(f"positions: median {nodes[len(nodes) // 2]}, most {nodes[-1]}")
    print(f"commit {commit()}; {machine()}")
    await pool.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bot", choices=BOTS, default="legend")
    parser.add_argument("--tables", type=int, default=21)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--burst", type=int, default=0)
    options = parser.parse_args()
    if options.burst:
        asyncio.run(burst(options.bot, options.burst))
        return
    with tempfile.TemporaryDirectory() as folder:
        server = ServerProcess(Path(folder), **SETTINGS).start()
        try:
            uvloop.run(run(server, options.bot, options.tables, options.seconds))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
