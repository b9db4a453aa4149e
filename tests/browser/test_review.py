"""A game is finished, reviewed and learnt from; a record from a file is reviewed too."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from cabochon import Game
from cabochon.bots import Budget, bot
from cabochon.notation.record import format_record
from cabochon.server import study_pieces
from tests.browser.robot import Robot
from tests.browser.staged import Stage, stage
from tests.browser.test_access import AXE, guest, problems

pytestmark = pytest.mark.slow
COMPILING_MS = 180_000
GOAL = 2
IS_MINE_OR_OVER = """() => {
  const { stage, turn, seat } = document.querySelector("[data-stage]").dataset;
  return stage === "over" || turn === seat;
}"""


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with pytest.MonkeyPatch.context() as patched, stage(tmp_path_factory.mktemp("review"), bot_deadline=180.0) as running:
        patched.setattr(study_pieces, "BUDGET", Budget(nodes=48))
        yield running


class Idler(Robot):
    """Buys nothing: there is a mistake to find."""

    def main(self) -> None:
        if self.page.locator(".pile.legal").count():
            self.take_tokens()
        else:
            super().main()


def lose(page: Page) -> None:
    robot = Idler(page, "Anna")
    while not robot.is_over:
        if robot.is_my_turn:
            robot.decide()
        else:
            page.wait_for_function(IS_MINE_OR_OVER)


def clean(page: Page) -> None:
    assert [] == problems(page)


def test_finish_a_game_review_it_jump_to_the_worst_mistake_and_answer_it(browser: Browser, staged: Stage) -> None:
    context = guest(browser, staged, "light", "wide")
    context.add_init_script(path=AXE)
    page = context.new_page()
    page.goto(staged.set_table(context, Game("classic", 2, seed=4, start=0, goal=GOAL), house={"goal": GOAL}))
    expect(page.locator("[data-stage='main']")).to_be_visible()
    lose(page)
    page.get_by_test_id("to-review").click()
    review = page.get_by_test_id("review")
    expect(review).to_have_attribute("data-done", "true", timeout=COMPILING_MS)

    page.get_by_test_id("worst-mistake").click()
    at = review.get_attribute("data-at") or ""
    assert page.get_by_test_id(f"review-move-{at}").get_attribute("data-grade") in ("inaccuracy", "error", "blunder")
    expect(page.get_by_test_id("review-better")).to_be_visible()
    expect(page.locator(".board .last")).not_to_have_count(0)
    page.get_by_test_id("review-graph").press("ArrowLeft")
    expect(review).to_have_attribute("data-at", str(int(at) - 1))
    page.get_by_test_id("review-graph").press("ArrowRight")
    expect(review).to_have_attribute("data-at", at)
    page.get_by_test_id("tab-players").click()
    expect(page.get_by_test_id("review-players")).to_contain_text("Luck")
    clean(page)

    page.get_by_test_id("learn").click()
    learn = page.get_by_test_id("review-learn")
    expect(page.get_by_test_id("review-better")).to_have_count(0)
    options = page.get_by_test_id("learn-list")
    options.select_option(index=1)
    page.get_by_test_id("learn-answer").click()
    learn.and_(page.locator("[data-grade]")).wait_for()
    page.get_by_test_id("learn-stop").click()
    expect(page.get_by_test_id("review-verdict")).to_be_visible()

    page.reload()
    expect(review).to_have_attribute("data-done", "true")
    context.close()


def test_a_record_from_a_file_is_reviewed_and_a_broken_one_is_refused(browser: Browser, staged: Stage) -> None:
    game = Game("marvel", 3, seed=1)
    while not game.is_over:
        game.play(bot("greedy").choose(game.view(game.turn), Budget(), 1))
    record = format_record(game.record(("Anna", "Ben", "Carl")))
    context = guest(browser, staged, "dark", "phone")
    context.add_init_script(path=AXE)
    page = context.new_page()
    page.goto("/review")
    chooser = page.get_by_test_id("review-file")
    chooser.set_input_files(
        {"name": "broken.game", "mimeType": "text/plain", "buffer": record.replace("take", "steal", 1).encode()}
    )
    expect(page.get_by_test_id("review-problem")).to_contain_text("line")
    clean(page)
    chooser.set_input_files({"name": "good.game", "mimeType": "text/plain", "buffer": record.encode()})
    page.wait_for_function(
        "() => Number(document.querySelector('[data-decisions]')?.dataset.decisions ?? 0) > 0", timeout=COMPILING_MS
    )
    expect(page.get_by_test_id("review-moves")).to_contain_text("Carl")
    clean(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()
