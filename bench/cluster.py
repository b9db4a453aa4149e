"""The second half of `make load`: clusters of 1, 2 and 4 nodes, and what a move costs each part.

The two players of a table are at different nodes, and so are its spectators: every move is read by all nodes. Prints moves a
second, the time to the stored acknowledgement, and milliseconds of a core for each move, of nodes, PostgreSQL, broker and worker.
A line through these costs says what each further node with sockets at a table adds, and by that what 100,000 people at 20,000
tables need.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import psutil
import uvloop
from load import CONNECTING_PAUSE, WARM_UP_SECONDS, Load, Player, itself

from cabochon.tools.provenance import commit, machine
from tests.cluster.parts import Part
from tests.server.process import UNLIMITED, Guest, Nursery
from tests.support.postgres import Postgres
from tests.support.valkey import Valkey

READY_SECONDS = 120
TABLES, PEOPLE, SECONDS_PER_MOVE = 20_000, 100_000, 5.0  # what is computed: each table moves so often
TABLE_BYTES, PROCESS_BYTES = 65_000, 190 * 2**20  # memory (docs/hosting.md)
WORKLOAD = 0.6  # how much of a core may be used before waiting times grow


def cpu(pid: int) -> float:
    """Seconds of a process and all that it has started."""
    root = psutil.Process(pid)
    total = 0.0
    for process in [root, *root.children(recursive=True)]:
        try:
            total += sum(process.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return total


async def ready(parts: list[Part]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    async with httpx.AsyncClient(verify=False) as http:
        for part in parts:
            while True:
                try:
                    if (await http.get(f"{part.url}/api/ready")).is_success:
                        break
                except httpx.HTTPError:
                    pass
                if time.monotonic() > deadline:
                    raise SystemExit(f"load: a node did not start\n{part.log.read_text()}")
                await asyncio.sleep(0.1)


def at(guest: Guest, url: str) -> Guest:
    other = Guest(url, guest.name)
    other.http.cookies = guest.http.cookies
    return other


async def seat_all(anna: Guest, ben: Guest, tables: int) -> list[str]:
    gate = asyncio.Semaphore(10)

    async def seat() -> str:
        async with gate:
            table = await anna.create(variant="classic", players=2)
            async with ben.at(table) as there, anna.at(table) as here:
                await there.ask(type="sit", seat=1, name=ben.name)
                await here.ask(type="start")
            return table

    return list(await asyncio.gather(*(seat() for _ in range(tables))))


async def measure(nodes: list[Part], others: dict[str, int], options: argparse.Namespace) -> dict[str, float]:
    await ready(nodes)
    load = Load(pause=options.tables / options.rate)
    urls = [part.url for part in nodes]
    async with Guest(urls[0], "Anna") as anna, Guest(urls[-1], "Ben") as ben, Guest(urls[0], "Carl") as carl:
        names = await seat_all(anna, ben, options.tables)
        players: list[Player] = []
        for place, name in enumerate(names):
            for viewer in range(options.viewers):
                guest = (anna, ben)[viewer] if viewer < 2 else carl
                url = urls[(place + (0 if options.together else viewer)) % len(urls)]
                player, address = Player(at(guest, url), name, load), urlsplit(url)
                loop = asyncio.get_running_loop()
                await loop.create_connection(partial(itself, player), address.hostname or "", address.port or 0)
                players.append(player)
                await asyncio.sleep(CONNECTING_PAUSE)
        while not all(player.is_seated for player in players):
            await asyncio.sleep(0.1)
        for player in players:
            player.begin()
        await asyncio.sleep(WARM_UP_SECONDS)
        load.times.clear()
        pids = {"node": [part.process.pid for part in nodes], **{name: [pid] for name, pid in others.items()}}
        before = {name: sum(map(cpu, found)) for name, found in pids.items()}
        start = time.monotonic()
        await asyncio.sleep(options.seconds)
        took, count = time.monotonic() - start, len(load.times)
        used = {name: sum(map(cpu, found)) - before[name] for name, found in pids.items()}
        memory = sum(psutil.Process(part.process.pid).memory_info().rss for part in nodes) / len(nodes) / 2**20
        lost = load.lost
        for player in players:
            player.transport.abort()
    times = sorted(load.times)
    print(
        f"nodes {len(nodes)}, tables {options.tables}, sockets {len(players)}, moves/s {count / took:,.0f}, "
        f"refused {load.refused}, sockets lost {lost}"
    )
    p50, p99 = statistics.median(times) * 1000, times[int(len(times) * 0.99)] * 1000
    print(f"  to the stored acknowledgement: p50 {p50:.0f} ms, p99 {p99:.0f} ms")
    each = {name: 1000 * seconds / count for name, seconds in used.items()}
    print("  ms of a core for each move: " + ", ".join(f"{name} {cost:.2f}" for name, cost in each.items()))
    print(f"  memory of a node {memory:,.0f} MiB; load average {os.getloadavg()[0]:.1f}", flush=True)
    return each


def run(count: int, nursery: Nursery, options: argparse.Namespace) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        postgres, valkey = Postgres(), Valkey()
        try:
            with postgres.database() as url:
                settings: dict[str, Any] = {**UNLIMITED}
                parts = [
                    Part(nursery, Path(folder), url, valkey.url, is_worker=place == count, **settings)
                    for place in range(count + 1)
                ]
                *nodes, worker = parts
                for part in [*nodes, worker]:
                    part.start()
                try:
                    others = {"postgresql": postgres.process.pid, "broker": valkey.process.pid, "worker": worker.process.pid}
                    return uvloop.run(measure(nodes, others, options))
                finally:
                    for part in [*nodes, worker]:
                        part.kill()
        finally:
            valkey.kill()
            postgres.remove()


def at_nodes(measured: dict[int, float], wanted: int) -> float:
    """What a move costs where sockets of its table are at so many nodes, by a line through what was measured."""
    if len(measured) < 2:
        return next(iter(measured.values()))
    slope, start = statistics.linear_regression(list(measured), list(measured.values()))
    return start + slope * wanted


def need(found: dict[int, dict[str, float]]) -> None:
    """What a town needs by the costs at so many nodes: all sockets of a table at one node, or each at another."""
    moves, people = TABLES / SECONDS_PER_MOVE, PEOPLE // TABLES
    print(f"{PEOPLE:,} people at {TABLES:,} tables, a move every {SECONDS_PER_MOVE:g} s: {moves:,.0f} moves a second.")
    print(f"Cores at work, and how many that are at {WORKLOAD:.0%} of each, if the sockets of a table are at")
    tell("", ["one node", f"{people} nodes"])
    cores: dict[str, list[float]] = {}
    for name in next(iter(found.values())):
        measured = {count: each[name] for count, each in found.items()}
        cores[name] = [moves * at_nodes(measured, count) / 1000 for count in (1, people)]
        tell(name, [f"{work:.1f}, so {ceil(work / WORKLOAD)}" for work in cores[name]])
    nodes = [ceil(work / WORKLOAD) for work in cores["node"]]
    tell("sockets", [f"{PEOPLE / count:,.0f} a node" for count in nodes])
    places = zip(nodes, (1, people), strict=True)
    tell("memory", [f"{(count * PROCESS_BYTES + at * TABLES * TABLE_BYTES) / 1e9:.0f} GB in all" for count, at in places])


def tell(name: str, columns: list[str]) -> None:
    print(f"{name:12}" + "".join(f"{column:>20}" for column in columns))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--viewers", type=int, default=5, help="sockets at a table; two of them play")
    parser.add_argument("--together", action="store_true", help="all sockets of a table at one node, as a proxy can do it")
    parser.add_argument("--rate", type=float, default=100, help="moves a second to aim at")
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    nursery = Nursery()
    try:
        need({min(count, options.viewers): run(count, nursery, options) for count in options.nodes})
    finally:
        nursery.close()
    print(f"commit {commit()}; {machine()}")


if __name__ == "__main__":
    main()
