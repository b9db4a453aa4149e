"""What the search plays in fixed positions."""

import pytest

from cabochon.search.analysis import LINEAR_SEARCH, NET_SEARCH
from cabochon.search.mcts import SearchConfig
from cabochon.search.signature import signature
from tests.support.pinned import PINNED

from .games import GAMES


@pytest.mark.slow
@pytest.mark.parametrize("name, config", [("linear", LINEAR_SEARCH), ("net", NET_SEARCH)])
def test_the_signature_is_pinned(name: str, config: SearchConfig) -> None:
    """A commit that changes what the search plays writes the new signature into the file and says why."""
    _, moves, number = signature(config)
    assert 3 * len(GAMES) == len(moves)
    assert PINNED[name] == f"{number:08x}"
