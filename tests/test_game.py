"""The friendly object: copies, and what it does not take for a game."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cabochon
from cabochon import VARIANTS, CabochonError, Game, Move, WrongType, format_position, format_record, parse_position, parse_record

TAKES = {"classic": "take wug", "marvel": "take ypb", "cities": "take wug"}


@pytest.mark.parametrize("twin_of", [Game.copy, copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_copy_is_a_game_of_its_own(variant: str, twin_of: Callable[[Game], Game]) -> None:
    game = Game(variant, 3, seed=4, moves=TAKES[variant])
    before = game.states.tobytes()
    twin = twin_of(game)
    assert (game, game.moves, repr(game)) == (twin, twin.moves, repr(twin))
    twin.play("reserve 1a")
    assert (before, 1, 2) == (game.states.tobytes(), len(game.moves), len(twin.moves))
    twin.undo()
    twin.undo()
    assert (1, game.beginning()) == (len(game.moves), twin)


GAME = Game(seed=1)
ONE_RECORD = np.zeros(1)


@pytest.mark.parametrize("wrong", [None, 7, 1.5, b"take wug", [], {}, object()], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "call",
    [
        GAME.play,
        GAME.why_not,
        GAME.ways_to_pay,
        Move.parse,
        parse_position,
        parse_record,
        format_position,
        format_record,
        Game.from_position,
        Game.from_record,
        Game.from_states,
        cabochon.state_of,
        cabochon.legal,
        lambda wrong: Game(moves=wrong or 7),  # type: ignore[arg-type]
        lambda wrong: Move("1" if wrong == 7 else wrong),  # type: ignore[arg-type]
        lambda wrong: Move(45, wrong or 7),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_type_is_an_error_of_ours(call: Callable[[Any], Any], wrong: Any) -> None:
    before = GAME.states.tobytes()
    with pytest.raises(WrongType) as error:
        call(wrong)
    assert isinstance(error.value, CabochonError) and isinstance(error.value, TypeError)
    assert before == GAME.states.tobytes()


@pytest.mark.parametrize(
    "call",
    [
        lambda: Game(["classic"]),  # type: ignore[arg-type]
        lambda: Game(players="2"),  # type: ignore[arg-type]
        lambda: Game(start=0.0),  # type: ignore[arg-type]
        lambda: Game(start="first"),  # type: ignore[arg-type]
        lambda: Game(seed=10**5000),
        lambda: Game(players=10**5000),
        lambda: Game(goal=10**5000),
        lambda: Game(take_fewer=[]),
        lambda: GAME.view("0"),  # type: ignore[arg-type]
        lambda: GAME.view(0.0),  # type: ignore[arg-type]
        lambda: GAME.ways_to_pay("take wug"),
        lambda: Move.parse("take wug", "chess"),
        lambda: Move.parse("take wug", ["classic"]),  # type: ignore[arg-type]
        lambda: Move(1, None, "chess"),
        lambda: Move(10**5000),
        lambda: Move(45, ("w",)),  # type: ignore[arg-type]
        lambda: Game.from_order("classic", 2, decks=5, tiles=[1, 2, 3]),  # type: ignore[arg-type]
        lambda: Game.from_order("classic", 2, decks=[[1], ["a"], [None]], tiles=[1, 2, 3]),  # type: ignore[list-item]
        lambda: Game.from_order("classic", 2, decks=[range(1, 41), range(41, 71), range(71, 91)], tiles="abc"),  # type: ignore[arg-type]
        lambda: Game.from_order("classic", 2, decks=[range(1, 41), range(41, 71), range(71, 91)], tiles=[1, 2, 3], start="0"),  # type: ignore[arg-type]
        lambda: Game.from_states(ONE_RECORD),  # type: ignore[arg-type]
        lambda: cabochon.deal("classic", 2, [[1], [2, 3]]),
        lambda: cabochon.deal("classic", 2, [1], start="0"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_value_is_an_error_of_ours(call: Callable[[], Any]) -> None:
    with pytest.raises(CabochonError):
        call()


def test_ways_to_pay_by_text() -> None:
    game = Game(seed=1)
    assert [] == game.ways_to_pay("buy 1a"), "nothing in hand to pay with"
