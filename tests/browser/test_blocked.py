"""A browser that refuses cookies and site data: it is told what is missing, and can watch."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser.conftest import FLAGS, chromium_path
from tests.browser.test_coming_together import Visit
from tests.server.process import ServerProcess

pytestmark = pytest.mark.slow
BLOCK = 2


@pytest.fixture
def blocking(browser: Browser, server: ServerProcess, tmp_path: Path) -> Iterator[BrowserContext]:
    """Chromium as its own settings make it: "block all cookies"."""
    profile = tmp_path / "Default"
    profile.mkdir()
    (profile / "Preferences").write_text(json.dumps({"profile": {"default_content_setting_values": {"cookies": BLOCK}}}))
    path = chromium_path()
    chromium = browser.browser_type.launch_persistent_context(
        tmp_path, executable_path=path, args=FLAGS, base_url=server.url, locale="en"
    )
    yield chromium
    chromium.close()


def test_a_browser_that_keeps_nothing_is_told_so_and_can_watch(
    blocking: BrowserContext, visit: Visit, server: ServerProcess
) -> None:
    page = blocking.new_page()
    page.goto("/")
    expect(page.get_by_test_id("storage-blocked")).to_contain_text("Allow them for this site")
    page.get_by_test_id("play-bot").click()
    page.get_by_test_id("create").click()
    expect(page.get_by_text("Your browser keeps no cookie from here")).to_be_visible()
    anna = visit()
    table = anna.request.post("/api/tables", data={"bots": ["greedy"]}, headers={"Origin": server.url}).json()["id"]
    page.goto(f"/t/{table}")
    expect(page.get_by_test_id("stage")).to_have_attribute("data-status", "running")
    expect(page.get_by_test_id("turn-line")).to_be_visible()
    page.goto("/rules")
    expect(page.get_by_role("heading", level=2).first).to_be_visible()


def test_storage_that_throws_does_not_stop_the_page(visit: Visit) -> None:
    """Some browsers and extensions forbid even to put something else in its place."""
    context = visit()
    context.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('blocked') } })")
    page = context.new_page()
    page.goto("/")
    expect(page.get_by_test_id("play-bot")).to_be_visible()
    expect(page.get_by_test_id("storage-blocked")).to_have_count(0)
    page.get_by_test_id("open-settings").click()
    page.get_by_test_id("language-pl").click(force=True)  # not `check`: the page is made anew, with another radio button
    expect(page.get_by_test_id("play-bot")).to_contain_text("Zagraj")
