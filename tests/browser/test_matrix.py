"""The table on sixteen screens, for a seat, a spectator and a replay of each game: nothing is cut, overlaps or scrolls sideways.

Boxes are compared, not pictures. `make screens` keeps a picture of each, light and dark.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from cabochon import Game
from cabochon.rules.variants import VARIANTS
from tests.browser.conftest import ROOT
from tests.browser.staged import Stage, position_with, stage
from tests.support.golden import FOLDER

pytestmark = pytest.mark.slow
SIZES = [
    *[(320, 568), (390, 844), (667, 375), (844, 390), (768, 1024), (900, 700), (1024, 768), (1080, 810), (1112, 834)],
    *[(1180, 820), (1280, 800), (1366, 1024), (1440, 900), (1512, 982), (1920, 1080), (2560, 1440)],
]  # fmt: skip
POLISH_SIZES = [(320, 568), (390, 844), (667, 375), (1024, 768)]
LARGE = [(1440, 900), (1920, 1080), (2560, 1440)]
PHONES = [size for size in SIZES if min(size) < 400]
ROLES = ["seat", "spectator", "replay"]
PICTURES = Path(os.environ["SCREENS"]) if "SCREENS" in os.environ else None
LOOK = (ROOT / "tests/browser/matrix.js").read_text()


def richest(variant: str) -> Game:
    """Of a golden game for four the position, seat 0 to decide, with the most lying before the players."""

    def lying(game: Game) -> int:
        return sum(len(seat.reserve) * 4 + sum(seat.tokens) for seat in game.position().seats)

    again = (game := Game.from_record((FOLDER / f"{variant}-4-players.game").read_text())).beginning()
    found: list[tuple[int, Game]] = []
    for move in game.moves:
        if again.turn == 0 and again.stage == "main":
            found.append((lying(again), Game.from_position(again.position())))
        again.play(move)
    return max(found[len(found) // 2 :], key=lambda one: one[0])[1]


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("staged")) as running:
        yield running


@pytest.fixture(scope="module")
def player(browser: Browser, staged: Stage) -> Iterator[BrowserContext]:
    yield from guest(browser, staged)


@pytest.fixture(scope="module")
def spectator(browser: Browser, staged: Stage) -> Iterator[BrowserContext]:
    yield from guest(browser, staged)


def guest(browser: Browser, staged: Stage) -> Iterator[BrowserContext]:
    context = browser.new_context(base_url=staged.url, reduced_motion="reduce", locale="en")
    yield context
    context.close()


@pytest.fixture(scope="module")
def tables(player: BrowserContext, staged: Stage) -> dict[str, str]:
    """The path of a table for each game."""
    return {variant: staged.set_table(player, richest(variant), clock={"kind": "total"}) for variant in VARIANTS}


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def problems(page: Page, size: tuple[int, int], name: str = "") -> list[str]:
    """What is wrong with the table at this size, each with the size and the moment before it."""
    resize(page, size)
    found = [f"{size[0]}×{size[1]} {name}: {problem}" for problem in page.evaluate(LOOK)]
    if PICTURES:
        keep(page, f"{name} {size[0]}x{size[1]}".strip().replace(" ", "-"))
    return found


def keep(page: Page, name: str) -> None:
    """A picture, light and dark."""
    assert PICTURES
    page.evaluate("scrollTo(0, 0)")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for mode in ("light", "dark"):
        page.emulate_media(color_scheme=mode)
        page.screenshot(path=PICTURES / f"{name}-{mode}.png")
    page.emulate_media(color_scheme="light")


def in_polish(page: Page) -> None:
    page.evaluate("localStorage.setItem('PARAGLIDE_LOCALE', 'pl')")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "pl")


def open_table(context: BrowserContext, path: str) -> Page:
    page = context.new_page()
    page.goto(path)
    page.locator(".market .card").first.wait_for()
    page.evaluate("document.fonts.ready")
    return page


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("variant", list(VARIANTS))
def test_every_screen(player: BrowserContext, spectator: BrowserContext, tables: dict[str, str], variant: str, role: str) -> None:
    path = tables[variant] + ("/replay" if role == "replay" else "")
    page = open_table(spectator if role == "spectator" else player, path)
    name = f"{variant} {role}"
    wrong = [problem for size in SIZES for problem in problems(page, size, name)]
    in_polish(page)
    page.locator(".market .card").first.wait_for()
    wrong += [problem for size in POLISH_SIZES for problem in problems(page, size, f"{name} polish")]
    page.evaluate("localStorage.removeItem('PARAGLIDE_LOCALE')")
    page.close()
    assert not wrong, "\n" + "\n".join(wrong)


def choose_a_card(page: Page) -> None:
    page.get_by_test_id("card-3a").click()


def pick(letters: str) -> Callable[[Page], None]:
    return lambda page: page.keyboard.type(letters)


# The turn bar at its fullest: the buttons of a choice, and a refusal beside them.
MOMENTS: dict[str, tuple[Callable[[str], Game], Callable[[Page], None]]] = {
    "card": (lambda variant: Game(variant, players=4, seed=1, start=0), choose_a_card),
    "refused": (lambda variant: Game(variant, players=4, seed=1, start=0), pick("wugrypbr")),
    "return": (lambda variant: position_with(variant, "return"), pick("")),
    "claim": (lambda variant: position_with(variant, "claim"), pick("")),
}


@pytest.mark.parametrize("variant", ["classic", "marvel"])
def test_the_turn_bar(player: BrowserContext, staged: Stage, variant: str) -> None:
    page = player.new_page()
    wrong = []
    for name, (game, act) in MOMENTS.items():
        page.goto(staged.set_table(player, game(variant)))
        page.wait_for_selector("[data-testid='turn-bar'].mine")
        act(page)
        for size in [*PHONES, (768, 1024), (1024, 768)]:
            wrong += problems(page, size, f"{variant} {name}")
    page.close()
    assert not wrong, "\n" + "\n".join(wrong)


def test_the_guide_leaves_the_bank_in_sight(player: BrowserContext, staged: Stage) -> None:
    page = player.new_page()
    path = staged.set_table(player, Game(players=2, seed=1, start=0))
    page.add_init_script(f"localStorage.setItem('cabochon.guide', '{path.rsplit('/', 1)[1]}')")
    page.goto(path)
    page.get_by_test_id("coach").wait_for()
    wrong = [problem for size in PHONES for problem in problems(page, size, "guide")]
    page.close()
    assert not wrong, "\n" + "\n".join(wrong)


def test_large_screens_are_used(player: BrowserContext, tables: dict[str, str]) -> None:
    """Cards, tiles, tokens, panels and letters grow from 1440 to 1920 to 2560, and the table stays in the middle."""
    page = open_table(player, tables["classic"])
    places = [".card", ".tile", ".pile", ".seat", ".mine", ".kept", ".board"]
    before = [0.0] * len(places)
    for size in LARGE:
        resize(page, size)
        boxes = [page.locator(place).first.bounding_box() for place in places]
        widths = [box["width"] for box in boxes if box]
        assert all(now > then * 1.1 for now, then in zip(widths, before, strict=True)), f"{size}: {widths} after {before}"
        board = boxes[-1]
        assert board
        assert abs(2 * board["x"] + board["width"] - size[0]) <= 2
        before = widths
    page.close()
