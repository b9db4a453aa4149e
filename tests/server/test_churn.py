"""A thousand sockets that come and go at one table do not throw out the two who play there."""

from pathlib import Path

import pytest

from tests.server.churn import NO_ADDRESS_LIMITS, churn
from tests.server.process import ForkedServer, Nursery, run

SOCKETS = 1000


@pytest.mark.slow
def test_players_stay_while_a_thousand_sockets_come_and_go(nursery: Nursery, tmp_path: Path) -> None:
    server = ForkedServer(nursery, tmp_path, **NO_ADDRESS_LIMITS).start()
    try:
        seen = run(churn(server.url, SOCKETS))
    finally:
        server.stop()
    assert 0 == seen.lost and [] == seen.refused and seen.times
    assert SOCKETS == seen.welcomed + seen.turned_away and seen.welcomed > SOCKETS / 2
