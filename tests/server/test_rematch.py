"""A rematch begins when all agree; those who are gone are not waited for, if somebody says so; a series keeps its score."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cabochon.server.rate_limit import Buckets
from tests.server.test_handlers import play_out
from tests.support.postgres import every_database
from tests.support.serving import Chair, Guest, House, house, two_players


@pytest.fixture
def here(tmp_path: Path, database: str) -> Iterator[House]:
    with house(tmp_path, database=database) as running:
        yield running


def agreed(chair: Chair) -> list[bool]:
    chair.catch_up()
    return [seat["rematch"] for seat in chair.state["table"]["seats"]]


def test_everybody_must_agree_and_may_change_their_mind(here: House) -> None:
    with two_players(here, start="host") as (_, anna, ben):
        assert "a rematch comes after the end" == anna.refusal("rematch")
        anna.done("resign")
        ben.until(lambda state: state["outcome"])
        anna.done("rematch")
        assert [True, False] == agreed(ben) and None is ben.state["table"]["rematch"]
        anna.done("rematch")
        assert None is here.service.rooms[ben.state["table"]["id"]].table.rematch, "twice is not two"
        anna.done("rematch", agree=False)
        assert [False, False] == agreed(ben)
        ben.done("rematch")
        assert [False, True] == agreed(anna) and None is anna.state["table"]["rematch"]
        anna.done("rematch")
        new = ben.until(lambda state: state["table"]["rematch"])["table"]["rematch"]
        anna.done("rematch", agree=False)
        assert new == anna.until(lambda state: state["table"]["rematch"])["table"]["rematch"], "it has begun"
        assert "running" == here.guest().get(f"/api/tables/{new}").json()["status"]
        with here.guest().at(new) as watcher:
            assert "you are watching" in watcher.refusal("rematch")


@every_database
def test_who_has_agreed_is_stored(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database) as here:
        anna, ben = here.guest("Anna"), here.guest("Ben")
        table = anna.create(clock={"kind": "days", "days": 1})
        with anna.at(table) as first, ben.at(table) as second:
            second.done("sit", seat=1, name="Ben")
            first.done("start")
            first.done("resign")
            first.done("rematch")
    with house(tmp_path, database=database) as again, Guest(again, ben.cookie).at(table) as second:
        assert [True, False] == agreed(second)
        second.done("rematch")
        new = second.until(lambda state: state["table"]["rematch"])["table"]["rematch"]
        with Guest(again, anna.cookie).at(new) as first:
            assert 0 == first.until(lambda state: state["view"])["seat"]


@every_database
def test_who_is_gone_is_not_waited_for_if_somebody_says_so(here: House) -> None:
    guests = [here.guest(name) for name in ("Anna", "Ben", "Cleo")]
    table = guests[0].create(players=3, start="host")
    with guests[1].at(table) as ben, guests[2].at(table) as cleo:
        ben.done("sit", seat=1, name="Ben")
        cleo.done("sit", seat=2, name="Cleo")
        with guests[0].at(table) as anna:
            anna.done("start")
            anna.done("resign")
            cleo.done("resign")
        ben.until(lambda state: state["outcome"] and not state["table"]["seats"][0]["connected"])
        cleo.done("rematch")
        ben.done("rematch", without_away=True)
        assert None is ben.until(lambda state: state["table"]["seats"][1]["rematch"])["table"]["rematch"], "not away for long"
        here.clock.pass_by(31)
        ben.done("rematch")
        ben.catch_up()
        assert None is ben.state["table"]["rematch"], "not without asking for it"
        ben.done("rematch", without_away=True)
        new = cleo.until(lambda state: state["table"]["rematch"])["table"]["rematch"]
    found = here.guest().get(f"/api/tables/{new}").json()
    assert ("waiting", ["", "Ben", "Cleo"], 1) == (found["status"], [seat["name"] for seat in found["seats"]], found["host"])
    assert None is found["series"], "other people, another series"
    with guests[0].at(new) as anna, guests[1].at(new) as ben:
        assert None is anna.until(lambda state: state["table"])["seat"]
        anna.done("sit", seat=0, name="Anna")
        ben.done("start")
        assert 0 == anna.until(lambda state: state["view"])["seat"]


@every_database
def test_a_series_keeps_its_score(here: House) -> None:
    with two_players(here, start="host") as (table, anna, ben):
        assert None is anna.until(lambda state: state["view"])["table"]["series"]
        anna.done("resign")
        assert {"games": 1, "wins": [0, 1]} == ben.until(lambda state: state["outcome"])["table"]["series"]
        anna.done("rematch")
        ben.done("rematch")
        guests = [Guest(here, cookie) for cookie in cookies_of(here, table)]
        second = ben.until(lambda state: state["table"]["rematch"])["table"]["rematch"]
    with ExitStack() as stack:
        first_chair, second_chair = (stack.enter_context(guest.at(second)) for guest in guests)
        assert {"games": 1, "wins": [0, 1]} == first_chair.until(lambda state: state["view"])["table"]["series"]
        second_chair.done("resign")
        assert {"games": 2, "wins": [1, 1]} == first_chair.until(lambda state: state["outcome"])["table"]["series"]
        first_chair.done("rematch")
        second_chair.done("rematch")
        third = first_chair.until(lambda state: state["table"]["rematch"])["table"]["rematch"]
    here.service.rooms.clear()
    assert {"games": 2, "wins": [1, 1]} == here.guest().get(f"/api/tables/{third}").json()["series"]


def cookies_of(here: House, table: str) -> list[str]:
    """The cookies of those who hold the seats of a table, in their order."""
    holders = here.service.rooms[table].table.holders
    signer = here.service.guests.signer
    return [f"cabochon_guest={signer.dumps(user)}" for user in sorted(holders, key=holders.__getitem__)]


def test_a_rematch_counts_as_a_new_table_of_its_address(here: House) -> None:
    """A game can be given up at once, so a chain of rematches would be tables without end."""
    for name in ("creations", "daily_creations"):
        with two_players(here, start="host") as (_, anna, ben):
            anna.done("resign")
            anna.done("rematch")
            before = getattr(here.service, name)
            setattr(here.service, name, Buckets(1e-9, 0.5))
            assert "too many new tables from your address" in ben.refusal("rematch")
            assert [True, False] == agreed(ben) and None is ben.state["table"]["rematch"]
            setattr(here.service, name, before)
            ben.done("rematch")
            assert ben.until(lambda state: state["table"]["rematch"])


def test_a_rematch_that_waits_is_one_of_the_waiting_tables(tmp_path: Path) -> None:
    with house(tmp_path, max_waiting_tables=1) as here, two_players(here, start="host") as (table, anna, ben):
        anna.done("resign")
        holder = next(user for user, seat in here.service.rooms[table].table.holders.items() if seat == 0)
        ben.done("rematch")
        room = here.service.rooms[table]
        for connection in [one for one in room.connections if one.user == holder]:
            room.connections.pop(connection)
        room.note_presence()
        here.clock.pass_by(31)
        Guest(here, cookies_of(here, table)[1]).create()
        assert "1 of your tables wait" in ben.refusal("rematch", without_away=True)


def test_strangers_learn_nothing_of_it_at_a_private_table(here: House) -> None:
    def seen(guest: Guest, table: str) -> Any:
        found = guest.get(f"/api/tables/{table}").json()
        return found["series"], [(seat["resigned"], seat["rematch"]) for seat in found["seats"]]

    eve = here.guest("Eve")
    with two_players(here, watch="nobody", start="host") as (table, anna, ben):
        before = seen(eve, table)
        anna.done("resign")
        anna.done("rematch")
        ben.until(lambda state: state["table"]["seats"][0]["rematch"])
        assert before == seen(eve, table) == (None, [(False, False), (False, False)])
        assert [True, False] == agreed(ben)


def test_against_bots_it_begins_at_once(here: House) -> None:
    anna = here.guest()
    table = anna.create(bots=["greedy"], start="host", house={"goal": 1})
    with anna.at(table) as chair:
        chair.until(lambda state: state["choices"])
        play_out(chair)
        chair.done("rematch")
        assert chair.until(lambda state: state["table"]["rematch"])
