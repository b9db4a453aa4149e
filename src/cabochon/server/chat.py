"""What is said at a table: a room for everybody, and one for the spectators alone while a game goes on. It is told, never asked.

Lines are numbered in each room by itself, so that whoever does not see a room does not learn either how much is said there.
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from orjson import Fragment

from .errors import Refused
from .identity import JOINER
from .serialise import packed

if TYPE_CHECKING:
    from .repository import Row
    from .table import Table

Place = Literal["table", "watch"]
PLACES: tuple[Place, ...] = ("table", "watch")
MAX_LINES: dict[Place, int] = {"table": 500, "watch": 300}
MAX_LINES_AT_ONCE = 50  # whoever comes later is sent what was said in parts
AUTHOR_BYTES = 6
LINE_FIELDS = ("room", "number", "seat", "author", "name", "kind", "text", "at")


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A line as it is stored. `author` names its writer at this table alone, so that a reader can mute them."""

    room: Place
    number: int
    seat: int | None
    author: str
    name: str
    kind: str
    text: str
    at: float

    def row(self, table_id: str) -> dict[str, Any]:
        """The line as it is stored."""
        return {"table_id": table_id, **{name: getattr(self, name) for name in LINE_FIELDS}}


@dataclass(slots=True)
class Chat:
    """The lines of a table by room, and as they are sent."""

    written: dict[Place, list[Fragment]] = field(default_factory=lambda: {place: [] for place in PLACES})

    @classmethod
    def of(cls, rows: "Iterable[Row]") -> "Chat":
        """The chat that lies in the database, its lines in order."""
        chat = cls()
        for row in rows:
            chat.add(ChatLine(**{name: row[name] for name in LINE_FIELDS}))
        return chat

    def next_number(self, place: Place) -> int:
        """The number of the next line, if there is space for one."""
        count = len(self.written[place])
        if count >= MAX_LINES[place]:
            raise Refused("chat_full", most=MAX_LINES[place])
        return count + 1

    def add(self, line: ChatLine) -> None:
        """A line has been stored."""
        self.written[line.room].append(packed({name: getattr(line, name) for name in LINE_FIELDS}))

    def part(self, places: Iterable[Place], sent: dict[Place, int]) -> list[Fragment]:
        """Some of the lines that were not sent from these rooms; `sent` is brought up to date."""
        lines: list[Fragment] = []
        for place in places:
            found = self.written[place][sent[place] : sent[place] + MAX_LINES_AT_ONCE - len(lines)]
            sent[place] += len(found)
            lines += found
        return lines

    def has_more(self, places: Iterable[Place], sent: Mapping[Place, int]) -> bool:
        """Whether lines of these rooms were not sent yet."""
        return any(len(self.written[place]) > sent[place] for place in places)


def room_to_write_in(table: "Table", seat: int | None) -> Place:
    """Where somebody's lines go: a spectator's to the spectators while a game goes on."""
    return "watch" if seat is None and table.status in ("dealing", "running") else "table"


def rooms_to_read(table: "Table", seat: int | None) -> tuple[Place, ...]:
    """What somebody may read: the players hear what the spectators said when the game is over."""
    return PLACES if seat is None or table.status == "finished" else ("table",)


def author_of(table_id: str, user: str) -> str:
    """A name for a guest at one table. It says nothing about who that is, and nothing at another table."""
    return hashlib.blake2s(user.encode(), key=table_id.encode(), digest_size=AUTHOR_BYTES).hexdigest()


def clean_line(text: str) -> str:
    """A line of chat: spaces and line breaks are one space each, and what cannot be seen is left out."""
    words = " ".join(text.split())
    line = "".join(letter for letter in words if letter == JOINER or unicodedata.category(letter)[0] != "C")
    if not line.replace(JOINER, "").strip():
        raise Refused("chat_empty")
    return line.strip()
