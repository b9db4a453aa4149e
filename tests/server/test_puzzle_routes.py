"""Puzzles over HTTP: nothing about the answer is told before it is given."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from cabochon.bots.base import legal_moves
from cabochon.server import puzzle_routes
from cabochon.server.errors import NOT_A_MOVE, Refused
from cabochon.server.puzzle_messages import (
    DailyPuzzleOut,
    PuzzleAnswerOut,
    PuzzleListOut,
    PuzzleOut,
    PuzzleRuleOut,
)
from cabochon.study.puzzles import Puzzle, daily_puzzle, mixed, puzzles
from tests.support.serving import Guest, House, house

ONE = mixed(puzzles().values())[0]
AFTER_CLOCK = date(1970, 1, 12)  # the clock of the tests stands at a million seconds


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guest]:
    with house(tmp_path_factory.mktemp("server")) as running:
        yield Guest(running)


def answered(guest: Guest, puzzle: Puzzle, text: str) -> dict[str, Any]:
    response = guest.request("POST", f"/api/puzzles/{puzzle.id}/answer", json={"text": text})
    assert response.status_code == 200, response.text
    return PuzzleAnswerOut.model_validate_json(response.content).model_dump()


def wrong_answer(puzzle: Puzzle) -> str:
    return next(str(move) for move in legal_moves(puzzle.view) if move.action != puzzle.move.action)


def test_the_list_has_every_puzzle_and_that_of_the_day(guest: Guest) -> None:
    found = PuzzleListOut.model_validate_json(guest.get("/api/puzzles").content)
    assert {one.id for one in found.puzzles} == puzzles().keys()
    assert (found.daily, found.date) == (daily_puzzle(AFTER_CLOCK).id, AFTER_CLOCK.isoformat())
    for one in found.puzzles:
        known = puzzles()[one.id]
        assert (known.variant, known.difficulty, list(known.themes)) == (one.variant, one.difficulty, one.themes)


def test_the_puzzle_of_a_day(guest: Guest) -> None:
    today = DailyPuzzleOut.model_validate_json(guest.get("/api/puzzles/daily").content)
    assert today.date == AFTER_CLOCK.isoformat()
    named = DailyPuzzleOut.model_validate_json(guest.get("/api/puzzles/daily?date=2026-11-16").content)
    assert named == DailyPuzzleOut(id=daily_puzzle(date(2026, 11, 16)).id, date="2026-11-16")
    assert guest.get("/api/puzzles/daily?date=yesterday").status_code == 422


@pytest.mark.parametrize("variant", sorted({one.variant for one in puzzles().values()}))
def test_a_puzzle_shows_the_position_and_nothing_of_the_answer(guest: Guest, variant: str) -> None:
    one = next(one for one in puzzles().values() if one.variant == variant)
    response = guest.get(f"/api/puzzles/{one.id}")
    found = PuzzleOut.model_validate_json(response.content)
    assert found.view.seat == found.view.turn == one.view.turn
    assert found.choices.legal == [str(move) for move in legal_moves(one.view)]
    assert response.json().keys() == {"id", "variant", "difficulty", "view", "prices", "choices"}


def test_a_right_answer(guest: Guest) -> None:
    found = answered(guest, ONE, ONE.best)
    assert found["right"] and found["best"] == found["given"]
    assert (found["best"]["text"], found["best"]["chance"]) == ONE.chances[0]
    assert (found["second"]["text"], found["second"]["chance"]) == ONE.chances[1]
    assert (tuple(found["themes"]), tuple(found["missed"]), found["proof"]) == (ONE.themes, ONE.missed, ONE.proof)
    assert found["line"][0] == {"seat": ONE.view.turn, "text": ONE.best}


def test_a_wrong_answer_is_told_the_right_one(guest: Guest) -> None:
    text = wrong_answer(ONE)
    found = answered(guest, ONE, text)
    assert not found["right"]
    assert (found["given"]["text"], found["best"]["text"]) == (text, ONE.best)
    assert answered(guest, ONE, ONE.chances[1][0])["given"]["chance"] == ONE.chances[1][1]


def test_a_purchase_may_be_paid_in_any_way(guest: Guest) -> None:
    for one in puzzles().values():
        ways = puzzle_routes.puzzle_out(one)["choices"]["payments"].get(one.best, [])
        if len(ways) > 1:
            assert all(answered(guest, one, way)["right"] for way in ways)
            return
    pytest.fail("no puzzle is solved by a purchase with several ways to pay")


@pytest.mark.parametrize(
    "method, path, status, code",
    [
        ("GET", "/api/puzzles/nothing", 404, "no_puzzle"),
        ("GET", f"/api/puzzles/{'x' * 17}", 422, "not_understood"),
        ("GET", "/api/puzzles/nothing/why-not?text=pass", 404, "no_puzzle"),
        ("GET", f"/api/puzzles/{ONE.id}/why-not", 422, "not_understood"),
        ("DELETE", f"/api/puzzles/{ONE.id}/answer", 405, "wrong_method"),
    ],
)
def test_what_cannot_be_answered(guest: Guest, method: str, path: str, status: int, code: str) -> None:
    response = guest.request(method, path)
    assert (response.status_code, response.json()["code"]) == (status, code)


@pytest.mark.parametrize("text", ["take wwwww", "pass", "nonsense", ""])
def test_a_move_that_is_not_legal_is_no_answer(guest: Guest, text: str) -> None:
    response = guest.request("POST", f"/api/puzzles/{ONE.id}/answer", json={"text": text})
    assert (response.status_code, response.json()["code"]) == (409, "rule")
    rule = PuzzleRuleOut.model_validate_json(guest.get(f"/api/puzzles/{ONE.id}/why-not", params={"text": text}).content).rule
    assert rule is not None and rule.code == ("can_still_move" if text == "pass" else NOT_A_MOVE)


def test_a_legal_move_has_no_rule_against_it(guest: Guest) -> None:
    response = guest.get(f"/api/puzzles/{ONE.id}/why-not", params={"text": ONE.best})
    assert response.json() == {"rule": None}


def test_without_puzzles_there_is_none_of_the_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(puzzle_routes, "puzzles", dict)
    with pytest.raises(Refused, match="no such puzzle"):
        puzzle_routes.daily_out(AFTER_CLOCK)


def test_too_many_requests_are_refused(tmp_path: Path) -> None:
    with house(tmp_path, max_reads_per_minute=3) as here:
        assert_refused_at_last(here)


def assert_refused_at_last(here: House) -> None:
    codes = [Guest(here).get(f"/api/puzzles/{ONE.id}").status_code for _ in range(30)]
    assert (codes[0], codes[-1]) == (200, 429)
