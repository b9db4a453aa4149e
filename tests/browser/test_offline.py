"""The installed page: what works without the server, and that a newer server is never met with an old client."""

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from cabochon.server import pages
from cabochon.server.app import create_app
from cabochon.server.settings import Settings
from tests.browser.robot import wait_until
from tests.browser.staged import SETTINGS
from tests.server.process import running

pytestmark = pytest.mark.slow
INSTALL_SECONDS = 10
HAS_ANY = "(old) => caches.keys().then((names) => names.some((name) => old.includes(name)))"
IS_CONTROLLED = "() => navigator.serviceWorker.controller !== null"


class Site:
    """A server with its own copy of the client, which can be stopped and changed."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.client = folder / "static"
        shutil.copytree(pages.STATIC, self.client)
        settings = Settings(database=f"sqlite:///{folder}/tables.db", **SETTINGS)  # type: ignore[arg-type]
        self.server = ExitStack()
        self.url = self.server.enter_context(running(create_app(settings)))
        self.context: BrowserContext = browser.new_context(base_url=self.url, reduced_motion="reduce", locale="en")

    def installed_page(self) -> Page:
        """A page that was looked at until its service worker had all it keeps."""
        page = self.context.new_page()
        page.clock.install()
        page.goto("/")
        expect(page.get_by_test_id("play-bot")).to_be_visible()
        page.clock.fast_forward(INSTALL_SECONDS * 1000)
        page.wait_for_function(IS_CONTROLLED)
        return page

    def stop(self) -> None:
        self.server.close()


@pytest.fixture
def site(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    found = Site(browser, tmp_path)
    monkeypatch.setattr(pages, "STATIC", found.client)
    yield found
    found.context.close()
    found.stop()


def test_the_rules_and_replays_work_without_the_server(site: Site) -> None:
    page = site.installed_page()
    table = site.context.request.post("/api/tables", data={"bots": ["greedy"]}, headers={"Origin": site.url}).json()["id"]
    page.goto(f"/t/{table}/replay")
    expect(page.get_by_test_id("replay-seat")).to_be_visible()
    site.stop()
    page.goto("/rules")
    expect(page.get_by_role("heading", level=2).first).to_be_visible()
    page.get_by_test_id("rules-marvel").check(force=True)
    expect(page.locator(".gems")).to_contain_text("Time")
    page.goto(f"/t/{table}/replay")
    expect(page.get_by_test_id("replay-seat")).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("alert").first).to_contain_text("The server does not answer")
    expect(page.get_by_text("No game is running.")).to_have_count(0)
    expect(page.get_by_text("Not known while the server does not answer.").first).to_be_visible()


def test_a_newer_server_is_never_met_with_an_old_client(site: Site) -> None:
    page = site.installed_page()
    old = page.evaluate("() => caches.keys()")
    # Another build: the script has another name, and what is left of the old one would fail.
    index = site.client / "index.html"
    (script,) = re.findall(r'src="(/assets/index-[^"]+\.js)"', index.read_text())
    newer = script.replace("index-", "index-newer-")
    (site.client / newer[1:]).write_text((site.client / script[1:]).read_text())
    (site.client / script[1:]).write_text("throw new Error('an old client')")
    index.write_text(index.read_text().replace(script, newer).replace("<title>", '<meta name="build" content="newer"><title>'))
    worker = site.client / "sw.js"
    worker.write_text(worker.read_text().replace(script, newer).replace("client-", "client-newer-"))
    page.goto("/rules")
    assert 1 == page.locator("meta[name=build]").count(), "the page came from the server, though an old one was kept"
    wait_until(lambda: not page.evaluate(HAS_ANY, [name for name in old if name.startswith("client")]))
    site.stop()
    page.goto("/rules")
    assert 1 == page.locator("meta[name=build]").count(), "what is kept is the newer one"
    expect(page.get_by_role("heading", level=2).first).to_be_visible()
