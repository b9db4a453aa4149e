"""Two browsers and a spectator at one table: the waiting room, chat, questions, leaving and coming back, resigning, a rematch."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from cabochon.server.app import create_app
from cabochon.server.settings import Settings, Sources
from tests.browser.robot import Robot
from tests.browser.staged import SETTINGS
from tests.browser.test_access import AXE, problems
from tests.server.process import running
from tests.support.serving import Clock

pytestmark = pytest.mark.slow
Visit = Callable[..., BrowserContext]


@pytest.fixture(scope="module")
def clock() -> Clock:
    """The time of the server: nobody has to wait for somebody who is away."""
    return Clock()


@pytest.fixture(scope="module")
def address(clock: Clock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    database = f"sqlite:///{tmp_path_factory.mktemp('together')}/tables.db"
    settings = Settings(database=database, **SETTINGS)  # type: ignore[arg-type]
    with running(create_app(settings, Sources(clock=clock, playing=clock))) as url:
        yield url


def opened(visit: Visit, address: str, **options: object) -> tuple[str, Page, Page]:
    """A table of Anna's with the link opened in another browser."""
    anna, ben = (visit(1280, 960, base_url=address) for _ in range(2))
    for context, name in ((anna, "Anna"), (ben, "Ben")):
        context.request.get("/api/me")
        context.request.put("/api/me", data={"name": name}, headers={"Origin": address})
    table = anna.request.post("/api/tables", data={"start": "host", **options}, headers={"Origin": address}).json()["id"]
    pages = anna.new_page(), ben.new_page()
    for page in pages:
        page.goto(f"/t/{table}")
    return f"/t/{table}", *pages


def say(page: Page, text: str) -> None:
    page.get_by_test_id("chat-text").fill(text)
    page.get_by_test_id("chat-send").click()


def is_accessible(page: Page) -> None:
    page.evaluate(AXE.read_text())
    assert [] == problems(page)


def has_begun(page: Page) -> None:
    expect(page.get_by_test_id("stage")).to_have_attribute("data-status", "running")


def test_the_waiting_room(visit: Visit, address: str) -> None:
    _, anna, ben = opened(visit, address, players=3)
    expect(ben.get_by_test_id("nickname")).to_have_value("Ben")
    ben.get_by_test_id("sit-1").click()
    expect(ben.get_by_test_id("leave")).to_be_visible()
    say(ben, "<b>hello</b> & good luck")
    expect(anna.get_by_test_id("chat-line")).to_contain_text("<b>hello</b> & good luck")
    ben.get_by_test_id("react-nice").click()
    expect(anna.get_by_test_id("chat-line").nth(1)).to_contain_text("Well played!")
    anna.get_by_test_id("chat-mute").first.click()
    expect(anna.get_by_test_id("chat-line")).to_have_count(0)
    anna.get_by_test_id("chat-unmute").click()
    expect(anna.get_by_test_id("chat-line")).to_have_count(2)

    anna.get_by_test_id("swap-1").click()
    expect(anna.get_by_test_id("stage")).to_have_attribute("data-seat", "1")
    expect(ben.get_by_test_id("seat-0")).to_contain_text("Ben")

    anna.get_by_test_id("change-options").click()
    anna.get_by_test_id("goal").fill("9")
    is_accessible(anna)
    anna.get_by_test_id("takeback-never").check(force=True)
    anna.get_by_test_id("apply-options").click()
    expect(ben.get_by_text("Points that end the game: 9")).to_be_visible()

    anna.get_by_test_id("kick-0").click()
    expect(ben.get_by_test_id("kicked")).to_be_visible()
    expect(ben.get_by_test_id("sit-0")).to_have_count(0)
    anna.get_by_test_id("filler").select_option("random")
    anna.get_by_test_id("start").click()
    has_begun(anna)
    expect(anna.get_by_test_id("seat-0")).to_contain_text("Random")


def test_a_game_with_questions_chat_leaving_and_a_rematch(visit: Visit, address: str, clock: Clock) -> None:
    path, anna, ben = opened(visit, address)
    ben.get_by_test_id("sit-1").click()
    expect(ben.get_by_test_id("leave")).to_be_visible()
    anna.get_by_test_id("start").click()
    for page in (anna, ben):
        has_begun(page)
    eve = visit(390, 844, base_url=address).new_page()
    eve.goto(path)
    eve.get_by_test_id("open-chat").click()
    expect(eve.get_by_test_id("chat")).to_contain_text("Only spectators read this")
    say(eve, "the onyx is short")
    say(anna, "hm")
    expect(eve.get_by_test_id("chat-line")).to_have_count(2)
    is_accessible(eve)
    expect(ben.get_by_test_id("chat-line")).to_have_count(1)
    ben.get_by_test_id("chat-fold").click()
    expect(ben.get_by_test_id("chat-line")).to_have_count(0)
    anna.get_by_test_id("react-wow").click()
    expect(ben.get_by_test_id("chat-fold")).to_contain_text("1 new message")

    robot = Robot(anna, "Anna")
    robot.pick(anna.locator("[data-testid^='card-']")).click()
    robot.by("reserve").click()
    robot.wait_for_number(1)
    anna.get_by_test_id("undo").click()
    expect(anna.get_by_test_id("ask-withdraw")).to_be_visible()
    ben.get_by_test_id("ask-no").click()
    expect(anna.get_by_test_id("ask-declined")).to_contain_text("Ben does not agree")

    ben.goto("/")
    expect(ben.locator("[data-testid^='running-']")).to_contain_text("Your turn")
    expect(anna.get_by_test_id("away-soon")).to_contain_text("Ben is away")
    clock.pass_by(31)
    eve.reload()  # who comes and goes is told, with the time
    anna.get_by_test_id("away-replace").click()
    robot.wait_for_number(3)
    ben.goto(path)
    ben.get_by_test_id("back").click()
    expect(ben.get_by_test_id("back")).to_have_count(0)

    anna.get_by_test_id("open-log").click()
    anna.get_by_test_id("resign").click()
    anna.get_by_test_id("resign-sure").click()
    expect(ben.get_by_test_id("end")).to_contain_text("You win")
    expect(anna.get_by_test_id("end")).to_contain_text("Ben wins")
    expect(anna.get_by_test_id("chat-line")).to_have_count(3)

    anna.get_by_test_id("rematch").click()
    expect(anna.get_by_test_id("rematch-status")).to_contain_text("Waiting for Ben")
    is_accessible(anna)
    expect(ben.get_by_test_id("rematch-status")).to_contain_text("Anna")
    ben.get_by_test_id("rematch").click()
    for page in (anna, ben):
        page.wait_for_url(lambda url: path not in url)
        has_begun(page)
    ben.get_by_test_id("open-log").click()
    ben.get_by_test_id("resign").click()
    ben.get_by_test_id("resign-sure").click()
    expect(anna.get_by_test_id("series")).to_have_text("Series: Anna 1 · Ben 1")
    anna.goto("/")
    expect(anna.locator("[data-testid^='finished-']")).to_have_count(2)
