"""Bots that are objects, in this process and in others."""

import pickle
from typing import Any

import pytest

from cabochon import CabochonError, Move, View
from cabochon.arena import Entrant, Match, format_report, play_match
from cabochon.arena.entrant import entrants_of
from cabochon.arena.pairings import fixture, fixtures
from cabochon.arena.workers import pack_match
from cabochon.bots import NO_LIMIT, BaseBot, Budget, FunctionBot, Greedy, PolicyBot, legal_moves
from cabochon.search.analysis import Signal


class LastMove(BaseBot):
    """A bot with a state of its own, to see which object plays."""

    name, character, default_budget = "last", "plays its last legal move", None

    def __init__(self) -> None:
        self.asked = self.closed = 0

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, stop: Signal | None = None) -> Move:
        self.asked += 1
        return legal_moves(view)[-1]

    def close(self) -> None:
        self.closed += 1


def first_text(view: View, _budget: Budget, _seed: int) -> str:
    return str(legal_moves(view)[0])


def test_objects_functions_and_names_meet() -> None:
    last = LastMove()
    found = play_match([last, first_text, "greedy"], games=6)
    assert ["last", "first_text", "greedy"] == [standing.entrant for standing in found.standings]
    assert 6 == found.games and found.standings[2].wins > 3
    assert last.asked > 20 and not last.closed, "it is the caller's own"
    assert "first_text" in format_report(found)


def test_a_policy_plays_in_the_arena() -> None:
    policy = PolicyBot("lowest", lambda rows, masks: masks.argmax(axis=1))
    assert 4 == play_match(["greedy", policy], games=4).standings[0].wins


def test_names_tell_entrants_apart() -> None:
    last, other = LastMove(), LastMove()
    first, second, third, fourth = entrants_of([last, other, last, lambda view, budget, seed: 0])
    assert ("last", "last-2", "last", "lambda") == (first.bot, second.bot, third.bot, fourth.bot)
    assert first.player is third.player is last and second.player is other
    assert Entrant("greedy") == entrants_of([Entrant("greedy")])[0]
    with pytest.raises(CabochonError, match="Greedy is a class"):
        entrants_of([Greedy])  # type: ignore[list-item]
    with pytest.raises(CabochonError, match="last against itself is no match"):
        play_match([last, last])


def test_a_wrong_answer_names_its_bot() -> None:
    with pytest.raises(CabochonError, match="pass: passing is allowed only when nothing else is") as error:
        play_match([lambda view, budget, seed: 60, "random"], games=2)
    assert "lambda was to decide in Game(" in error.value.__notes__[0]


def test_a_class_of_the_main_module_travels_to_other_processes() -> None:
    """As in a notebook: a worker cannot import its class, so it travels by value, once for each worker."""
    notebook: dict[str, Any] = {"__name__": "__main__"}
    exec("class Mine:\n    def choose(self, view, budget, seed):\n        return 0 if view.stage == 'main' else 61", notebook)
    match = Match(entrants_of([notebook["Mine"](), "greedy"]))
    there: Match = pickle.loads(pack_match(match))
    assert match == there
    player = there.entrants[0].player
    assert isinstance(player, FunctionBot)
    assert "Mine" == type(player.function.__self__).__name__  # type: ignore[attr-defined]
    with pytest.raises((pickle.PicklingError, AttributeError)):  # by its name alone it would not be found
        pickle.dumps(match)
    assert fixture(there, 3, 1) == list(fixtures(match, 4))[-1]


def test_an_object_gets_a_number_if_a_text_after_it_has_its_name() -> None:
    last = LastMove()
    last.name = "greedy"
    assert ["greedy-2", "greedy"] == [one.bot for one in entrants_of([last, "greedy"])]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bots": "greedy"}, "the bots of a match are a list, one for each seat, not 'greedy'"),
        ({"bots": 5}, "the bots of a match are a list"),
        ({"games": "5"}, "a match has 1 to 1999999 games, not '5'"),
        ({"games": 1.5}, "a match has 1 to 1999999 games, not 1.5"),
        ({"seed": "x"}, "the seed of a match is a number from 0 to"),
        ({"workers": -1}, "workers must be a whole number, 0 for one on each core, not -1"),
        ({"workers": "x"}, "workers must be a whole number"),
        ({"sprt": (0, 20)}, r"sprt is written Sprt\(0, 20\)"),
    ],
)
def test_wrong_settings_of_a_match_are_refused(settings: dict[str, Any], message: str) -> None:
    usual: dict[str, Any] = {"bots": ["greedy", "random"], "games": 2}
    with pytest.raises(CabochonError, match=message):
        play_match(**usual | settings)
