"""Errors of our own: each is a sentence that names what is wrong."""


class CabochonError(ValueError):
    """Anything the caller got wrong. Nothing has changed when it is raised."""


class RulesetError(CabochonError):
    """An unknown variant, a wrong number of players, or a house rule out of range."""


class MoveSyntaxError(CabochonError):
    """A text that is no move; `column` (from 1) says where it stops making sense."""

    def __init__(self, text: str, column: int, expected: str) -> None:
        super().__init__(f"{text!r} is not a move: column {column}: expected {expected}")
        self.text = text
        self.column = column


class IllegalMove(CabochonError):
    """A move that a rule forbids now; `rule` is that rule in words."""

    def __init__(self, move: object, rule: str) -> None:
        super().__init__(f"{move}: {rule}")
        self.rule = rule


class PositionError(CabochonError):
    """A text that is no position, or a position that cannot be."""


class RecordError(CabochonError):
    """A text that is no record, or a record whose game cannot have been played; the message names the line."""
