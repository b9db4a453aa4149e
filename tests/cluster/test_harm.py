"""Nodes, workers, broker and PostgreSQL are killed with -9 at random, lines are cut: nobody is told what is not so.

`make cluster-test` runs it with 200 kills (KILLS=...), `make fuzz` with 1,000. It is no part of `make test`.
"""

import asyncio
import os
import random
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from tests.cluster.history import check, pulse
from tests.cluster.parts import Cluster, log_tails, seed
from tests.cluster.people import World
from tests.server.process import UNLIMITED, Guest, Nursery, run
from tests.support.valkey import Valkey

KILLS = int(os.environ.get("KILLS", "10"))
CALM_EVERY = 10
PROGRESS_SECONDS = 120.0
READY_SECONDS = 60.0
PULSE_SECONDS = 0.2
QUICK: dict[str, Any] = {**UNLIMITED, "bot_delay": 0.05, "tick_seconds": 0.1, "max_chat_per_minute": 1_000_000}


async def ready(cluster: Cluster) -> None:
    """Wait until both nodes say that they are."""
    deadline = time.monotonic() + READY_SECONDS
    for part in cluster.nodes:
        async with httpx.AsyncClient(base_url=part.url, timeout=5, verify=False) as http:
            while True:
                with suppress(Exception):
                    if (await http.get("/api/ready")).is_success:
                        break
                assert time.monotonic() < deadline, f"{part.url} is not ready\n{log_tails(cluster)}"
                await asyncio.to_thread(supervise, cluster)
                await asyncio.sleep(0.1)


def supervise(cluster: Cluster) -> None:
    """What systemd does: a part that has ended (it could not reach PostgreSQL when it started) is started again."""
    for part in cluster.parts:
        if not part.is_alive:
            part.start()


async def harm(cluster: Cluster, world: World, kills: int, rng: random.Random) -> dict[str, int]:
    done: dict[str, int] = {}
    began = time.monotonic()
    for kill in range(1, kills + 1):
        await asyncio.sleep(rng.uniform(0.1, 0.7))
        what = await asyncio.to_thread(cluster.harm, rng)
        done[what] = done.get(what, 0) + 1
        await asyncio.to_thread(supervise, cluster)
        if kill % CALM_EVERY == 0 or kill == kills:
            await ready(cluster)
            before, deadline = world.progress(), time.monotonic() + PROGRESS_SECONDS
            while len(moved := world.progress().items() - before.items()) < world.wanted:
                assert time.monotonic() < deadline, f"after {kill} kills only {moved} moved: {before}\n{log_tails(cluster)}"
                await asyncio.sleep(0.1)
            print(f"{kill} of {kills} after {time.monotonic() - began:.0f} s", flush=True)
    return done


async def watch_pulse(cluster: Cluster, world: World) -> None:
    """How long the cluster paused, from PostgreSQL itself."""
    while True:
        with suppress(Exception):
            world.history.pulses.append(await asyncio.to_thread(pulse, cluster.database))
        await asyncio.sleep(PULSE_SECONDS)


async def same_everywhere(cluster: Cluster, world: World) -> None:
    """Everybody ends with the same game, and with the same time left within a second."""
    for table in world.tables:
        states = []
        for guest in world_guests(world):
            async with guest.at(table) as chair:
                states.append(chair.state)
        for state in states[1:]:
            assert state["view"] == states[0]["view"] and state["entries"] == states[0]["entries"], f"{table} differs"
            assert state["outcome"] == states[0]["outcome"]
            if state["clock"]:
                pairs = zip(state["clock"]["left"], states[0]["clock"]["left"], strict=True)
                assert all(abs(one - other) < 1.0 for one, other in pairs), f"{table}: {state['clock']} {states[0]['clock']}"


def world_guests(world: World) -> list[Guest]:
    return [Guest(url, "Dora") for url in world.urls]


async def harmed(cluster: Cluster, kills: int, rng: random.Random) -> dict[str, object]:
    await ready(cluster)
    world = World([part.url for part in cluster.nodes], rng, tables=4)
    watching = asyncio.create_task(watch_pulse(cluster, world))
    playing = asyncio.create_task(world.run())
    harming = asyncio.create_task(harm(cluster, world, kills, rng))
    await asyncio.wait({playing, harming}, return_when=asyncio.FIRST_COMPLETED)
    if playing.done():
        harming.cancel()
        playing.result()
    done = harming.result()
    world.is_over = True
    await asyncio.wait_for(playing, 60)
    await ready(cluster)
    await same_everywhere(cluster, world)
    watching.cancel()
    found = await asyncio.to_thread(check, world.history, cluster.database)
    return {"harm": done, **found, "refused": dict(world.history.refused)}


def test_nobody_is_told_what_is_not_so(tmp_path: Path, nursery: Nursery, valkey: Valkey) -> None:
    number = seed()
    print(f"SEED={number} KILLS={KILLS}")
    cluster = Cluster(tmp_path, nursery, valkey, **QUICK)
    try:
        print(run(harmed(cluster, KILLS, random.Random(number))))
        print(log_tails(cluster))
    except BaseException:
        print(log_tails(cluster))
        raise
    finally:
        cluster.close()
