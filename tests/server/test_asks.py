"""Questions to the others: whose clock runs meanwhile, who is told the answer, and how often one may ask."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cabochon.server.clock import TableClock
from cabochon.server.messages import MoveClock
from tests.support.serving import Chair, House, house, two_players

MOVE_CLOCK = {"kind": "move", "seconds": 60}


@pytest.fixture
def here(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as running:
        yield running


def asked(anna: Chair, ben: Chair) -> dict[str, Any]:
    """Anna asks to take back a card that was turned up; the question as Ben sees it."""
    anna.catch_up()
    if not anna.state["number"]:
        anna.play("reserve 1a")
        ben.until_number(1)
    anna.done("undo")
    found: dict[str, Any] = ben.until(lambda state: state["asks"])["asks"][0]
    return found


def tick(here: House) -> None:
    here.client.portal.call(here.service.tick)  # type: ignore[union-attr]


@pytest.mark.parametrize("clock", [MOVE_CLOCK, {"kind": "total", "seconds": 60, "increment": 0}])
def test_the_clock_of_who_is_asked_stands_still(here: House, clock: dict[str, Any]) -> None:
    with two_players(here, clock=clock) as (_, anna, ben):
        anna.play("reserve 1a")
        ben.until_number(1)
        here.clock.pass_by(10)
        ask = asked(anna, ben)
        assert 30 == ask["left"] and None is ben.state["clock"]["running"]
        here.clock.pass_by(20)
        ben.done("answer", ask=ask["ask"], yes=False)
        clock = ben.until(lambda state: not state["asks"])["clock"]
        assert (50, 1) == (clock["left"][1], clock["running"])
        here.clock.pass_by(5)
        ben.play("take wug")
        assert 15 == here.service.rooms[ben.state["table"]["id"]].table.log[-1].entry.spent


def test_silence_is_a_no_before_the_clock_has_stood_still_for_long(here: House) -> None:
    with two_players(here, clock=MOVE_CLOCK) as (_, anna, ben):
        ask = asked(anna, ben)
        here.clock.pass_by(29)
        tick(here)
        assert ben.until(lambda state: state["asks"])
        here.clock.pass_by(1)
        tick(here)
        state = anna.until(lambda state: not state["asks"])
        assert (ask["ask"], "late", None) == tuple(state["declined"][name] for name in ("ask", "how", "declined_by"))
        assert (1, [60, 60]) == (state["clock"]["running"], state["clock"]["left"])
        here.clock.pass_by(60)
        tick(here)
        assert "timeout" == anna.entry(2)["kind"], "it runs again"


def test_nobody_gets_time_by_asking(here: House) -> None:
    with two_players(here, clock=MOVE_CLOCK) as (_, anna, ben):
        anna.play("reserve 1a")
        ben.play("take wug")
        anna.until_number(2)
        anna.done("undo")
        state = anna.until(lambda state: state["asks"])
        assert (0, None) == (state["clock"]["running"], state["asks"][0]["left"])
        here.clock.pass_by(60)
        tick(here)
        assert "timeout" == ben.entry(3)["kind"]


@pytest.mark.parametrize("clock", [{"kind": "none"}, {"kind": "days", "days": 1}])
def test_where_there_is_no_hurry_a_question_waits(here: House, clock: dict[str, Any]) -> None:
    with two_players(here, clock=clock) as (_, anna, ben):
        assert None is asked(anna, ben)["left"]
        here.clock.pass_by(3600)
        tick(here)
        assert ben.until(lambda state: state["asks"])


def test_who_asked_is_told_the_answer(here: House) -> None:
    with two_players(here) as (_, anna, ben):
        ask = asked(anna, ben)
        ben.done("answer", ask=ask["ask"], yes=False)
        told = {"ask": ask["ask"], "what": "takeback", "by": 0, "seat": 0, "how": "no", "declined_by": 1}
        assert told == anna.until(lambda state: not state["asks"])["declined"]
        ask = asked(anna, ben)
        assert None is anna.until(lambda state: state["asks"])["declined"]
        ben.play("take wug")
        state = anna.until_number(2)
        assert ([], "gone_on", 1) == (state["asks"], state["declined"]["how"], state["declined"]["declined_by"])
        anna.play("take wug")
        assert None is anna.until_number(3)["declined"], "until the game goes on"


def test_a_question_can_be_withdrawn(here: House) -> None:
    with two_players(here, clock=MOVE_CLOCK) as (_, anna, ben):
        ask = asked(anna, ben)
        assert "you have asked nothing that could be withdrawn" == ben.refusal("withdraw", ask=ask["ask"])
        anna.done("withdraw", ask=ask["ask"])
        state = ben.until(lambda state: not state["asks"])
        assert (None, 1, 1) == (state["declined"], state["clock"]["running"], state["number"])
        assert "nobody is waiting for your answer to this" == ben.refusal("answer", ask=ask["ask"], yes=True)


def test_the_others_are_asked_twice_about_a_decision_and_no_more(here: House) -> None:
    with two_players(here) as (_, anna, ben):
        for _ in range(2):
            assert "ask" == anna.until(lambda state: not state["asks"])["can_undo"] or not anna.state["number"]
            ben.done("answer", ask=asked(anna, ben)["ask"], yes=False)
        assert "no" == anna.until(lambda state: not state["asks"] and state["declined"])["can_undo"]
        assert "asked about this decision 2 times" in anna.refusal("undo")
        ben.play("take wug")
        assert "no" == anna.until_number(2)["can_undo"], "it is the same decision"
        anna.play("reserve 1a")
        assert "ask" == anna.until_number(3)["can_undo"]


def test_a_clock_that_is_held_counts_nothing() -> None:
    clock = TableClock(MoveClock(kind="move", seconds=60), 2)
    clock.run(0, 100.0)
    clock.hold(110.0)
    clock.hold(120.0)
    assert (10.0, None, None) == (clock.elapsed(150.0), clock.deadline, clock.out(150.0)["running"])
    clock.release(150.0)
    assert (10.0, 200.0) == (clock.elapsed(150.0), clock.deadline)
    clock.hold(155.0)
    clock.run(1, 160.0)
    assert (5.0, 220.0) == (clock.elapsed(165.0), clock.deadline), "another turn is not held"
