"""`make pictures`: the pages as they look, at 1280 and 390 px, into docs/pictures."""

import subprocess
import tempfile
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Page, sync_playwright

from cabochon import Game
from cabochon.bots import Budget, bot
from cabochon.notation.position import format_position
from cabochon.notation.record import format_record
from cabochon.server.preview import PICTURE_SIZE
from cabochon.study.puzzles import mixed, puzzles
from tests.browser.conftest import FLAGS, ROOT
from tests.browser.staged import Stage, position_with, stage
from tests.browser.test_access import WIDTHS, guest, table
from tests.support.golden import FOLDER, game_at

PICTURES = ROOT / "docs/pictures"
PREVIEWS = ROOT / "web/public"
PREVIEW = """() => {
  const put = (selector, style) => {
    const part = document.querySelector(selector);
    part.style.cssText = style + "; position: absolute";
    return part;
  };
  const parts = [
    put("header .home", "left: 80px; top: 206px; gap: 22px; font-size: 76px"),
    put(".gems", "left: 86px; top: 350px; margin: 0; transform: scale(1.7); transform-origin: 0 0"),
    put(".fan", "left: 880px; top: 110px; width: 0; transform: scale(1.5)"),
  ];
  parts[0].querySelector("svg").style.cssText = "width: 84px; height: 84px";
  document.body.replaceChildren(...parts);
}"""
QUALITY = 85
THINKING_MS, SETTLING_MS = 120_000, 3000  # until the engine has found something, and something good
MODES = {"classic": "light", "marvel": "dark"}  # by theme
GAMES = {**MODES, "cities": "light"}


def middle(variant: str) -> Game:
    """A game in full swing, with seat 0 to decide."""
    game = Game.from_record((FOLDER / f"{variant}-3-players.game").read_text())
    decisions = next(n for n in range(70, 140) if (at := game_at(game, n)).turn == 0 and at.stage == "main")
    return Game.from_position(game_at(game, decisions).position())


def take(page: Page, name: str, width: str) -> None:
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(400)
    page.screenshot(path=PICTURES / f"{name}-{WIDTHS[width][0]}.jpg", type="jpeg", quality=QUALITY)


def take_analysis(browser: Browser, staged: Stage, width: str) -> None:
    context = guest(browser, staged, "light", width)
    page = context.new_page()
    page.goto(f"/analysis?position={quote(format_position(middle('classic').view(0)))}")
    page.locator("[data-testid=best-1]").wait_for(timeout=THINKING_MS)
    page.wait_for_timeout(SETTLING_MS)
    take(page, "analysis", width)
    context.close()


def take_review(browser: Browser, staged: Stage, width: str) -> None:
    """The worst mistake of a finished game, from its record."""
    game = Game("classic", 2, seed=9)
    while not game.is_over:
        game.play(bot(("cutter", "jeweller")[game.turn]).choose(game.view(game.turn), Budget(), seed=len(game.moves)))
    record = format_record(game.record(("Anna", "Ben")))
    context = guest(browser, staged, "light", width)
    page = context.new_page()
    page.goto("/review")
    page.get_by_test_id("review-file").set_input_files({"name": "anna.game", "mimeType": "text/plain", "buffer": record.encode()})
    page.locator("[data-testid=review][data-done=true]").wait_for(timeout=THINKING_MS)
    page.get_by_test_id("worst-mistake").click()
    page.evaluate("scrollTo(0, 0)")
    take(page, "review", width)
    context.close()


def take_all(browser: Browser, staged: Stage) -> None:
    for width in WIDTHS:
        for variant, mode in GAMES.items():
            context = guest(browser, staged, mode, width)
            page = context.new_page()
            moments = {"table": middle(variant), "return": position_with(variant, "return"), "end": table(variant, "over")}
            for name, game in moments.items():
                page.goto(staged.set_table(context, game))
                take(page, f"{variant}-{name}", width)
            context.close()
        take_analysis(browser, staged, width)
        take_review(browser, staged, width)
        context = guest(browser, staged, "light", width)
        page = context.new_page()
        for name, path in {"home": "/", "rules": "/rules"}.items():
            page.goto(path)
            take(page, name, width)
        take_puzzle(page, width)
        context.close()


def take_puzzle(page: Page, width: str) -> None:
    """A puzzle that was solved from the list."""
    one = next(one for one in mixed(puzzles().values()) if {"block", "reserve"} <= {*one.themes} and len(one.line) > 2)
    page.goto(f"/puzzles/{one.id}")
    page.get_by_test_id("puzzle-moves").locator("summary").click()
    page.locator(f'[data-testid="puzzle-move"][data-advice="{one.best}"]').click()
    page.get_by_test_id("reserve").click()
    page.get_by_test_id("puzzle-answer").wait_for()
    page.evaluate("scrollTo(0, 0)")
    take(page, "puzzle", width)


def take_previews(browser: Browser, staged: Stage) -> None:
    """What messengers show of a link to a table: the cards of the first page, large."""
    width, height = PICTURE_SIZE
    for theme, mode in MODES.items():
        options = {"base_url": staged.url, "color_scheme": mode, "bypass_csp": True}
        context = browser.new_context(viewport={"width": width, "height": height}, **options)  # type: ignore[arg-type]
        context.add_init_script(f"localStorage.setItem('cabochon.theme', '{theme}')")
        page = context.new_page()
        page.goto("/")
        page.evaluate(PREVIEW)
        page.wait_for_load_state("networkidle")
        page.evaluate("() => document.fonts.ready.then(() => undefined)")
        page.screenshot(path=PREVIEWS / f"preview-{theme}.png")
        context.close()


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    path = subprocess.run([ROOT / "scripts/browser"], capture_output=True, text=True, check=True).stdout.strip()
    with sync_playwright() as playwright, stage(Path(tempfile.mkdtemp())) as staged:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        take_all(browser, staged)
        take_previews(browser, staged)
        browser.close()
    print(f"{len(list(PICTURES.glob('*.jpg')))} pictures in {PICTURES}")


if __name__ == "__main__":
    main()
