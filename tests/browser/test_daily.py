"""The deal of the day in two browsers, a duel, and one's own games: export, import, another device. axe finds nothing."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, expect

from cabochon import Game, format_record
from cabochon.server.app import create_app
from cabochon.server.commitment import DealInputs
from cabochon.server.messages import HouseRules, TableOptions
from cabochon.server.settings import Settings, Sources, deal
from tests.browser.robot import Robot
from tests.browser.staged import SETTINGS
from tests.browser.test_access import AXE, check
from tests.browser.test_whole_game import MAY_DECIDE
from tests.server.process import running
from tests.support.golden import FOLDER

pytestmark = pytest.mark.slow
MONDAY = datetime(2026, 11, 16, 12, tzinfo=UTC).timestamp()
SHORT_GOAL = 1
MOST_DECISIONS = 100


def short(options: TableOptions, inputs: DealInputs) -> Game:
    """The true deal, played to its first point."""
    return deal(options.model_copy(update={"house": HouseRules(goal=SHORT_GOAL)}), inputs)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("daily")
    settings = Settings(database=f"sqlite:///{folder}/tables.db", **{**SETTINGS, "bot_delay": 0.0, "max_moves_per_second": 1000})  # type: ignore[arg-type]
    with running(create_app(settings, Sources(clock=lambda: MONDAY, deal=short))) as address:
        yield address


@pytest.fixture(scope="module")
def people(browser: Browser, url: str) -> Iterator[list[BrowserContext]]:
    """Anna at a desk and Ben with a phone."""
    sizes = ({"width": 1280, "height": 800}, {"width": 390, "height": 844})
    found = [browser.new_context(base_url=url, viewport=size, reduced_motion="reduce", locale="en") for size in sizes]  # type: ignore[arg-type]
    for context, name in zip(found, ("Anna", "Ben"), strict=True):
        context.request.get("/api/me")
        assert context.request.put("/api/me", data={"name": name}, headers={"Origin": url}).ok
    yield found
    for context in found:
        context.close()


def play_to_the_end(page: Page) -> str:
    """Play by clicks that follow from the position; the table."""
    page.wait_for_url("**/t/*")
    robot = Robot(page, "somebody", seed=3)
    for _ in range(MOST_DECISIONS):
        page.wait_for_function(MAY_DECIDE)
        if robot.is_over:
            break
        robot.decide()
    expect(page.get_by_test_id("end")).to_be_visible()
    return page.url.rpartition("/")[2]


def moves(context: BrowserContext, table: str) -> list[str]:
    return str(context.request.get(f"/api/tables/{table}/record").text()).partition("\n\n")[2].split("\n")


def with_axe(page: Page, name: str) -> None:
    page.evaluate(AXE.read_text())
    check(page, name)


def test_two_browsers_play_the_deal_of_the_day(people: list[BrowserContext]) -> None:
    tables = []
    for context in people:
        page = context.new_page()
        page.goto("/")
        page.get_by_test_id("to-daily").click()
        expect(page.get_by_text("The table of the day is shown after your own try.")).to_be_visible()
        page.get_by_test_id("play-day").click()
        expect(page.locator("[data-stage='main']")).to_be_visible()
        assert 0 == page.get_by_test_id("hint-button").count()
        tables.append(play_to_the_end(page))
        page.get_by_test_id("to-shared").click()
        expect(page.get_by_test_id("own-score")).to_be_visible()
    assert moves(people[0], tables[0]) == moves(people[1], tables[1])
    expect(page.get_by_test_id("own-place")).to_contain_text("Ben")
    expect(page.locator("tbody tr", has_text="Anna")).to_contain_text("1")
    assert "November 16, 2026" in page.get_by_test_id("line").inner_text()
    expect(page.get_by_test_id("bars").locator("rect.lost, rect.won")).not_to_have_count(0)
    with_axe(page, "the deal of the day")
    page.goto(f"/verify/{tables[1]}")
    expect(page.get_by_test_id("verify")).to_have_attribute("data-result", "good")
    page.get_by_test_id("shared").wait_for()
    page.close()


def test_a_duel_shows_the_other_after_the_own_end(people: list[BrowserContext]) -> None:
    anna, ben = (context.new_page() for context in people)
    anna.goto("/daily/classic")
    anna.get_by_test_id("duel-bot").select_option("apprentice")
    anna.get_by_test_id("make-duel").click()
    link = anna.get_by_test_id("link").inner_text()
    ben.goto("/duel/" + link.rpartition("/")[2])
    ben.get_by_test_id("play-duel").click()
    other = play_to_the_end(ben)
    ben.get_by_test_id("to-shared").click()
    expect(ben.get_by_test_id("side-0")).to_contain_text("has not begun")
    anna.reload()
    expect(anna.get_by_test_id("side-1")).to_have_text("Ben has finished")
    assert 403 == people[0].request.get(f"/api/tables/{other}/replay").status
    anna.get_by_test_id("play-duel").click()
    play_to_the_end(anna)
    anna.get_by_test_id("to-shared").click()
    expect(anna.get_by_test_id("better")).to_have_text("You did equally well")
    with_axe(anna, "a duel")
    anna.close()
    ben.close()


def upload(page: Page, *files: tuple[str, bytes]) -> None:
    page.get_by_test_id("import").set_input_files(
        [FilePayload(name=name, mimeType="application/octet-stream", buffer=content) for name, content in files]
    )


def test_games_are_exported_imported_and_taken_to_another_device(
    browser: Browser, url: str, people: list[BrowserContext], tmp_path: Path
) -> None:
    page = people[0].new_page()
    page.goto("/")
    page.get_by_test_id("to-games").click()
    expect(page.get_by_test_id("list").locator("li")).to_have_count(2)
    page.get_by_test_id("filter-opponent").select_option("apprentice")
    expect(page.get_by_test_id("list").locator("li")).to_have_count(1)
    page.get_by_test_id("by-opponent").check(force=True)
    expect(page.get_by_test_id("groups")).to_contain_text("Apprentice")
    with page.expect_download() as download:
        page.get_by_test_id("export").click()
    file = tmp_path / "games.zip"
    download.value.save_as(file)

    elsewhere = browser.new_context(base_url=url, viewport={"width": 390, "height": 844}, reduced_motion="reduce", locale="en")
    phone = elsewhere.new_page()
    phone.goto("/games")
    expect(phone.get_by_text("No finished game yet.")).to_be_visible()
    upload(phone, ("games.zip", file.read_bytes()))
    expect(phone.get_by_test_id("imported")).to_have_text("2 games added.")
    expect(phone.get_by_test_id("list").locator("li")).to_have_count(2)
    good = format_record(Game.from_record((FOLDER / "classic-2-players.game").read_text()).record())
    upload(phone, ("one.game", good.encode()), ("two.game", good.replace("\ntake ", "\ntake rrr,", 1).encode()))
    expect(phone.get_by_test_id("imported")).to_contain_text("1 game added.")
    expect(phone.get_by_test_id("imported")).to_contain_text("2: the record is broken in line")
    expect(phone.get_by_test_id("list").locator("li")).to_have_count(3)
    upload(phone, ("foreign.txt", b"1. e4 e5"))
    expect(phone.get_by_test_id("imported")).to_contain_text("this is not a record of cabochon")
    upload(phone, ("large.game", b" " * 1_000_001))
    expect(phone.get_by_test_id("problem")).to_contain_text("too large")
    with_axe(phone, "my games")
    become(page, phone)
    elsewhere.close()
    page.close()


def become(page: Page, phone: Page) -> None:
    """The link makes the phone the same player, if its reader agrees."""
    page.get_by_test_id("show-link").click()
    link = page.get_by_test_id("device-link").inner_text()
    phone.goto("about:blank")
    phone.goto("/games#" + link.partition("#")[2])
    phone.wait_for_function("() => location.hash === ''")
    phone.get_by_test_id("agree").click()
    expect(phone.get_by_test_id("become")).to_have_count(0)
    expect(phone.get_by_test_id("list").locator("li")).to_have_count(2)
