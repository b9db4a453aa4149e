"""What a messenger shows of a link to a table, and the page it leads to."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cabochon.server import pages
from cabochon.server.preview import wanted_languages
from tests.support.serving import House, house, two_players

pytestmark = pytest.mark.slow
INDEX = "<!doctype html><html><head><title>cabochon</title></head><body></body></html>"
WORDS = '{"en": {"join": "sit down", "watch": "watch", "over": "over"}, "pl": {"join": "usiądź"}}'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    client = tmp_path / "static"
    client.mkdir()
    (client / "index.html").write_text(INDEX)
    (client / "preview.json").write_text(WORDS)
    monkeypatch.setattr(pages, "STATIC", client)
    with house(tmp_path, public_url="https://games.example.org") as running:
        yield running


def test_a_table_says_what_is_played_and_by_whom(here: House) -> None:
    table = here.guest("Anna").create(variant="marvel")
    page = here.client.get(f"/t/{table}").text
    assert '<meta property="og:title" content="Splendor: Marvel · Anna">' in page
    assert '<meta property="og:image" content="https://games.example.org/preview-marvel.png">' in page
    assert '<meta property="og:description" content="sit down">' in page
    assert page.startswith("<!doctype html><html><head><title>") and page.endswith("</head><body></body></html>")
    polish = here.client.get(f"/t/{table}", headers={"Accept-Language": "de;q=0.9, pl-PL, en;q=0.8"})
    assert 'content="usiądź"' in polish.text


def test_a_name_cannot_write_into_the_page(here: House) -> None:
    table = here.guest('"><script>x').create()
    page = here.client.get(f"/t/{table}").text
    assert "<script" not in page and "&quot;&gt;&lt;script&gt;x" in page


def test_nothing_of_the_game_is_shown(here: House) -> None:
    with two_players(here, watch="nobody") as (table, anna, _ben):
        anna.play()
        page = here.client.get(f"/t/{table}/replay").text
        assert "Anna, Ben" in page and "og:description" not in page
    with two_players(here) as (table, *_):
        assert 'content="watch"' in here.client.get(f"/t/{table}").text


@pytest.mark.parametrize("path", ["/t/nowhere", "/t/nowhere/replay", "/", "/rules", "/s/nonsense", "/s/bad.token", "/t/a%00b"])
def test_any_other_page_is_the_client_as_it_is(here: House, path: str) -> None:
    answer = here.client.get(path, headers={"Accept": "text/html"})
    assert (200, INDEX) == (answer.status_code, answer.text)
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    "accepted, wanted",
    [
        ("pl", ["pl"]),
        ("en-GB,en;q=0.5,is;q=0.7", ["en", "is", "en"]),
        ("pt-BR;q=oops, is", ["is", "pt"]),
        ("", [""]),
    ],
)
def test_languages_by_how_much_they_are_wanted(accepted: str, wanted: list[str]) -> None:
    assert wanted == wanted_languages(accepted)
