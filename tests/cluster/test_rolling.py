"""A rolling restart: every node is stopped with SIGTERM and started again while people play. No move is refused, none is lost."""

import asyncio
import random
from pathlib import Path

from tests.cluster.history import check, pulse
from tests.cluster.parts import Cluster, log_tails
from tests.cluster.people import World
from tests.cluster.test_harm import QUICK, ready, same_everywhere
from tests.server.process import Nursery, run
from tests.support.valkey import Valkey

ROUNDS = 2
OF_ANOTHER_DEVICE = {"gone_on", "not_your_turn", "over"}  # the seat's other device was quicker


async def rolled(cluster: Cluster) -> dict[str, int]:
    await ready(cluster)
    world = World([part.url for part in cluster.nodes], random.Random(1), tables=4)
    playing = asyncio.create_task(world.run())
    while len(world.tables) < world.wanted:
        await asyncio.sleep(0.1)
    for _ in range(ROUNDS):
        for part in cluster.parts:
            before = world.progress()
            await asyncio.to_thread(part.stop)
            assert not part.is_alive, "it stopped by itself"
            part.start()
            await ready(cluster)
            while len(world.progress().items() - before.items()) < world.wanted:
                await asyncio.sleep(0.1)
    world.is_over = True
    await asyncio.wait_for(playing, 60)
    world.history.pulses.append(await asyncio.to_thread(pulse, cluster.database))
    await same_everywhere(cluster, world)
    assert set(world.history.refused) <= OF_ANOTHER_DEVICE, dict(world.history.refused)
    return await asyncio.to_thread(check, world.history, cluster.database)


def test_no_move_is_refused_in_a_rolling_restart(tmp_path: Path, nursery: Nursery, valkey: Valkey) -> None:
    cluster = Cluster(tmp_path, nursery, valkey, **QUICK)
    try:
        found = run(rolled(cluster))
        assert found["acknowledged"] > 0 and found["lines"] > found["acknowledged"] // 2
    except BaseException:
        print(log_tails(cluster))
        raise
    finally:
        cluster.close()
