"""axe finds nothing serious or critical on any page, light and dark; nothing scrolls sideways on a phone."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from cabochon import Game
from tests.browser.conftest import ROOT
from tests.browser.staged import Stage, position_with, stage

pytestmark = pytest.mark.slow
AXE = ROOT / "web/node_modules/axe-core/axe.min.js"
WIDTHS = {"wide": (1280, 800), "phone": (390, 844)}


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


def problems(page: Page) -> list[dict[str, Any]]:
    """What axe calls serious or critical."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("() => axe.run()")
    return [
        {"rule": one["id"], "where": [node["target"] for node in one["nodes"]][:3], "why": one["nodes"][0]["failureSummary"]}
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


def guest(browser: Browser, staged: Stage, mode: str, width: str) -> BrowserContext:
    wide, high = WIDTHS[width]
    return browser.new_context(
        base_url=staged.url, viewport={"width": wide, "height": high}, color_scheme=mode, reduced_motion="reduce", locale="en"  # type: ignore[arg-type]
    )  # fmt: skip


def look_at(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_load_state("networkidle")
    assert [] == problems(page)
    sideways = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert 0 == sideways, "it scrolls sideways"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_pages(browser: Browser, staged: Stage, mode: str, width: str) -> None:
    context = guest(browser, staged, mode, width)
    page = context.new_page()
    for path in ("/", "/rules"):
        look_at(page, path)
    context.close()


@pytest.mark.parametrize("variant", ["classic", "marvel"])
@pytest.mark.parametrize("stage_name", ["main", "return", "claim", "over"])
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_table(browser: Browser, staged: Stage, variant: str, stage_name: str, mode: str) -> None:
    game = table(variant, stage_name)
    for width in WIDTHS:
        context = guest(browser, staged, mode, width)
        page = context.new_page()
        path = staged.set_table(context, game)
        look_at(page, path)
        if stage_name in ("main", "over"):
            look_at(page, f"{path}/replay")
        context.close()
