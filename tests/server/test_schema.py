"""The HTTP interface keeps to its own description, and the client's types to the messages."""

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

from cabochon.server.app import create_app
from cabochon.server.settings import Settings
from tests.server.process import running

WEB = Path(__file__).parent.parent.parent / "web"
LENIENT = {"bot_workers": 0, "bot_delay": 0.0, "requests_per_second": 1e6, "tables_per_minute": 1e6}
LENIENT |= {"max_reads_per_minute": 1e9, "max_waiting_tables": 10_000, "max_waiting_tables_per_address": 10_000}
EXAMPLES = 30


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("schema")
    with running(create_app(Settings(database=f"sqlite:///{folder}/tables.db", **LENIENT))) as url:  # type: ignore[arg-type]
        yield url


@pytest.fixture(scope="module")
def described(address: str) -> Any:
    return schemathesis.openapi.from_url(f"{address}/api/openapi.json")


@pytest.mark.slow
def test_every_request_is_answered_as_described(described: Any, address: str) -> None:
    operations = [found.ok() for found in described.get_all_operations()]
    assert len(operations) > 10
    for operation in operations:
        ask_at_random(operation, address)


def ask_at_random(operation: Any, address: str) -> None:
    @given(case=operation.as_strategy())
    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    def ask(case: Any) -> None:
        response = case.call(base_url=address, headers={"Origin": address})
        case.validate_response(response)
        assert response.status_code < 500

    ask()


def test_the_clients_schema_is_fresh() -> None:
    made = runpy.run_path(str(WEB / "scripts/schema.py"))["schema"]()
    assert made == (WEB / "src/api/schema.json").read_text(encoding="utf-8"), "run web/scripts/schema.py and npm run types"
