"""What a record's writer refuses: free text that would be read as something else."""

from dataclasses import replace

import pytest

from cabochon import VARIANTS, CabochonError, Game, RecordError, WrongType, format_record, parse_record
from cabochon.notation.record import RecordedMove

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
