"""What a record's writer refuses (free text that would be read as something else), resignations, and games from a position."""

import re
from dataclasses import replace

import pytest

from cabochon import VARIANTS, CabochonError, Game, RecordError, WrongType, format_position, format_record, parse_record
from cabochon.notation.record import RecordedMove, Resignation

BREAKS = ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029"]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("mark", BREAKS)
def test_a_name_a_date_and_a_comment_are_one_line(variant: str, mark: str) -> None:
    record = Game(variant, seed=1, moves="reserve 1a").record()
    (move,) = record.moves
    for wrong in (
        replace(record, names=(f"Anna{mark}hand_limit: 1", "Ben")),
        replace(record, names=("Anna", f"Ben{mark}")),
        replace(record, date=f"2026-11-15{mark}token_limit: 40"),
        replace(record, result=f"unfinished{mark}pass"),
        replace(record, moves=(RecordedMove(move.move, None, f"good{mark}pass"),)),
    ):
        with pytest.raises(RecordError, match="must be one line"):
            format_record(wrong)


def test_a_comment_has_no_closing_brace() -> None:
    record = Game(seed=1, moves="reserve 1a").record()
    (move,) = record.moves
    with pytest.raises(RecordError, match="a comment may have no '}' in it"):
        format_record(replace(record, moves=(RecordedMove(move.move, None, "good} {bad"),)))


@pytest.mark.parametrize("text", ["Anna: the first", "{Anna}", "[17]", "goal: 1", "Żółć 🐼", "result: won by 1"])
def test_other_text_is_read_back_as_it_was(text: str) -> None:
    record = Game(seed=1, moves="reserve 1a").record(names=(text, "Ben"), date="yesterday")
    (move,) = record.moves
    record = replace(record, moves=(RecordedMove(move.move, None, text.replace("}", "")),))
    assert record == parse_record(format_record(record))


def test_no_more_names_than_seats() -> None:
    with pytest.raises(RecordError, match="3 names for 2 seats"):
        format_record(Game(seed=1).record(names=("Anna", "Ben", "Cleo")))


@pytest.mark.parametrize("names", ["Anna", 7, None, (7, 8), (None, "Ben")])
def test_names_are_texts(names: object) -> None:
    with pytest.raises(WrongType) as wrong:
        format_record(Game(seed=1).record(names=names))  # type: ignore[arg-type]
    assert isinstance(wrong.value, CabochonError)


@pytest.mark.parametrize("variant", VARIANTS)
def test_who_resigned_and_when_is_read_back(variant: str) -> None:
    game = Game(variant, 3, seed=1, start=0)
    for _ in range(4):
        game.play(game.legal_moves()[0])
    record = game.record(resigned=(Resignation(2, 0), Resignation(0, 4)))
    text = format_record(record)
    lines = text[text.index("\n\n") + 2 :].splitlines()
    assert ("seat 2 resigns", "seat 0 resigns") == (lines[0], lines[5])
    assert "result: won by 1; reason resigned; points 0 0 0" == lines[6]
    assert record == parse_record(text)
    assert game == Game.from_record(text)


@pytest.mark.parametrize(
    "lines, problem",
    [
        ("seat 1 resigns\nseat 1 resigns\nresult: won by 0; reason resigned; points 0 0", "seat 1 resigns twice"),
        ("seat 2 resigns\nresult: unfinished", "'2' is not a number from 0 to 1"),
        ("seat 1 resigns\nseat 0 resigns\nresult: unfinished", "the last seat cannot resign"),
        ("seat 1 resigns\nresult: won by 1; reason resigned; points 0 0", "but the moves give 'result: won by 0;"),
        ("seat 1 resigns well\nresult: unfinished", "is not a move"),
        ("result: won by 0; reason resigned; points 0 0", "but the moves give 'result: unfinished'"),
    ],
)
def test_a_resignation_that_cannot_be_is_refused(lines: str, problem: str) -> None:
    text = format_record(Game(seed=1).record()).replace("result: unfinished", lines)
    with pytest.raises(CabochonError, match=re.escape(problem)):
        Game.from_record(text)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_game_that_began_at_a_position_is_read_back(variant: str) -> None:
    first = Game(variant, seed=1, start=1, token_limit=9, moves="reserve 1a")
    game = Game.from_position(first.position(), [first.legal_moves()[0]])
    record = game.record(("Anna", "Ben"))
    text = format_record(record)
    assert "\nposition: " in text and "\ndeck 1: " not in text and "\nstart: " not in text
    assert record == parse_record(text)
    assert (game, game.moves) == (Game.from_record(text), Game.from_record(text).moves)


def test_a_position_that_cannot_begin_a_record_is_refused() -> None:
    first = Game(seed=1, moves="reserve 1a")
    text = format_record(Game.from_position(first.position()).record())
    for wrong, problem in (
        (text.replace("players: 2", "players: 3"), "it has other rules than the headers say"),
        (text.replace("\n\n", "\ntiles: 1, 2, 3\n\n"), "unknown header 'tiles'"),
        (text.replace(format_position(first.position()), format_position(first.view(0))), "this one has a view"),
        (text.replace("start:", "begin:"), "start is missing"),
    ):
        with pytest.raises(RecordError, match=problem):
            parse_record(wrong)
