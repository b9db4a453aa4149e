"""A clock where nobody is, and a review, are looked after by a worker; a node that is gone takes its people with it."""

import asyncio
import random
import time
from pathlib import Path
from typing import Any

from cabochon import Game
from cabochon.bots import Budget, bot
from cabochon.notation.record import format_record
from tests.cluster.history import logs
from tests.cluster.parts import Cluster, log_tails
from tests.cluster.people import Person, World
from tests.cluster.test_harm import QUICK, ready
from tests.server.process import Guest, Nursery, run
from tests.support.valkey import Valkey

CLOCK_SECONDS = 5
MOST_SECONDS = 120.0
LATE_SECONDS = 5.0  # it is noticed within half a second; a busy machine takes longer


async def missed(cluster: Cluster) -> None:
    """Who was connected to a node that was killed is away for those at another."""
    first, second = cluster.nodes
    async with Guest(first.url, "Anna") as anna, Guest(second.url, "Ben") as ben:
        table = await anna.create(variant="classic", players=2)
        async with anna.at(table) as here, ben.at(table) as there:
            assert "ack" == (await there.ask(type="sit", seat=1, name="Ben"))["type"]
            while not here.state["table"]["seats"][1]["connected"]:
                await here.next_state()
            await asyncio.to_thread(second.kill)
            while here.state["table"]["seats"][1]["connected"]:
                await here.next_state()
    second.start()
    await ready(cluster)


async def timed_out_at(cluster: Cluster) -> tuple[dict[str, Any], float]:
    """The line that ends the time of somebody at a table that no node has in memory, and when the game began."""
    world = World([part.url for part in cluster.nodes], random.Random(1), 0)
    for person in world.people:
        await person.greet()
    clock = {"kind": "move", "seconds": CLOCK_SECONDS}
    while (table := await world.seat({"variant": "classic", "players": 2, "clock": clock})) is None:
        await asyncio.sleep(0.1)
    await asyncio.sleep(0.5)  # for the job to be stored: after a kill in this moment it is looked for every minute
    for part in cluster.nodes:
        await asyncio.to_thread(part.kill)
    deadline = time.monotonic() + MOST_SECONDS
    while True:
        stored = (await asyncio.to_thread(logs, cluster.database, [table]))[table]
        if stored.entries:
            for person in world.people:
                await person.close()
            return stored.entries[0], stored.table["began"]
        assert time.monotonic() < deadline, "nobody looks at the clock"
        await asyncio.sleep(0.1)


def short_record() -> str:
    game = Game("classic", 2, seed=5, goal=1)
    while not game.is_over:
        game.play(bot("greedy").choose(game.view(game.turn), Budget(), 5))
    return format_record(game.record(("Anna", "greedy")))


async def reviewed(cluster: Cluster) -> dict[str, Any]:
    """A review whose first worker is killed; it is read at both nodes."""
    await ready(cluster)
    person = Person("Anna", [part.url for part in cluster.nodes])
    await person.greet()
    answer = await person.guests[0].http.post("/api/reviews", json={"record": short_record()})
    review = answer.json()["id"]
    deadline = time.monotonic() + MOST_SECONDS
    has_killed = False
    while True:
        found = (await person.guests[1].http.get(f"/api/reviews/{review}?since=0")).json()
        if found["is_done"]:
            other: dict[str, Any] = {"is_done": False}
            while not other["is_done"]:
                other = (await person.guests[0].http.get(f"/api/reviews/{review}?since={found['total'] - 1}")).json()
            assert found["decisions"][-1:] == other["decisions"] and found["seats"] == other["seats"]
            await person.close()
            return {**found, "has_killed": has_killed}
        if found["decisions"] and not has_killed:
            has_killed = True
            for part in cluster.workers:
                await asyncio.to_thread(part.kill)
                part.start()
        assert time.monotonic() < deadline, f"the review is at {len(found['decisions'])} of {found['total']}"
        await asyncio.sleep(0.05)


def test_workers_look_after_clocks_and_reviews(tmp_path: Path, nursery: Nursery, valkey: Valkey) -> None:
    cluster = Cluster(tmp_path, nursery, valkey, workers=1, **QUICK)

    async def both() -> tuple[dict[str, Any], tuple[dict[str, Any], float]]:
        await ready(cluster)
        await missed(cluster)
        return await reviewed(cluster), await timed_out_at(cluster)

    try:
        found, (line, began) = run(both())
        assert found["has_killed"] and found["total"] == len(found["decisions"]) > 3
        assert "timeout" == line["kind"] and CLOCK_SECONDS <= line["spent"] < CLOCK_SECONDS + LATE_SECONDS
        assert CLOCK_SECONDS - 1 <= line["at"] - began < CLOCK_SECONDS + 2 * LATE_SECONDS
    except BaseException:
        print(log_tails(cluster))
        raise
    finally:
        cluster.close()
