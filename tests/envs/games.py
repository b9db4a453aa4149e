"""Random positions and random choices for the tests of the environments."""

import random
from typing import Any

import numpy as np

from cabochon import Game
from tests.comparing import random_house


def random_game(variant: str, players: int, seed: int, decisions: int, house: bool = True) -> Game:
    """A game after some random decisions, by any house rules."""
    rng = random.Random(seed)
    game = Game(variant, players, seed=seed, **(dict(random_house(rng)) if house else {}))
    for _ in range(decisions):
        if not game.is_over:
            game.play(rng.choice(game.legal_moves()))
    return game


def random_actions(masks: Any, rng: np.random.Generator, illegal: float = 0.0) -> Any:
    """A legal action a row, or now and then (by chance `illegal`) any action."""
    actions = (rng.random(masks.shape) * masks).argmax(axis=1)
    wild = rng.random(len(actions)) < illegal
    actions[wild] = rng.integers(0, masks.shape[1], wild.sum())
    return actions
