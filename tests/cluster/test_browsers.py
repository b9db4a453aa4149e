"""Two people in real browsers at two nodes, and a bot at a worker: each part is killed with -9 on the way, and they play on."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser

from tests.browser.robot import Robot
from tests.browser.test_whole_game import join, play_to_the_end
from tests.cluster.parts import Cluster, Part, log_tails
from tests.cluster.test_harm import QUICK
from tests.server.process import Nursery
from tests.support.valkey import Valkey

READY_SECONDS = 60.0


def wait_for(part: Part) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while True:
        try:
            if httpx.get(f"{part.url}/api/ready", timeout=5, verify=False).is_success:
                return
        except httpx.HTTPError:
            pass
        assert time.monotonic() < deadline, f"{part.url} is not ready"
        time.sleep(0.1)


def restart(*parts: Part) -> None:
    for part in parts:
        part.kill()
        part.start()
        if not part.is_worker:
            wait_for(part)


def restart_valkey(valkey: Valkey) -> None:
    valkey.kill()
    valkey.start()


def restart_postgres(cluster: Cluster) -> None:
    """Until the nodes have it again: before, a move is refused with the words that it can be tried again."""
    cluster.kill_postgres()
    cluster.postgres.start()
    for part in cluster.nodes:
        wait_for(part)


def play(browser: Browser, cluster: Cluster) -> None:
    for part in cluster.nodes:
        wait_for(part)
    first, second = (part.url for part in cluster.nodes)
    contexts = [browser.new_context(base_url=url, reduced_motion="reduce", locale="en") for url in (first, second, second)]
    anna_context, ben_context, watcher_context = contexts
    anna_context.request.get("/api/me")
    options = {"variant": "classic", "players": 3, "bots": ["greedy"], "house": {"goal": 8}}
    table = anna_context.request.post("/api/tables", data=options, headers={"Origin": first}).json()["id"]
    anna = Robot(join(anna_context, "Anna", f"/t/{table}"), "Anna", 1)
    ben = Robot(join(ben_context, "Ben", f"/t/{table}"), "Ben", 2)
    ben.by("sit-1").click()
    anna.by("start").click()
    watcher = Robot(join(watcher_context, "Wanda", f"/t/{table}"), "Wanda")
    problems: list[str] = []
    for robot in (anna, ben, watcher):
        robot.page.on("pageerror", lambda error: problems.append(str(error)))
    happenings: dict[int, Callable[[], Any]] = {
        2: lambda: restart(cluster.nodes[0]),
        4: lambda: restart(*cluster.workers),
        6: lambda: restart_valkey(cluster.valkey),
        8: lambda: restart_postgres(cluster),
        10: lambda: restart(cluster.nodes[1]),
    }
    assert play_to_the_end([anna, ben], happenings) > max(happenings), "everything has happened"
    number = anna.number
    for robot in (anna, ben, watcher):
        robot.wait_for_number(number)
        assert robot.is_over and number == robot.number
    assert [] == problems
    for context in contexts:
        context.close()


def test_people_in_browsers_play_on(browser: Browser, tmp_path: Path, nursery: Nursery, valkey: Valkey) -> None:
    cluster = Cluster(tmp_path, nursery, valkey, **QUICK)
    try:
        play(browser, cluster)
    except BaseException:
        print(log_tails(cluster))
        raise
    finally:
        cluster.close()
