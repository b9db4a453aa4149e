"""The messages of the analysis board: positions, moves played on them, and what the engine thinks of them."""

from typing import Annotated, Literal

from pydantic import Field

from .messages import (
    ChoicesOut,
    EntryOut,
    HouseRules,
    Message,
    Nickname,
    RecordText,
    RefusalCode,
    RequestId,
    RuleOut,
    Text,
    VariantName,
    ViewOut,
)

MAX_POSITION = 2000  # characters of a line; the longest that can be has about 900
MAX_NOTE = 500  # characters of a note, or of a comment in a record
MAX_STEPS = 40  # moves that are played by one request; a game is played in several
PositionLine = Annotated[str, Field(max_length=MAX_POSITION)]
CardNumber = Annotated[int, Field(ge=1, le=90)]
SeatNumber = Annotated[int, Field(ge=0, le=3)]
Count = Annotated[int, Field(ge=0, le=40)]
PROBLEMS = (
    *("not_a_position", "tokens_many", "tokens_few", "time_token", "card_twice", "unnamed", "card_count", "wrong_tier"),
    *("market_gap", "tile_count", "tile_twice", "hand_limit", "sight", "token_limit", "far_over", "claim", "tile_demand"),
    *("reason", "passes", "goal_reached", "avengers_missing", "avengers_wrong", "card", "rule"),
)
ProblemCode = Annotated[str, Field(json_schema_extra={"enum": list(PROBLEMS)})]


class StepIn(Message):
    """A move, and the card that it turns up: null is one that is drawn. One reserved from a deck stays unseen without `draw`."""

    text: Text
    card: CardNumber | None = None
    draw: bool = False


class AnalysisIn(Message):
    """A position, and moves to be played from it."""

    position: PositionLine
    moves: list[StepIn] = Field(default_factory=list, max_length=MAX_STEPS)


class DraftReservedIn(Message):
    """A reserved card; without a number it is an unseen one of the tier. `blind`: it was drawn unseen from the deck."""

    tier: Annotated[int, Field(ge=1, le=3)]
    card: CardNumber | None = None
    blind: bool = False


class DraftSeatIn(Message):
    """What lies before a seat. The counts follow the variant's letters; Time tokens follow from the cards."""

    tokens: Annotated[list[Count], Field(max_length=7)]
    tableau: list[CardNumber] = Field(default_factory=list, max_length=90)
    reserve: list[DraftReservedIn] = Field(default_factory=list, max_length=4)


class DraftTileIn(Message):
    """A tile, and the seat it went to."""

    number: Annotated[int, Field(ge=1, le=40)]
    owner: SeatNumber | None = None


class DraftIn(Message):
    """A position as it is edited. What follows from the rest is not said: bank, decks, Time tokens, that tokens must be returned.

    `stage`: `claim` where the seat chooses among several tiles, `over` where the game has ended, by the goal after this round if
    somebody has reached it, else by passing. `fill`: empty places of the market and missing tiles are drawn.
    """

    variant: VariantName
    players: Annotated[int, Field(ge=2, le=4)]
    house: HouseRules = HouseRules()
    start: SeatNumber = 0
    turn: SeatNumber = 0
    round: Annotated[int, Field(ge=1, le=1000)] = 1
    stage: Literal["main", "claim", "over"] = "main"
    market: Annotated[
        list[Annotated[list[CardNumber | None], Field(max_length=4, min_length=4)]], Field(max_length=3, min_length=3)
    ]
    tiles: list[DraftTileIn] = Field(default_factory=list, max_length=5)
    avengers: SeatNumber | None = None
    seats: Annotated[list[DraftSeatIn], Field(max_length=4, min_length=2)]
    fill: bool = False


class ProblemOut(Message):
    """Why a position cannot be, or a move cannot be played (`step` is its number, from 0). `rule`: the rule that forbids it."""

    code: ProblemCode
    facts: dict[str, str | int]
    sentence: str
    step: int | None
    rule: RuleOut | None


class PlayedOut(Message):
    """A move that was played: as a line of a log, the card that it made known, and the position after it."""

    position: str
    entry: EntryOut
    card: int | None


class EndOut(Message):
    """How a game ended."""

    ranks: list[int]
    winners: list[int]
    reason: str


class BoardOut(Message):
    """A position with all that can be done in it, seen from the seat to decide.

    `reveals` has for each move that makes an unseen card known the tier of that card, `could_be` the cards for those that buy an
    unknown card of the reserve, `stays_unseen` the moves whose card need not be told. `unseen` are the cards of each tier that
    may come.
    """

    position: str
    variant: VariantName
    players: int
    house: HouseRules
    view: ViewOut
    prices: dict[str, list[int]]
    choices: ChoicesOut
    reveals: dict[str, int]
    could_be: dict[str, list[int]]
    stays_unseen: list[str]
    unseen: list[list[int]]
    end: EndOut | None


class AnalysisOut(Message):
    """What was played, up to the first problem, and the board after it; none if the position itself cannot be."""

    problem: ProblemOut | None
    played: list[PlayedOut]
    board: BoardOut | None


class NotedStepIn(Message):
    """A move with its card, and a note."""

    text: Text
    card: CardNumber | None = None
    note: Annotated[str, Field(max_length=MAX_NOTE)] = ""


class GameLineOut(Message):
    """A game, to be analysed: its first position, its moves with the cards they made known, and who sat where."""

    position: str
    moves: list[NotedStepIn]
    names: list[str]


class OpenRecordIn(Message):
    """A record, to be analysed. Its game need not be over."""

    record: RecordText


class FromHereIn(Message):
    """Play on from a position: which seat one takes, and the bot at all the others."""

    position: PositionLine
    seat: SeatNumber
    bot: Text


class RecordIn(Message):
    """A line of moves to be saved as a record."""

    position: PositionLine
    moves: Annotated[list[NotedStepIn], Field(max_length=400)]
    names: list[Nickname | Literal[""]] = Field(default_factory=list, max_length=4)


class RecordOut(Message):
    """A record, as text."""

    record: str


# The socket


class ThinkIn(Message):
    """Think about a position, and no longer about the one before."""

    kind: Literal["think"]
    id: RequestId
    position: PositionLine


class StopIn(Message):
    """Think no more."""

    kind: Literal["stop"]


class LineMoveOut(Message):
    """A move of a line: who plays it, and the card it is about if that is known by then."""

    seat: int
    text: str
    card: int | None
    tier: int | None


class GoodMoveOut(Message):
    """A move: each seat's chance to win after it, how often it was looked at, whether that is proven, and what may follow."""

    text: str
    chances: list[float]
    visits: int
    proven: bool
    line: list[LineMoveOut]


class FoundOut(Message):
    """What was found until now, the best move first; `done`: there will be nothing more."""

    kind: Literal["found"] = "found"
    id: int
    nodes: int
    seconds: float
    chances: list[float]
    moves: list[GoodMoveOut]
    done: bool


class NotFoundOut(Message):
    """Nothing can be found: the position cannot be (`problem`), or it is refused."""

    kind: Literal["not_found"] = "not_found"
    id: int
    problem: ProblemOut | None
    code: RefusalCode | None
    facts: dict[str, str | int]


AnalysisMessage = Annotated[ThinkIn | StopIn, Field(discriminator="kind")]
