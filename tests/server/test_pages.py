"""The files of the client as they are served: what the first page loads, and what makes it an app."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from cabochon.rules.variants import VARIANTS
from cabochon.server.pages import STATIC
from tests.support.serving import House, house

pytestmark = pytest.mark.slow
MAX_SCRIPT_BYTES = 70_000
IMPORTED = re.compile(r'(?:from|import)\s*["`]\./([^"`]+\.js)["`]')


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("pages")) as running:
        yield running


def scripts(path: Path) -> set[Path]:
    """A script and those it cannot begin without."""
    found, new = set(), {path}
    while new:
        found |= new
        new = {path.parent / name for one in new for name in IMPORTED.findall(one.read_text(encoding="utf-8"))} - found
    return found


def test_the_first_page_loads_little(here: House) -> None:
    page = here.client.get("/").text
    first = re.findall(r'(?:src|href)="/(assets/[^"]+\.js)"', page)
    assert first
    loaded = {one for name in first for one in scripts(STATIC / name)}
    total = 0
    for path in loaded:
        answer = here.client.get(f"/assets/{path.name}", headers={"Accept-Encoding": "gzip"})
        assert "gzip" == answer.headers["content-encoding"] and "immutable" in answer.headers["cache-control"]
        total += len(gzip.compress(answer.content, 9))
    assert 10_000 < total < MAX_SCRIPT_BYTES


def test_the_page_can_be_installed(here: House) -> None:
    (address,) = re.findall(r'<link rel="manifest" href="([^"]+)"', here.client.get("/").text)
    answer = here.client.get(address)
    assert "application/manifest+json" == answer.headers["content-type"]
    manifest = json.loads(answer.content)
    assert ("standalone", "/") == (manifest["display"], manifest["start_url"])
    icons = {(icon["sizes"], icon["purpose"]): here.client.get(icon["src"]) for icon in manifest["icons"]}
    assert {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable")} <= icons.keys()
    assert {200} == {icon.status_code for icon in icons.values()}


def test_the_worker_keeps_files_that_are_there_and_is_never_kept_itself(here: House) -> None:
    answer = here.client.get("/sw.js")
    assert "no-cache" == answer.headers["cache-control"] and "text/javascript" in answer.headers["content-type"]
    kept = set(re.findall(r"/(?:assets/)?[\w.-]+\.(?:html|svg|png|webmanifest|js|css|woff2?)\b", answer.text)) - {"/sw.js"}
    assert {f"/assets/{path.name}" for path in (STATIC / "assets").iterdir()} <= kept
    assert all((STATIC / path[1:]).is_file() for path in kept)
    assert "no-cache" == here.client.get("/").headers["cache-control"]


def test_every_game_has_a_picture_for_messengers(here: House) -> None:
    for variant in VARIANTS.values():
        assert "image/png" == here.client.get(f"/preview-{variant.theme}.png").headers["content-type"]
