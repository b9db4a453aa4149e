"""My games: the list, everything as records, records that are brought along, and another device."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cabochon import Game
from cabochon.notation.record import format_record
from cabochon.server import my_games, rate_limit
from cabochon.server.review_store import reviews
from tests.server.test_handlers import play_out
from tests.support.postgres import every_database
from tests.support.serving import Guest, House, house

GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("here")) as running:
        yield running


@pytest.fixture
def own(tmp_path: Path, database: str) -> Iterator[House]:
    with house(tmp_path, database=database) as running:
        yield running


def golden(variant: str = "classic", **seats: str) -> str:
    """A finished game, with names."""
    game = Game.from_record((GOLDEN / f"{variant}-2-players.game").read_text())
    return format_record(game.record(tuple(seats.values()), "2026-11-01"))


def play(guest: Guest, **options: Any) -> str:
    table = guest.create(**{"bots": ["random"], **options})
    with guest.at(table) as chair:
        chair.until(lambda state: state["view"])
        play_out(chair)
    return table


def games(guest: Guest) -> list[dict[str, Any]]:
    return list(guest.get("/api/games").json()["games"])


def bring(guest: Guest, content: str | bytes) -> Any:
    return guest.request("POST", "/api/games", content=content)


def zipped(**files: str | bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(f"{name}.game", content)
    return out.getvalue()


@every_database
def test_finished_games_are_listed_for_their_guest_alone(own: House) -> None:
    anna, ben = own.guest("Anna"), own.guest("Ben")
    table = play(anna)
    anna.create(bots=["random"])  # is not over
    [game] = games(anna)
    assert (table, "table", "classic", 0) == tuple(game[name] for name in ("id", "source", "variant", "seat"))
    assert [("Anna", None), ("random", "random")] == [(one["name"], one["bot"]) for one in game["players"]]
    assert game["result"] == ("won" if game["winners"] == [0] else "lost") and game["rounds"] > 5
    assert game["error_rate"] is None and game["shared"] is None
    assert [] == games(ben) == games(Guest(own))


def test_reviews_fill_the_error_rate(here: House) -> None:
    guest = here.guest()
    table, other = play(guest), play(guest)
    found = json.dumps({"seats": [{"error_rate": 0.015}, {"error_rate": 0.3}]})
    with here.service.repository.engine.begin() as connection:
        connection.execute(reviews.insert().values(id="one", table_id=table, record="", found=found, seen=1.0))
        connection.execute(reviews.insert().values(id="two", table_id=other, record="", found=None, seen=1.0))
    assert {table: 1.5, other: None} == {game["id"]: game["error_rate"] for game in games(guest)}


@every_database
def test_everything_is_exported_and_can_be_brought_to_another_server(own: House, tmp_path: Path) -> None:
    guest = own.guest("Anna")
    first, second = play(guest), play(guest, variant="marvel", takeback="free")
    exported = guest.get("/api/games/export")
    assert "application/zip" == exported.headers["content-type"]
    with zipfile.ZipFile(io.BytesIO(exported.content)) as file:
        assert {f"{first}.game", f"{second}.game", "games.json"} == set(file.namelist())
        for table in (first, second):
            assert guest.get(f"/api/tables/{table}/record").text == file.read(f"{table}.game").decode()
        assert [0, 0] == [row["seat"] for row in json.loads(file.read("games.json"))]
    assert {"added": 0, "known": 2, "problems": []} == bring(guest, exported.content).json()
    (tmp_path / "elsewhere").mkdir()
    with house(tmp_path / "elsewhere") as elsewhere:
        other = elsewhere.guest("somebody else")
        assert {"added": 2, "known": 0, "problems": []} == bring(other, exported.content).json()
        assert {"added": 0, "known": 2, "problems": []} == bring(other, exported.content).json()
        results = [(game["variant"], game["result"], game["points"]) for game in games(guest)]
        assert sorted(results) == sorted((game["variant"], game["result"], game["points"]) for game in games(other))
        again = other.get("/api/games/export").content
        assert {"added": 0, "known": 2, "problems": []} == bring(other, again).json()


def test_the_own_seat_is_found_by_name(here: House) -> None:
    guest = here.guest("Zoë")
    assert 1 == bring(guest, golden(one="Ben", two="Zoë")).json()["added"]
    assert 1 == bring(guest, golden(one="Ben", two="Carl")).json()["added"]
    assert {(1, True), (None, False)} == {(game["seat"], game["result"] is not None) for game in games(guest)}


def test_what_cannot_be_read_is_told_and_the_rest_is_kept(here: House) -> None:
    guest, good = here.guest(), golden()
    broken = good.replace("\ntake ", "\ntake rrr,", 1)
    long = good + " " * my_games.MAX_RECORD_BYTES
    answer = bring(guest, zipped(good=good, broken=broken, foreign="1. e4 e5", long=long, binary=b"\xff\xfe\x00")).json()
    assert (1, 0) == (answer["added"], answer["known"])
    found = {problem["file"]: problem for problem in answer["problems"]}
    assert {"broken": "broken", "foreign": "foreign", "long": "too_long", "binary": "not_text"} == {
        name.removesuffix(".game"): problem["code"] for name, problem in found.items()
    }
    assert found["broken.game"]["line"] == 1 + broken.split("\n").index(
        next(line for line in broken.split("\n") if "rrr" in line)
    )
    assert 1 == len(games(guest))


def test_records_may_stand_one_after_the_other(here: House) -> None:
    guest = here.guest()
    text = "﻿" + (golden() + "\n" + golden("marvel")).replace("\n", "\r\n")
    assert {"added": 2, "known": 0, "problems": []} == bring(guest, text.encode()).json()
    assert "foreign" == bring(guest, "hello\n" + golden()).json()["problems"][0]["code"]


def test_what_is_no_upload(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    guest = here.guest()
    monkeypatch.setattr(my_games, "MAX_RECORDS_AT_ONCE", 2)
    monkeypatch.setattr(my_games, "MAX_IMPORTS", 1)
    refused = {
        "no_records": bring(guest, " "),
        "too_many_records": bring(guest, zipped(a=golden(), b=golden(), c=golden())),
        "too_large": bring(guest, " " * (rate_limit.UPLOADS["/api/games"] + 1)),
        "no_cookie": bring(Guest(here), golden()),
        "nothing_there": guest.request("DELETE", "/api/games/nothing"),
    }
    assert {code: code for code in refused} == {code: answer.json()["code"] for code, answer in refused.items()}
    for wrong in (b"\xff\xff", b"PK\x03\x04 cut off"):
        assert "no_records" == bring(guest, wrong).json()["code"]
    assert "too_many_records" == bring(guest, zipped(a=golden(), b=golden("marvel"))).json()["code"]
    assert [] == games(guest)


def test_a_small_file_that_would_become_large_is_not_unpacked(here: House) -> None:
    bomb = zipped(bomb=b" " * 50_000_000)
    assert len(bomb) < 100_000
    assert "too_long" == bring(here.guest(), bomb).json()["problems"][0]["code"]


def test_an_imported_game_can_be_read_and_deleted_by_its_guest(here: House) -> None:
    guest, other, text = here.guest(), here.guest(), golden("marvel")
    bring(guest, text)
    [game] = games(guest)
    path = f"/api/games/{game['id']}"
    assert text == guest.get(f"{path}/record").text
    assert 404 == other.get(f"{path}/record").status_code == other.request("DELETE", path).status_code
    assert 200 == guest.request("DELETE", path).status_code
    assert [] == games(guest)


def test_a_link_makes_another_device_the_same_guest_for_some_minutes(here: House) -> None:
    guest, phone = here.guest("Anna"), here.guest("phone")
    table = play(guest)
    made = guest.request("POST", "/api/me/link").json()
    key = made["link"].partition("#")[2]
    assert made["qr"].startswith("<svg") and "\n" not in key
    assert "no_device_key" == phone.request("POST", "/api/me/device", json={"key": key[:-1] + "_"}).json()["code"]
    assert {"name": "Anna"} == phone.request("POST", "/api/me/device", json={"key": key}).json()
    assert [table] == [game["id"] for game in games(phone)]
    here.clock.pass_by(601)
    assert "no_device_key" == here.guest().request("POST", "/api/me/device", json={"key": key}).json()["code"]
    assert "no_cookie" == Guest(here).request("POST", "/api/me/link").json()["code"]
