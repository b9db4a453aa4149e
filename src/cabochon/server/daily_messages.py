"""The messages of the deal of the day, of duels and of the list of one's own games."""

from typing import Annotated, Literal

from pydantic import Field

from .messages import Message, SharedOut, Text, VariantName

Day = Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
GameResult = Literal["won", "shared", "lost", "resigned"]


class ScoreOut(Message):
    """How a game against bots ended for its player: own points, those of the best bot, and how many rounds it took."""

    result: GameResult
    points: int
    best: int
    rounds: int | None


class OwnTryOut(Message):
    """The reader's own try: the table, and how it ended (null: it has not)."""

    table: str
    score: ScoreOut | None


class RankedOut(Message):
    """A line in the table of the day. Equal scores have equal places."""

    place: int
    name: str
    you: bool
    score: ScoreOut


class BarOut(Message):
    """How many reached these points: those who won (alone or shared), and the others."""

    points: int
    won: int
    lost: int


class ResultsOut(Message):
    """What everybody made of a deal: how many have finished and won, the best of them with the reader, and all by points."""

    finished: int
    won: int
    best: list[RankedOut]
    bars: list[BarOut]


class DayOut(Message):
    """The deal of a day in a game: who one plays against, and the own try (null: none yet).

    `results` is null until the own try is over; those of a past day are shown to everybody. `next` are the seconds until the next
    deal, as of the sending of the message. `previous` is the day before.
    """

    variant: VariantName
    date: Day
    today: bool
    next: float
    previous: Day
    players: int
    bots: list[str]
    commitment: str
    own: OwnTryOut | None
    results: ResultsOut | None


class BeginDayIn(Message):
    """Play the deal of a day (null: today's). The first try counts, any other is `practice`, and comes after it."""

    date: Day | None = None
    practice: bool = False


class DuelIn(Message):
    """A duel: the same deal against the same bots for two people."""

    variant: VariantName = "classic"
    bots: Annotated[list[Text], Field(min_length=1, max_length=3)]


class MadeDuelOut(Message):
    """A new duel; its page is `/duel/ID`."""

    id: str


class SideOut(Message):
    """One of the two in a duel. `score` is null until the reader's own game is over, or this one is not.

    `table`: where the game can be looked at, for the two who played, when both games are over.
    """

    name: str
    you: bool
    status: Literal["waiting", "running", "finished"]
    score: ScoreOut | None
    table: str | None


class DuelOut(Message):
    """A duel as its reader may see it.

    `own` is the reader's own game (null: none yet), `may_play` says whether there is a place for the reader. `better` is the side
    that did better, -1 if none did; null until the reader may see both.
    """

    id: str
    variant: VariantName
    players: int
    bots: list[str]
    commitment: str
    sides: list[SideOut]
    own: OwnTryOut | None
    may_play: bool
    better: Annotated[int, Field(ge=-1, le=1)] | None


class PlayerOut(Message):
    """Who sat where in a game of the list; `bot` is null for people."""

    name: str
    bot: str | None


class MyGameOut(Message):
    """A finished game of the reader: played here (`table`) or imported.

    `seat` is the reader's own; null where an imported record does not say it. `result` is null with it, and where the game did
    not come to its end. `error_rate` is what a review found for that seat, in points of chance a decision; null: none yet.
    """

    id: str
    source: Literal["table", "import"]
    variant: VariantName
    players: list[PlayerOut]
    seat: int | None
    result: GameResult | None
    points: list[int]
    winners: list[int]
    rounds: int | None
    ended: float
    shared: SharedOut | None
    error_rate: float | None


class MyGamesOut(Message):
    """The reader's finished games, newest first; `more`: there are older ones, which the export has too."""

    games: list[MyGameOut]
    more: bool


class ImportProblemOut(Message):
    """Why something in an upload was not imported: by its file and line, with a code and a sentence in English."""

    file: str
    line: int | None
    code: Literal["foreign", "broken", "too_long", "not_text"]
    detail: str


class ImportOut(Message):
    """What became of an upload: how many games were added, how many were known already, and what could not be read."""

    added: int
    known: int
    problems: list[ImportProblemOut]


class DeletedOut(Message):
    """Something was deleted."""

    deleted: str


class DeviceLinkOut(Message):
    """A link that makes another browser the same guest, for a few minutes; and the same as a QR code (SVG)."""

    link: str
    minutes: int
    qr: str


class DeviceKeyIn(Message):
    """The key of such a link."""

    key: Annotated[str, Field(max_length=200)]
