"""Two people and a bot play a whole game by clicking; a reload, a cut socket, kill -9 and a spectator on the way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from cabochon.rules.variants import VARIANTS
from tests.browser.cable import Cable
from tests.browser.conftest import QUICK
from tests.browser.robot import Robot
from tests.server.process import ForkedServer, Nursery, ServerProcess

MOST_DECISIONS = 400
MAX_LOOKS = 1200  # a minute and more: a part of a cluster may have to start again meanwhile
RELOAD_AT, CUT_AT, KILL_AT, WATCH_AT = 12, 20, 30, 40
VIEWPORTS = ({"width": 1280, "height": 800}, {"width": 390, "height": 844}, {"width": 1280, "height": 800})

MAY_DECIDE = """() => {
    const { stage, turn, seat } = document.querySelector('[data-stage]')?.dataset ?? {}
    return stage === 'over' || ['main', 'return', 'claim'].includes(stage) && turn === seat
}"""


def join(context: BrowserContext, name: str, path: str) -> Page:
    context.request.get("/api/me")
    assert context.request.put("/api/me", data={"name": name}).ok
    page = context.new_page()
    page.goto(path)
    return page


@pytest.fixture
def own_server(nursery: Nursery, tmp_path: Path) -> Any:
    running = ForkedServer(nursery, tmp_path, **{**QUICK, "bot_workers": 0}).start()  # its bot does not search
    yield running
    running.stop()


def guests(browser: Browser, server: ServerProcess) -> list[BrowserContext]:
    return [
        browser.new_context(base_url=server.url, viewport=viewport, reduced_motion="reduce", locale="en")  # type: ignore[arg-type]
        for viewport in VIEWPORTS
    ]


@pytest.mark.slow
@pytest.mark.parametrize("variant", list(VARIANTS))
def test_two_people_and_a_bot_play_a_whole_game(browser: Browser, own_server: ServerProcess, variant: str) -> None:
    contexts = guests(browser, own_server)
    anna_context, ben_context, watcher_context = contexts
    anna_context.request.get("/api/me")
    origin = {"Origin": own_server.url}
    options = {"variant": variant, "players": 3, "bots": ["greedy"]}
    table = anna_context.request.post("/api/tables", data=options, headers=origin).json()["id"]
    anna = Robot(join(anna_context, "Anna", f"/t/{table}"), "Anna", 1)
    ben_page = ben_context.new_page()
    cable = Cable(ben_page)
    ben_context.request.get("/api/me")
    ben_page.goto(f"/t/{table}")
    ben = Robot(ben_page, "Ben", 2)
    ben.by("sit-1").click()
    anna.by("start").click()
    problems: list[str] = []
    for context in contexts:
        context.on("weberror", lambda found: problems.append(str(found.error)))
    watchers: list[Robot] = []
    happenings: dict[int, Callable[[], Any]] = {
        RELOAD_AT: anna.page.reload,
        CUT_AT: cable.cut,
        KILL_AT: own_server.restart,
        WATCH_AT: lambda: watchers.append(Robot(join(watcher_context, "Wanda", f"/t/{table}"), "Wanda")),
    }
    decisions = play_to_the_end([anna, ben], happenings)
    assert decisions > WATCH_AT, "everything has happened"
    number = anna.number
    for robot in (anna, ben, *watchers):
        robot.wait_for_number(number)
        assert robot.is_over
        assert number == robot.number
    assert [] == problems
    for context in contexts:
        context.close()


def play_to_the_end(robots: list[Robot], happenings: dict[int, Callable[[], Any]]) -> int:
    """Whoever is to decide clicks; things happen on the way. How many decisions the people made."""
    waiting = dict(happenings)
    for decisions in range(MOST_DECISIONS):
        if decisions in waiting:
            waiting.pop(decisions)()
        robot = next_to_decide(robots)
        if robot is None:
            assert not waiting
            return decisions
        robot.decide()
    raise AssertionError("the game does not end")


def next_to_decide(robots: list[Robot]) -> Robot | None:
    """Wait until one of the people is to decide (its robot) or the game is over (None)."""
    for _ in range(MAX_LOOKS):
        for robot in robots:
            if robot.page.evaluate(MAY_DECIDE):
                return None if robot.is_over else robot
        robots[0].page.wait_for_timeout(50)
    raise AssertionError("nobody is to decide")
