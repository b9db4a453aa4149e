"""The deal is committed to before the game begins and revealed after it, so that everybody can check it.

Tables of today have format 2: the order of the cards follows from a secret of the server, which is committed to when the table is
opened, and from a nonce of every player who takes part, which is sealed before any of them is opened (`dealing.py`). Tables that
share a deal have format 3: it follows from the name of the deal and a secret, which for a deal of the day is no secret at all.
Tables of older servers have format 1: everything follows from a seed. docs/protocol.md specifies them; here are the texts that
are hashed.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import CabochonError
from ..game import Game
from ..notation.record import Record, parse_record
from ..rules.deal import ANY_START
from .messages import Hex256, VariantName
from .shuffle import order_of

FIRST_LINE = "cabochon deal 1"
FIRST_LINE_2 = "cabochon deal 2"
SEAL_LINE = "cabochon seal 2"
KEY_LINE = "cabochon key 2"
FIRST_LINE_3 = "cabochon deal 3"
KEY_LINE_3 = "cabochon key 3"
DAY_LINE = "cabochon day 3"
BOT_LINE = "cabochon bot 3"
DAY = "day "  # how the name of a deal of the day begins; its date follows
SEED_BITS = 31


class Reveal(BaseModel):
    """All that is needed to check a table of format 1 after its end."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: Literal[1] = 1
    variant: VariantName
    players: int
    start: int
    seed: str
    salt: str
    commitment: str
    record: str = ""


class Reveal2(BaseModel):
    """All that is needed to check a table of format 2 after its end. Seals and nonces are listed by seat; null: none.

    `start_rule` is what was committed to: `random`, or the number of the seat.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: Literal[2]
    table: str
    variant: VariantName
    players: Annotated[int, Field(ge=2, le=4)]
    start_rule: Annotated[str, Field(pattern="^(random|[0-3])$")]
    secret: Hex256
    seals: list[Hex256 | None]
    nonces: list[Hex256 | None]
    commitment: str
    record: str


class Reveal3(BaseModel):
    """All that is needed to check a table of format 3 after its end: `deal` is the name of the deal that several tables share."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    format: Literal[3]
    table: str
    deal: Annotated[str, Field(max_length=40)]
    variant: VariantName
    players: Annotated[int, Field(ge=2, le=4)]
    start_rule: Annotated[str, Field(pattern="^(random|[0-3])$")]
    secret: Hex256
    commitment: str
    record: str


class _Format(BaseModel):
    """Which format a reveal has; the first had no number."""

    format: int = 1


AnyReveal = Reveal | Reveal2 | Reveal3
REVEALS: dict[int, type[AnyReveal]] = {1: Reveal, 2: Reveal2, 3: Reveal3}


# What is hashed


def _text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def committed_text(variant: str, players: int, start: int, seed: int | str, salt: str) -> str:
    """Format 1: the text whose hash is published before the game begins."""
    return _text(FIRST_LINE, f"variant: {variant}", f"players: {players}", f"start: {start}", f"seed: {seed}", f"salt: {salt}")


def commitment(variant: str, players: int, start: int, seed: int | str, salt: str) -> str:
    """Format 1: what everybody is shown at the start."""
    return hashlib.sha256(committed_text(variant, players, start, seed, salt).encode()).hexdigest()


def start_rule(start: int) -> str:
    """A start seat as it is committed to: its number, or `random`."""
    return "random" if start == ANY_START else str(start)


def committed_text_2(table: str, variant: str, players: int, start: int, secret: str) -> str:
    """The text whose hash is published when the table is opened. House rules are not in it: they do not change the order."""
    deal = f"table: {table}", f"variant: {variant}", f"players: {players}", f"start: {start_rule(start)}"
    return _text(FIRST_LINE_2, *deal, f"secret: {secret}")


def commitment_2(table: str, variant: str, players: int, start: int, secret: str) -> str:
    """What everybody is shown as long as the table is there."""
    return hashlib.sha256(committed_text_2(table, variant, players, start, secret).encode()).hexdigest()


def committed_text_3(deal: str, variant: str, players: int, start: int, secret: str) -> str:
    """The text whose hash is published where tables share a deal: it is the same at each of them, so that everybody sees that."""
    named = f"deal: {deal}", f"variant: {variant}", f"players: {players}", f"start: {start_rule(start)}"
    return _text(FIRST_LINE_3, *named, f"secret: {secret}")


def commitment_3(deal: str, variant: str, players: int, start: int, secret: str) -> str:
    """What everybody is shown at the tables that share a deal."""
    return hashlib.sha256(committed_text_3(deal, variant, players, start, secret).encode()).hexdigest()


def day_secret(deal: str, variant: str) -> str:
    """The secret of a deal of the day, which everybody can compute: it follows from the date and the game alone."""
    return hashlib.sha256(_text(DAY_LINE, f"deal: {deal}", f"variant: {variant}").encode()).hexdigest()


def seal_of(table: str, seat: int, nonce: str) -> str:
    """What a player publishes before any nonce is opened. Table and seat are in it, so that nobody can use another's seal."""
    return hashlib.sha256(_text(SEAL_LINE, f"table: {table}", f"seat: {seat}", f"nonce: {nonce}").encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class DealInputs:
    """What a deal follows from: the secret of the server, and the opened nonces by seat.

    `shared` is the name of a deal that several tables share; then the table itself does not count.
    """

    table: str
    secret: str
    start: int = ANY_START
    nonces: Mapping[int, str] = field(default_factory=dict)
    shared: str | None = None

    @property
    def key(self) -> bytes:
        """The key of the shuffle."""
        if self.shared is not None:
            return hashlib.sha256(_text(KEY_LINE_3, f"deal: {self.shared}", f"secret: {self.secret}").encode()).digest()
        opened = [f"nonce {seat}: {nonce}" for seat, nonce in sorted(self.nonces.items())]
        return hashlib.sha256(_text(KEY_LINE, f"table: {self.table}", f"secret: {self.secret}", *opened).encode()).digest()


def bot_seed_of(key: bytes, position: str) -> int:
    """The seed of a bot where a deal is shared: from the deal and what the bot sees, so that it answers alike everywhere."""
    digest = hashlib.sha256(_text(BOT_LINE, f"key: {key.hex()}", f"position: {position}").encode()).digest()
    return int.from_bytes(digest[:4]) >> (32 - SEED_BITS)


# Checking


def parse_reveal(text: str | bytes) -> AnyReveal:
    """The reveal of a finished table, as `/api/tables/{id}/reveal` gives it."""
    try:
        number = _Format.model_validate_json(text).format
        if number not in REVEALS:
            raise CabochonError(f"not the reveal of a table: format {number} is not known here (only 1 to 3)")
        return REVEALS[number].model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CabochonError(f"not the reveal of a table: {place + ': ' if place else ''}{first['msg']}") from error


def verify(reveal: AnyReveal, noted: str | None = None, own_nonces: Mapping[int, str] | None = None) -> list[str]:
    """What is wrong with a reveal, in sentences; nothing if the deal is the one that was committed to.

    `noted` is the commitment somebody wrote down at the start, `own_nonces` are nonces that must have been used, by seat.
    """
    problems = []
    if noted is not None and noted != reveal.commitment:
        problems.append(f"the commitment is not the one that was noted, but {reveal.commitment}")
    if isinstance(reveal, Reveal3):
        return problems + _verify_3(reveal)
    return problems + (_verify_1(reveal) if isinstance(reveal, Reveal) else _verify_2(reveal, own_nonces or {}))


def _verify_1(reveal: Reveal) -> list[str]:
    problems = []
    if reveal.commitment != commitment(reveal.variant, reveal.players, reveal.start, reveal.seed, reveal.salt):
        problems.append("the commitment is not the hash of this seed and salt")
    if reveal.record:
        dealt = Game(reveal.variant, reveal.players, seed=_seed(reveal.seed), start=reveal.start).record()
        problems += _differences(reveal, dealt, "the seed deals")
    return problems


def _verify_2(reveal: Reveal2, own_nonces: Mapping[int, str]) -> list[str]:
    start = ANY_START if reveal.start_rule == "random" else int(reveal.start_rule)
    problems = []
    if not len(reveal.seals) == len(reveal.nonces) == reveal.players:
        problems.append(f"there is not one seal and one nonce for each of {reveal.players} seats")
    if reveal.commitment != commitment_2(reveal.table, reveal.variant, reveal.players, start, reveal.secret):
        problems.append("the commitment is not the hash of this secret")
    nonces = opened_nonces(reveal)
    seals = dict(enumerate(reveal.seals))
    for seat, nonce in nonces.items():
        if seals.get(seat) != seal_of(reveal.table, seat, nonce):
            problems.append(f"the nonce of seat {seat} does not fit its seal")
    lost = [seat for seat, nonce in own_nonces.items() if nonces.get(seat) != nonce]
    problems += [f"the nonce of seat {seat} is not the one that was noted" for seat in lost]
    key = DealInputs(reveal.table, reveal.secret, start, nonces).key
    order = order_of(key, reveal.variant, reveal.players, start)
    dealt = Game.from_order(reveal.variant, reveal.players, decks=order.decks, tiles=order.tiles, start=order.start)
    return problems + _differences(reveal, dealt.record(), "secret and nonces deal")


def _verify_3(reveal: Reveal3) -> list[str]:
    start = ANY_START if reveal.start_rule == "random" else int(reveal.start_rule)
    problems = []
    if reveal.commitment != commitment_3(reveal.deal, reveal.variant, reveal.players, start, reveal.secret):
        problems.append("the commitment is not the hash of this secret")
    if reveal.deal.startswith(DAY) and reveal.secret != day_secret(reveal.deal, reveal.variant):
        problems.append("the secret does not follow from the date and the game")
    key = DealInputs(reveal.table, reveal.secret, start, shared=reveal.deal).key
    order = order_of(key, reveal.variant, reveal.players, start)
    dealt = Game.from_order(reveal.variant, reveal.players, decks=order.decks, tiles=order.tiles, start=order.start)
    return problems + _differences(reveal, dealt.record(), "this deal has")


def origin(reveal: AnyReveal) -> str:
    """What a deal was made from, in words."""
    if isinstance(reveal, Reveal):
        return f"seed {reveal.seed}"
    if isinstance(reveal, Reveal3):
        if reveal.deal.startswith(DAY):
            return f"the date {reveal.deal.removeprefix(DAY)} and the game alone"
        return f"the server's secret alone, shared by all tables of {reveal.deal!r}"
    opened, lost = list(opened_nonces(reveal)), left_out(reveal)
    people = f" and the nonces of seats {', '.join(map(str, opened))}" if opened else " alone"
    absent = f" (seats {', '.join(map(str, lost))} did not open theirs in time)" if lost else ""
    return f"the server's secret{people}{absent}"


def opened_nonces(reveal: Reveal2) -> dict[int, str]:
    """The nonces the deal was made from, by seat."""
    return {seat: nonce for seat, nonce in enumerate(reveal.nonces) if nonce is not None}


def left_out(reveal: Reveal2) -> list[int]:
    """The seats that sealed a nonce and did not open it in time."""
    nonces = opened_nonces(reveal)
    return [seat for seat, seal in enumerate(reveal.seals) if seal is not None and seat not in nonces]


def _differences(reveal: AnyReveal, dealt: Record, source: str) -> list[str]:
    """Where the record's deal is not the one it should be."""
    record = parse_record(reveal.record)
    Game.from_record(record)
    pairs = {
        "variant": (record.rules.variant, reveal.variant),
        "number of players": (record.rules.players, reveal.players),
        "start seat": (record.start, dealt.start),
        "tiles": (record.tiles, dealt.tiles),
        "decks": (record.decks, dealt.decks),
    }
    return [f"the record's {name} differ from what {source}" for name, (found, expected) in pairs.items() if found != expected]


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise CabochonError(f"seed: {text!r} is not a whole number")
    return int(text)
