"""The deal is committed to before the game begins and revealed after it, so that everybody can check it.

The commitment is the SHA-256, in hexadecimal, of this text in UTF-8, with a line feed after each of its six lines:

    cabochon deal 1
    variant: classic
    players: 2
    start: 0
    seed: 1234567890
    salt: 00112233445566778899aabbccddeeff
"""

import hashlib

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import CabochonError
from ..game import Game
from ..notation.record import parse_record
from .messages import VariantName

FIRST_LINE = "cabochon deal 1"


class Reveal(BaseModel):
    """All that is needed to check a table after its end."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    variant: VariantName
    players: int
    start: int
    seed: str
    salt: str
    commitment: str
    record: str = ""


def committed_text(variant: str, players: int, start: int, seed: int | str, salt: str) -> str:
    """The text whose hash is published before the game begins."""
    return f"{FIRST_LINE}\nvariant: {variant}\nplayers: {players}\nstart: {start}\nseed: {seed}\nsalt: {salt}\n"


def commitment(variant: str, players: int, start: int, seed: int | str, salt: str) -> str:
    """What everybody is shown at the start."""
    return hashlib.sha256(committed_text(variant, players, start, seed, salt).encode()).hexdigest()


def parse_reveal(text: str | bytes) -> Reveal:
    """The reveal of a finished table, as `/api/tables/{id}/reveal` gives it."""
    try:
        return Reveal.model_validate_json(text)
    except ValidationError as wrong:
        error = wrong.errors()[0]
        place = ".".join(str(part) for part in error["loc"])
        raise CabochonError(f"not the reveal of a table: {place + ': ' if place else ''}{error['msg']}") from wrong


def verify(reveal: Reveal) -> list[str]:
    """What is wrong with a reveal, in sentences; nothing if the deal is the one that was committed to."""
    wrong = []
    if reveal.commitment != commitment(reveal.variant, reveal.players, reveal.start, reveal.seed, reveal.salt):
        wrong.append("the commitment is not the hash of this seed and salt")
    if reveal.record:
        wrong += _differences(reveal)
    return wrong


def _differences(reveal: Reveal) -> list[str]:
    """Where the record's deal is not the one the seed gives."""
    record = parse_record(reveal.record)
    Game.from_record(record)
    dealt = Game(reveal.variant, reveal.players, seed=_seed(reveal.seed), start=reveal.start).record()
    pairs = {
        "variant": (record.rules.variant, reveal.variant),
        "number of players": (record.rules.players, reveal.players),
        "start seat": (record.start, dealt.start),
        "tiles": (record.tiles, dealt.tiles),
        "decks": (record.decks, dealt.decks),
    }
    return [f"the record's {name} differ from what the seed deals" for name, (said, true) in pairs.items() if said != true]


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise CabochonError(f"seed: {text!r} is not a whole number")
    return int(text)
