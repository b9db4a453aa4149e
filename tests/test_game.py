"""The friendly object: copies, and what it does not take for a game."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cabochon
from cabochon import (
    ACTION_COUNT,
    VARIANTS,
    CabochonError,
    Game,
    IllegalMove,
    Move,
    MoveSyntaxError,
    WrongType,
    format_position,
    format_record,
    parse_position,
    parse_record,
    sample,
)

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


@pytest.mark.parametrize("wrong", [None, True, 1.5, b"take wug", [], {}, object()], ids=lambda value: type(value).__name__)
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
        lambda wrong: Move("1" if wrong is True else wrong),  # type: ignore[arg-type]
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


def test_a_move_may_be_said_by_its_number() -> None:
    by_text, by_number = Game("classic", seed=7, start=0), Game("classic", seed=7, start=0)
    action = Move.parse("take wug").action
    assert by_text.is_legal("take wug") and by_text.is_legal(action) and by_text.is_legal(np.int64(action))
    by_text.play("take wug")
    by_number.play(np.int64(action))
    assert (by_text, by_text.moves, repr(by_text)) == (by_number, by_number.moves, repr(by_number))
    assert by_number.why_not(60) == "passing is allowed only when nothing else is"
    with pytest.raises(CabochonError, match="an action is a number from 0 to 72, not 99"):
        by_number.play(99)
    with pytest.raises(IllegalMove, match="pass: passing is allowed only"):
        by_number.play(60)


def test_is_legal_agrees_with_the_list() -> None:
    game = Game("marvel", 3, seed=5)
    for step in range(150):
        moves = game.legal_moves(payments=True)
        if not moves:
            break
        assert {move.action for move in moves} == {action for action in range(ACTION_COUNT) if game.is_legal(action)}
        assert all(game.is_legal(move) for move in moves)
        game.play(moves[step % len(moves)])
    assert not game.is_legal("buy @3 with *****")
    with pytest.raises(MoveSyntaxError):
        game.is_legal("take everything")


def test_a_game_from_all_that_is_called_a_record() -> None:
    game = Game("classic", seed=7, moves="take wug; take wug; reserve 1a")
    assert game == Game.from_record(game.record()) == Game.from_record(str(game.record())) == Game.from_record(game.states[0])
    assert game.moves == Game.from_record(game.record()).moves
    assert game == Game.from_states(game.states[0])


def test_views_and_games_are_drawn() -> None:
    game = Game("classic", seed=7, start=0, moves="reserve 3?")
    assert str(game) == str(game.position())
    assert "@1 tier 3 ?" in str(game.view(1))
    assert "@1 tier 3 ?" not in str(game.view(0))
    pictures = [game._repr_svg_(), game.view(0)._repr_svg_(), game.view(1)._repr_svg_()]
    assert all(picture.startswith("<svg ") for picture in pictures)
    assert pictures[0] == pictures[1] != pictures[2]


def test_samples_of_a_view_by_seed() -> None:
    view = Game("classic", seed=7, moves="reserve 3?").view(1)
    first, again, other = (sample(view, seed) for seed in (5, np.random.default_rng(5), 6))
    assert first.tobytes() == again.tobytes() != other.tobytes()
    assert sample(view).tobytes() != sample(view).tobytes()
    with pytest.raises(WrongType, match="a seed is a number from 0 or a generator, not 'x'"):
        sample(view, "x")  # type: ignore[arg-type]
    with pytest.raises(WrongType, match="not -1"):
        sample(view, -1)


def test_what_may_be_a_move_is_said() -> None:
    game = Game("classic", seed=1)
    for wrong in (None, 5.0, [5]):
        with pytest.raises(WrongType, match="a move is a text, a Move or an action number, not"):
            game.play(wrong)  # type: ignore[arg-type]
