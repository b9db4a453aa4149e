"""2,000 recorded games replay as they did when they were written."""

import pytest

from cabochon import Game, format_record
from tests.support.corpus import GAMES, digest, read

PARTS = 8


@pytest.mark.parametrize("part", [pytest.param(part, marks=[pytest.mark.slow] if part else []) for part in range(PARTS)])
def test_recorded_games_replay_alike(part: int) -> None:
    corpus = list(read())
    assert len(corpus) == GAMES
    for expected, record in corpus[part::PARTS]:
        game = Game.from_record(record)
        assert record == format_record(game.record())
        assert expected == digest(game), record
