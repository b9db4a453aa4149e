"""A database for each test: SQLite unless it is marked with `every_database`, which runs it on PostgreSQL too."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.support.postgres import PROGRAMS, Postgres

if TYPE_CHECKING:
    from .server.process import Nursery


# The first example of a process may have to compile what it tests: no test asserts a time.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not PROGRAMS:
        terminalreporter.write_line("PostgreSQL or psycopg is not installed: the tests of storage ran on SQLite only")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what needs PostgreSQL where there is none."""
    if not PROGRAMS:
        items[:] = [item for item in items if "postgres" not in getattr(item, "fixturenames", ())]


@pytest.fixture(scope="session")
def nursery() -> Iterator["Nursery"]:
    """Where servers are forked."""
    from .server.process import Nursery  # the tests of the training have no server installed

    forking = Nursery()
    yield forking
    forking.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One server for all tests of this process, started when the first of them asks."""
    server = Postgres()
    yield server
    server.remove()


@pytest.fixture
def postgres_url(postgres: Postgres) -> Iterator[str]:
    """A new database in PostgreSQL."""
    with postgres.database() as url:
        yield url


@pytest.fixture
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new database."""
    if getattr(request, "param", "sqlite") == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'games.db'}"
