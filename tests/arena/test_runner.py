"""Single games of a match: cut, and with a bot that fails."""

import pytest

from cabochon import Move, View
from cabochon.arena import Entrant, Match, play_game
from cabochon.arena.pairings import fixtures
from cabochon.arena.runner import CUT
from cabochon.bots import BOTS, NO_LIMIT, BaseBot, Budget
from cabochon.search.analysis import Signal

from .results import GREEDY, duel

pytestmark = pytest.mark.slow


def test_a_game_without_an_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.arena.runner.MAX_TURNS_PER_SEAT", 3)
    played = play_game(duel(), next(iter(fixtures(duel(), 1))))
    assert (CUT, (1, 1), 6) == (played.reason, played.ranks, played.turns)
    assert [0.5, 0.5] == played.shares()


class Broken(BaseBot):
    name = character = "broken"

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, stop: Signal | None = None) -> Move:
        raise ZeroDivisionError


def test_a_bot_of_our_own_that_fails_ends_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a defect and not a loss: the error says in which game it was."""
    monkeypatch.setitem(BOTS, "broken", Broken())
    match = Match((Entrant("broken"), GREEDY))
    with pytest.raises(ZeroDivisionError) as failed:
        play_game(match, next(iter(fixtures(match, 1))))
    assert ["broken was to decide in Game('classic', players=2, seed=1000000, start=0)"] == failed.value.__notes__
