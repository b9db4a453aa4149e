"""A hint is asked for, looked at and followed, by mouse and by keyboard."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from cabochon import Game
from tests.browser.robot import ANSWER_MS, Robot
from tests.browser.staged import Stage, stage
from tests.browser.test_access import AXE, MODES, RULES, WIDTHS, guest, problems
from tests.support.positions import position

pytestmark = pytest.mark.slow
COMPILING_MS = 120_000


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("staged"), bot_deadline=COMPILING_MS / 1000.0) as running:
        yield running


def sit_down(browser: Browser, staged: Stage, game: Game, width: str = "wide") -> Robot:
    context = guest(browser, staged, "light", width)
    page = context.new_page()
    page.goto(staged.set_table(context, game))
    expect(page.get_by_test_id("hint-button")).to_be_visible(timeout=ANSWER_MS)
    return Robot(page, "Anna")


def hinted(page: Page) -> int:
    """Wait for the hint, up to three moves with their chances; how many."""
    expect(page.get_by_test_id("hint")).to_be_visible(timeout=COMPILING_MS)
    texts = page.locator("[data-advice]").all_inner_texts()
    assert 1 <= len(texts) <= 3 and all("%" in text for text in texts)
    return len(texts)


@pytest.mark.parametrize("variant", ["classic", "marvel"])
def test_a_hint_is_shown_and_followed(browser: Browser, staged: Stage, variant: str) -> None:
    robot = sit_down(browser, staged, Game(variant, seed=1, start=0))
    page = robot.page
    robot.by("hint-button").click()
    last = hinted(page)
    expect(robot.by("hint-chances")).to_contain_text("Greedy")
    expect(robot.by("hint-1")).to_have_attribute("aria-pressed", "true")
    if last > 1:
        robot.by(f"hint-{last}").click()
        expect(robot.by(f"hint-{last}")).to_have_attribute("aria-pressed", "true")
        robot.by("hint-1").click()
    expect(robot.by("hint-1")).to_have_attribute("aria-pressed", "true")
    verb = (robot.by("hint-1").get_attribute("data-advice") or "").split()[0]
    robot.by({"take": "confirm"}.get(verb, verb)).click()
    robot.wait_for_number(2)
    expect(robot.by("hint")).to_have_count(0)
    page.context.close()


def test_a_hint_by_keyboard(browser: Browser, staged: Stage) -> None:
    robot = sit_down(browser, staged, Game("classic", seed=1, start=0))
    keyboard = robot.page.keyboard
    keyboard.press("i")
    hinted(robot.page)
    expect(robot.by("hint-1")).to_be_focused()
    expect(robot.by("live")).to_contain_text("%")
    keyboard.press("Escape")
    expect(robot.by("hint")).to_have_count(0)
    keyboard.press("i")
    hinted(robot.page)
    keyboard.press("Enter")
    robot.wait_for_number(1)
    robot.page.context.close()


def test_a_hint_to_return_a_token_is_chosen(browser: Browser, staged: Stage) -> None:
    robot = sit_down(browser, staged, position(tokens="4w4u3r", stage="return"))
    robot.by("hint-button").click()
    hinted(robot.page)
    expect(robot.by("hint-1")).to_have_attribute("aria-pressed", "true")
    assert 0 == robot.number, "it goes back when it is confirmed"
    robot.by("confirm-return").click()
    robot.wait_for_number(1)
    robot.page.context.close()


def test_a_hint_says_why(browser: Browser, staged: Stage) -> None:
    robot = sit_down(browser, staged, position(market={"3a": "w5 3w7k"}, tokens="3w7k", points=10))
    robot.by("hint-button").click()
    hinted(robot.page)
    expect(robot.by("hint-why-1")).to_contain_text("reaches the goal")
    expect(robot.by("live")).to_contain_text("Reaches the goal.")
    robot.page.context.close()


def test_a_hint_is_for_everybody(browser: Browser, staged: Stage) -> None:
    """Axe finds nothing serious, and nothing scrolls sideways."""
    page = sit_down(browser, staged, Game("marvel", 3, seed=1, start=0)).page
    page.get_by_test_id("hint-button").click()
    hinted(page)
    page.evaluate(AXE.read_text())
    for wide, high in WIDTHS.values():
        page.set_viewport_size({"width": wide, "height": high})
        for mode in MODES:
            page.emulate_media(color_scheme=mode)
            assert [] == problems(page, RULES[mode]), f"{wide} px, {mode}"
        assert 0 == page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    page.context.close()
