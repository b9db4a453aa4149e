"""Nobody can throw a player out, take over a seat, flood the server or learn what is private."""

import asyncio
import itertools
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest
import segno
import sqlalchemy as sa
from itsdangerous import URLSafeSerializer

from cabochon import Game
from cabochon.notation.record import Record, format_record
from cabochon.server import broadcast, expiry, repository, serialise
from cabochon.server.commitment import Reveal2, parse_reveal, verify
from cabochon.server.connection import TOO_SLOW, Connection
from cabochon.server.errors import Refused
from cabochon.server.identity import COOKIE, COOKIE_SECONDS, OLD_COOKIES_UNTIL, Guests
from cabochon.server.messages import ReplayOut, SeatLinkOut, TableOptions
from cabochon.server.rate_limit import Bucket, Buckets, SocketCounts
from cabochon.server.room import Room
from cabochon.server.seat_links import take_seat
from cabochon.server.table import Entry, Seat, replay_views
from tests.server.process import run
from tests.server.test_handlers import closing, play_out
from tests.support.postgres import every_database
from tests.support.serving import Chair, Clock, Guest, House, fixed_sources, house, true_sources, two_players

PRACTICALLY_NEVER = 1e-6  # points a second


@pytest.fixture
def here(tmp_path: Path, database: str) -> Iterator[House]:
    with house(tmp_path, database=database) as running:
        yield running


# What is sent


class Recorder:
    """A websocket that keeps what it is sent."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def send(self, message: dict[str, str]) -> None:
        self.texts.append(message["text"])

    async def close(self, code: int, _reason: str) -> None:
        self.texts.append(f"closed {code}")


def sent(max_waiting: int, use: Callable[[Connection], None]) -> list[str]:
    """What goes out if a connection is used like this before its sender comes to it. States are numbered as they are built."""
    numbers = itertools.count(1)

    async def whole() -> list[str]:
        socket = Recorder()
        connection = Connection(socket, None, 0, max_waiting)  # type: ignore[arg-type]
        use(connection)
        sender = asyncio.create_task(
            connection.send_all(lambda _connection: f"state {next(numbers)}".encode(), lambda _connection: b"chat")
        )
        connection.close(1000, "")
        await connection.finish(sender)
        return socket.texts

    return run(whole())


def test_of_many_states_the_newest_is_sent_once() -> None:
    def use(connection: Connection) -> None:
        for _ in range(1000):
            connection.refresh()

    assert ["state 1", "closed 1000"] == sent(3, use)


def test_a_state_comes_after_the_ack_it_follows_from() -> None:
    def use(connection: Connection) -> None:
        connection.refresh()
        connection.put(b"pong")
        connection.put(b"ack", before_state=True)
        connection.refresh()
        connection.put(b"refused")

    assert ["pong", "ack", "state 1", "refused", "closed 1000"] == sent(8, use)


def test_what_waits_is_sent_together_where_the_socket_takes_it() -> None:
    """While it does not, one after the other, and a state is built when its turn has come."""
    sent_at_once: list[list[bytes]] = []
    is_open = iter([False, False, True])

    async def whole() -> list[str]:
        socket = Recorder()
        direct = {"is_open": lambda: next(is_open), "send": sent_at_once.append}
        connection = Connection(socket, None, 0, 8, direct=direct)  # type: ignore[arg-type]
        for answer in (b"one", b"two", b"three"):
            connection.put(answer)
        connection.refresh()
        sender = asyncio.create_task(connection.send_all(lambda _connection: b"state", lambda _connection: None))
        connection.close(1000, "")
        await connection.finish(sender)
        return socket.texts

    assert ["one", "two", "closed 1000"] == run(whole())
    assert [[b"three", b"state"]] == sent_at_once


def test_somebody_who_asks_and_does_not_read_is_disconnected() -> None:
    def use(connection: Connection) -> None:
        connection.refresh()
        for _ in range(5):
            connection.put(b"pong")
        assert connection.close_reason and TOO_SLOW == connection.close_reason[0]

    assert ["state 1", *["pong"] * 3, f"closed {TOO_SLOW}"] == sent(3, use)


def test_those_who_come_and_go_are_told_together(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with two_players(here) as (table, anna, ben):
        monkeypatch.setattr("cabochon.server.broadcast.PRESENCE_SECONDS", 1e6)
        with here.guest().at(table) as stays:
            for _ in range(50):
                with here.guest().at(table) as goes:
                    assert "state" == goes.receive()["type"]
            before = len(anna.raw)
            anna.catch_up()
            assert [b'{"type":"pong"}'] == anna.raw[before:]
            anna.play()
            assert {1} == {chair.until_number(1)["table"]["watchers"] for chair in (anna, ben, stays)}


def test_who_comes_and_goes_is_told_soon(here: House) -> None:
    with two_players(here) as (table, anna, _ben):
        with here.guest().at(table):
            anna.until(lambda state: state["table"]["watchers"] == 1)
        anna.until(lambda state: state["table"]["watchers"] == 0)


def test_viewers_with_the_same_eyes_are_sent_the_same_bytes(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[tuple[int | None, int]] = []
    build = broadcast.state_out

    def state(room: Room, viewer: int | None, since: int, now: float) -> bytes:
        built.append((viewer, since))
        return build(room, viewer, since, now)

    monkeypatch.setattr(broadcast, "state_out", state)
    with two_players(here) as (table, anna, _ben), ExitStack() as stack:
        watchers = [stack.enter_context(here.guest().at(table)) for _ in range(5)]
        for chair in watchers:
            chair.until(lambda state: state["table"]["watchers"] == 5)
        built.clear()
        anna.play()
        for chair in watchers:
            chair.until_number(1)
        assert 1 == built.count((None, 0))


# Places


def test_spectators_do_not_keep_a_player_out(tmp_path: Path) -> None:
    with house(tmp_path, max_spectators=1) as here:
        anna = here.guest()
        table = anna.create(bots=["greedy"], start="host")
        with here.guest().at(table) as first, here.guest().at(table) as second:
            assert "state" == first.receive()["type"]
            assert (4429, "too many are at this table") == closing(second)
            with anna.at(table) as chair:
                chair.play("take wug")


def test_the_oldest_of_too_many_own_sockets_is_closed(tmp_path: Path) -> None:
    with house(tmp_path, max_sockets_per_guest=2) as here:
        anna = here.guest()
        table = anna.create(bots=["greedy"], start="host")
        with anna.at(table) as first, anna.at(table) as second, anna.at(table) as third:
            assert (4409, "you have opened this table in too many places") == closing(first)
            second.receive()
            third.play("take wug")


@pytest.mark.parametrize(
    "limit, reason", [("max_spectators_per_address", "are at this table"), ("max_sockets_per_address", "from")]
)
def test_an_address_opens_only_so_many_sockets(tmp_path: Path, limit: str, reason: str) -> None:
    with house(tmp_path, None, **{limit: 2}) as here:
        anna = here.guest()
        table = anna.create(bots=["greedy"], start="host")
        for _ in range(2):
            with ExitStack() as stack:
                for _ in range(2):
                    assert "state" == stack.enter_context(here.guest().at(table)).receive()["type"]
                code, said = closing(stack.enter_context(here.guest().at(table)))
                assert 4429 == code and reason in said
                stack.enter_context(anna.at(table)).play()


def test_a_seat_holder_comes_in_although_the_address_has_read_too_much(tmp_path: Path) -> None:
    with house(tmp_path, max_reads_per_minute=4) as here:
        anna, ben = here.guest(), Guest(here)
        table = anna.create(bots=["greedy"], start="host")
        with ben.at(table) as chair:
            assert (4429, "too many requests from your address") == closing(chair)
        with anna.at(table) as chair:
            chair.play("take wug")


def test_a_seat_holder_loads_a_page_although_the_address_has_read_too_much(tmp_path: Path) -> None:
    with house(tmp_path) as here:
        anna = here.guest()
        here.service.reads = Buckets(PRACTICALLY_NEVER, 3)
        assert [200, 200, 200, 429] == [Guest(here).get("/api/me").status_code for _ in range(4)]
        assert 429 == Guest(here, f"{COOKIE}=forged").get("/api/me").status_code
        for path in ("/api/me", "/api/data/classic", "/api/data/marvel"):
            assert 200 == anna.get(path).status_code
        assert [200, 200, 429] == [anna.get("/api/me").status_code for _ in range(3)], "one guest has a budget too"


def test_counts_of_sockets_go_up_and_down() -> None:
    counts = SocketCounts(max_spectators=1, max_seated=2)

    def enter(address: str, seated: bool) -> bool:
        return run(counts.enter(address, seated))

    assert [True, False] == [enter("a", seated=False) for _ in range(2)]
    assert [True, True, False] == [enter("a", seated=True) for _ in range(3)]
    counts.leave("a", seated=False)
    assert enter("a", seated=False) and enter("b", seated=False)
    for address in "ab":
        counts.leave(address, seated=False)
    assert {("a", True): 2} == counts.open


# Taking back while a bot stands in


@every_database
def test_somebody_replaced_by_a_bot_is_still_asked(here: House) -> None:
    """Away, replaced, and yet nobody looks at blind cards for nothing or takes back what the away player has done."""
    anna, ben = here.guest("Anna"), here.guest("Ben")
    table = anna.create(start="host")
    with anna.at(table) as first:
        with ben.at(table) as second:
            second.done("sit", seat=1, name="Ben")
            first.done("start")
            first.play("reserve 3?")
            second.play("take wug")
        first.until(lambda state: state["number"] == 2 and not state["table"]["seats"][1]["connected"])
        here.clock.pass_by(31)
        first.done("replace", seat=1)
        first.play("reserve 3?")
        state = first.until(lambda state: state["choices"])
        assert "ask" == state["can_undo"] and "greedy" == state["table"]["seats"][1]["bot"]
        first.done("undo")
        ask = first.until(lambda state: state["asks"])["asks"][0]
        assert ("takeback", [1]) == (ask["what"], ask["waiting_for"])
        number = first.state["number"]
        with ben.at(table) as second:
            second.until(lambda state: state["asks"])
            second.done("answer", ask=ask["ask"], yes=False)
        assert number == first.until(lambda state: not state["asks"])["number"]
        first.play()


# A log has an end


@every_database
def test_a_full_log_is_the_end(tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody wins, and all else is as after any end, also after a restart."""
    monkeypatch.setattr("cabochon.server.table.MAX_LOG_ENTRIES", 7)
    with house(tmp_path, true_sources(Clock()), database=database) as here:
        anna = here.guest()
        table = anna.create(bots=["greedy"], start="host")
        with anna.at(table) as chair:
            for _ in range(3):
                chair.play()
            chair.until(lambda state: state["number"] == 6 and state["choices"])
            chair.play()
            state = chair.until_number(7)
            check_full(anna, state)
            assert "the game is over" in chair.refusal("move", number=8, text="take wug")
            assert "the game is over" in chair.refusal("undo")
            assert None is here.service.rooms[table].thinking
    with house(tmp_path, true_sources(Clock()), database=database) as again:
        anna = Guest(again, anna.cookie)
        assert [table] == [found["id"] for found in anna.get("/api/tables").json()["finished"]]
        with anna.at(table) as chair:
            chair.receive()
            assert state["outcome"] == chair.state["outcome"]
            check_full(anna, chair.state)
            chair.done("rematch")
            assert chair.until(lambda state: state["table"]["rematch"])


def check_full(guest: Guest, state: dict[str, Any]) -> None:
    """The end of a table whose log is full."""
    table, outcome = state["table"], state["outcome"]
    assert "finished" == table["status"] and None is state["choices"] and "no" == state["can_undo"]
    assert ("log_full", [], [1, 1]) == (outcome["reason"], outcome["winners"], outcome["ranks"])
    reveal = parse_reveal(guest.get(f"/api/tables/{table['id']}/reveal").text)
    assert isinstance(reveal, Reveal2) and table["reveal"]["secret"] == reveal.secret
    assert [] == verify(reveal, table["commitment"])
    assert 7 == len(Game.from_record(guest.get(f"/api/tables/{table['id']}/record").text).moves)
    assert outcome == guest.get(f"/api/tables/{table['id']}/replay?seat=1").json()["outcome"]


def test_a_log_is_full_after_takebacks_too(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.table.MAX_LOG_ENTRIES", 4)
    anna = here.guest()
    table = anna.create(bots=["greedy"], start="host", takeback="free")
    with anna.at(table) as chair:
        chair.play("take wug")
        chair.until(lambda state: state["number"] == 2 and state["choices"])
        chair.done("undo")
        state = chair.until_number(4)
        assert ["move", "move", "undo", "undo"] == [line["kind"] for line in chair.lines]
        assert "log_full" == state["outcome"]["reason"]
        assert () == Game.from_record(anna.get(f"/api/tables/{table}/record").text).moves


def test_a_game_that_is_won_in_the_last_line_is_won(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with two_players(here, house={"goal": 1}) as (_, anna, ben):
        lines = play_out(anna, ben)["number"]
    monkeypatch.setattr("cabochon.server.table.MAX_LOG_ENTRIES", lines)
    with two_players(here, house={"goal": 1}) as (_, anna, ben):
        state = play_out(anna, ben)
    assert (lines, "goal") == (state["number"], state["outcome"]["reason"]) and state["outcome"]["winners"]


@every_database
def test_a_table_with_a_full_log_is_left_alone_by_its_clock(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.table.MAX_LOG_ENTRIES", 1)
    with two_players(here, clock={"kind": "move", "seconds": 30}) as (table, anna, ben):
        anna.play()
        assert None is ben.until_number(1)["clock"]["running"]
        here.clock.pass_by(31)
        here.client.portal.call(here.service.tick)  # type: ignore[union-attr]
        assert 1 == here.service.rooms[table].table.number
        assert "the game is over" in ben.refusal("move", number=2, text="take wug")
    assert [] == here.service.repository.timed_tables(), "it is not kept in memory for its clock"


def test_a_full_table_of_an_older_server_ends_when_it_is_read(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    anna = here.guest()
    table = anna.create(bots=["greedy"], start="host")
    with anna.at(table) as chair:
        chair.play()
        number = chair.until(lambda state: state["choices"])["number"]
    monkeypatch.setattr("cabochon.server.table.MAX_LOG_ENTRIES", number - 1)
    here.service.rooms.clear()
    with anna.at(table) as chair:
        chair.receive()
        assert (number, "log_full") == (chair.state["number"], chair.state["outcome"]["reason"])
    stored = here.service.repository.table(table)
    assert stored and "finished" == stored.table["status"]


@every_database
def test_moves_and_takebacks_have_a_pace(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database, max_moves_per_second=0.25, max_takebacks_per_minute=2) as here:
        anna = here.guest()
        table = anna.create(bots=["greedy"], start="host", takeback="free")
        with anna.at(table) as chair:
            for number in (1, 5):
                chair.until(lambda state, number=number: state["number"] >= number - 1 and state["choices"])  # type: ignore[misc]
                chair.play("take wug")
                chair.until(lambda state, number=number: state["number"] > number and state["choices"])  # type: ignore[misc]
                chair.done("undo")
            chair.play("take wug")
            state = chair.until(lambda state: state["number"] >= 10 and state["choices"])
            assert "too much was taken back" in chair.refusal("undo")
            assert "too many moves" in chair.refusal("move", number=state["number"] + 1, text=state["choices"]["legal"][0])
            assert 9 == chair.done("move", number=9, text="take wug"), "a move that is stored is acknowledged again"


# Reading


def test_reads_are_counted_by_their_cost(tmp_path: Path) -> None:
    with house(tmp_path) as here:
        guest = Guest(here)
        here.service.reads = Buckets(0.01, 12)
        statuses = [guest.get("/api/tables/nowhere/replay").status_code for _ in range(3)]
        assert [404, 404, 429] == statuses
        answer = guest.get("/api/tables/nowhere/replay")
        assert "too_many_requests" == answer.json()["code"] and 200 < int(answer.headers["retry-after"]) <= 300
        assert 404 == guest.get("/api/tables/nowhere").status_code
        for path in ("record", "reveal", "qr.svg", "link", ""):
            while guest.get(f"/api/tables/nowhere/{path}".rstrip("/")).status_code != 429:
                pass
        assert 429 == guest.get("/api/tables").status_code == guest.get("/api/me").status_code
        assert 200 == guest.get("/api/health").status_code == guest.get("/").status_code


def test_names_and_seats_are_counted_apart(here: House) -> None:
    """Neighbours who change their names do not keep anybody from taking a seat, nor the other way round."""
    here.service.renames, here.service.visits = Buckets(PRACTICALLY_NEVER, 2), Buckets(PRACTICALLY_NEVER, 3)
    guest = here.guest()
    assert [200, 200, 429] == [guest.put("/api/me", json={"name": "Anna"}).status_code for _ in range(3)]
    assert [404, 404, 404, 429] == [guest.request("POST", "/api/seats/nowhere", json={}).status_code for _ in range(4)]


def test_the_description_of_the_api_is_counted_and_made_once(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    app: Any = here.client.app
    made: list[str] = []

    def description() -> dict[str, Any]:
        made.append("once")
        return {"paths": {}}

    monkeypatch.setattr(app, "openapi", description)
    here.service.reads = Buckets(PRACTICALLY_NEVER, 11)
    paths = ("/api/openapi.json", "/api/openapi.json", "/api/nothing", "/api/nothing", "/api/openapi.json")
    assert [200, 200, 404, 429, 429] == [here.client.get(path).status_code for path in paths]
    assert ["once"] == made


def test_a_replay_costs_by_its_length(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.routes.REPLAY_LINES_PER_POINT", 1)
    anna = here.guest()
    table = anna.create(bots=["greedy"], start="host")
    with anna.at(table) as chair:
        for _ in range(3):
            chair.play()
        lines = chair.until(lambda state: state["choices"])["number"]

    def statuses(burst: float) -> list[int]:
        here.service.reads = Buckets(PRACTICALLY_NEVER, burst)
        return [anna.get(f"/api/tables/{table}/replay").status_code for _ in range(3)]

    assert lines >= 6
    assert [200, 200, 429] == statuses(2 * (5 + lines))
    assert [200, 429, 429] == statuses(2 * (5 + lines) - 1)
    assert [200, 429, 429] == statuses(5 + lines - 1), "a full budget pays for any replay"
    here.service.reads = Buckets(0.01, 2 * (5 + lines) - 1)
    refused = [anna.get(f"/api/tables/{table}/replay") for _ in range(2)][1]
    assert 500 < int(refused.headers["retry-after"]) <= 600, "the next attempt pays for both parts again"


def test_buckets_that_are_full_again_are_forgotten() -> None:
    buckets = Buckets(per_second=1, burst=10)
    for guest in range(100):
        buckets.take(str(guest), now=guest * 0.5)
    assert 2 == len(buckets.by_address), "one that lent one is full after a second"
    assert all(buckets.take("busy", now=50) for _ in range(10)) and not buckets.take("busy", now=50)
    assert not buckets.take("busy", now=50.5) and buckets.take("busy", now=51.5)


def test_buckets_with_costs() -> None:
    bucket = Bucket(per_second=2, burst=10, now=0)
    assert [True, False, True] == [bucket.take(0, cost) for cost in (8, 3, 2)]
    assert 2.5 == bucket.wait(5)
    buckets = Buckets(1, 4)
    assert 0 == buckets.wait("a", 4) and buckets.take("a", 0, 4) and 4 == buckets.wait("a", 4)


def test_the_replay_of_a_finished_game_is_made_once(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int | None] = []
    make = replay_views

    def views(game: Game, entries: list[Entry], seat: int | None) -> Any:
        made.append(seat)
        return make(game, entries, seat)

    monkeypatch.setattr("cabochon.server.routes.replay_views", views)
    with two_players(here, house={"goal": 2}) as (table, anna, ben):
        guest = here.guest()
        for _ in range(2):
            guest.get(f"/api/tables/{table}/replay")
        play_out(anna, ben)
        first, second, other = (guest.get(f"/api/tables/{table}/replay{seat}").json() for seat in ("", "", "?seat=1"))
        assert first == second != other and [None, None, None, 1] == made


def test_the_record_of_a_finished_game_is_made_once_beside_the_event_loop(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.routes.MAX_KEPT_RECORDS", 1)
    make, makers = format_record, []

    def record(game: Record) -> str:
        makers.append(threading.current_thread())
        return make(game)

    monkeypatch.setattr("cabochon.server.routes.format_record", record)
    found = []
    for _ in range(2):
        with two_players(here, house={"goal": 1}) as (table, anna, ben):
            play_out(anna, ben)
        guest = here.guest()
        written, again, reveal = (guest.get(f"/api/tables/{table}/{what}") for what in ("record", "record", "reveal"))
        assert written.text == again.text == reveal.json()["record"]
        found.append(table)
    loop_thread = here.client.portal.call(async_thread)  # type: ignore[union-attr]
    assert 2 == len(makers) and loop_thread not in makers
    assert found[1:] == list(here.service.records), "few are kept"


async def async_thread() -> threading.Thread:
    """The thread of the event loop."""
    return threading.current_thread()


def test_a_replay_is_written_beside_the_event_loop(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    write, writers = serialise.packed, []

    def packed(value: Any) -> Any:
        writers.append(threading.current_thread())
        return write(value)

    with two_players(here, house={"goal": 1}) as (table, anna, ben):
        anna.play()
        number = anna.until_number(1)["number"]
        monkeypatch.setattr("cabochon.server.routes.packed", packed)
        assert number == len(here.guest().get(f"/api/tables/{table}/replay").json()["entries"])
        play_out(anna, ben)
    for _ in range(2):
        shown = ReplayOut.model_validate(here.guest().get(f"/api/tables/{table}/replay").json())
        assert len(shown.views) == len(shown.entries) + 1 == here.service.rooms[table].table.number + 1
    loop_thread = here.client.portal.call(async_thread)  # type: ignore[union-attr]
    assert 4 == len(writers) and loop_thread not in writers, "lines and views, of the running game and once of the finished one"


def test_a_qr_code_is_drawn_once_and_beside_the_event_loop(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[bool] = []
    make = segno.make

    def recorded(*said: Any, **more: Any) -> Any:
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            drawn.append(True)
        else:
            drawn.append(False)
        return make(*said, **more)

    monkeypatch.setattr(segno, "make", recorded)
    table = here.guest().create()
    answers = {here.client.get(f"/api/tables/{table}/qr.svg").content for _ in range(3)}
    assert 1 == len(answers) and [True] == drawn


# Private links


@every_database
def test_to_open_a_link_changes_nothing(here: House) -> None:
    with two_players(here) as (table, anna, ben):
        anna_link, ben_link = (f"/s/{seat.token}" for seat in here.service.rooms[table].table.seats)
        users = dict(here.service.rooms[table].table.holders)
        guest = Guest(here)
        for link in (anna_link, ben_link, "/s/nonsense", "/s/non.sense"):
            answer = guest.get(link)
            assert 200 == answer.status_code and "text/html" in answer.headers["content-type"]
        assert users == here.service.rooms[table].table.holders and "" == guest.cookie
        anna.play()
        ben.play()


def link_of(here: House, table: str, seat: int) -> str:
    return f"/api/seats/{here.service.rooms[table].table.seats[seat].token}"


@every_database
def test_a_link_says_what_it_gives(here: House) -> None:
    anna, ben = here.guest("Anna"), here.guest("Ben")
    table = anna.create(start="host")
    with ben.at(table) as chair:
        chair.done("sit", seat=1, name="Ben")
    for guest, holds in ((anna, 0), (ben, 1), (Guest(here), None)):
        said = SeatLinkOut.model_validate(guest.get(link_of(here, table, 1)).json())
        assert (table, 1, holds, "Ben") == (said.table.id, said.seat, said.holds, said.table.seats[1].name)
    answer = anna.get("/api/seats/nonsense")
    assert (404, "no_link") == (answer.status_code, answer.json()["code"])


@every_database
def test_a_seat_is_given_up_only_by_saying_so(here: House) -> None:
    with two_players(here) as (table, anna, _ben):
        held = here.service.rooms[table].table.holders
        user = next(user for user, seat in held.items() if seat == 0)
        guest = Guest(here, f"{COOKIE}={here.service.guests.signer.dumps(user)}")
        for said in ({}, {"gives_up": None}, {"gives_up": 1}):
            answer = guest.request("POST", link_of(here, table, 1), json=said)
            assert (409, "other_seat", {"seat": 0}) == (answer.status_code, answer.json()["code"], answer.json()["facts"])
        assert 0 == held[user]
        anna.play()
        assert 200 == guest.request("POST", link_of(here, table, 1), json={"gives_up": 0}).status_code
        assert 1 == held[user] == anna.until(lambda state: state["seat"] == 1)["view"]["seat"]
        assert 200 == guest.request("POST", link_of(here, table, 0), json={"gives_up": 1}).status_code
        assert 0 == anna.until(lambda state: state["seat"] == 0)["seat"]


@every_database
def test_a_seat_given_up_before_the_game_is_free_again(here: House) -> None:
    anna, ben = here.guest("Anna"), here.guest("Ben")
    table = anna.create(players=3)
    with ben.at(table) as chair:
        chair.done("sit", seat=1, name="Ben")
        assert 200 == anna.request("POST", link_of(here, table, 1), json={"gives_up": 0}).status_code
        state = chair.until(lambda state: state["table"]["seats"][0]["kind"] == "open")
        assert 1 == state["table"]["host"]
    stored = here.service.repository.table(table)
    assert stored is not None and "open" == stored.seats[0]["kind"]


def in_the_loop(here: House, work: Callable[[], Any]) -> Any:
    return here.client.portal.call(work)  # type: ignore[union-attr]


def test_a_link_that_was_given_back_meanwhile_gives_nothing(here: House) -> None:
    anna, ben, eve = here.guest("Anna"), here.guest("Ben"), here.guest("Eve")
    table = anna.create()
    with ben.at(table) as chair:
        chair.done("sit", seat=1, name="Ben")
        room = here.service.rooms[table]
        known = room.table
        token = known.seats[1].token

        async def race() -> str:
            """Somebody has looked the link up and waits for the lock; meanwhile the seat is left."""
            async with room.lock:
                taking = asyncio.create_task(take_seat(here.service, token, "eve", None))
                while not room.lock._waiters:
                    await asyncio.sleep(0)
                known.seats[1] = Seat(1, "open", "")
            with pytest.raises(Refused) as refused:
                await taking
            return refused.value.code

        assert "no_link" == in_the_loop(here, race)
        assert "eve" not in known.holders
    with eve.at(table) as chair:
        known.holders["stale"] = 1
        chair.done("sit", seat=1, name="Eve")
        assert 1 == list(known.holders.values()).count(1), "whoever sits down holds the seat alone"


@every_database
def test_a_seat_given_up_by_a_link_loses_its_seal(here: House) -> None:
    anna, ben = here.guest("Anna"), here.guest("Ben")
    table = anna.create(players=3)
    with ben.at(table) as chair:
        chair.done("sit", seat=1, name="Ben")
        chair.done("seal", seal="ab" * 32)
        assert 200 == ben.request("POST", link_of(here, table, 0), json={"gives_up": 1}).status_code
        assert [None] * 3 == chair.until(lambda state: state["seat"] == 0)["table"]["deal"]["seals"]
    stored = here.service.repository.table(table)
    assert stored is not None and [] == list(stored.seals)


def test_a_table_that_was_forgotten_takes_no_more_requests(here: House) -> None:
    anna = here.guest()
    table = anna.create()
    known = here.service.rooms[table]

    async def wait_too_long() -> str:
        here.service.forget(known, 1012, "the table is read again")
        with pytest.raises(Refused) as refused:
            async with here.service.locked(known):
                raise AssertionError("the old object may not be changed")
        return refused.value.code

    assert "not_stored" == in_the_loop(here, wait_too_long)


def test_another_site_cannot_take_a_seat(here: House) -> None:
    anna = here.guest()
    table = anna.create(bots=["greedy"])
    answer = Guest(here).request("POST", link_of(here, table, 0), json={}, headers={"origin": "http://evil.example"})
    assert (403, "other_site") == (answer.status_code, answer.json()["code"])
    assert 1 == len(here.service.rooms[table].table.holders)


# Tables nobody may watch

SECRET = "5e" * 32


def strangers_bytes(folder: Path, database: str, seed: int) -> list[bytes]:
    """All that somebody is sent who came to the waiting room of a table nobody may watch, and asks for everything afterwards."""
    sources = fixed_sources(Clock())
    dealt = Game("classic", 2, seed=seed, start=0, goal=2)
    sources.deal = lambda _options, _inputs: dealt.copy()
    sources.table_id, sources.secret = itertools.cycle(["table", "other"]).__next__, lambda: SECRET
    with house(folder, sources, database=database) as here, ExitStack() as stack:
        anna, ben, eve = here.guest("Anna"), here.guest("Ben"), here.guest("Eve")
        table = anna.create(watch="nobody", house={"goal": 2})
        watcher = stack.enter_context(eve.at(table))
        first, second = (stack.enter_context(guest.at(table)) for guest in (anna, ben))
        second.done("sit", seat=1, name="Ben")
        first.done("start")
        assert 4403 == closing_after(watcher)
        for chair in (first, second):
            chair.until(lambda state: state["view"])
        asked = everything_about(table, eve)
    with house(folder, sources, database=database) as here, ExitStack() as stack:
        anna.house = ben.house = eve.house = here
        asked += everything_about(table, eve)
        first, second = (stack.enter_context(guest.at(table)) for guest in (anna, ben))
        for chair in (first, second):
            chair.until(lambda state: state["view"])
        play_out(first, second)
        for chair in (first, second):
            chair.done("rematch")
        asked += everything_about(table, eve)
    with house(folder, sources, database=database) as here:
        anna.house = eve.house = here
        asked += everything_about(table, eve)
        assert anna.get(f"/api/tables/{table}").json()["reveal"], "players are shown the deal"
        assert anna.get("/api/tables").json()["finished"][0]["reveal"]
    return [text for text in watcher.raw if b'"status":"waiting"' not in text] + asked


def everything_about(table: str, guest: Guest) -> list[bytes]:
    """The answers to all questions about a table, and what its socket says."""
    paths = [f"/api/tables/{table}{part}" for part in ("", "/replay", "/record", "/reveal")] + ["/api/tables"]
    asked = [guest.get(path).content for path in paths]
    with guest.at(table) as chair:
        assert 4403 == closing_after(chair)
    return asked + chair.raw


def without_tables(database: str) -> None:
    """Delete all tables, as if nobody had played."""
    kept = repository.Repository(database)
    with kept.engine.begin() as connection:
        for part in (repository.entries, repository.holders, repository.seals, repository.seats, repository.tables):
            connection.execute(part.delete())
    kept.engine.dispose()


def closing_after(chair: Chair) -> int:
    """The code with which a socket was closed; what came before is kept."""
    while (message := chair.socket.receive())["type"] != "websocket.close":
        chair.raw.append(message["text"].encode())
    return int(message["code"])


@every_database
def test_nothing_of_a_game_reaches_those_who_may_not_watch(tmp_path: Path, database: str) -> None:
    """While it runs, after its end, and each time after a restart."""
    first = strangers_bytes(tmp_path, database, 3)
    without_tables(database)
    second = strangers_bytes(tmp_path, database, 4)
    assert first == second
    sent = b"".join(first)
    assert SECRET.encode() not in sent and b'"view":{' not in sent and b'"other"' not in sent


# The lobby, and tables nobody misses


@every_database
def test_a_guest_has_only_so_many_waiting_tables(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database, max_waiting_tables=2) as here:
        guest = here.guest()
        first, _ = guest.create(), guest.create()
        answer = guest.request("POST", "/api/tables", json={})
        assert (409, "too_many_waiting", {"most": 2}) == (answer.status_code, answer.json()["code"], answer.json()["facts"])
        guest.create(bots=["greedy"])
        with guest.at(first) as chair:
            chair.done("start")
        guest.create()


def test_waiting_tables_asked_for_at_once_are_counted_too(tmp_path: Path) -> None:
    with house(tmp_path, max_waiting_tables_per_address=3) as here:

        async def ask_for_ten() -> list[Any]:
            asked = [here.service.create(TableOptions(), f"guest {i}", "Eve", "address") for i in range(10)]
            return await asyncio.gather(*asked, return_exceptions=True)

        found = in_the_loop(here, ask_for_ten)
        assert 3 == sum(not isinstance(one, Refused) for one in found)
        assert {"too_many_waiting_there"} == {one.code for one in found if isinstance(one, Refused)}


def test_an_address_opens_only_so_many_tables_a_day(tmp_path: Path) -> None:
    with house(tmp_path, max_tables_per_day=2) as here:
        codes = [here.guest().request("POST", "/api/tables", json={"bots": ["greedy"]}).status_code for _ in range(3)]
        assert [200, 200, 429] == codes


@every_database
def test_an_address_cannot_fill_the_lobby(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database, max_listed_per_address=3, max_waiting_tables_per_address=5) as here:
        other = here.guest().create(watch="anybody")
        here.service.openings.here[other] = "another", here.clock()
        made = [here.guest().create(watch="anybody") for _ in range(5)]
        assert 409 == here.guest().request("POST", "/api/tables", json={}).status_code
        assert [*made[:1:-1], other] == [table["id"] for table in here.guest().get("/api/tables").json()["open"]]
        here.clock.pass_by(86_400)
        here.guest().create()


def counts(here: House) -> dict[str, int]:
    """How many rows each table of the database has."""
    parts = (repository.tables, repository.seats, repository.holders, repository.entries)
    with here.service.repository.engine.connect() as connection:
        return {part.name: connection.scalar(sa.select(sa.func.count()).select_from(part)) or 0 for part in parts}


def expired(here: House) -> int:
    """Look for old tables now; how many were deleted."""
    return int(here.client.portal.call(expiry.expire, here.service))  # type: ignore[union-attr]


@every_database
def test_tables_that_nobody_joined_are_deleted_after_a_week(here: House) -> None:
    anna, ben = here.guest(), here.guest()
    alone, joined, running = anna.create(), anna.create(), anna.create(bots=["greedy"], start="host")
    with ben.at(joined) as chair:
        chair.done("sit", seat=1, name="Ben")
    with anna.at(running) as chair:
        chair.play()
        chair.until_number(2)
    here.clock.pass_by(7 * 86_400 - 400)
    assert 0 == expired(here)
    here.clock.pass_by(1000)
    with anna.at(alone) as chair:
        chair.receive()
        assert 0 == expired(here), "somebody waits there"
    before = counts(here)
    assert 1 == expired(here)
    after = counts(here)
    assert {"tables": 1, "seats": 2, "holders": 1, "entries": 0} == {name: before[name] - after[name] for name in before}
    assert [404, 200, 200] == [anna.get(f"/api/tables/{table}").status_code for table in (alone, joined, running)]


@every_database
def test_guests_without_a_seat_are_forgotten_with_the_games(tmp_path: Path, database: str) -> None:
    day = 86_400.0
    with house(tmp_path, database=database, keep_finished_seconds=10 * day) as here:

        def known() -> set[str]:
            here.client.portal.call(expiry.expire_guests, here.service)  # type: ignore[union-attr]
            with here.service.repository.engine.connect() as connection:
                return set(connection.scalars(sa.select(repository.users.c.name)))

        anna, ben, _ = (here.guest(name) for name in ("Anna", "Ben", "Cleo"))
        anna.create(bots=["greedy"])
        here.clock.pass_by(6 * day)
        assert "Ben" == ben.get("/api/me").json()["name"]
        here.clock.pass_by(3 * day)
        assert {"Anna", "Ben", "Cleo"} == known()
        here.clock.pass_by(2 * day)
        assert {"Anna", "Ben"} == known(), "one has a seat, and one was seen five days ago"
        here.service.settings = replace(here.service.settings, keep_finished_seconds=0.0)
        here.clock.pass_by(100 * day)
        assert {"Anna", "Ben"} == known()


@every_database
def test_games_that_nobody_goes_on_with_are_deleted_where_that_is_wished(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database) as here:
        anna, ben = here.guest(), here.guest()
        joined, running = anna.create(players=3), anna.create(bots=["greedy"], start="host")
        with ben.at(joined) as chair:
            chair.done("sit", seat=1, name="Ben")
        here.clock.pass_by(1_000_000)
        assert 0 == expired(here)
        here.service.settings = replace(here.service.settings, keep_running_seconds=999_000.0)
        with anna.at(running) as chair:
            chair.play()
            chair.until_number(2)
        assert 1 == expired(here)
        assert [404, 200] == [anna.get(f"/api/tables/{table}").status_code for table in (joined, running)]


@every_database
def test_finished_tables_are_kept_unless_said_otherwise(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database, keep_finished_seconds=1000) as here:
        with two_players(here, house={"goal": 2}) as (table, anna, ben):
            play_out(anna, ben)
        here.service.rooms.clear()
        here.clock.pass_by(999)
        assert 0 == expired(here)
        here.service.settings = replace(here.service.settings, keep_finished_seconds=0.0)
        here.clock.pass_by(1_000_000)
        assert 0 == expired(here)
        here.service.settings = replace(here.service.settings, keep_finished_seconds=1000.0)
        assert 1 == expired(here) and {"tables": 0, "seats": 0, "holders": 0, "entries": 0} == counts(here)
        assert 404 == here.guest().get(f"/api/tables/{table}").status_code


# Cookies


class Asking:
    """A request with a cookie."""

    def __init__(self, cookie: str) -> None:
        self.cookies = {COOKIE: cookie}


def read(guests: Guests, cookie: str) -> str | None:
    asking: Any = Asking(cookie)
    return guests.user_of(asking)


def given(guests: Guests, user: str) -> str:
    from starlette.responses import Response

    response = Response()
    guests.remember(response, user, secure=False)
    return SimpleCookie(response.headers["set-cookie"])[COOKIE].value


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def test_a_cookie_is_read_only_as_it_was_written() -> None:
    clock = Clock()
    guests = Guests("key", clock)
    for cookie in (given(guests, "anna"), str(URLSafeSerializer("key", salt="guest").dumps("anna"))):
        assert "anna" == read(guests, cookie)
        changed = [cookie[:-1] + letter for letter in LETTERS if letter != cookie[-1]]
        changed += [cookie + "=", cookie + "A", cookie + " ", cookie.replace(".", "..", 1), "." + cookie]
        assert {None} == {read(guests, text) for text in changed}


def test_a_cookie_grows_old_and_is_renewed() -> None:
    clock = Clock()
    guests = Guests("key", clock)
    cookie = given(guests, "anna")
    clock.pass_by(COOKIE_SECONDS)
    assert "anna" == read(guests, cookie)
    renewed = given(guests, "anna")
    clock.pass_by(1)
    assert None is read(guests, cookie) and "anna" == read(guests, renewed)


def test_cookies_from_before_they_had_a_time_are_read_until_a_date() -> None:
    clock = Clock()
    guests, old = Guests("key", clock), str(URLSafeSerializer("key", salt="guest").dumps("anna"))
    clock.now = OLD_COOKIES_UNTIL - 1
    assert "anna" == read(guests, old)
    clock.now = OLD_COOKIES_UNTIL
    assert None is read(guests, old)


def test_every_visit_renews_the_cookie(here: House) -> None:
    guest = here.guest()
    first = guest.cookie
    here.clock.pass_by(100)
    guest.get("/api/me")
    assert first != guest.cookie
