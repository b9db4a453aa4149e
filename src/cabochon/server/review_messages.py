"""Messages about reviews, from and to the browser."""

from typing import Annotated

from pydantic import Field, StringConstraints

from .messages import EntryOut, Message, SeatOut, VariantName, ViewOut

MAX_RECORD_CHARACTERS = 60_000
ShortText = Annotated[str, StringConstraints(max_length=64)]


class ReviewIn(Message):
    """Which game is to be reviewed: the finished game of a table, else a record."""

    table: ShortText | None = None
    record: Annotated[str, StringConstraints(max_length=MAX_RECORD_CHARACTERS)] | None = None


class ReviewIdOut(Message):
    """Where the review is: at `/review/{id}`."""

    id: str


class MoveChanceOut(Message):
    """A move, and each seat's chance to win with it."""

    move: str
    values: list[float]


class DecisionOut(Message):
    """One decision, judged from the view of its seat.

    The values of the best move are the chances before the decision, those of the move that was played the chances after it.
    """

    number: int
    round: int
    seat: int
    stage: str
    played: MoveChanceOut
    best: MoveChanceOut
    alternatives: list[MoveChanceOut]
    line: list[str]
    forced: bool
    lost: float
    grade: str


class SeatSummaryOut(Message):
    """What a whole game says about one seat: result - chance_at_deal = luck + own_errors + others_errors."""

    seat: int
    result: float
    chance_at_deal: float
    luck: float
    own_errors: float
    others_errors: float
    decisions: int
    error_rate: float | None
    accuracy: float | None
    grades: dict[str, int]


class ReviewOut(Message):
    """A review, as far as it has come: the decisions from `since` on. `seats` and `luck` are there when it is done."""

    id: str
    table: str | None
    seat: int | None
    total: int
    since: int
    decisions: list[DecisionOut]
    is_done: bool
    seats: list[SeatSummaryOut] | None
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
