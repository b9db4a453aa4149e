"""The drawing of the table."""

import pytest

from cabochon import Game
from cabochon.bots import Budget, bot
from cabochon.terminal import draw_table, seat_names
from tests.support.positions import position

NO_LIMIT = Budget()


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["classic", "marvel"])
@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits(variant: str, width: int) -> None:
    game = Game(variant, 4, seed=5)
    for played in range(120):
        if not game.is_over:
            drawn = draw_table(game.position(), seat_names(4), width).plain
            assert max(len(line) for line in drawn.split("\n")) <= width
            game.play(bot("greedy").choose(game.view(game.turn), NO_LIMIT, played))


def test_the_table_is_drawn_like_this() -> None:
    game = position(
        market={"1a": "g 3r", "2c": "r2 1w4u2g"}, tokens="3r1*", reserve="k 3g?", bonuses1="2w", tiles="4w4u, 3w3u3g@1", points1=3
    )
    drawn = draw_table(game.view(1), ("Anna", "Ben"), 80).plain.split("\n")
    assert "classic, 2 players, round 1: Anna is to play" == drawn[0]
    assert "tiles    1  4w4u                    2  Ben" == drawn[2]
    assert "+1a g  3r " in drawn[5]
    assert " 2c r2 1w4u2g " in drawn[4]
    assert "> Anna    0 of 15 points, 0 cards, 0 nobles" == drawn[8]
    assert "  tokens  0w 0u 0g 3r 0k 1* (4/10)   bonuses 0w 0u 0g 0r 0k" == drawn[9]
    assert "  reserve  @1 tier 1, unseen" == drawn[10]
    assert "  Ben     3 of 15 points, 0 cards, 1 noble" == drawn[11]
