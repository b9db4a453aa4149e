"""Messages about reviews, from and to the browser."""

from typing import Annotated

from pydantic import Field, StringConstraints

from ..study.report import DecisionOut
from ..study.review import SeatSummary
from .messages import EntryOut, Message, RecordText, SeatOut, VariantName, ViewOut

ShortText = Annotated[str, StringConstraints(max_length=64)]


class ReviewIn(Message):
    """Which game is to be reviewed: the finished game of a table, else a record."""

    table: ShortText | None = None
    record: RecordText | None = None


class ReviewIdOut(Message):
    """Where the review is: at `/review/{id}`."""

    id: str


class ReviewOut(Message):
    """A review, as far as it has come: the decisions from `since` on. `seats` and `luck` are there when it is done.

    `seats`: what the game says about each, with result - chance_at_deal = luck + own_errors + others_errors.
    """

    id: str
    table: str | None
    seat: int | None
    total: int
    since: int
    decisions: list[DecisionOut]
    is_done: bool
    seats: list[SeatSummary] | None
    luck: list[list[float]] | None


class MomentOut(Message):
    """A moment before a decision: what its seat could see, and what it could do."""

    view: ViewOut
    legal: list[str]


class ReviewedGameOut(Message):
    """The game of a review: before each decision what its seat saw, and at the end what lay on the table."""

    variant: VariantName
    players: int
    goal: int
    token_limit: int
    hand_limit: int
    seats: list[SeatOut]
    entries: list[EntryOut]
    moments: list[MomentOut]
    winners: list[int]


class TryIn(Message):
    """Another move in place of the one that was played."""

    number: Annotated[int, Field(ge=0, le=10_000)]
    move: ShortText


class TriedOut(Message):
    """What that move would have lost, and its grade."""

    move: str
    values: list[float]
    lost: float
    grade: str
