"""The analysis board in a browser: an edited position, the engine's moves, a study by its link, a game from a position."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from cabochon import Game
from cabochon.notation.record import format_record
from tests.browser.robot import ANSWER_MS
from tests.browser.test_access import AXE, MODES, RULES, WIDTHS, problems
from tests.server.process import ServerProcess

pytestmark = pytest.mark.slow
COMPILING_MS = 120_000


def guest(browser: Browser, server: ServerProcess) -> BrowserContext:
    size = {"width": 1280, "height": 800}
    return browser.new_context(base_url=server.url, viewport=size, reduced_motion="reduce", locale="en")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def page(browser: Browser, server: ServerProcess) -> Iterator[Page]:
    """A board with a new deal, analysed."""
    context = guest(browser, server)
    opened = context.new_page()
    opened.goto("/analysis")
    found(opened)
    yield opened
    context.close()


def found(page: Page) -> None:
    expect(page.get_by_test_id("best-1")).to_be_visible(timeout=COMPILING_MS)


def depth(page: Page, n: int) -> None:
    expect(page.get_by_test_id("study")).to_have_attribute("data-depth", str(n), timeout=ANSWER_MS)


def fits(page: Page) -> bool:
    return bool(0 == page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def test_moves_are_played_a_variation_is_kept_and_the_link_brings_it_back(page: Page) -> None:
    expect(page.get_by_test_id("arrows")).not_to_have_attribute("data-count", "0")
    page.get_by_test_id("card-1a").click()
    page.get_by_test_id("reserve").click()
    picker = page.get_by_test_id("card-picker")
    expect(picker).to_be_visible()
    card = picker.locator("[data-testid^='pick-']").first
    number = (card.get_attribute("data-testid") or "").removeprefix("pick-")
    card.click()
    depth(page, 1)
    expect(page.get_by_test_id("card-1a")).to_have_attribute("data-card", number)
    page.get_by_test_id("note").fill("a good card")
    page.get_by_test_id("study-previous").click()
    depth(page, 0)
    for letter in "wug":
        page.get_by_test_id(f"bank-{letter}").click()
    page.get_by_test_id("confirm").click()
    depth(page, 1)
    expect(page.get_by_test_id("moment")).to_have_count(2)
    expect(page.get_by_test_id("share-study")).to_be_visible()
    expect(page.get_by_test_id("study")).to_have_attribute("data-saved", "true")
    page.reload()
    expect(page.get_by_test_id("moment")).to_have_count(2, timeout=COMPILING_MS)
    expect(page.get_by_test_id("moves")).to_contain_text("a good card")
    depth(page, 1)
    page.keyboard.press("ArrowLeft")
    depth(page, 0)


def test_the_board_is_for_everybody(page: Page) -> None:
    """Axe finds nothing serious, and nothing scrolls sideways: on the board and in the editor."""
    found(page)
    page.evaluate(AXE.read_text())
    for screen in ("board", "editor"):
        for wide, high in WIDTHS.values():
            page.set_viewport_size({"width": wide, "height": high})
            for mode in MODES:
                page.emulate_media(color_scheme=mode)
                assert [] == problems(page, RULES[mode]), f"{screen}, {wide} px, {mode}"
            assert fits(page), f"{screen}, {wide} px"
        page.set_viewport_size({"width": 1280, "height": 800})
        page.emulate_media(color_scheme="light")
        if screen == "board":
            page.get_by_test_id("edit").click()
            expect(page.get_by_test_id("editor")).to_be_visible()
    page.get_by_test_id("cancel-edit").click()


def test_an_impossible_step_is_explained_the_position_analysed_and_played_from(page: Page) -> None:
    page.get_by_test_id("edit").click()
    verdict = page.get_by_test_id("verdict")
    expect(verdict).to_contain_text("possible", timeout=ANSWER_MS)
    for _ in range(5):
        page.get_by_test_id("more-0-r").click()
    expect(verdict).to_contain_text("Too many tokens, Ruby: 5, and the game has 4", timeout=ANSWER_MS)
    expect(page.get_by_test_id("use")).to_be_disabled()
    page.get_by_test_id("less-0-r").click()
    page.get_by_test_id("more-0-w").click()
    expect(verdict).to_contain_text("possible", timeout=ANSWER_MS)
    page.get_by_test_id("use").click()
    found(page)
    expect(page.get_by_test_id("bank-r")).to_have_attribute("data-count", "0")
    page.get_by_test_id("play-from-here").click()
    page.get_by_test_id("level-greedy").check(force=True)
    page.get_by_test_id("from-here-play").click()
    expect(page.get_by_test_id("stage")).to_have_attribute("data-stage", "main", timeout=ANSWER_MS)
    expect(page.get_by_test_id("bank-r")).to_have_attribute("data-count", "0")


def test_a_record_is_opened_from_a_file_and_the_editor_has_house_rules_and_the_end(page: Page) -> None:
    page.goto("/analysis")
    found(page)
    page.get_by_test_id("paste").click()
    file = page.get_by_test_id("open-file")
    record = format_record(Game("classic", 2, seed=5, start=0, moves="take wug; reserve 1?; reserve 2b").record(("Anna", "Ben")))
    broken = record.replace("take wug", "steal wug")
    file.set_input_files({"name": "broken.game", "mimeType": "text/plain", "buffer": broken.encode()})
    expect(page.get_by_test_id("paste-problem")).to_contain_text("line")
    file.set_input_files({"name": "game.game", "mimeType": "text/plain", "buffer": record.encode()})
    depth(page, 3)
    expect(page.get_by_test_id("moves")).to_contain_text("Anna")
    page.get_by_test_id("edit").click()
    page.get_by_test_id("edit-stage-over").check(force=True)
    expect(page.get_by_test_id("verdict")).to_contain_text("Nobody passes while there are tokens to take")
    page.get_by_test_id("edit-stage-main").check(force=True)
    page.get_by_test_id("edit-house").locator("summary").click()
    page.get_by_test_id("goal").fill("21")
    expect(page.get_by_test_id("verdict")).to_contain_text("possible")
    page.get_by_test_id("use").click()
    expect(page.locator(".board")).to_contain_text("21")


def test_what_is_no_position_gets_an_answer(browser: Browser, server: ServerProcess) -> None:
    context = guest(browser, server)
    page = context.new_page()
    page.goto("/analysis?position=rnbqkbnr/pppppppp")
    expect(page.get_by_test_id("analysis-problem")).to_contain_text("This is not a position")
    page.goto("/analysis#nonsense")
    page.reload()
    expect(page.get_by_test_id("analysis-problem")).to_contain_text("This link holds no study")
    context.close()
