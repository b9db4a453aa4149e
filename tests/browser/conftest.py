"""Real Chromium, a real server, and the built client."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.browser.robot import ANSWER_MS
from tests.server.process import ForkedServer, Nursery, ServerProcess

ROOT = Path(__file__).parent.parent.parent
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
QUICK = {"bot_workers": 1, "bot_delay": 0.02, "requests_per_second": 1000, "tables_per_minute": 1000, "deal_seconds": 12}
QUICK |= {"max_moves_per_second": 1000, "max_reads_per_minute": 1_000_000, "max_waiting_tables_per_address": 1000}

expect.set_options(timeout=ANSWER_MS)


def chromium_path() -> str:
    return subprocess.run([ROOT / "scripts/browser"], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(nursery: Nursery, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    running = ForkedServer(nursery, tmp_path_factory.mktemp("server"), **QUICK).start()
    yield running
    running.stop()


@pytest.fixture
def visit(browser: Browser, server: ServerProcess) -> Iterator[Callable[..., BrowserContext]]:
    """A new guest: a browser context of its own, with reduced motion unless asked otherwise."""
    contexts = []

    def new_guest(width: int = 1280, height: int = 800, **options: object) -> BrowserContext:
        settings = {"base_url": server.url, "reduced_motion": "reduce", "locale": "en", **options}
        context = browser.new_context(viewport={"width": width, "height": height}, **settings)  # type: ignore[arg-type]
        contexts.append(context)
        return context

    yield new_guest
    for context in contexts:
        context.close()
