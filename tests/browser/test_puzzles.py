"""A puzzle is solved and failed, by mouse, from the list and by keyboard; what was solved stays in the browser."""

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from cabochon.bots.base import legal_moves
from cabochon.study.puzzles import Puzzle, mixed, puzzles
from tests.browser.test_access import AXE, MODES, RULES, WIDTHS, problems

pytestmark = pytest.mark.slow
ALL = mixed(puzzles().values())
PLAY = {"take": "confirm", "buy": "buy", "reserve": "reserve"}


@pytest.fixture
def page(visit: Callable[..., BrowserContext]) -> Iterator[Page]:
    context = visit()
    yield context.new_page()
    context.close()


def with_move(kind: str, variant: str = "classic") -> Puzzle:
    """A puzzle whose move buys or reserves a card of the market."""
    return next(one for one in ALL if one.variant == variant and one.move.kind == kind and one.best[-1] in "abcd")


def go_to(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_test_id("puzzle")).to_have_attribute("data-state", "open")


def current(page: Page) -> Puzzle:
    return puzzles()[page.get_by_test_id("puzzle").get_attribute("data-id") or ""]


def choose_listed(page: Page, text: str) -> None:
    page.get_by_test_id("puzzle-moves").locator("summary").click()
    page.locator(f'[data-testid="puzzle-move"][data-advice="{text}"]').click()


def play(page: Page, text: str) -> None:
    page.get_by_test_id(PLAY[text.split()[0]]).click()
    expect(page.get_by_test_id("puzzle-answer")).to_be_visible()


def wrong(one: Puzzle) -> str:
    """A move that can be chosen on the table, and is not the best."""
    return next(str(move) for move in legal_moves(one.view) if move.action != one.move.action and move.kind in PLAY)


def kept(page: Page) -> dict[str, object]:
    found: dict[str, object] = json.loads(page.evaluate("localStorage.getItem('cabochon.puzzles')"))
    return found


def test_a_puzzle_is_solved_on_the_board_and_the_next_is_failed(page: Page) -> None:
    one = with_move("buy")
    go_to(page, f"/puzzles/{one.id}")
    page.get_by_test_id(f"card-{one.best.split()[1]}").click()
    play(page, one.best)
    expect(page.get_by_test_id("puzzle-answer")).to_have_attribute("data-right", "true")
    expect(page.get_by_test_id("puzzle-streak")).to_have_attribute("data-streak", "1")
    expect(page.get_by_test_id("puzzle-next")).to_be_focused()

    page.keyboard.press("Enter")
    expect(page.get_by_test_id("puzzle")).to_have_attribute("data-state", "open")
    second = current(page)
    assert second.id != one.id
    choose_listed(page, wrong(second))
    play(page, wrong(second))
    expect(page.get_by_test_id("puzzle-answer")).to_have_attribute("data-right", "false")
    expect(page.get_by_test_id("puzzle-streak")).to_have_attribute("data-streak", "0")
    assert (kept(page)["solved"], kept(page)["failed"], kept(page)["best"]) == ([one.id], [second.id], 1)

    page.goto("/puzzles")
    expect(page.get_by_test_id("puzzle")).to_have_attribute("data-state", "open")
    assert current(page).id not in (one.id, second.id)


def test_filters_and_the_keyboard(page: Page) -> None:
    go_to(page, "/puzzles")
    page.get_by_test_id("puzzle-game").select_option("marvel")
    page.get_by_test_id("puzzle-theme").select_option("reserve")
    wanted = [one for one in ALL if one.variant == "marvel" and "reserve" in one.themes]
    expect(page.get_by_test_id("puzzle")).to_have_attribute("data-id", wanted[0].id)
    expect(page.get_by_test_id("puzzle")).to_have_attribute("data-state", "open")
    expect(page.get_by_test_id("puzzle-solved")).to_contain_text(f"of {len(wanted)}")
    one = current(page)
    page.get_by_test_id("puzzle").focus()
    page.keyboard.press(one.best.split()[1][0])  # the tier
    page.get_by_test_id(f"card-{one.best.split()[1]}" if one.best[-1] != "?" else f"deck-{one.best[-2]}").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("s")
    expect(page.get_by_test_id("puzzle-answer")).to_have_attribute("data-right", "true")
    page.keyboard.press("n")
    expect(page.get_by_test_id("puzzle")).to_have_attribute("data-id", wanted[1].id)


def test_what_cannot_be_done_is_explained(page: Page) -> None:
    one = next(one for one in ALL if one.variant == "classic" and 0 in one.view.bank[:5] and one.view.stage == "main")
    go_to(page, f"/puzzles/{one.id}")
    letter = one.view.rules.letters[one.view.bank.index(0)]
    page.get_by_test_id(f"bank-{letter}").click(force=True)  # it says why it cannot be taken
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.get_by_test_id("puzzle")).to_have_attribute("data-state", "open")


def test_the_puzzle_of_the_day_is_on_the_first_page(page: Page) -> None:
    page.goto("/")
    page.get_by_test_id("daily-puzzle").click()
    expect(page.get_by_test_id("puzzle")).to_have_attribute("data-state", "open")
    answer = page.request.get("/api/puzzles/daily").json()
    assert current(page).id == answer["id"]
    expect(page.get_by_role("heading", level=1)).to_have_text("Puzzle of the day")
    page.goto("/puzzles/nothing")
    expect(page.get_by_role("alert")).to_have_text("There is no such puzzle.")


def test_axe_finds_nothing(page: Page) -> None:
    one = with_move("reserve", "marvel")
    for name, (width, height) in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        go_to(page, f"/puzzles/{one.id}")
        page.evaluate(AXE.read_text())
        if name == "wide":
            check(page, "a puzzle")  # what a phone shows of it is on the table's own page
        choose_listed(page, one.best)
        play(page, one.best)
        check(page, f"an answer, {name}")


def check(page: Page, name: str) -> None:
    for mode in MODES:
        page.emulate_media(color_scheme=mode)
        assert [] == problems(page, RULES[mode]), f"{name}, {mode}"
    sideways = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert sideways == 0, f"{name} scrolls sideways"
