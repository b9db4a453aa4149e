"""From the first page to a table: alone, with friends, and by a link."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

pytestmark = pytest.mark.slow
Visit = Callable[..., BrowserContext]


def listening(page: Page) -> list[str]:
    """What the page complains about in the console."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    return complaints


def test_a_game_against_a_bot_in_two_clicks(visit: Visit) -> None:
    page = visit().new_page()
    complaints = listening(page)
    page.goto("/")
    page.get_by_test_id("play-bot").click()
    expect(page.get_by_test_id("level-apprentice")).to_be_checked()
    page.get_by_test_id("create").click()
    expect(page.get_by_test_id("turn-line")).to_be_visible()
    expect(page.get_by_test_id("seat-1")).to_contain_text("Apprentice")
    assert [] == complaints


def test_every_level_can_be_chosen_and_says_what_it_is(visit: Visit) -> None:
    context = visit(locale="pl")
    page = context.new_page()
    page.goto("/")
    page.get_by_test_id("play-bot").click()
    dialog = page.get_by_test_id("new-game")
    offered = context.request.get("/api/bots").json()
    expect(dialog.locator("[data-testid^='level-']")).to_have_count(len(offered))
    page.get_by_test_id("level-master").check(force=True)
    expect(dialog).to_contain_text("Mistrz")
    expect(dialog).to_contain_text("Waży wszystko, co widać.")
    page.get_by_test_id("opponents-2").check(force=True)
    page.get_by_test_id("mixed").check()
    page.get_by_test_id("level-of-2").select_option("random")
    page.get_by_test_id("create").click()
    expect(page.get_by_test_id("seat-1")).to_contain_text("Mistrz")
    expect(page.get_by_test_id("seat-2")).not_to_contain_text("Mistrz")


def test_a_table_with_friends_in_three_clicks(visit: Visit) -> None:
    page = visit().new_page()
    complaints = listening(page)
    page.goto("/")
    page.get_by_test_id("new-table").click()
    page.get_by_test_id("create").click()
    expect(page.get_by_test_id("link")).to_have_attribute("href", re.compile(r"/t/[\w-]+$"))
    code = page.locator("img[src$='qr.svg']")
    expect(code).to_be_visible()
    assert code.evaluate("image => image.decode().then(() => image.naturalWidth)")
    page.get_by_test_id("copy-link").click()
    expect(page.get_by_test_id("start")).to_be_visible()
    assert [] == complaints


def test_a_friend_without_a_cookie_opens_the_link_and_sits_down(visit: Visit) -> None:
    host = visit().new_page()
    host.goto("/")
    host.get_by_test_id("new-table").click()
    host.get_by_test_id("create").click()
    link = host.get_by_test_id("link").get_attribute("href") or ""
    friend_context = visit(width=390, height=844)
    assert [] == friend_context.cookies()
    friend = friend_context.new_page()
    complaints = listening(friend)
    friend.goto(link)
    friend.get_by_test_id("nickname").fill("Guðrún")
    friend.get_by_test_id("sit-1").click()
    expect(friend.get_by_test_id("leave")).to_be_visible()
    expect(host.get_by_test_id("seat-1")).to_contain_text("Guðrún")
    host.get_by_test_id("start").click()
    expect(friend.get_by_test_id("turn-line")).to_be_visible()
    assert "1" == friend.get_by_test_id("stage").get_attribute("data-seat")
    for page in (host, friend):
        expect(page.get_by_test_id("hint-button")).to_have_count(0)
    assert [] == complaints


def test_a_refusal_is_told_in_the_readers_language(visit: Visit) -> None:
    page = visit(locale="is").new_page()
    page.goto("/t/nowhere")
    expect(page.get_by_text("Þetta borð er ekki til.")).to_be_visible()
