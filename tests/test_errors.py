"""Errors travel: what a worker raises arrives as it was."""

import copy
import pickle

import pytest

from cabochon import CabochonError, Game, IllegalMove, MoveSyntaxError, PositionError, RecordError, RulesetError, WrongType
from cabochon.errors import Interrupted, quoted

ERRORS = [
    CabochonError("no"),
    WrongType("a move is a text, not 3"),
    RulesetError("players must be 2, 3 or 4, not 7"),
    MoveSyntaxError("take x", 6, "one of the colours wugrk"),
    IllegalMove("take kk", "two of one colour need a pile of four (3 left)"),
    PositionError("position: bank is missing"),
    RecordError("record: line 3: nothing may follow the result"),
    Interrupted("the review was told to stop"),
]


@pytest.mark.parametrize("travel", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_can_be_pickled(error: CabochonError, travel: type) -> None:
    again = travel(error)
    assert (type(error), str(error), vars(error)) == (type(again), str(again), vars(again))


def every_error(kind: type[CabochonError]) -> set[type[CabochonError]]:
    return {kind}.union(*(every_error(one) for one in kind.__subclasses__()))


def test_every_error_of_the_engine_is_among_them() -> None:
    engine = {kind for kind in every_error(CabochonError) if kind.__module__ == CabochonError.__module__}
    assert engine == {type(error) for error in ERRORS}


def test_a_refused_move_says_the_move_and_the_rule() -> None:
    with pytest.raises(IllegalMove) as wrong:
        Game(seed=1).play("take wu")
    again = pickle.loads(pickle.dumps(wrong.value))
    assert ("take wu", "three different colours, or all that are left (5 colours left)") == (again.move, again.rule)


def test_a_wrong_value_is_quoted() -> None:
    values = ("x", 17, "a" * 50, 10**5000)
    assert ["'x'", "17", f"'{'a' * 39}…", "a very large int"] == [quoted(value) for value in values]
