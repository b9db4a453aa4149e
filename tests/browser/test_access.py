"""axe finds nothing serious or critical on any page, light and dark; nothing scrolls sideways on a phone."""

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


def problems(page: Page, rules: Sequence[str] = ()) -> list[dict[str, Any]]:
    """What axe calls serious or critical."""
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    found = page.evaluate("options => axe.run(options).then((found) => found.violations)", options)
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


def look_at(page: Page, path: str) -> None:
    """The page at each width, light and dark."""
    page.goto(path)
    if path.startswith("/t/"):
        page.wait_for_selector("[data-stage]:not([data-stage='loading'])", state="attached")
    else:
        page.wait_for_load_state("networkidle")
    page.evaluate(AXE.read_text())
    for wide, high in WIDTHS.values():
        page.set_viewport_size({"width": wide, "height": high})
        for mode in MODES:
            page.emulate_media(color_scheme=mode)
            assert mode == page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
            assert [] == problems(page, RULES[mode]), f"{path}, {wide} px, {mode}"
        sideways = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert 0 == sideways, f"{path} scrolls sideways at {wide} px"


@pytest.mark.parametrize("path", ["/", "/rules"])
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
