"""Views: how a record is read."""

import random

import numpy as np
import pytest

from cabochon import Game
from cabochon.rules.variants import VARIANTS
from cabochon.view import plain


def as_numbers(value: object) -> object:
    """Bytes, tuples and arrays as lists of numbers; a row of 64-bit words, which `plain` leaves as bytes, too."""
    if isinstance(value, tuple) and value and isinstance(value[0], bytes):
        return [list(row) if len(row) < 8 else np.frombuffer(row, np.int64).tolist() for row in value]
    return list(value) if isinstance(value, bytes | tuple) else value


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_record_is_read_as_numpy_reads_it(variant: str) -> None:
    game, rng = Game(variant, 4, seed=7), random.Random(7)
    for _ in range(60):
        game.play(rng.choice(game.legal_moves()))
    read = plain(game.state)
    assert list(read) == list(game.state.dtype.names)
    for name, value in read.items():
        assert as_numbers(value) == game.state[name].tolist(), name
