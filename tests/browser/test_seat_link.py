"""A private link asks before it gives a seat."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.test_coming_together import listening
from tests.server.process import ServerProcess

pytestmark = pytest.mark.slow
Visit = Callable[..., BrowserContext]


def two_seats(visit: Visit, server: ServerProcess) -> tuple[BrowserContext, BrowserContext, str, list[str]]:
    """Anna and Ben at a running table; the private links of their seats."""
    anna, ben = visit(), visit()
    for context, name in ((anna, "Anna"), (ben, "Ben")):
        context.request.put("/api/me", data={"name": name}, headers={"Origin": server.url})
    table = anna.request.post("/api/tables", data={"start": "host"}, headers={"Origin": server.url}).json()["id"]
    pages = [context.new_page() for context in (anna, ben)]
    for page in pages:
        page.goto(f"/t/{table}")
    pages[1].get_by_test_id("sit-1").click()
    expect(pages[0].get_by_test_id("seat-1")).to_contain_text("Ben")
    pages[0].get_by_test_id("start").click()
    for page in pages:
        expect(page.get_by_test_id("turn-line")).to_be_visible()
        page.close()
    return anna, ben, table, [context.request.get(f"/api/tables/{table}/link").json()["seat_link"] for context in (anna, ben)]


def test_a_link_asks_before_it_gives_a_seat(visit: Visit, server: ServerProcess) -> None:
    anna, _, table, links = two_seats(visit, server)
    page = anna.new_page()
    complaints = listening(page)
    page.goto(links[0])
    page.wait_for_url(f"**/t/{table}")  # it is Anna's own already
    page.goto(links[1])
    expect(page.get_by_test_id("seat-link")).to_contain_text("seat 2 (Ben)")
    expect(page.get_by_test_id("holds")).to_contain_text("You hold seat 1 (Anna) there now.")
    page.get_by_test_id("keep-seat").click()
    expect(page.get_by_test_id("stage")).to_have_attribute("data-seat", "0")
    page.goto(links[1])
    page.get_by_test_id("take-seat").click()
    expect(page.get_by_test_id("stage")).to_have_attribute("data-seat", "1")
    phone = visit(width=390, height=844).new_page()
    phone.goto(links[0])
    expect(phone.get_by_test_id("holds")).to_have_count(0)
    phone.get_by_test_id("take-seat").click()
    expect(phone.get_by_test_id("stage")).to_have_attribute("data-seat", "0")
    assert [] == complaints


@pytest.mark.parametrize(
    "locale, sentence",
    [
        ("en", "This link leads to no seat"),
        ("pl", "Ten link nie prowadzi do żadnego miejsca"),
        ("is", "Þessi hlekkur vísar ekki á neitt sæti"),
        ("pt", "Este link não leva a nenhum lugar"),
    ],
)
def test_an_unknown_link_is_told_in_the_readers_language(visit: Visit, locale: str, sentence: str) -> None:
    page = visit(locale=locale).new_page()
    page.goto("/s/nonsense")
    expect(page.get_by_test_id("seat-link")).to_contain_text(sentence)
