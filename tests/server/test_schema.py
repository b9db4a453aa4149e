"""The HTTP interface keeps to its own description, and the client's types to the messages."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

from cabochon.server.app import create_app
from cabochon.server.settings import Settings
from tests.server.process import running
from tests.support.postgres import every_database

WEB = Path(__file__).parent.parent.parent / "web"
LENIENT = {"bot_workers": 0, "bot_delay": 0.0, "requests_per_second": 1e6, "tables_per_minute": 1e6}
LENIENT |= {"max_reads_per_minute": 1e9, "max_waiting_tables": 10_000, "max_waiting_tables_per_address": 10_000}
EXAMPLES, EXAMPLES_ON_POSTGRESQL = 30, 6


@pytest.fixture
def address(database: str) -> Iterator[str]:
    with running(create_app(Settings(database=database, **LENIENT))) as url:  # type: ignore[arg-type]
        yield url


@pytest.fixture
def described(address: str) -> Any:
    return schemathesis.openapi.from_url(f"{address}/api/openapi.json")


@pytest.mark.slow
@every_database
def test_every_request_is_answered_as_described(described: Any, address: str, database: str) -> None:
    examples = EXAMPLES if database.startswith("sqlite") else EXAMPLES_ON_POSTGRESQL
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) > 10
    with httpx.Client(verify=False) as client:  # one for all: to load certificates takes longer than to ask
        for operation in operations:
            ask_at_random(operation, address, examples, client)


def ask_at_random(operation: Any, address: str, examples: int, client: httpx.Client) -> None:
    @given(case=operation.as_strategy())
    @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def ask(case: Any) -> None:
        response = case.call(base_url=address, headers={"Origin": address})
        case.validate_response(response)
        assert response.status_code < 500
        if case.method == "GET":
            client.cookies.clear()
            head = client.head(response.request.url, headers=response.request.headers)
            assert (response.status_code, b"") == (head.status_code, head.content)

    ask()


def test_the_clients_schema_is_fresh() -> None:
    made = runpy.run_path(str(WEB / "scripts/schema.py"))["schema"]()
    assert made == (WEB / "src/api/schema.json").read_text(encoding="utf-8"), "run web/scripts/schema.py and npm run types"
