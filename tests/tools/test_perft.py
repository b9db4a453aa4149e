"""Perft and divide (the counts of the named positions: test_golden.py)."""

import pytest

from cabochon import Game
from cabochon.tools.perft import divide, perft
from tests.support.positions import position


@pytest.mark.parametrize("variant", ["classic", "marvel"])
def test_depth_1_is_the_number_of_legal_moves(variant: str) -> None:
    game = Game(variant, 3, seed=7)
    assert 1 == perft(game, 0)
    assert len(game.legal_moves()) == perft(game, 1)


def test_divide_splits_perft_by_the_first_move() -> None:
    game = Game("classic", seed=7)
    counts = divide(game, 2)
    assert [str(move) for move in game.legal_moves()] == list(counts)
    assert perft(game, 2) == sum(counts.values())


def test_a_game_that_ends_before_the_depth_does_not_count() -> None:
    last = position(turn=1, points=15, bank="-", hand_limit=0)
    assert [1, 1, 0] == [perft(last, depth) for depth in range(3)]


def test_the_game_itself_does_not_change() -> None:
    game = Game("classic", seed=7)
    before = game.position()
    perft(game, 2)
    assert before == game.position()
