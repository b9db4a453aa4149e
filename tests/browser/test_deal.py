"""The browser's part in a deal: it seals and opens a nonce, keeps what it saw, and computes the deal anew."""

import json
import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, WebSocketRoute, expect

from cabochon.server.app import create_app
from cabochon.server.settings import Settings, Sources
from tests.browser.robot import Robot
from tests.browser.staged import SETTINGS
from tests.server.process import Guest, ServerProcess, run, running
from tests.support.serving import Clock

pytestmark = pytest.mark.slow
Visit = Callable[..., BrowserContext]
NO_SUBTLE = "Object.defineProperty(Crypto.prototype, 'subtle', { get: () => undefined })"  # as on a plain http page in a network
BLOCKED = "Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked') }, configurable: true })"


def table_of(context: BrowserContext, table: str) -> dict[str, Any]:
    found: dict[str, Any] = context.request.get(f"/api/tables/{table}").json()
    return found


def has_begun(page: Page) -> None:
    """The server waits for seals and for nonces, for `deal_seconds` at most."""
    expect(page.get_by_test_id("stage")).to_have_attribute("data-status", "running", timeout=40_000)


def refuse_seals(page: Page) -> None:
    """A server that takes no seal from this page."""

    def connect(route: WebSocketRoute) -> None:
        server = route.connect_to_server()

        def forward(text: str | bytes) -> None:
            said = json.loads(text)
            if "seal" == said["type"]:
                refusal = {"type": "refused", "id": said["id"], "reason": "no", "code": "failed", "facts": {}}
                route.send(json.dumps(refusal))
            else:
                server.send(text)

        route.on_message(forward)

    page.route_web_socket("**/socket**", connect)


def nothing() -> None:
    """Do nothing."""


def with_friends(
    visit: Visit, url: str, *, seals: int = 2, stop_waiting: Callable[[], None] = nothing
) -> tuple[str, Robot, Robot]:
    """Anna and Ben, who has no crypto.subtle, at a short game that has begun. With one seal only, Anna's is refused."""
    anna, ben = visit(), visit()
    ben.add_init_script(NO_SUBTLE)
    pages = [anna.new_page(), ben.new_page()]
    if seals < len(pages):
        refuse_seals(pages[0])
    for context in (anna, ben):
        context.request.get("/api/me")
    options = {"house": {"goal": 1}, "players": 2}
    table = str(anna.request.post("/api/tables", data=options, headers={"Origin": url}).json()["id"])
    for page in pages:
        page.goto(f"/t/{table}")
    pages[1].get_by_test_id("sit-1").click()
    until(pages[0], table, lambda deal: seals == sum(seal is not None for seal in deal["seals"]))
    pages[0].get_by_test_id("start").click()
    if seals < len(pages):
        until(pages[0], table, lambda deal: deal["phase"] == "sealing")
        stop_waiting()
    for page in pages:
        has_begun(page)
    return table, Robot(pages[0], "Anna", 1), Robot(pages[1], "Ben", 2)


async def play_out(url: str, table: str, cookies: list[Any]) -> None:
    """The same people at other sockets play to the end, faster than by clicking."""
    rng = random.Random(1)
    async with AsyncExitStack() as stack:
        guests = [Guest(url, "") for _ in cookies]
        for guest, (cookie,) in zip(guests, cookies, strict=True):
            guest.http.cookies.set(cookie["name"], cookie["value"])
        chairs = [await stack.enter_async_context(guest.at(table)) for guest in guests]
        while not chairs[0].is_over:
            chair = chairs[chairs[0].state["view"]["turn"]]
            while not chair.is_my_turn:
                await chair.next_state()
            legal = chair.state["choices"]["legal"]
            await chair.play(next((text for text in legal if text.startswith("buy")), rng.choice(legal)))
            for other in chairs:
                while other.state["number"] < chair.state["number"]:
                    await other.next_state()


def until(page: Page, table: str, is_so: Callable[[dict[str, Any]], bool]) -> None:
    """Ask for the deal of a table until it is as wanted."""
    for _ in range(400):
        if is_so(table_of(page.context, table)["deal"]):
            return
        page.wait_for_timeout(50)
    raise AssertionError("this never came")


def verified(page: Page, table: str, result: str) -> None:
    page.goto(f"/verify/{table}")
    expect(page.get_by_test_id("verify")).to_have_attribute("data-result", result)


def lying(change: Callable[[dict[str, Any]], None]) -> Callable[[Route], None]:
    """A server that reveals something else."""

    def answer(route: Route) -> None:
        told = route.fetch().json()
        change(told)
        route.fulfill(json=told)

    return answer


def exchange_secret(told: dict[str, Any]) -> None:
    told["secret"] = "ee" * 32


def exchange_commitment(told: dict[str, Any]) -> None:
    told["commitment"] = "ee" * 32


def exchange_cards(told: dict[str, Any]) -> None:
    head, moves = told["record"].split("\n\n", 1)
    lines = [
        line if not line.startswith("deck 1: ") else "deck 1: " + ", ".join(line[8:].split(", ")[::-1])
        for line in head.split("\n")
    ]
    told["record"] = "\n".join(lines) + "\n\n" + moves


def leave_out(told: dict[str, Any]) -> None:
    told["nonces"][0] = None


def test_two_browsers_deal_check_and_deal_again(visit: Visit, server: ServerProcess) -> None:
    table, anna, ben = with_friends(visit, server.url)
    deal = table_of(anna.page.context, table)["deal"]
    assert None not in deal["seals"] and None not in deal["nonces"]
    run(play_out(server.url, table, [anna.page.context.cookies(), ben.page.context.cookies()]))
    for robot in (anna, ben):
        expect(robot.by("end")).to_be_visible()

    for robot in (anna, ben):
        robot.by("rematch").click()
    anna.page.wait_for_url(lambda url: table not in url)
    new = anna.page.url.rsplit("/", 1)[1]
    has_begun(anna.page)
    assert None not in table_of(anna.page.context, new)["deal"]["nonces"], "both took part again"

    for robot in (anna, ben):
        verified(robot.page, table, "good")
        expect(robot.page.locator("tr[data-fits=true]")).to_have_count(5)
        expect(robot.page.get_by_test_id("seen")).to_contain_text(table_of(anna.page.context, table)["commitment"])
    stranger = visit().new_page()
    verified(stranger, table, "good")
    expect(stranger.locator("tr[data-fits=true]")).to_have_count(3)

    for change in (exchange_secret, exchange_commitment, exchange_cards):
        anna.page.route("**/reveal", lying(change))
        verified(anna.page, table, "bad")
        anna.page.unroute("**/reveal")
    anna.page.route("**/reveal", lying(leave_out))
    verified(anna.page, table, "bad")
    expect(anna.page.get_by_test_id("left-out")).to_be_visible()
    anna.page.unroute("**/reveal")

    kept = json.dumps({"commitment": "ee" * 32, "nonces": {}, "seals": None})
    anna.page.evaluate("([key, value]) => localStorage.setItem(key, value)", [f"cabochon.deal.{table}", kept])
    verified(anna.page, table, "bad")
    anna.page.goto(f"/t/{table}")
    expect(anna.by("deal-exchanged")).to_be_visible()


def test_a_browser_whose_seal_was_refused_says_so(visit: Visit, tmp_path: Path) -> None:
    clock = Clock()
    settings = Settings(database=f"sqlite:///{tmp_path}/tables.db", **SETTINGS)  # type: ignore[arg-type]
    with running(create_app(settings, Sources(clock=clock, playing=clock))) as url:
        at_this_server = partial(visit, base_url=url)
        late = partial(clock.pass_by, settings.deal_seconds)
        table, anna, ben = with_friends(at_this_server, url, seals=1, stop_waiting=late)
        expect(anna.page.get_by_text("random number is not in the shuffle")).to_be_visible()
        run(play_out(url, table, [anna.page.context.cookies(), ben.page.context.cookies()]))
        for robot, left_out in ((anna, 1), (ben, 0)):
            expect(robot.by("end")).to_be_visible()
            verified(robot.page, table, "good")
            expect(robot.by("unsealed-0")).to_be_visible()
            expect(robot.by("unsealed-1")).to_have_count(0)
            expect(robot.by("left-out")).to_have_count(left_out)


@pytest.mark.parametrize("script", ["", BLOCKED], ids=["storage", "no storage"])
def test_a_game_against_a_bot_is_dealt_with_the_browser(visit: Visit, script: str) -> None:
    context = visit()
    if script:
        context.add_init_script(script)
    page = context.new_page()
    page.goto("/")
    page.get_by_test_id("play-bot").click()
    page.get_by_test_id("create").click()
    expect(page.get_by_test_id("turn-line")).to_be_visible()
    deal = table_of(context, page.url.rsplit("/", 1)[1])["deal"]
    assert "dealt" == deal["phase"] and deal["seals"][0] and deal["nonces"][0]
