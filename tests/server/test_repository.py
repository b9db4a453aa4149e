"""What was acknowledged is there again: after a restart, after kill -9, whatever the bots do."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
import sqlalchemy as sa
from websockets.sync.client import ClientConnection, connect

from cabochon import CabochonError, Game
from cabochon.bots import BOTS, NO_LIMIT, BaseBot, Budget
from cabochon.notation.move import Move
from cabochon.search.analysis import Signal
from cabochon.server import repository
from cabochon.server.bot_pool import MIN_SECONDS, BotPool, fair_seconds
from cabochon.server.database import MIGRATIONS, newest_version
from cabochon.server.errors import Refused
from cabochon.server.repository import Repository
from cabochon.server.settings import Settings
from cabochon.server.table import Table
from cabochon.server.writer import Job, Writer
from cabochon.view import View
from tests.server.process import run
from tests.support.postgres import ON_POSTGRESQL, every_database
from tests.support.serving import Chair, Clock, fixed_sources, house, true_sources, two_players

# Storing


def opened(url: str) -> Repository:
    kept = Repository(url)
    kept.migrate()
    return kept


@pytest.mark.sqlite
def test_every_connection_is_careful(database: str) -> None:
    kept = opened(database)
    with kept.engine.connect() as one, kept.engine.connect() as two:
        for connection in (one, two):
            said = [
                connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "foreign_keys", "busy_timeout")
            ]
            assert ["wal", 1, 5_000] == said
    kept.engine.dispose()


@every_database
def test_closing_waits_for_whoever_reads(database: str) -> None:
    """A read runs in a thread, which cannot be cancelled: let go of too early, its connection would stay open."""
    kept, order = opened(database), list[str]()
    is_reading, may_end = threading.Event(), threading.Event()

    def read() -> None:
        with kept.reading():
            is_reading.set()
            may_end.wait()
            order.append("read")

    def close() -> None:
        kept.close()
        order.append("closed")

    reader, closer = threading.Thread(target=read), threading.Thread(target=close)
    reader.start()
    is_reading.wait()
    closer.start()
    closer.join(0.2)  # long enough for one that does not wait
    may_end.set()
    reader.join()
    closer.join()
    assert ["read", "closed"] == order
    with pytest.raises(Refused, match="stop"), kept.reading():
        pytest.fail("who comes too late opens no connection")


def test_every_connection_to_postgresql_has_limits(postgres_url: str) -> None:
    for url, limit in ((postgres_url, "5s"), (f"{postgres_url}&options=-c%20statement_timeout%3D2s&connect_timeout=3", "2s")):
        kept = Repository(url)
        with kept.engine.connect() as connection:
            said = [connection.scalar(sa.text(f"SHOW {name}")) for name in ("statement_timeout", "lock_timeout")]
            assert [limit, "5s"] == said
        kept.engine.dispose()


@every_database
def test_the_migrations_make_what_the_code_expects(database: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    kept = opened(database)
    kept.migrate()
    with kept.engine.connect() as connection:
        assert [] == compare_metadata(MigrationContext.configure(connection), repository.metadata)
    kept.engine.dispose()


@every_database
def test_the_migrations_can_be_taken_back(database: str) -> None:
    """Each by itself, down to nothing, and made again: with a table, a seal and a line in the database."""
    from alembic import command
    from alembic.autogenerate import compare_metadata
    from alembic.config import Config
    from alembic.migration import MigrationContext

    kept = opened(database)
    with kept.engine.begin() as connection:
        connection.execute(repository.tables.insert().values(TABLE))
        connection.execute(repository.seals.insert().values(table_id=TABLE["id"], seat=0, seal="0" * 64))
        repository.add_entries(connection, [entry(1)])
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    versions = []
    with kept.engine.begin() as connection:
        config.attributes["connection"] = connection
        while version := MigrationContext.configure(connection).get_current_revision():
            versions.append(version)
            command.downgrade(config, "-1")
        assert ["alembic_version"] == sa.inspect(connection).get_table_names()
    assert versions == sorted(versions, reverse=True) and newest_version() == versions[0]
    kept.migrate()
    with kept.engine.connect() as connection:
        assert [] == compare_metadata(MigrationContext.configure(connection), repository.metadata)
    kept.engine.dispose()


@pytest.mark.parametrize(
    "url, reason",
    [
        ("nonsense", "Could not parse"),
        ("oracle9://x", "Can't load plugin"),
        ("sqlite:////proc/none/x.db", "No such file or directory"),
    ],
)
def test_a_database_that_cannot_be_opened(url: str, reason: str) -> None:
    with pytest.raises(CabochonError, match=reason):
        Repository(url).migrate()


SECRET = "hunter-2/x"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql+psycopg://anna:{SECRET}@127.0.0.1:1/games",
        "postgresql+psycopg://anna:hunter-2%2Fx@127.0.0.1:1/games",
        f"postgresql+psycopg://anna:{SECRET}@more@127.0.0.1:1/games",
        f"postgresql+psycopg://anna@127.0.0.1:1/games?password={SECRET}",
        f"postgresql+psycopg://anna:{SECRET}@127.0.0.1:port/games",
        f"postgresql+psycopg://anna:{SECRET}@127.0.0.1:1/games?nonsense=1",
        f"postgresql+psycopg://anna:{SECRET}?y@127.0.0.1:1/games",
        f"postgresql+nothing://anna:{SECRET}@127.0.0.1/games",
        f"no url://anna:{SECRET}@x",
    ],
)
def test_a_password_is_not_told(url: str) -> None:
    with pytest.raises(CabochonError, match="--database ") as told:
        Repository(url).migrate()
    everything = "".join(traceback.format_exception(told.value))
    assert "***" in str(told.value)
    assert "hunter" not in everything and "2Fx" not in everything


@every_database
def test_the_log_tells_nothing_of_the_deal(database: str, caplog: pytest.LogCaptureFixture) -> None:
    """Neither the values of a statement nor the row that PostgreSQL shows when it refuses one."""
    kept = Repository(database)
    kept.migrate()
    row = {**TABLE, "seed": 5305182598825874727, "salt": "81d32cf1a2b3a30e268cd800f1f82599"}

    async def write() -> list[Any]:
        writer = Writer(kept.engine, window=0)
        await writer.store(repository.tables.insert().values(row))
        wrong = [row, {**row, "id": "u", "options": None}, {**row, "id": "v", "start": None}]
        outcomes = [writer.store(repository.tables.insert().values(values)) for values in wrong]
        told = await asyncio.gather(*outcomes, return_exceptions=True)
        await asyncio.to_thread(writer.stop)
        return told

    told = run(write())
    kept.engine.dispose()
    everything = caplog.text + "".join(line for wrong in told for line in traceback.format_exception(wrong))
    assert 3 == caplog.text.count("could not store")
    assert "53051825" not in everything and "81d32cf1" not in everything


TABLE = {
    "id": "t", "options": "{}", "status": "running", "host": 0, "start": 0, "seed": 1, "salt": "", "created": 0.0, "began": 0.0,
    "rematch": None, "listed": False, "timed": False,
}  # fmt: skip


def entry(number: int) -> dict[str, Any]:
    row = {"table_id": "t", "number": number, "kind": "move", "seat": 0, "text": "pass", "at": 0.0}
    return {**row, "undoes": None, "spent": 0.0, "thought": None}


@every_database
def test_many_entries_share_a_commit_and_a_bad_one_harms_nobody(database: str) -> None:
    kept = opened(database)

    async def write() -> tuple[int, list[Any]]:
        writer = Writer(kept.engine, window=0.05)
        await writer.store(repository.tables.insert().values(TABLE))
        good = [writer.store(entries=[entry(number)]) for number in range(1, 101)]
        await asyncio.gather(*good)
        commits = writer.commits
        mixed = [writer.store(entries=[entry(number)]) for number in (101, 50, 102)]
        outcomes = await asyncio.gather(*mixed, return_exceptions=True)
        await asyncio.to_thread(writer.stop)
        return commits, outcomes

    commits, outcomes = run(write())
    assert commits <= 3
    assert [True, False, True] == [outcome is None for outcome in outcomes]
    with kept.engine.connect() as connection:
        assert 102 == connection.scalar(sa.select(sa.func.count()).select_from(repository.entries))
    kept.engine.dispose()


@every_database
def test_the_writer_goes_on_after_any_error(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = opened(database)

    async def write() -> list[Any]:
        writer = Writer(kept.engine, window=-1.0)
        await writer.store(repository.tables.insert().values(TABLE))
        outcomes: list[Any] = []
        for wrong in (ValueError("negative"), OSError("no disk"), MemoryError()):
            with monkeypatch.context() as patched:
                patched.setattr(repository, "add_entries", raising(wrong))
                outcomes += await asyncio.gather(writer.store(entries=[entry(1)]), return_exceptions=True)
        await writer.store(entries=[entry(1)])
        await asyncio.to_thread(writer.stop)
        return outcomes

    assert ["not_stored"] * 3 == [outcome.code for outcome in run(write())]
    kept.engine.dispose()


@every_database
def test_a_writer_that_ends_keeps_nobody_waiting(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, told = opened(database), list[str]()

    async def write() -> list[Any]:
        writer = Writer(kept.engine, 0.05, failed=told.append)
        monkeypatch.setattr(repository, "add_entries", raising(SystemExit()))
        waiting = [writer.store(entries=[entry(number)]) for number in range(3)]
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        await asyncio.to_thread(writer.thread.join)
        return [*outcomes, *await asyncio.gather(writer.store(entries=[entry(4)]), return_exceptions=True)]

    assert ["not_stored"] * 4 == [outcome.code for outcome in run(write())]
    assert ["the thread that writes has ended"] == told
    kept.engine.dispose()


def test_a_writer_survives_its_loop(database: str) -> None:
    kept = opened(database)

    async def begin() -> Writer:
        writer = Writer(kept.engine, 0.0)
        await writer.store(repository.tables.insert().values(TABLE))
        return writer

    writer = run(begin())
    writer.jobs.put(Job(entries=[entry(1)]))
    writer.stop()
    stored = kept.table("t")
    assert stored and 1 == len(stored.entries)
    kept.engine.dispose()


def raising(wrong: BaseException) -> Any:
    def fail(*_: object) -> None:
        raise wrong

    return fail


@every_database
def test_a_table_that_another_server_has_changed_is_read_again(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database) as here, two_players(here) as (table, anna, _ben):
        with here.service.repository.engine.begin() as connection:
            connection.execute(repository.entries.insert().values({**entry(1), "table_id": table, "text": "take wug"}))
        assert "this could not be stored: please try again" == anna.refusal("move", number=1, text="take rr")
        with here.guest().at(table) as again:
            assert (1, "take wug") == (again.receive()["number"], again.lines[0]["text"])


def answers_until_closed(chair: Chair) -> list[str]:
    """The kinds of all answers that come before the socket is closed."""
    kinds = []
    while (message := chair.socket.receive())["type"] != "websocket.close":
        kinds.append(orjson.loads(message["text"])["type"])
    return [kind for kind in kinds if kind != "state"]


def test_a_last_line_is_acknowledged_once_although_the_end_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.table.MAX_LOG_ENTRIES", 2)
    refusing = "CREATE TRIGGER no_end BEFORE UPDATE OF status ON tables BEGIN SELECT RAISE(ABORT, 'not now'); END"
    allowing = "DROP TRIGGER no_end"
    if ON_POSTGRESQL:
        refusing = "ALTER TABLE tables ADD CONSTRAINT no_end CHECK (status <> 'finished') NOT VALID"
        allowing = "ALTER TABLE tables DROP CONSTRAINT no_end"
    for last in ("move", "undo"):
        with house(tmp_path) as here, two_players(here, takeback="free") as (table, anna, ben):
            anna.play("take wug")
            ben.until_number(1)
            with here.service.repository.engine.begin() as connection:
                connection.exec_driver_sql(refusing)
            if last == "move":
                ben.post("move", number=2, text="take wug")
            else:
                anna.post("undo")
            assert ["ack"] == answers_until_closed(ben if last == "move" else anna)
            with here.service.repository.engine.begin() as connection:
                connection.exec_driver_sql(allowing)
            with here.guest().at(table) as again:
                assert (2, "finished") == (again.receive()["number"], again.state["table"]["status"])
            stored = here.service.repository.table(table)
            assert stored and "finished" == stored.table["status"]


def test_a_stored_move_that_cannot_be_shown_is_acknowledged_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with house(tmp_path) as here, two_players(here) as (table, anna, _ben):
        with monkeypatch.context() as patched:
            patched.setattr(Table, "apply", raising(RuntimeError("a mistake of ours")))
            anna.post("move", number=1, text="take wug")
            assert ["ack"] == answers_until_closed(anna)
        assert "a mistake of ours" in caplog.text
        with here.guest().at(table) as again:
            assert 1 == again.receive()["number"]


# Starting again


@every_database
def test_a_restarted_server_goes_on_with_every_table(tmp_path: Path, database: str) -> None:
    clock = Clock()
    with house(tmp_path, true_sources(clock), database=database) as here:
        anna, ben = here.guest("Anna"), here.guest("Ben")
        table = anna.create(clock={"kind": "total", "seconds": 100, "increment": 5}, start="host")
        waiting = anna.create()
        with anna.at(table) as first, ben.at(table) as second:
            second.done("sit", seat=1, name="Ben")
            first.done("start")
            clock.pass_by(10)
            first.play("reserve 3?")
            second.play("take wug")
            second.catch_up()
            second.done("undo")
            before = first.until_number(3)
            lines = first.lines
    clock.pass_by(1000)
    with house(tmp_path, true_sources(clock), database=database) as here:
        anna.house = ben.house = here
        with anna.at(table) as first, ben.at(table, since=2) as second:
            state = first.until(lambda state: all(seat["connected"] for seat in state["table"]["seats"]))
            for name in ("view", "number", "prices", "can_undo", "table"):
                assert before[name] == state[name], name
            second.until_number(3)
            assert lines == first.lines and [3] == [line["number"] for line in second.lines]
            assert {"kind": "total", "left": [95.0, 100.0], "running": 1} == state["clock"]
            second.play("take wug")
        assert "waiting" == anna.get(f"/api/tables/{waiting}").json()["status"]


@every_database
def test_clocks_go_on_without_anybody_looking(tmp_path: Path, database: str) -> None:
    clock = Clock()
    with (
        house(tmp_path, fixed_sources(clock), database=database) as here,
        two_players(here, clock={"kind": "days", "days": 1}) as (table, *_),
    ):
        pass
    clock.pass_by(90_000)
    with house(tmp_path, fixed_sources(clock), database=database) as here:
        for _ in range(1000):
            if here.service.rooms.get(table) and here.service.rooms[table].table.number >= 2:
                break
            here.client.get("/api/health")
        assert ["timeout", "move"] == [line.entry.kind for line in here.service.rooms[table].table.log[:2]]


def test_unused_tables_leave_the_memory(tmp_path: Path) -> None:
    with house(tmp_path) as here:
        guest = here.guest()
        table = guest.create(bots=["greedy"], start="host")
        here.clock.pass_by(601)
        for _ in range(1000):
            if table not in here.service.rooms:
                break
            here.client.get("/api/health")
        assert table not in here.service.rooms
        with guest.at(table) as chair:
            chair.play("take wug")


# A server that is killed


@contextmanager
def server(database: str, port: int) -> Iterator["subprocess.Popen[str]"]:
    """The real command in a process of its own."""
    arguments = ["play", "--no-browser", "--port", str(port), "--database", database]
    environment = {**os.environ, "CABOCHON_BOT_DELAY": "1", "CABOCHON_BOT_WORKERS": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "cabochon", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    try:
        assert process.stdout
        lines = iter(process.stdout.readline, "")
        assert any("Play at" in line for line in lines)
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def receive(chair: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = orjson.loads(chair.recv(timeout=20))
        if message["type"] == kind:
            return message


def until_my_turn(chair: ClientConnection, state: dict[str, Any]) -> dict[str, Any]:
    while not state["choices"]:
        state = receive(chair, "state")
    return state


@pytest.mark.slow
def test_an_acknowledged_move_survives_kill(database: str) -> None:
    port = free_port()
    acknowledged: list[tuple[int, str]] = []
    cookie, table = "", ""
    for moves in (3, 5):  # after three nobody has to return tokens yet: the bot is to move when it is killed
        with server(database, port) as process:
            if not table:
                with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
                    table = client.post("/api/tables", json={"bots": ["greedy"], "variant": "marvel"}).json()["id"]
                    cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
            url = f"ws://127.0.0.1:{port}/api/tables/{table}/socket"
            with connect(url, additional_headers={"Cookie": cookie}) as chair:
                state = receive(chair, "state")
                known = {line["number"]: line["text"] for line in state["entries"]}
                assert all(known[number] == text for number, text in acknowledged)
                for request in range(moves):
                    state = until_my_turn(chair, receive(chair, "state") if request else state)
                    number, text = state["number"] + 1, state["choices"]["legal"][0]
                    chair.send(orjson.dumps({"type": "move", "id": request, "number": number, "text": text}).decode())
                    assert number == receive(chair, "ack")["number"]
                    acknowledged.append((number, text))
                process.send_signal(signal.SIGKILL)
    kept = opened(database)
    stored = kept.table(table)
    assert stored and [row["number"] for row in stored.entries] == list(range(1, len(stored.entries) + 1))
    texts = {row["number"]: row["text"] for row in stored.entries}
    assert 8 == len(acknowledged) and all(texts[number] == text for number, text in acknowledged)
    kept.engine.dispose()


# Bots


class Broken(BaseBot):
    """A bot that fails in the way its name says."""

    character = "fails"

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, stop: Signal | None = None) -> Move:
        if self.name == "late":
            time.sleep(0.2)
        if self.name == "illegal":
            return Move.parse("buy 3a", view.rules.variant)
        raise RuntimeError("I give up")


@every_database
@pytest.mark.parametrize("name, why", [("raising", "failed"), ("late", "late"), ("illegal", "failed")])
def test_a_bot_that_fails_is_replaced_for_that_move_and_the_table_is_told(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch, name: str, why: str
) -> None:
    monkeypatch.setitem(BOTS, name, Broken(name))
    with house(tmp_path, database=database, bot_deadline=0.05) as here:
        guest = here.guest()
        table = guest.create(bots=[name], start="host")
        with guest.at(table) as chair:
            chair.play("take wug")
            line = chair.entry(2)
            assert "take" in line["text"]
            assert ("greedy", name, why) == (line["thought"]["bot"], line["thought"]["instead_of"], line["thought"]["why"])
            chair.play()
            chair.until_number(4)
        assert 2 == here.client.get("/api/health").json()["bots"]["replaced"]
    with house(tmp_path, database=database) as again:
        replayed = again.client.get(f"/api/tables/{table}/replay").json()["entries"]
        assert [None, line["thought"]] == [entry["thought"] for entry in replayed[:2]]


@pytest.mark.parametrize(
    "waits, workers, seconds",
    [
        ([1.0], 1, 1.0),
        ([1.0, 1.0], 2, 1.0),
        ([1.0] * 20, 1, 0.85 / 20),
        ([1.0] * 21, 3, 0.85 / 7),
        ([0.5, 1.0], 1, 0.85 / 2),
        ([0.5] + 20 * [1.0], 1, 0.85 / 21),
        ([-0.2, 0.4], 1, MIN_SECONDS),
        ([1.0] * 1000, 1, MIN_SECONDS),
    ],
)
def test_a_thought_is_shorter_when_many_tables_wait(waits: list[float], workers: int, seconds: float) -> None:
    assert seconds == pytest.approx(fair_seconds(waits, workers))


@pytest.mark.slow
def test_a_thought_is_cut_short_when_another_table_asks() -> None:
    async def think() -> None:
        bots = BotPool(Settings(bot_workers=1, bot_seconds=4.0), lambda done, total: None)
        game = Game("classic", 2, seed=7, start=0)
        early = await bots.choose("master", game.view(0), 5)
        assert ("greedy", "starting") == (early.bot, early.why), "no worker is ready: a simple bot moves"
        await bots.warm()
        until = bots.workers[0].until
        first = asyncio.create_task(bots.choose("master", game.view(0), 5))
        while not until.value:
            await asyncio.sleep(0)
        alone = until.value
        second = asyncio.create_task(bots.choose("master", game.view(0), 6))
        while until.value == alone and not first.done():
            await asyncio.sleep(0)
        assert until.value < alone, "the worker is called earlier than it would have been alone"
        assert (None, None) == ((await second).instead_of, (await first).instead_of)
        assert 1 == bots.replaced, "the one before the worker was ready"
        await bots.stop()

    run(think())


@pytest.mark.slow
def test_bots_think_in_processes_that_may_die() -> None:
    async def think() -> None:
        told: list[tuple[int, int]] = []
        bots = BotPool(Settings(bot_workers=1, bot_deadline=60), lambda done, total: told.append((done, total)))
        await bots.warm()
        assert [(0, 2), (1, 2), (2, 2)] == told
        game = Game("classic", 2, seed=7, start=0)

        async def choose(name: str) -> tuple[str, str | None, str | None]:
            chosen = await bots.choose(name, game.view(0), 5)
            assert game.why_not(chosen.text) is None
            return chosen.bot, chosen.instead_of, chosen.why

        assert ("pedlar", None, None) == await choose("pedlar")
        assert ("greedy", "unknown here", "failed") == await choose("unknown here")
        os.kill(bots.workers[0].pid or 0, signal.SIGKILL)
        assert ("greedy", "pedlar", "failed") == await choose("pedlar")
        assert ("pedlar", None, None) == await choose("pedlar")
        assert (2, 1, 0) == (bots.replaced, bots.restarts, bots.workers[0].failures)
        await bots.stop()

    run(think())


def test_nothing_of_the_game_is_answered_before_the_bots_are_ready(tmp_path: Path) -> None:
    with house(tmp_path) as here:
        here.service.is_ready = False
        assert "starting" == here.client.get("/api/health").json()["status"]
        assert (503, "1") == ((answer := here.client.get("/api/me")).status_code, answer.headers["retry-after"])
        assert 200 == here.client.get("/").status_code
