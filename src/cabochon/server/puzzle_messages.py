"""What is sent about puzzles."""

from typing import Annotated, Literal

from pydantic import Field

from ..study.puzzle_themes import THEMES
from .messages import AdvantageOut, ChoicesOut, Message, RuleOut, Text, VariantName, ViewOut

# The schema lists the themes, so that the client does not compile without words for each.
Theme = Annotated[str, Field(json_schema_extra={"enum": list(THEMES)})]


class PuzzleEntryOut(Message):
    """A puzzle in the list. `difficulty` is from 1 to 5."""

    id: str
    variant: VariantName
    themes: list[Theme]
    difficulty: int


class PuzzleListOut(Message):
    """Every puzzle, in the order in which they are offered; `daily` is the one of the `date`, by UTC."""

    puzzles: list[PuzzleEntryOut]
    daily: str
    date: str


class DailyPuzzleOut(Message):
    """The puzzle of a day: the same on every server."""

    id: str
    date: str


class PuzzleOut(Message):
    """A position with one good move, as the seat to decide sees it; `prices` as in a state. The themes would tell too much."""

    id: str
    variant: VariantName
    difficulty: int
    view: ViewOut
    prices: dict[str, list[int]]
    choices: ChoicesOut


class PuzzleAnswerIn(Message):
    """A move as text."""

    text: Text


class PuzzleMoveOut(Message):
    """A move, the chance to win with it (null: not among the moves that were compared), and what speaks for it."""

    text: str
    chance: float | None
    why: list[AdvantageOut]


class PuzzleStepOut(Message):
    """A move of the line that is expected, and the seat that plays it."""

    seat: int
    text: str


class PuzzleAnswerOut(Message):
    """Whether an answer was right, and why.

    `second` is the best of the other moves. `proof`: it is `proven` that every other move is worse, or that was `searched`.
    `missed` names the bots that do not find the move.
    """

    right: bool
    best: PuzzleMoveOut
    given: PuzzleMoveOut
    second: PuzzleMoveOut
    proof: Literal["proven", "searched"]
    themes: list[Theme]
    missed: list[str]
    line: list[PuzzleStepOut]


class PuzzleRuleOut(Message):
    """The rule that forbids a move in a puzzle; null if it is legal."""

    rule: RuleOut | None
