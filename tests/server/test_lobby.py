"""What the first page lists: whose turn it is, how games ended, and public games to watch."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from cabochon.server import repository
from cabochon.server.messages import LobbyOut
from cabochon.server.rate_limit import Buckets
from tests.server.test_handlers import play_out
from tests.support.postgres import every_database
from tests.support.serving import Guest, House, house, two_players


@pytest.fixture
def here(tmp_path: Path, database: str) -> Iterator[House]:
    with house(tmp_path, database=database) as running:
        yield running


def lobby(guest: Guest) -> dict[str, Any]:
    found: dict[str, Any] = guest.get("/api/tables").json()
    LobbyOut.model_validate(found)
    return found


@every_database
def test_whose_turn_it_is_also_after_a_restart(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database) as here:
        anna, ben = here.guest("Anna"), here.guest("Ben")
        table = anna.create(start="host")
        assert (0, None) == tuple(lobby(anna)["running"][0][name] for name in ("seat", "turn"))
        with anna.at(table) as first, ben.at(table) as second:
            second.done("sit", seat=1, name="Ben")
            first.done("start")
            first.play()
        assert (0, 1) == tuple(lobby(anna)["running"][0][name] for name in ("seat", "turn"))
        assert (1, 1) == tuple(lobby(ben)["running"][0][name] for name in ("seat", "turn"))
    with house(tmp_path, database=database) as again:
        assert (1, 1) == tuple(lobby(Guest(again, ben.cookie))["running"][0][name] for name in ("seat", "turn"))


def test_reading_games_for_a_list_is_counted_and_limited(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.service.MAX_READ_FOR_A_LIST", 2)
    anna = here.guest()
    tables = [anna.create(bots=["greedy"], start="host") for _ in range(4)]
    here.service.rooms.clear()
    known = [table["id"] for table in lobby(anna)["running"] if table["turn"] is not None]
    assert 2 == len(known) == len(here.service.rooms) and set(known) < set(tables)
    here.service.rooms.clear()
    here.service.reads = Buckets(1e-9, 4.0)  # the list itself costs 3
    assert 1 == len([table for table in lobby(anna)["running"] if table["turn"] is not None])


@every_database
def test_how_a_game_ended(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database) as here:
        with two_players(here, house={"goal": 2}) as (table, first, second):
            outcome = play_out(first, second)["outcome"]
            users = here.service.rooms[table].table.holders
            cookie = f"cabochon_guest={here.service.guests.signer.dumps(next(iter(users)))}"
        expected = {
            "points": [sum(source.values()) for source in outcome["points"]],
            "winners": outcome["winners"],
            "reason": "goal",
            "ended": here.clock(),
            "rounds": here.service.rooms[table].table.game.round,
        }
        assert expected == lobby(Guest(here, cookie))["finished"][0]["result"]
    with house(tmp_path, database=database) as again:
        anna = Guest(again, cookie)
        assert expected == lobby(anna)["finished"][0]["result"], "stored"
        forget_results(again)
        assert None is lobby(anna)["finished"][0]["result"], "a game of an older server"
        assert "finished" == anna.get(f"/api/tables/{table}").json()["status"]
        again.service.rooms.clear()
        assert expected == lobby(anna)["finished"][0]["result"], "it was looked at"


def forget_results(here: House) -> None:
    here.service.rooms.clear()
    with here.service.repository.engine.begin() as connection:
        connection.execute(sa.update(repository.tables).values(result=None))


def test_games_to_watch_are_those_with_a_player_that_anybody_may_watch(here: House) -> None:
    eve = here.guest("Eve")
    with two_players(here, watch="anybody", start="host") as (shown, anna, _), two_players(here, start="host"):
        with two_players(here, watch="nobody", start="host"):
            assert [shown] == [table["id"] for table in lobby(eve)["watch"]]
            listed = lobby(eve)["watch"][0]
            assert (None, 0, None) == (listed["seat"], listed["turn"], listed["result"])
        holder = next(user for user, seat in here.service.rooms[shown].table.holders.items() if seat == 0)
        assert [] == lobby(Guest(here, f"cabochon_guest={here.service.guests.signer.dumps(holder)}"))["watch"], "not one's own"
        anna.done("resign")
        anna.until(lambda state: state["outcome"])
        assert [] == lobby(eve)["watch"]
    left = here.guest().create(bots=["greedy"], watch="anybody", start="host")
    assert left in here.service.rooms and [] == lobby(eve)["watch"], "nobody is there"


def test_an_address_cannot_fill_the_games_to_watch(tmp_path: Path) -> None:
    with (
        house(tmp_path, max_listed_per_address=1) as here,
        two_players(here, watch="anybody"),
        two_players(here, watch="anybody"),
    ):
        assert 1 == len(lobby(here.guest())["watch"])
        here.service.settings = replace(here.service.settings, max_listed_per_address=2)
        assert 2 == len(lobby(here.guest())["watch"])


def test_bots_are_listed_from_weak_to_strong(here: House) -> None:
    ratings = [bot["rating"] for bot in here.guest().get("/api/bots").json()]
    known = [rating for rating in ratings if rating is not None]
    assert sorted(known) == known and ratings[: len(known)] == known and len(known) > 5
