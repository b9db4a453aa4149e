"""Servers with true deals, for a module or for one test on either database. A module with other needs has its own `here`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.serving import Clock, House, house, true_sources


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("here"), true_sources(Clock())) as running:
        yield running


@pytest.fixture
def own(tmp_path: Path, database: str) -> Iterator[House]:
    """A server for one test, on either database."""
    with house(tmp_path, true_sources(Clock()), database=database) as running:
        yield running
