"""Two checkouts' servers side by side: `python bench/compare_server.py FOLDER [FOLDER]`, the second this one if it is left out.

A server of each runs all the time, and they are played at in turn, slice by slice, so that what else the machine does falls on
both. Counted is the processor's time of the server process, user and system, for each move that was stored and told.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
from contextlib import ExitStack
from pathlib import Path

import uvloop
from load import Load, busy, connect_all, seat_all

from tests.server.process import UNLIMITED, Guest, ServerProcess

WARM_UP_SECONDS = 0.5
OLD_NAMES = {"most_sockets": 1_000_000}  # of settings, at commits before they were renamed


def start(checkout: Path, folder: Path) -> ServerProcess:
    """A server with the package of this checkout."""
    folder.mkdir()
    server = ServerProcess(folder, **UNLIMITED, **OLD_NAMES)
    server.environment |= {"PYTHONPATH": f"{checkout / 'src'}{os.pathsep}{checkout}"}
    return server.start()


async def cost(server: ServerProcess, tables: int, rate: float, seconds: float) -> float:
    """Microseconds of the processor for one move, at new tables with two sockets each."""
    load = Load(pause=tables / rate)
    async with Guest(server.url, "Anna") as anna, Guest(server.url, "Ben") as ben:
        players = await connect_all((anna, ben), await seat_all((anna, ben), tables), load)
        for player in players:
            player.begin()
        await asyncio.sleep(WARM_UP_SECONDS)
        load.times.clear()
        before, *_ = busy(server)
        await asyncio.sleep(seconds)
        after, *_ = busy(server)
        stored = len(load.times)
        if load.refused or load.lost:
            raise SystemExit(f"{load.refused} moves were refused, and {load.lost} sockets were lost")
        for player in players:
            player.transport.abort()
    return 1e6 * (after - before) / stored


async def compare(servers: list[ServerProcess], slices: int, *load: float) -> None:
    """Print the cost of each slice, and the median of the ratios. The first, in which caches fill, does not count."""
    tables, rate, seconds = load
    costs = []
    for i in range(slices + 1):
        order = (0, 1) if i % 2 else (1, 0)
        spent = {place: await cost(servers[place], int(tables), rate, seconds) for place in order}
        if i:
            costs.append((spent[0], spent[1]))
            print(f"{spent[0]:7.0f} us {spent[1]:7.0f} us   {spent[1] / spent[0]:.3f}", flush=True)
    before, after = (statistics.median(pair[place] for pair in costs) for place in (0, 1))
    ratio = statistics.median(new / old for old, new in costs)
    print(f"median {before:.0f} us before, {after:.0f} us after; ratio {ratio:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path, nargs="?", default=Path(__file__).parent.parent)
    parser.add_argument("--slices", type=int, default=10)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--rate", type=float, default=300, help="moves a second to aim at")
    parser.add_argument("--seconds", type=float, default=4)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stop:
        servers = []
        for place, checkout in enumerate((given.before, given.after)):
            servers.append(start(checkout.resolve(), Path(folder) / str(place)))
            stop.callback(servers[-1].stop)
        uvloop.run(compare(servers, given.slices, given.tables, given.rate, given.seconds))


if __name__ == "__main__":
    main()
