"""One server for one database, and a first start that may be killed at any moment."""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from cabochon import CabochonError
from cabochon.cli import app as cabochon
from cabochon.server import leases
from cabochon.server.app import create_app
from cabochon.server.database import newest_version
from cabochon.server.repository import Repository
from tests.server.process import ServerProcess
from tests.support.postgres import Postgres, every_database
from tests.support.serving import house, settings, two_players

STOPPED_SECONDS = 30


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits here for a server that is about to be gone."""
    monkeypatch.setattr(leases, "LOCK_SECONDS", 0.1)


def table_names(url: str) -> set[str]:
    engine = sa.create_engine(url)
    names = set(sa.inspect(engine).get_table_names())
    engine.dispose()
    return names


def execute(url: str, statement: str) -> None:
    engine = sa.create_engine(url)
    with engine.begin() as connection:
        connection.execute(sa.text(statement))
    engine.dispose()


class Interrupted(Exception):
    """Whatever may happen."""


# Two servers


@every_database
def test_a_second_server_is_refused_and_told_who_the_first_is(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database) as here, two_players(here) as (_, anna, _ben):
        said = rf"in use by another server \(process {os.getpid()} on {re.escape(socket.gethostname())}, since 20.* UTC\)"
        with pytest.raises(CabochonError, match=said):
            create_app(settings(tmp_path, database=database))
        result = CliRunner().invoke(cabochon, ["play", "--no-browser", "--database", database])
        assert 0 != result.exit_code and "in use by another server" in result.output and "Traceback" not in result.output
        anna.play("take wug")
    with house(tmp_path, database=database):
        pass


def test_the_first_server_says_where_it_can_be_found(database: str) -> None:
    first, second = Repository(database), Repository(database)
    first.open("http://127.0.0.1:8765/")
    with pytest.raises(CabochonError, match=r", at http://127\.0\.0\.1:8765/\): stop that server first"):
        second.open()
    first.close()
    second.open()
    second.close()


@pytest.mark.sqlite
def test_a_second_name_of_the_file_makes_no_difference(tmp_path: Path, database: str) -> None:
    first = Repository(database)
    first.open()
    (tmp_path / "other.db").symlink_to(tmp_path / "games.db")
    with pytest.raises(CabochonError, match="in use by another server"):
        Repository(f"sqlite:///{tmp_path / 'other.db'}").open()
    first.close()


@every_database
def test_a_server_that_was_replaced_stores_nothing_more(tmp_path: Path, database: str, request: pytest.FixtureRequest) -> None:
    stops: list[bool] = []
    with house(tmp_path, database=database) as old, two_players(old) as (table, anna, _ben):
        guest = old.guest()
        old.service.on_failure = lambda: stops.append(True)
        if database.startswith("sqlite"):
            (tmp_path / "games.db.lock").unlink()
        else:
            server: Postgres = request.getfixturevalue("postgres")
            server.execute("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'")
        with house(tmp_path, database=database) as new:
            anna.post("move", number=1, text="take wug")
            assert 503 == guest.put("/api/me", json={"name": "Cleo"}).status_code
            answer = old.client.get("/api/health")
            assert (503, "failing") == (answer.status_code, answer.json()["status"])
            assert "another server has taken over this database" == answer.json()["database"] == old.service.failure
            assert [True] == stops and not old.service.is_ready
            stored = new.service.repository.table(table)
            assert stored is not None and [] == list(stored.entries)


def test_a_lost_lock_that_nobody_took_is_taken_again(tmp_path: Path, postgres: Postgres, postgres_url: str) -> None:
    with house(tmp_path, database=postgres_url) as here, two_players(here) as (_, anna, _ben):
        postgres.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cabochon'")
        assert "this could not be stored: please try again" == anna.refusal("move", number=1, text="take wug")
        with here.guest().at(anna.state["table"]["id"]) as watcher:
            watcher.receive()
        assert 200 == here.client.get("/api/health").status_code
        with pytest.raises(CabochonError, match="in use by another server"):
            create_app(settings(tmp_path, database=postgres_url))


@pytest.mark.slow
def test_a_server_that_was_replaced_ends_with_an_error(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path, bot_workers=0).start()
    execute(server.database, "UPDATE lease SET epoch = epoch + 1")
    assert 503 == httpx.put(f"{server.url}/api/me", json={"name": "Anna"}).status_code
    assert server.process.wait(STOPPED_SECONDS) not in (0, -signal.SIGKILL)
    server.log.close()
    assert "another server has taken over this database" in (tmp_path / "server.log").read_text()


# The form of the database


@every_database
def test_an_error_anywhere_in_the_first_start_leaves_nothing_behind(database: str) -> None:
    made = set()
    for last in range(1, 100):
        kept, seen = Repository(database), 0

        def fail(*_: Any, last: int = last) -> None:
            nonlocal seen
            seen += 1
            if seen > last:
                raise Interrupted

        sa.event.listen(kept.engine, "after_cursor_execute", fail)
        try:
            kept.open()
        except Interrupted:
            made |= {len(table_names(database))}
        else:
            kept.close()
            break
    else:
        raise AssertionError("it never started")
    assert last > 10 and made == {0, len(table_names(database))}


FIRST_STARTS = """
import os, random, signal, sys, time
from cabochon.server.database import newest_version
from cabochon.server.repository import Repository
import alembic.command
rng = random.Random(1)
for url in sys.stdin.read().split():
    for delay in (rng.uniform(0, 0.12), None):
        child = os.fork()
        if child == 0:
            Repository(url).open()
            os._exit(0)
        if delay is not None:
            time.sleep(delay)
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if status:
        sys.exit(f"{url}: the start failed after a kill")
"""


def killed_in_their_first_start(urls: list[str]) -> tuple[int, str]:
    """How it ends to start a server twice on each of these empty databases, killing it the first time."""
    command = [sys.executable, "-c", FIRST_STARTS]
    done = subprocess.run(command, input="\n".join(urls), capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


@pytest.mark.sqlite
@pytest.mark.slow
def test_a_first_start_that_is_killed_can_be_tried_again(tmp_path: Path) -> None:
    assert (0, "") == killed_in_their_first_start([f"sqlite:///{tmp_path}/{start}.db" for start in range(10)])


@pytest.mark.slow
def test_a_first_start_that_is_killed_can_be_tried_again_on_postgresql(postgres: Postgres) -> None:
    with ExitStack() as stack:
        assert (0, "") == killed_in_their_first_start([stack.enter_context(postgres.database()) for _ in range(5)])


@every_database
def test_a_database_of_a_newer_version_is_not_touched(database: str) -> None:
    kept = Repository(database)
    kept.open()
    kept.close()
    execute(database, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(CabochonError, match=f"has form 9999, and this cabochon .* knows none after {newest_version()}"):
        Repository(database).open()


@pytest.mark.sqlite
def test_a_file_that_is_no_database(tmp_path: Path, database: str) -> None:
    (tmp_path / "games.db").write_bytes(b"\xff" * 100_000)
    result = CliRunner().invoke(cabochon, ["play", "--no-browser", "--database", database])
    assert 0 != result.exit_code and "file is not a database" in result.output and "Traceback" not in result.output


@pytest.mark.sqlite
def test_a_database_in_memory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CabochonError, match="name a file"):
        create_app(settings(tmp_path, database="sqlite://"))
