"""One whole turn of each kind by keyboard alone; where the focus lands, and what is said of the keys."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from cabochon import VARIANTS, Game
from tests.browser.robot import Robot
from tests.browser.staged import Stage, position_with, stage
from tests.support.positions import position

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("staged")) as running:
        yield running


# A bot's answer takes the place of what was said before it: everything is noted.
NOTE_DOWN = """() => {
  const live = document.querySelector("[data-testid='live']");
  window.said = [];
  const note = () => window.said.push(live.textContent);
  new MutationObserver(note).observe(live, { childList: true, characterData: true, subtree: true });
}"""


def sit_down(browser: Browser, staged: Stage, game: Game) -> Robot:
    guest = browser.new_context(
        base_url=staged.url, viewport={"width": 1280, "height": 800}, reduced_motion="reduce", locale="en"
    )
    page = guest.new_page()
    page.goto(staged.set_table(guest, game))
    robot = Robot(page, "Anna")
    page.wait_for_selector("[data-testid='turn-bar'].mine")
    page.evaluate(NOTE_DOWN)
    return robot


def decided(robot: Robot, number: int) -> str:
    """Wait for the decision; what the live region has said since the page was opened."""
    robot.wait_for_number(number + 1)
    robot.page.wait_for_function("() => window.said.some((text) => text)")
    return str(robot.page.evaluate("() => window.said.join('\\n')"))


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


def test_buy_a_reserved_card(browser: Browser, staged: Stage) -> None:
    """The button says what will be paid, gold and all."""
    robot = sit_down(browser, staged, position(reserve="g 3r", tokens="2r1*"))
    robot.page.keyboard.press("4")
    expect(robot.by("reserve-1")).to_be_focused()
    robot.page.keyboard.press("Enter")
    expect(robot.by("buy")).to_have_accessible_name("Buy for 2 rubies and 1 gold")
    robot.page.keyboard.press("a")
    assert "2 rubies and 1 gold" in decided(robot, 0)
    robot.page.context.close()


def test_another_payment(browser: Browser, staged: Stage) -> None:
    robot = sit_down(browser, staged, position(market={"1a": "g 3r"}, tokens="3r1*"))
    focus_card(robot.page, "1")
    robot.page.keyboard.press("Enter")
    expect(robot.by("buy")).to_have_accessible_name("Buy for 3 rubies")
    robot.page.keyboard.press("q")
    expect(robot.by("buy")).to_have_accessible_name("Buy for 2 rubies and 1 gold")
    robot.page.keyboard.press("Enter")
    assert "2 rubies and 1 gold" in decided(robot, 0)
    robot.page.context.close()


def test_pass(browser: Browser, staged: Stage) -> None:
    robot = sit_down(browser, staged, position(bank="-", reserve="g 3r, k 3g, u 3k"))
    robot.page.keyboard.press("x")
    assert "passes" in decided(robot, 0)
    robot.page.context.close()


def test_return(browser: Browser, staged: Stage) -> None:
    """One choice with a confirmation, however many tokens go back."""
    robot = sit_down(browser, staged, position(tokens="4w4u4r", stage="return"))
    keyboard = robot.page.keyboard
    keyboard.type("wk")
    expect(robot.by("confirm-return")).to_be_disabled()
    keyboard.type("u")
    expect(robot.by("confirm-return")).to_be_enabled()
    keyboard.press("Backspace")
    expect(robot.by("confirm-return")).to_be_disabled()
    keyboard.type("w")
    assert 0 == robot.number, "nothing goes before it is confirmed"
    keyboard.press("Enter")
    robot.wait_for_number(2)
    expect(robot.by("seat-0")).to_contain_text("10/10")
    robot.page.context.close()


@pytest.mark.parametrize("variant", VARIANTS)
def test_claim(browser: Browser, staged: Stage, variant: str) -> None:
    game = position_with(variant, "claim")
    robot = sit_down(browser, staged, game)
    robot.page.keyboard.press(str(game.legal_moves()[0]).split()[1])
    assert decided(robot, 0)
    robot.page.context.close()


def test_the_board_comes_first(browser: Browser, staged: Stage) -> None:
    """The focus lands on the table, an arrow walks onto it, and the log comes after it."""
    robot = sit_down(browser, staged, Game("classic", seed=1, start=0))
    expect(robot.by("stage")).to_be_focused()
    robot.page.keyboard.press("ArrowDown")
    expect(robot.by("card-3a")).to_be_focused()
    order = robot.page.evaluate(ORDER)
    assert order.index("bank-k") < order.index("log"), order
    robot.page.context.close()


ORDER = """() => [...document.querySelectorAll('[data-testid="stage"] :is(button, a, [tabindex="0"])')]
    .map((one) => one.closest('[data-testid]').dataset.testid)"""


def test_keys_are_announced_and_can_be_switched_off(browser: Browser, staged: Stage) -> None:
    robot = sit_down(browser, staged, Game("classic", seed=1, start=0))
    expect(robot.by("bank-k")).to_have_attribute("aria-keyshortcuts", "K")
    robot.by("open-settings").click()
    robot.by("set-keys").uncheck()
    robot.page.keyboard.press("Escape")
    expect(robot.by("bank-k")).not_to_have_attribute("aria-keyshortcuts", "K")
    robot.page.keyboard.type("kkh?")
    expect(robot.page.locator("dialog[open]")).to_have_count(0)
    expect(robot.by("confirm")).to_have_count(0)
    robot.by("bank-k").focus()
    robot.page.keyboard.press("Enter")
    expect(robot.by("picked-k")).to_be_visible()
    robot.by("open-keys").click()
    expect(robot.by("keys-off")).to_be_visible()
    robot.page.context.close()
