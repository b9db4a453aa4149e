"""The search with a net proves what is near the end, whatever the net thinks of it."""

from cabochon.bots import Budget
from cabochon.search import analyse
from cabochon.search.analysis import NET_SEARCH
from tests.support.positions import position


def test_a_win_is_proven_and_played() -> None:
    slots = {"1a": "w1 4g", "1b": "w 3u"}
    market = {f"{tier}{place}": slots.get(f"{tier}{place}", "-") for tier in (1, 2, 3) for place in "abcd"}
    game = position(market=market, tokens="4g3u", points=14, points1=14, turn=1, tokens1="4g3u")
    found = analyse(game.view(game.turn), Budget(nodes=50), config=NET_SEARCH)
    assert "buy 1a" == str(found.best)
    assert (0.0, 1.0) == found.moves[0].values
    assert found.moves[0].is_proven
