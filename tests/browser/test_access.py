"""axe finds nothing serious or critical on any page and dialog, light and dark; nothing scrolls sideways on a phone."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from cabochon import Game
from cabochon.rules.variants import VARIANTS
from tests.browser.conftest import ROOT
from tests.browser.staged import Stage, position_with, stage

pytestmark = pytest.mark.slow
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
WIDTHS = {"wide": (1280, 800), "phone": (390, 844)}
MODES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# What was looked at in light differs in dark by its colours alone.
RULES: dict[str, tuple[str, ...]] = {"light": (), "dark": ("color-contrast", "link-in-text-block")}


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("staged")) as running:
        yield running


def finished(variant: str) -> Game:
    """A game that is one move from its end is played to it."""
    game = Game.from_record((ROOT / f"tests/golden/{variant}-2-players.game").read_text())
    return Game.from_position(game.position())


def table(variant: str, stage_name: str) -> Game:
    if stage_name == "over":
        return finished(variant)
    return position_with(variant, stage_name)


def problems(page: Page, rules: Sequence[str] = (), part: str = "html") -> list[dict[str, Any]]:
    """What axe calls serious or critical, in a part of the page."""
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = page.evaluate("([part, options]) => axe.run(part, options).then((found) => found.violations)", [part, options])
    return [
        {"rule": one["id"], "where": [node["target"] for node in one["nodes"]][:3], "why": one["nodes"][0]["failureSummary"]}
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def guest(browser: Browser, staged: Stage, mode: str, width: str) -> BrowserContext:
    wide, high = WIDTHS[width]
    return browser.new_context(
        base_url=staged.url, viewport={"width": wide, "height": high}, color_scheme=mode, reduced_motion="reduce", locale="en"  # type: ignore[arg-type]
    )  # fmt: skip


def go_to(page: Page, path: str) -> None:
    page.goto(path)
    if path.startswith("/t/"):
        page.wait_for_selector("[data-stage]:not([data-stage='loading'])", state="attached")
    else:
        page.wait_for_load_state("networkidle")
    page.evaluate(AXE.read_text())


def check(page: Page, name: str, part: str = "html") -> None:
    """A part of the page at each width, light and dark."""
    for wide, high in WIDTHS.values():
        page.set_viewport_size({"width": wide, "height": high})
        for mode in MODES:
            page.emulate_media(color_scheme=mode)
            assert mode == page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
            assert [] == problems(page, RULES[mode], part), f"{name}, {wide} px, {mode}"
        sideways = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert 0 == sideways, f"{name} scrolls sideways at {wide} px"


def look_at(page: Page, path: str) -> None:
    go_to(page, path)
    check(page, path)


@pytest.mark.parametrize("path", ["/", "/rules", "/nowhere"])
def test_pages(browser: Browser, staged: Stage, path: str) -> None:
    context = guest(browser, staged, "light", "wide")
    look_at(context.new_page(), path)
    context.close()


@pytest.mark.parametrize("variant", list(VARIANTS))
@pytest.mark.parametrize("stage_name", ["main", "return", "claim", "over"])
def test_table(browser: Browser, staged: Stage, variant: str, stage_name: str) -> None:
    context = guest(browser, staged, "light", "wide")
    page = context.new_page()
    path = staged.set_table(context, table(variant, stage_name))
    look_at(page, path)
    if stage_name in ("main", "over"):
        look_at(page, f"{path}/replay")
    context.close()


def test_a_game_that_became_too_long(browser: Browser, staged: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its end is shown like any other, without a winner."""
    monkeypatch.setattr("cabochon.server.table.MAX_LOG_ENTRIES", 0)
    context = guest(browser, staged, "light", "wide")
    page = context.new_page()
    look_at(page, staged.set_table(context, position_with("classic", "main")))
    end = page.get_by_test_id("end")
    expect(end.get_by_role("heading")).to_have_text("Nobody has won")
    expect(page.get_by_test_id("end-reason")).to_have_text("The game became too long for this table and was ended.")
    expect(page.get_by_test_id("rematch")).to_be_visible()
    expect(page.get_by_test_id("turn-line")).to_have_text("The game is over")
    context.close()


def test_before_and_after_a_game(browser: Browser, staged: Stage) -> None:
    """The waiting room, the private link of a seat, and the page that checks the shuffle."""
    context = guest(browser, staged, "light", "wide")
    created = staged.open_table(context, Game("classic", 3))
    page = context.new_page()
    look_at(page, f"/t/{created['id']}")
    page.set_viewport_size({"width": 1280, "height": 800})
    other = guest(browser, staged, "light", "wide")
    look_at(other.new_page(), created["seat_link"])
    other.close()
    finished_table = staged.set_table(context, finished("classic"))
    look_at(page, f"/verify/{finished_table.removeprefix('/t/')}")
    context.close()


DIALOGS = {"keys-dialog": "open-keys", "settings": "open-settings", "log-dialog": "open-log"}
RULES_DIALOG = {"rules-dialog": "open-rules"}  # what is in it is looked at as a page


@pytest.mark.parametrize("variant, dialogs", [("classic", DIALOGS | RULES_DIALOG), ("marvel", DIALOGS)])
def test_dialogs(browser: Browser, staged: Stage, variant: str, dialogs: dict[str, str]) -> None:
    """Each dialog of a table, and what lies before a seat."""
    context = guest(browser, staged, "light", "wide")
    page = context.new_page()
    go_to(page, staged.set_table(context, position_with(variant, "main", can_buy=True)))
    for dialog, button in dialogs.items():
        page.get_by_test_id(button).click()
        look_into(page, dialog)
    page.get_by_role("button", name="Show Greedy's cards").click()
    look_into(page, "area-dialog")
    context.close()


def look_into(page: Page, dialog: str) -> None:
    """A dialog, light and dark; on a phone it only is narrower."""
    expect(page.get_by_test_id(dialog)).to_be_visible()
    for mode in MODES:
        page.emulate_media(color_scheme=mode)
        assert [] == problems(page, RULES[mode], "dialog[open]"), f"{dialog}, {mode}"
    page.keyboard.press("Escape")
    expect(page.get_by_test_id(dialog)).to_have_count(0)


DIGITS = """() => {
    const widths = (family) => [..."0123456789"].map((digit) => {
        const text = document.createElement("span")
        text.style.font = `600 40px ${family}`
        text.textContent = digit.repeat(10)
        document.body.append(text)
        const { width } = text.getBoundingClientRect()
        text.remove()
        return Math.round(width)
    })
    return ["var(--font-figures)", "var(--font-text)", "var(--font-display)"].map((family) => new Set(widths(family)).size)
}"""


@pytest.mark.parametrize("variant", ["classic", "marvel"])
def test_figures_are_tabular(browser: Browser, staged: Stage, variant: str) -> None:
    """Every digit is as wide as the others, in each font that shows data."""
    context = guest(browser, staged, "light", "wide")
    page = context.new_page()
    page.goto(staged.set_table(context, position_with(variant, "main")))
    page.wait_for_load_state("networkidle")
    page.evaluate("() => document.fonts.ready.then(() => undefined)")
    assert [1, 1, 1] == page.evaluate(DIGITS)
    context.close()
