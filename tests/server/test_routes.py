"""Every HTTP request is answered: HEAD like GET, and what cannot be done in a sentence, never by an error of the server."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.websockets import WebSocketDisconnect

from cabochon.server.addresses import is_host
from cabochon.server.repository import Repository
from tests.server.test_handlers import closing
from tests.support.postgres import every_database
from tests.support.serving import House, house

pytestmark = pytest.mark.slow


@pytest.fixture
def here(tmp_path: Path, database: str) -> Iterator[House]:
    with house(tmp_path, database=database) as running:
        yield running


# HEAD


def test_head_is_answered_like_get_without_a_body(here: House) -> None:
    guest = here.guest("Anna")
    table = guest.create(players=2)
    paths = ["/", "/t/x", "/favicon.svg", "/nothing.js", "/api/me", "/api/bots", "/api/tables", "/api/health", "/api/docs"]
    paths += [f"/api/tables/{table}{more}" for more in ("", "/record", "/link", "/qr.svg", "/replay", "/nothing")]
    paths += ["/api/openapi.json", "/api/data/classic", "/api/data/chess", "/s/nothing", "/api/seats/nothing"]
    for path in paths:
        got, head = guest.get(path), guest.request("HEAD", path)
        assert (got.status_code, b"") == (head.status_code, head.content), path
        assert {**got.headers, "set-cookie": ""} == {**head.headers, "set-cookie": ""}, path


def test_a_wrong_method_is_told_the_right_ones(here: House) -> None:
    answer = here.guest().request("DELETE", "/api/me")
    assert (405, "GET, HEAD, PUT") == (answer.status_code, answer.headers["allow"])
    assert ("wrong_method", {"method": "DELETE"}) == (answer.json()["code"], answer.json()["facts"])


# Hosts and paths


@pytest.mark.parametrize(
    "host, is_one",
    [
        ("games.example.org", True),
        ("localhost:8765", True),
        ("my_pc", True),
        ("[::1]:80", True),
        ("192.0.2.1", True),
        ("", False),
        ("[", False),
        ("[::1", False),
        ("[::::]", False),
        ("a:99999", False),
        ("a:b", False),
        ("a:0", False),
        ("a b", False),
        ("a/b", False),
        ("me@a", False),
        ("ä", False),
        ("x" * 300, False),
    ],
)
def test_what_is_the_name_of_a_host(host: str, is_one: bool) -> None:
    assert is_one == is_host(host)


@pytest.mark.parametrize("host", ["[", "a:99999", "x" * 5000, "a b"])
def test_another_host_than_a_host_is_refused(here: House, host: str) -> None:
    guest = here.guest()
    table = guest.create(players=2)
    for path in ("/", "/api/me", f"/api/tables/{table}/qr.svg"):
        answer = guest.get(path, headers={"host": host.encode("latin-1")})
        assert (400, "bad_host") == (answer.status_code, answer.json()["code"])
    with pytest.raises(WebSocketDisconnect), guest.at(table, host=host):
        pass


@every_database
@pytest.mark.parametrize("odd", ["%00", "a%00b", "%ff", "%ED%A0%80", "%F0%9F%92%8E", "x" * 3000])
def test_an_odd_path_leads_nowhere(tmp_path: Path, database: str, odd: str) -> None:
    with house(tmp_path, database=database) as here:
        guest = here.guest()
        paths = [
            f"/api/tables/{odd}",
            f"/api/tables/{odd}/replay",
            f"/api/tables/{odd}/qr.svg",
            f"/api/seats/{odd}",
            f"/api/{odd}",
            f"/{odd}.js",
        ]
        assert [404] * len(paths) == [guest.get(path).status_code for path in paths]
        with guest.at(odd) as chair:
            assert 4404 == closing(chair)[0]


def test_numbers_that_are_none_of_ours(here: House) -> None:
    guest = here.guest()
    table = guest.create(bots=["greedy"])
    for number in ("-1", "4", "9" * 400, "9" * 5000, "1e3", "", "x", "%00"):
        assert 422 == guest.get(f"/api/tables/{table}/replay?seat={number}").status_code
    with guest.at(table, since=10**400) as chair:
        assert chair.receive()["view"]


@pytest.mark.parametrize(
    "body", ["{", "[" * 4000, '{"name": "\\ud800"}', '{"\\ud800": 1}', '{"name": "\\u0000"}', b"\xff\xfe", b'"\xff"']
)
def test_a_body_that_cannot_be_read(here: House, body: Any) -> None:
    answer = here.guest().put("/api/me", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (409, 422)
    assert answer.json()["code"] in ("not_understood", "name_characters")


# What fails behind the server


@every_database
def test_what_cannot_be_stored_is_said(here: House, database: str, caplog: pytest.LogCaptureFixture) -> None:
    refusing = "CREATE TRIGGER no_{0} BEFORE INSERT ON {0} BEGIN SELECT RAISE(ABORT, 'the disk is full'); END"
    if database.startswith("postgresql"):
        refusing = "ALTER TABLE {0} ADD CONSTRAINT no_{0} CHECK (false) NOT VALID"
    guest = here.guest("Anna")
    with here.service.repository.engine.begin() as connection:
        for table in ("tables", "users"):
            connection.exec_driver_sql(refusing.format(table))
    for answer in (guest.put("/api/me", json={"name": "Eve"}), guest.request("POST", "/api/tables", json={"players": 2})):
        assert (503, "not_stored") == (answer.status_code, answer.json()["code"])
        assert "1" == answer.headers["retry-after"]
    assert "Anna" == guest.get("/api/me").json()["name"]
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize(
    "trouble", [sa.exc.OperationalError("SELECT 1", {}, Exception("no route")), sa.exc.TimeoutError("no connection left")]
)
def test_a_database_that_does_not_answer(here: House, monkeypatch: pytest.MonkeyPatch, trouble: Exception) -> None:
    def broken(*_: object) -> Any:
        raise trouble

    guest = here.guest()
    monkeypatch.setattr(sa.Engine, "connect", broken)
    for path in ("/api/tables/x", "/api/seats/x", "/api/me", "/api/tables"):
        answer = guest.get(path)
        assert (503, "no_database") == (answer.status_code, answer.json()["code"])


def crashing(*_: object) -> Any:
    raise ZeroDivisionError


def test_what_nobody_expected_is_logged_once_and_said(
    here: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    guest = here.guest()
    monkeypatch.setattr(Repository, "table_of_token", crashing)
    answer = guest.get("/api/seats/secret-token")
    assert (500, "failed") == (answer.status_code, answer.json()["code"])
    assert ["GET /api/seats/{token} failed"] == [
        record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING
    ]
    assert "secret-token" not in caplog.text
    monkeypatch.setattr(Repository, "table", crashing)
    with guest.at("x") as chair:
        assert 1011 == closing(chair)[0]
