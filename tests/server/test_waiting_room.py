"""Before the game: the host shows somebody out, exchanges seats, changes what is agreed on, and says which bot fills up."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from cabochon.server.commitment import seal_of
from tests.support.postgres import every_database
from tests.support.serving import Chair, Guest, House, house


@pytest.fixture
def here(tmp_path: Path, database: str) -> Iterator[House]:
    with house(tmp_path, database=database) as running:
        yield running


@contextmanager
def waiting(here: House, **options: Any) -> Iterator[tuple[str, list[Guest], list[Chair]]]:
    """Anna is host at seat 0, Ben sits at seat 1, and Cleo looks on; three seats."""
    guests = [here.guest(name) for name in ("Anna", "Ben", "Cleo")]
    table = guests[0].create(**{"players": 3, **options})
    with ExitStack() as stack:
        chairs = [stack.enter_context(guest.at(table)) for guest in guests]
        chairs[1].done("sit", seat=1, name="Ben")
        yield table, guests, chairs


def seats(chair: Chair) -> list[tuple[str, str]]:
    chair.catch_up()
    return [(seat["kind"], seat["name"]) for seat in chair.state["table"]["seats"]]


@every_database
def test_somebody_is_shown_out_and_cannot_act(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database) as here, waiting(here) as (table, guests, (anna, ben, cleo)):
        link = guests[1].get(f"/api/tables/{table}/link").json()["seat_link"]
        ben.done("seal", seal="ab" * 32)
        assert "only the host can do this" == ben.refusal("kick", seat=0)
        assert "you are watching" in cleo.refusal("kick", seat=1)
        assert "nobody sits there" == anna.refusal("kick", seat=2)
        assert "this is your own seat: leave it instead" == anna.refusal("kick", seat=0)
        anna.done("kick", seat=1)
        assert ("open", "") == seats(anna)[1]
        assert [None, None, None] == anna.state["table"]["deal"]["seals"]
        assert None is ben.until(lambda state: state["seat"] is None)["seat"]
        for said in (
            ben.refusal("sit", seat=1, name="Ben"),
            ben.refusal("chat", text="why?"),
            ben.refusal("react", reaction="oops"),
        ):
            assert "the host has shown you out of this table" == said
        for said in (
            ben.refusal("leave"),
            ben.refusal("seal", seal="ab" * 32),
            ben.refusal("start"),
            ben.refusal("kick", seat=0),
        ):
            assert "you are watching" in said
        assert 404 == guests[1].request("POST", f"/api/seats/{link.removeprefix('/s/')}", json={}).status_code
        own = guests[0].get(f"/api/tables/{table}/link").json()["seat_link"].removeprefix("/s/")
        answer = guests[1].request("POST", f"/api/seats/{own}", json={})
        assert (409, "kicked") == (answer.status_code, answer.json()["code"])
        assert [] == guests[1].get("/api/tables").json()["running"]
        cleo.done("sit", seat=1, name="Cleo")
        assert "somebody" in anna.refusal("set_bot", seat=1, bot="random")
    with house(tmp_path, database=database) as again:
        with Guest(again, guests[1].cookie).at(table) as ben:
            assert "the host has shown you out of this table" == ben.refusal("sit", seat=2, name="Ben")
        with Guest(again, guests[0].cookie).at(table) as anna:
            anna.done("start")
            assert "the game has begun" == anna.refusal("kick", seat=1)


@every_database
def test_seats_are_exchanged_with_all_that_belongs_to_them(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database) as here, waiting(here) as (table, guests, (anna, ben, _cleo)):
        links = [guest.get(f"/api/tables/{table}/link").json()["seat_link"] for guest in guests[:2]]
        for seat, chair in enumerate((anna, ben)):
            chair.done("seal", seal=seal_of(table, seat, "cd" * 32))
        assert "only the host can do this" == ben.refusal("swap", seat=0, other=1)
        assert "there is no seat 3" in anna.refusal("swap", seat=0, other=3)
        anna.done("set_bot", seat=2, bot="random")
        anna.done("swap", seat=0, other=1)
        assert [("user", "Ben"), ("user", "Anna"), ("bot", "random")] == seats(anna)
        state = anna.until(lambda state: state["seat"] == 1)
        assert (1, [None] * 3) == (state["table"]["host"], state["table"]["deal"]["seals"])
        assert all(seat["connected"] for seat in state["table"]["seats"][:2])
        assert 0 == ben.until(lambda state: state["seat"] == 0)["seat"]
        assert links == [guest.get(f"/api/tables/{table}/link").json()["seat_link"] for guest in guests[:2]]
        anna.done("swap", seat=0, other=2)
        assert [("bot", "random"), ("user", "Anna"), ("user", "Ben")] == seats(anna)
        anna.done("swap", seat=1, other=1)
        assert ("user", "Anna") == seats(anna)[1]
    with house(tmp_path, database=database) as again, Guest(again, guests[0].cookie).at(table) as anna:
        assert [("bot", "random"), ("user", "Anna"), ("user", "Ben")] == seats(anna)
        assert (1, 1) == (anna.state["seat"], anna.state["table"]["host"])
        anna.done("start")
        assert "the game has begun" == anna.refusal("swap", seat=0, other=1)


@every_database
def test_the_host_changes_what_is_agreed_on(tmp_path: Path, database: str) -> None:
    changed = {
        "house": {"goal": 7, "token_limit": 9},
        "clock": {"kind": "move", "seconds": 90},
        "takeback": "never",
        "watch": "anybody",
    }
    with house(tmp_path, database=database) as here, waiting(here) as (table, guests, (anna, ben, _cleo)):
        commitment = anna.until(lambda state: state["table"])["table"]["commitment"]
        assert [] == guests[2].get("/api/tables").json()["open"], "private unless said otherwise"
        assert "only the host can do this" == ben.refusal("set_options", options=changed)
        for fixed in ({"players": 2}, {"variant": "marvel"}, {"start": "host"}, {"bots": ["random"]}):
            assert "not permitted" in anna.refusal("set_options", options=fixed), "the commitment names it"
        anna.done("set_options", options=changed)
        options = ben.until(lambda state: state["table"]["options"]["takeback"] == "never")["table"]["options"]
        assert (7, 9, 90, "anybody") == (
            options["house"]["goal"], options["house"]["token_limit"], options["clock"]["seconds"], options["watch"],
        )  # fmt: skip
        assert (3, "classic", commitment) == (options["players"], options["variant"], ben.state["table"]["commitment"])
        assert [table] == [found["id"] for found in guests[2].get("/api/tables").json()["open"]]
    with house(tmp_path, database=database) as again, Guest(again, guests[0].cookie).at(table) as anna:
        anna.done("start")
        state = anna.until(lambda state: state["view"])
        assert ("move", 90) == (state["clock"]["kind"], state["clock"]["left"][0])
        assert 7 == again.service.rooms[table].table.game.rules.goal
        assert "the game has begun" == anna.refusal("set_options", options=changed)
        assert [table] == again.service.repository.timed_tables()


def test_house_rules_that_do_not_go_with_the_game_are_refused(here: House) -> None:
    anna = here.guest()
    answer = anna.request("POST", "/api/tables", json={"variant": "cities", "house": {"goal": 12}})
    assert (409, "house_rules") == (answer.status_code, answer.json()["code"])
    table = anna.create(variant="cities")
    with anna.at(table) as chair:
        assert "cities has no goal in points" in chair.refusal("set_options", options={"house": {"goal": 12}})
        assert None is chair.until(lambda state: state["table"])["table"]["options"]["house"]["goal"]
        chair.done("start")
        assert chair.until(lambda state: state["view"])


def test_which_bot_takes_the_free_seats(here: House) -> None:
    with waiting(here, players=4) as (_, _guests, (anna, _ben, _cleo)):
        assert "unknown bot 'deep'" in anna.refusal("start", bot="deep")
        anna.done("set_bot", seat=3, bot="greedy")
        anna.done("start", bot="random")
        assert [("bot", "random"), ("bot", "greedy")] == seats(anna)[2:]
