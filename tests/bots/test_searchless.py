"""The bots that do not search (what greedy chooses: test_greedy.py)."""

import pytest

from cabochon import Game

from .games import choice


def test_random_plays_every_legal_move_sooner_or_later() -> None:
    game = Game("classic", seed=3)
    assert {str(move) for move in game.legal_moves()} == {choice(game, "random", seed) for seed in range(500)}


@pytest.mark.parametrize("seed", [-1, 1 << 63, 1 << 80, -(1 << 80)])
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_any_whole_number_is_a_seed(name: str, seed: int) -> None:
    game = Game("classic", seed=3)
    assert game.is_legal(choice(game, name, seed))
