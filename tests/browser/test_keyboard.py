"""One whole turn of each kind by keyboard alone."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from cabochon import VARIANTS, Game
from tests.browser.robot import Robot
from tests.browser.staged import Stage, position_with, stage

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("staged")) as running:
        yield running


def sit_down(browser: Browser, staged: Stage, game: Game) -> Robot:
    guest = browser.new_context(
        base_url=staged.url, viewport={"width": 1280, "height": 800}, reduced_motion="reduce", locale="en"
    )
    page = guest.new_page()
    page.goto(staged.set_table(guest, game))
    robot = Robot(page, "Anna")
    page.wait_for_selector("[data-testid='turn-bar'].mine")
    return robot


def decided(robot: Robot, number: int) -> str:
    """Wait for the decision and read it in the live region."""
    robot.wait_for_number(number + 1)
    live = robot.page.get_by_test_id("live")
    expect(live).not_to_be_empty()
    return live.inner_text()


def focus_card(page: Page, tier: str) -> None:
    page.keyboard.press(tier)
    expect(page.locator(f"[data-testid='card-{tier}a']")).to_be_focused()


@pytest.mark.parametrize("variant", VARIANTS)
def test_take_three(browser: Browser, staged: Stage, variant: str) -> None:
    robot, letters = sit_down(browser, staged, Game(variant, seed=1, start=0)), VARIANTS[variant].letters[:3]
    for letter in letters:
        robot.page.keyboard.press(letter)
    robot.page.keyboard.press("Backspace")
    robot.page.keyboard.press(letters[-1])
    robot.page.keyboard.press("Enter")
    assert decided(robot, 0)
    robot.page.context.close()


def test_take_two(browser: Browser, staged: Stage) -> None:
    robot = sit_down(browser, staged, Game("classic", seed=1, start=0))
    robot.page.keyboard.type("kk")
    robot.page.keyboard.press("Enter")
    assert decided(robot, 0)
    robot.page.context.close()


def test_reserve_a_card(browser: Browser, staged: Stage) -> None:
    robot = sit_down(browser, staged, Game("classic", seed=1, start=0))
    focus_card(robot.page, "2")
    robot.page.keyboard.press("ArrowRight")
    expect(robot.page.locator("[data-testid='card-2b']")).to_be_focused()
    robot.page.keyboard.press("Enter")
    robot.page.keyboard.press("s")
    assert decided(robot, 0)
    robot.page.context.close()


def test_reserve_from_a_deck(browser: Browser, staged: Stage) -> None:
    robot = sit_down(browser, staged, Game("classic", seed=1, start=0))
    focus_card(robot.page, "3")
    robot.page.keyboard.press("ArrowLeft")
    expect(robot.page.locator("[data-testid='deck-3']")).to_be_focused()
    robot.page.keyboard.press("Enter")
    robot.page.keyboard.press("s")
    assert decided(robot, 0)
    robot.page.context.close()


@pytest.mark.parametrize("variant", VARIANTS)
def test_buy(browser: Browser, staged: Stage, variant: str) -> None:
    robot = sit_down(browser, staged, position_with(variant, "main", can_buy=True))
    robot.buyable().first.focus()
    robot.page.keyboard.press("Enter")
    robot.page.keyboard.press("a")
    assert decided(robot, 0)
    robot.page.context.close()


def test_return(browser: Browser, staged: Stage) -> None:
    game = position_with("classic", "return")
    robot = sit_down(browser, staged, game)
    letter = str(game.legal_moves()[0]).split()[1]
    robot.page.keyboard.press(letter)
    assert decided(robot, 0)
    robot.page.context.close()


@pytest.mark.parametrize("variant", VARIANTS)
def test_claim(browser: Browser, staged: Stage, variant: str) -> None:
    game = position_with(variant, "claim")
    robot = sit_down(browser, staged, game)
    robot.page.keyboard.press(str(game.legal_moves()[0]).split()[1])
    assert decided(robot, 0)
    robot.page.context.close()
