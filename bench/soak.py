"""`make soak`: hours at a small server in minutes. Tables are opened, played and left, sockets come, break and come back.

Every ten seconds it writes what the server holds into a CSV file: memory, file handles, objects the garbage collector tracks,
tables, sockets (`bench/soak_plot.py` draws them). At the end everybody leaves and all tables leave the memory; then it says what
was given back. With `--profile` the server also tells what the memory was allocated for (that makes it several times slower).
"""

import argparse
import asyncio
import csv
import gc
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
from websockets.exceptions import ConnectionClosed

from cabochon.tools.provenance import commit, machine
from tests.server.process import UNLIMITED, Chair, Guest, ServerProcess

# A connection that was idle for ten seconds may be closed by the server just when it is used again.
NO_KEEP_ALIVE = {"Connection": "close"}
SAMPLE_SECONDS = 10.0
IDLE_SECONDS = 5.0
FORGOTTEN_SECONDS = 60.0  # until all tables have left the memory
QUIET_SECONDS = 100.0  # until the server has collected and given back what nobody uses
LONGEST_VISIT = 60  # moves
WATCHED, BROKEN = 0.3, 0.05  # how often somebody watches a table, and how often a line breaks before a move
SETTINGS = {**UNLIMITED, "bot_delay": 0.0}
COLUMNS = ("seconds", "rss_mib", "handles", "objects", "tables", "sockets", "entries", "longest_collection_ms", "longest_cpu_ms")
COUNT_FILE = "CABOCHON_SOAK_COUNT"
LARGEST = 15
PROFILE_SECONDS = 20.0


class Watched(ServerProcess):
    """A server that answers a signal with the number of its objects."""

    def __init__(self, folder: Path, profile: bool) -> None:
        super().__init__(folder, **SETTINGS, idle_seconds=IDLE_SECONDS)
        self.count_file, self.profile = folder / "objects", profile
        self.environment |= {COUNT_FILE: str(self.count_file)} | ({"PYTHONTRACEMALLOC": "1"} if profile else {})

    def launch(self) -> Any:
        options = ["--port", str(self.port), "--database", self.database]
        command = [sys.executable, __file__, "--serve", *options]
        return subprocess.Popen(command, env=self.environment, stdout=self.log, stderr=self.log)

    async def objects(self) -> int:
        """Objects that the garbage collector tracks."""
        self.count_file.unlink(missing_ok=True)
        self.process.send_signal(signal.SIGUSR1)
        while not self.count_file.exists():
            await asyncio.sleep(0.05)
        return int(self.count_file.read_text())

    async def tell_largest(self) -> None:
        """Let it write into its log what has grown, if it is profiled."""
        if self.profile:
            self.process.send_signal(signal.SIGUSR2)
            await asyncio.sleep(PROFILE_SECONDS)


def serve(arguments: list[str]) -> None:
    """In the server's process."""
    from cabochon.cli import app

    count_file = Path(os.environ[COUNT_FILE])

    def count(*_: object) -> None:
        unfinished = count_file.with_suffix(".new")
        unfinished.write_text(str(len(gc.get_objects()) + gc.get_freeze_count()))
        unfinished.rename(count_file)

    signal.signal(signal.SIGUSR1, count)
    signal.signal(signal.SIGUSR2, lambda *_: tell_largest())
    app(["play", "--no-browser", *arguments])


snapshots: list[tracemalloc.Snapshot] = []


def tell_largest() -> None:
    """What has grown most since the first time. It takes long, so that it is asked at the beginning and at the end only."""
    own = tracemalloc.Filter(inclusive=False, filename_pattern=tracemalloc.__file__)
    snapshots[1:] = [tracemalloc.take_snapshot().filter_traces([own])]
    grown = snapshots[-1].compare_to(snapshots[0], "lineno")
    print(f"grown by {sum(one.size_diff for one in grown) / 2**20:.1f} MiB", *grown[:LARGEST], sep="\n", flush=True)


class Soak:
    """Samples of one run."""

    def __init__(self, server: Watched, output: Path) -> None:
        self.server, self.output, self.started = server, output, time.monotonic()
        self.process = psutil.Process(server.process.pid)
        self.rows: list[dict[str, float]] = []
        self.games = self.breaks = 0
        self.failed: Counter[str] = Counter()

    async def sample(self, http: httpx.AsyncClient) -> dict[str, float]:
        health = (await http.get("/api/health", headers=NO_KEEP_ALIVE)).json()
        row = {
            "seconds": round(time.monotonic() - self.started, 1),
            "rss_mib": round(self.process.memory_info().rss / 2**20, 1),
            "handles": self.process.num_fds(),
            "objects": await self.server.objects(),
            "tables": health["tables"],
            "sockets": health["sockets"],
            "entries": health["entries"],
            "longest_collection_ms": round(health["collections"]["longest"] * 1000, 1),
            "longest_cpu_ms": round(health["collections"]["longest_cpu"] * 1000, 1),
        }
        self.rows.append(row)
        with self.output.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(self.rows)
        return row

    async def sample_until(self, http: httpx.AsyncClient, end: float) -> None:
        while time.monotonic() < end:
            await self.sample(http)
            await asyncio.sleep(min(SAMPLE_SECONDS, max(0.0, end - time.monotonic())))

    def report(self, before: dict[str, float], full: dict[str, float], after: dict[str, float]) -> None:
        print(
            f"{self.games} games, {self.breaks} broken lines, {after['entries']:.0f} moves in {after['seconds'] / 60:.1f} minutes"
        )
        print(f"visits that failed: {dict(self.failed)}")
        print(f"{'':24}{'rss MiB':>10}{'handles':>10}{'objects':>12}{'tables':>8}{'sockets':>8}")
        for name, row in (("before anybody came", before), ("at the end of play", full), ("all tables forgotten", after)):
            counts = f"{row['handles']:>10.0f}{row['objects']:>12,.0f}{row['tables']:>8.0f}{row['sockets']:>8.0f}"
            print(f"{name:24}{row['rss_mib']:>10.1f}{counts}")
        wall, cpu = after["longest_collection_ms"], after["longest_cpu_ms"]
        print(f"longest garbage collection {wall:.1f} ms, {cpu:.1f} ms of a core; samples in {self.output}")
        print(f"commit {commit()}; {machine()}; load average {os.getloadavg()[0]:.1f}")


class Stranger(Guest):
    """A guest who keeps the name that the server gives: choosing one is limited for each address."""

    async def __aenter__(self) -> Guest:
        (await self.http.get("/api/me")).raise_for_status()
        return self


class Visitor:
    """Somebody who opens a table, plays for a while against bots, and leaves; then somebody else."""

    def __init__(self, soak: Soak, url: str, number: int, pause: float, end: float) -> None:
        self.soak, self.url, self.pause, self.end = soak, url, pause, end
        self.name, self.rng = f"Guest {number}", random.Random(number)

    @property
    def is_late(self) -> bool:
        return time.monotonic() >= self.end

    async def come_and_go(self) -> None:
        while not self.is_late:
            try:
                async with Stranger(self.url, self.name) as guest, Stranger(self.url, "Watcher") as watcher:
                    await self.one_table(guest, watcher)
            except (httpx.TransportError, TimeoutError, OSError) as wrong:  # such as a connection that the server has just closed
                self.soak.failed[type(wrong).__name__] += 1

    async def one_table(self, guest: Guest, watcher: Guest) -> None:
        bots = self.rng.sample(["random", "greedy"], 2)
        table = await guest.create(variant=self.rng.choice(["classic", "marvel"]), players=3, bots=bots)
        if self.rng.random() < WATCHED:
            async with watcher.at(table):
                await self.visit(guest, table)
        else:
            await self.visit(guest, table)
        self.soak.games += 1

    async def visit(self, guest: Guest, table: str) -> None:
        """Play some moves, on several lines if one breaks."""
        left, since = self.rng.randint(1, LONGEST_VISIT), 0
        while left > 0 and not self.is_late:
            with suppress(ConnectionClosed):
                async with guest.at(table, since) as chair:
                    left, since = await self.play(chair, left)

    async def play(self, chair: Chair, left: int) -> tuple[int, int]:
        """Until the visit is over or the line breaks: moves left, and the last line seen."""
        while left > 0 and not chair.is_over and not self.is_late:
            while not chair.is_my_turn and not chair.is_over:
                await chair.next_state()
            if chair.is_over:
                break
            await asyncio.sleep(self.rng.expovariate(1 / self.pause))
            if self.rng.random() < BROKEN:
                self.soak.breaks += 1
                chair.connection.transport.abort()
                return left, chair.state["number"]
            await chair.play_randomly(self.rng)
            left -= 1
        return 0, chair.state["number"]


async def soak_for(server: Watched, minutes: float, visitors: int, pause: float, output: Path) -> None:
    soak = Soak(server, output)
    async with httpx.AsyncClient(base_url=server.url, timeout=60, headers={"Connection": "close"}) as http:
        await server.tell_largest()
        before = await soak.sample(http)
        end = time.monotonic() + 60 * minutes
        async with asyncio.TaskGroup() as coming:
            for number in range(visitors):
                coming.create_task(Visitor(soak, server.url, number, pause, end).come_and_go())
            await soak.sample_until(http, end)
        full = soak.rows[-1]
        deadline = time.monotonic() + FORGOTTEN_SECONDS
        while (await soak.sample(http))["tables"] and time.monotonic() < deadline:
            await asyncio.sleep(1)
        await soak.sample_until(http, time.monotonic() + QUIET_SECONDS)
        after = await soak.sample(http)
        await server.tell_largest()
    soak.report(before, full, after)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--visitors", type=int, default=60, help="tables at a time")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds a visitor thinks, on average")
    parser.add_argument("--output", type=Path, default=Path("soak.csv"))
    parser.add_argument("--profile", action="store_true", help="let tracemalloc say what the memory is for")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Watched(Path(folder), options.profile)
        server.start()
        try:
            asyncio.run(soak_for(server, options.minutes, options.visitors, options.pause, options.output))
        finally:
            ended = server.process.poll()
            server.stop()
            if options.profile or ended is not None:
                print(
                    f"the server ended with {ended}" if ended is not None else "",
                    (Path(folder) / "server.log").read_text()[-5000:],
                )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2:])
    else:
        main()
