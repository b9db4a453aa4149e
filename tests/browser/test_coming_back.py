"""Whoever was cut off, too slow or away comes back to their seat, and to what they had half done."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from cabochon.server.app import create_app
from cabochon.server.settings import Settings, Sources
from tests.browser.cable import Cable
from tests.browser.robot import Robot
from tests.browser.staged import SETTINGS
from tests.server.process import running
from tests.support.serving import Clock

pytestmark = pytest.mark.slow
SECONDS = 60


@dataclass
class House:
    """A server whose clock goes on when it is told to."""

    browser: Browser
    url: str
    clock: Clock
    contexts: list[BrowserContext]

    def guest(self) -> BrowserContext:
        context = self.browser.new_context(base_url=self.url, reduced_motion="reduce", locale="en")
        context.request.get("/api/me")
        self.contexts.append(context)
        return context

    def table(self, players: int, **options: Any) -> list[Robot]:
        """People at a table, the first of them to decide."""
        guests = [self.guest() for _ in range(players)]
        said = {"players": players, "start": "host", **options}
        table = guests[0].request.post("/api/tables", data=said, headers={"Origin": self.url}).json()["id"]
        robots = [Robot(open_page(guest, f"/t/{table}"), f"player {seat}") for seat, guest in enumerate(guests)]
        for seat, robot in enumerate(robots[1:], 1):
            robot.by(f"sit-{seat}").click()
            expect(robots[0].by(f"seat-{seat}").locator("b")).to_be_visible()
        robots[0].by("start").click()
        expect(robots[0].page.locator(".bar.mine")).to_be_visible()
        return robots


def open_page(guest: BrowserContext, path: str) -> Page:
    page = guest.new_page()
    page.goto(path)
    return page


@pytest.fixture
def house(browser: Browser, tmp_path: Path) -> Iterator[House]:
    clock = Clock()
    settings = Settings(database=f"sqlite:///{tmp_path}/tables.db", **SETTINGS)  # type: ignore[arg-type]
    with running(create_app(settings, Sources(clock=clock, playing=clock))) as url:
        here = House(browser, url, clock, [])
        yield here
        for context in here.contexts:
            context.close()


def test_a_half_made_choice_survives_a_cut_socket(house: House) -> None:
    guest = house.guest()
    said = {"players": 2, "bots": ["greedy"], "start": "host"}
    table = guest.request.post("/api/tables", data=said, headers={"Origin": house.url}).json()["id"]
    page = guest.new_page()
    cable = Cable(page)
    page.goto(f"/t/{table}")
    robot = Robot(page, "Anna")
    robot.by("bank-w").click()
    robot.by("bank-u").click()
    cable.cut()
    page.wait_for_selector("[data-connection='lost']")
    page.wait_for_selector("[data-connection='open']")
    assert 2 == len(cable.routes), "it has connected again by itself"
    expect(robot.by("picked-w")).to_be_visible()
    expect(robot.by("picked-u")).to_be_visible()
    robot.by("bank-g").click()
    robot.by("confirm").click()
    robot.wait_for_number(1)


def test_whoever_runs_out_of_time_is_replaced_and_comes_back(house: House) -> None:
    anna, ben = house.table(2, clock={"kind": "move", "seconds": SECONDS})
    house.clock.pass_by(SECONDS + 1)
    expect(anna.by("back")).to_be_visible()
    ben.wait_for_number(2)  # the clock, and the bot's move
    anna.by("back").click()
    expect(anna.by("back")).to_have_count(0)
    ben.wait_for_number(3)
    ben.decide()
    anna.wait_for_number(4)
    anna.decide()
    ben.wait_for_number(5)


def test_somebody_who_is_away_is_replaced_by_vote_and_comes_back(house: House) -> None:
    anna, ben, cleo = house.table(3)
    address, context = cleo.page.url, cleo.page.context
    cleo.page.close()
    away = anna.by("seat-2")
    expect(away).to_contain_text("away")
    house.clock.pass_by(SECONDS)
    away.get_by_role("button").click()
    anna.by("replace").click()
    ben.by("ask-yes").click()
    ben.wait_for_number(1)
    expect(anna.by("ask")).to_have_count(0)
    anna.page.keyboard.press("Escape")
    anna.decide()
    ben.decide()
    anna.wait_for_number(4)  # the vote, two moves, and the bot's for Cleo
    cleo = Robot(open_page(context, address), "Cleo")
    cleo.by("back").click()
    anna.wait_for_number(5)
    anna.decide()
    ben.decide()
    expect(cleo.page.locator(".bar.mine")).to_be_visible()
    cleo.decide()
    anna.wait_for_number(8)
