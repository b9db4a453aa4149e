"""A database for each test: SQLite unless it is marked with `every_database`, which runs it on PostgreSQL too.

With TEST_DATABASE=postgresql every test of the server runs on PostgreSQL instead, but for those that are marked with `sqlite`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.support.postgres import ON_POSTGRESQL, PROGRAMS, Postgres, shared_postgres, stand_ins
from tests.support.valkey import PROGRAM, Valkey

if TYPE_CHECKING:
    from .server.process import Nursery


# The first example of a process may have to compile what it tests: no test asserts a time.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not PROGRAMS:
        terminalreporter.write_line("PostgreSQL or psycopg is not installed: the tests of storage ran on SQLite only")
    if not PROGRAM:
        terminalreporter.write_line("Valkey or the extra `cluster` is not installed: the tests of a cluster were left out")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what needs PostgreSQL or a broker where there is none."""
    missing = {name for name, found in (("postgres", PROGRAMS), ("valkey", PROGRAMS and PROGRAM)) if not found}
    items[:] = [item for item in items if not missing & set(getattr(item, "fixturenames", ()))]
    if ON_POSTGRESQL:
        items[:] = [item for item in items if not _is_of_sqlite(item)]


def _is_of_sqlite(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    return item.get_closest_marker("sqlite") is not None or bool(callspec and callspec.params.get("database") == "sqlite")


def pytest_unconfigure() -> None:
    if shared_postgres.cache_info().currsize:
        shared_postgres().remove()


@pytest.fixture(autouse=True)
def _drop_stand_ins() -> Iterator[None]:
    """What a test made goes with it; what its module made was there before."""
    before = set(stand_ins)
    yield
    for path in stand_ins.keys() - before:
        shared_postgres().drop(stand_ins.pop(path))


@pytest.fixture(scope="session")
def nursery() -> Iterator["Nursery"]:
    """Where servers are forked."""
    from .server.process import Nursery  # the tests of the training have no server installed

    forking = Nursery()
    yield forking
    forking.close()


@pytest.fixture(scope="session")
def postgres() -> Postgres:
    """One server for all tests of this process."""
    return shared_postgres()


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    """One broker for all tests of this process."""
    server = Valkey()
    yield server
    server.kill()


@pytest.fixture
def postgres_url(postgres: Postgres) -> Iterator[str]:
    """A new database in PostgreSQL."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new database."""
    if getattr(request, "param", "postgresql" if ON_POSTGRESQL else "sqlite") == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'games.db'}"
