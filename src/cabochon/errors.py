"""Errors of our own: each is a sentence that names what is wrong."""

from typing import Any

MAX_QUOTED = 40  # characters of a wrong value that are repeated in the error


class CabochonError(ValueError):
    """Anything the caller got wrong. Nothing has changed when it is raised."""


class WrongType(CabochonError, TypeError):
    """A value of a type that cannot be meant, such as a number for a text."""


class RulesetError(CabochonError):
    """An unknown variant, a wrong number of players, or a house rule out of range."""


class MoveSyntaxError(CabochonError):
    """A text that is no move; `column` (from 1) says where it stops making sense."""

    def __init__(self, text: str, column: int, expected: str) -> None:
        super().__init__(f"{text!r} is not a move: column {column}: expected {expected}")
        self.text = text
        self.column = column
        self.expected = expected

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.column, self.expected)  # pickle would call it with the sentence alone


class IllegalMove(CabochonError):
    """A move that a rule forbids now; `rule` is that rule in words."""

    def __init__(self, move: object, rule: str) -> None:
        super().__init__(f"{move}: {rule}")
        self.move = str(move)
        self.rule = rule

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.move, self.rule)


class PositionError(CabochonError):
    """A text that is no position, or a position that cannot be."""


class RecordError(CabochonError):
    """A text that is no record, or a record whose game cannot have been played; the message names the line."""


class Interrupted(CabochonError):
    """Work that was told to stop before it had a result."""


def quoted(value: object) -> str:
    """A wrong value for a message: its beginning, if it is long. Python refuses to write numbers of thousands of digits."""
    try:
        text = repr(value)
    except ValueError:
        return f"a very large {type(value).__name__}"
    return text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}…"
