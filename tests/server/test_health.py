"""Health tells the truth, and what is not stored is not acknowledged: full disks, lost files, PostgreSQL away, damaged tables."""

import logging
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import sqlalchemy as sa

from cabochon import CabochonError
from cabochon.server import repository, service
from cabochon.server.app import create_app
from cabochon.server.database import POSTGRESQL_LINE
from cabochon.server.logs import LeaveOutRepeats
from cabochon.server.settings import Settings
from tests.support.postgres import Postgres, every_database
from tests.support.serving import Clock, House, house, two_players

NOT_STORED = "this could not be stored: please try again"
ENOUGH = 1000


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every question is a new try, and a busy machine is waited for."""
    monkeypatch.setattr(service, "PROBE_SECONDS", 0.0)
    monkeypatch.setattr(service, "HEALTH_SECONDS", 60.0)


def health(here: House) -> tuple[int, str, str]:
    answer = here.client.get("/api/health")
    return answer.status_code, answer.json()["status"], answer.json()["database"]


WELL = (200, "ok", "ok")


def unwell(sentence: str) -> tuple[int, str, str]:
    return 503, "failing", sentence


def until(here: House, wanted: tuple[int, str, str]) -> None:
    for _ in range(ENOUGH):
        if (found := health(here)) == wanted:
            return
    raise AssertionError(f"{found} and never {wanted}")


# The check itself


@every_database
def test_health_writes_but_not_more_often_than_it_may(tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(_service: Any) -> None:
        """What is cleared at the start would be counted too."""

    monkeypatch.setattr(service, "expire_for_ever", nothing)
    with house(tmp_path, database=database) as here:
        first = here.service.writer.commits
        assert WELL == health(here) == health(here)
        assert 2 == here.service.writer.commits - first
        monkeypatch.setattr(service, "PROBE_SECONDS", 3600.0)
        assert [WELL] * 20 == [health(here) for _ in range(20)]
        assert 2 == here.service.writer.commits - first


# SQLite


@pytest.mark.sqlite
def test_a_full_disk(tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    large = repository.secret_keys.insert().values(name="large", key="x" * 1_000_000)
    with house(tmp_path, database=database) as here, two_players(here) as (_, anna, _ben):
        lease = here.service.repository.lease
        limit = lease.connection.connection.dbapi_connection
        pages = limit.execute("PRAGMA page_count").fetchone()[0]
        limit.execute(f"PRAGMA max_page_count = {pages}")
        with monkeypatch.context() as patched:
            patched.setattr(lease, "proof", lambda: large)
            assert unwell("the disk is full") == health(here)
        answers = [here.guest().request("POST", "/api/tables", json={}) for _ in range(40)]
        assert {200, 503} == {answer.status_code for answer in answers}
        assert {NOT_STORED} == {answer.json()["detail"] for answer in answers if answer.status_code == 503}
        limit.execute("PRAGMA max_page_count = 1000000")
        assert WELL == health(here)
        anna.play("take wug")


@pytest.mark.sqlite
@pytest.mark.parametrize("part", ["games.db", "games.db-wal"])
def test_a_file_that_was_taken_away_acknowledges_nothing(tmp_path: Path, database: str, part: str) -> None:
    file, aside = tmp_path / part, tmp_path / "aside"
    sentence = f"the database file {part} was deleted or replaced while the server ran"
    with house(tmp_path, database=database) as here, two_players(here) as (table, anna, _ben):
        file.rename(aside)
        assert NOT_STORED == anna.refusal("move", number=1, text="take wug")
        assert unwell(sentence) == health(here)
        shutil.copy(aside, file)
        assert unwell(sentence) == health(here)
        assert 503 == here.guest().request("POST", "/api/tables", json={}).status_code
        aside.replace(file)
        assert WELL == health(here)
        assert 0 == here.guest().get(f"/api/tables/{table}/replay").json()["views"][-1]["turns"]


@pytest.mark.sqlite
def test_a_damaged_file_is_noticed(tmp_path: Path, database: str) -> None:
    damage = "import sys; f = open(sys.argv[1], 'r+b'); f.seek(4096); f.write(b'\\xff' * 60_000)"
    with house(tmp_path, database=database) as here:
        for _ in range(20):
            here.guest("Anna").create()
        connection = here.service.repository.lease.connection.connection.dbapi_connection
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        # In another process: closing the file here would take SQLite's locks on it away.
        subprocess.run([sys.executable, "-c", damage, tmp_path / "games.db"], check=True)
        here.service.integrity_due = 0.0
        until(here, unwell("the database file is damaged"))
        answer = here.guest().get("/api/tables")
        assert (503, "no_database") == (answer.status_code, answer.json()["code"])


@pytest.mark.sqlite
def test_a_database_that_may_not_be_written_to(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database) as here, two_players(here) as (table, anna, _ben):
        connection = here.service.repository.lease.connection.connection.dbapi_connection
        connection.execute("PRAGMA query_only = ON")  # the same error as a read-only disk, also for root
        assert unwell("the database may not be written to") == health(here)
        assert 503 == here.client.get("/api/ready").status_code and 200 == here.client.get("/api/live").status_code
        assert NOT_STORED == anna.refusal("move", number=1, text="take wug")
        assert 200 == here.guest().get(f"/api/tables/{table}").status_code, "it can be read"
        connection.execute("PRAGMA query_only = OFF")
        assert WELL == health(here)
    with pytest.raises(CabochonError, match="attempt to write a readonly database"):
        create_app(Settings(database=f"sqlite:///file:{tmp_path}/games.db?mode=ro&uri=true", bot_workers=0))


@pytest.mark.sqlite
def test_a_file_that_another_program_keeps_locked(tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.database.BUSY_MILLISECONDS", 50)
    with house(tmp_path, database=database) as here, two_players(here) as (_, anna, _ben):
        other = sqlite3.connect(tmp_path / "games.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        assert unwell("the database is locked by another program") == health(here)
        assert NOT_STORED == anna.refusal("move", number=1, text="take wug")
        monkeypatch.setattr(service, "HEALTH_SECONDS", 0.0)
        assert unwell("the database has not answered for 0 seconds") == health(here)
        other.execute("ROLLBACK")
        other.close()
        monkeypatch.setattr(service, "HEALTH_SECONDS", 60.0)
        until(here, WELL)


# PostgreSQL


def play_anew(here: House) -> None:
    """Sockets whose move was not stored are closed: somebody else comes."""
    guest = here.guest("Cleo")
    with guest.at(guest.create(bots=["greedy"], start="host")) as chair:
        chair.play("take wug")


@contextmanager
def stopped(postgres: Postgres) -> Iterator[None]:
    postgres.stop(signal.SIGQUIT)
    try:
        yield
    finally:
        postgres.start()


@contextmanager
def frozen(postgres: Postgres) -> Iterator[None]:
    """Its processes stand still, and nobody closes a connection."""
    processes = [psutil.Process(postgres.process.pid), *psutil.Process(postgres.process.pid).children()]
    for process in processes:
        process.suspend()
    try:
        yield
    finally:
        for process in processes:
            process.resume()


AWAY = {
    "stopped": (stopped, 60.0, "the database does not answer"),
    "frozen": (frozen, 0.05, "the database has not answered for 0.05 seconds"),  # long before the connection gives up
}


@pytest.mark.parametrize("how", AWAY)
def test_postgresql_goes_away_and_comes_back(
    how: str, tmp_path: Path, postgres: Postgres, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cabochon.server.database.ANSWER_SECONDS", 0.5)
    monkeypatch.setitem(POSTGRESQL_LINE, "connect_timeout", 2)
    away: Callable[[Postgres], Any]
    away, patience, sentence = AWAY[how]
    with house(tmp_path, database=postgres_url) as here, two_players(here) as (table, anna, _ben):
        with away(postgres):
            with monkeypatch.context() as patched:
                patched.setattr(service, "HEALTH_SECONDS", patience)
                assert unwell(sentence) == health(here)
            assert NOT_STORED == anna.refusal("move", number=1, text="take wug")
            answer = here.client.get(f"/api/tables/{table}")
            assert (503, "no_database") == (answer.status_code, answer.json()["code"])
            with here.service.repository.trial:  # somebody else is trying: nobody waits for a thread
                assert 503 == here.client.get("/api/tables").status_code
        until(here, WELL)
        play_anew(here)


def test_postgresql_that_may_not_be_written_to(tmp_path: Path, postgres: Postgres, postgres_url: str) -> None:
    """As a standby, or a database whose owner has closed it for a while."""
    name = sa.make_url(postgres_url).database

    def set_read_only(how: str) -> None:
        postgres.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {how}")
        postgres.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")

    with house(tmp_path, database=postgres_url) as here, two_players(here) as (table, anna, _ben):
        set_read_only("on")
        until(here, unwell("the database may not be written to"))
        assert NOT_STORED == anna.refusal("move", number=1, text="take wug")
        assert 200 == here.guest().get(f"/api/tables/{table}").status_code, "it can be read"
        set_read_only("off")
        until(here, WELL)
        play_anew(here)
    set_read_only("on")
    with pytest.raises(CabochonError, match="read-only transaction"):
        create_app(Settings(database=postgres_url, bot_workers=0))


def test_a_table_of_postgresql_that_another_program_keeps_locked(tmp_path: Path, postgres_url: str) -> None:
    url = f"{postgres_url}&options=-c%20lock_timeout%3D50ms"
    with house(tmp_path, database=url) as here, two_players(here) as (_, anna, _ben):
        other = sa.create_engine(postgres_url)
        with other.begin() as connection:
            connection.exec_driver_sql("LOCK TABLE lease IN ACCESS EXCLUSIVE MODE")
            assert unwell("the database is locked by another program") == health(here)
            assert NOT_STORED == anna.refusal("move", number=1, text="take wug")
        other.dispose()
        assert WELL == health(here)
        play_anew(here)


REFUSING = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '53100'; END $$;
CREATE TRIGGER refusing BEFORE INSERT OR UPDATE ON lease EXECUTE FUNCTION refuse();
"""


def test_postgresql_without_a_place_to_write(tmp_path: Path, postgres_url: str) -> None:
    """The same answer as from a full disk (53100), for the check and for moves."""
    with house(tmp_path, database=postgres_url) as here, two_players(here) as (_, anna, _ben):
        with here.service.repository.engine.begin() as connection:
            connection.exec_driver_sql(REFUSING)
            connection.exec_driver_sql("CREATE TRIGGER refusing BEFORE INSERT ON entries EXECUTE FUNCTION refuse()")
        assert unwell("the disk is full") == health(here)
        assert NOT_STORED == anna.refusal("move", number=1, text="take wug")
        with here.service.repository.engine.begin() as connection:
            connection.exec_driver_sql("DROP FUNCTION refuse CASCADE")
        assert WELL == health(here)


# Damaged tables

DAMAGE = {
    "options": 'UPDATE tables SET options = \'{"variant": "chess"\' WHERE id = :table',
    "status": "UPDATE tables SET status = 'gone' WHERE id = :table",
    "move": "UPDATE entries SET text = 'buy 3a' WHERE table_id = :table",
    "number": "UPDATE entries SET number = 7 WHERE table_id = :table",
    "seat": "DELETE FROM seats WHERE table_id = :table AND seat = 1",
    "holder": "UPDATE holders SET seat = 3 WHERE table_id = :table",
}


@every_database
def test_a_damaged_table_costs_only_itself(tmp_path: Path, database: str, caplog: pytest.LogCaptureFixture) -> None:
    timed = {"kind": "move", "seconds": 3600}
    with house(tmp_path, database=database) as here:
        anna = here.guest("Anna")
        tables = {name: anna.create(bots=["greedy"], start="host", clock=timed) for name in [*DAMAGE, "well"]}
        for table in tables.values():
            with anna.at(table) as chair:
                chair.play("take wug")
                chair.until(lambda state: state["number"] >= 2)
        with here.service.repository.engine.begin() as connection:
            connection.execute(sa.text("DELETE FROM entries WHERE number > 1"))
            for name, statement in DAMAGE.items():
                connection.execute(sa.text(statement), {"table": tables[name]})
    with house(tmp_path, database=database) as here:
        anna.house = here
        assert WELL == health(here)
        listed = {table["id"] for table in anna.get("/api/tables").json()["running"]}
        assert tables["well"] in listed and not {tables["options"], tables["seat"]} & listed
        for name in DAMAGE:
            answer = anna.get(f"/api/tables/{tables[name]}")
            assert (name, 503, "damaged") == (name, answer.status_code, answer.json()["code"])
            told = [line for line in caplog.messages if tables[name] in line]
            assert 1 == len(told) and f"table {tables[name]} is damaged: " in told[0]
        with anna.at(tables["well"]) as chair:
            chair.play()


# The log


def test_the_same_trouble_is_told_once_a_second() -> None:
    clock = Clock()
    repeats, told = LeaveOutRepeats(clock), []

    def tell(message: str, *values: object, wrong: Exception | None = None) -> None:
        information = (type(wrong), wrong, None) if wrong else None
        record = logging.LogRecord("cabochon.server", logging.WARNING, "", 0, message, values, information)
        if repeats.filter(record):
            told.append(record.getMessage())

    for number in range(1000):
        tell("table %s: could not store", number)
    tell("something else")
    tell("table %s: could not store", 7, wrong=OSError())
    clock.pass_by(1)
    tell("table %s: could not store", 8)
    clock.pass_by(1)
    tell("table %s: could not store", 9)
    assert told == [
        "table 0: could not store",
        "something else",
        "table 7: could not store",
        "table 8: could not store (999 more like this were left out)",
        "table 9: could not store",
    ]
