"""The bots that do not search (what greedy chooses: test_greedy.py)."""

from cabochon import Game

from .games import choice


def test_random_plays_every_legal_move_sooner_or_later() -> None:
    game = Game("classic", seed=3)
    assert {str(move) for move in game.legal_moves()} == {choice(game, "random", seed) for seed in range(500)}
