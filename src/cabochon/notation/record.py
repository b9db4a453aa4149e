"""A stored game as text (`.game`): readable by a person, and complete enough to replay.

    cabochon game 1
    variant: classic
    players: 2
    start: 0
    seat 0: Anna
    seat 1: Ben
    date: 2026-11-15
    tiles: 3, 5, 9
    deck 1: 17, 3, 22, …          top first; the first four are turned up at the start
    deck 2: …
    deck 3: …

    take wug                       {a comment}
    buy 1a [17]                    the card this move made known, if one likes to say it
    result: winner 0, reason goal, points 16 12

In a record of a game seen at a real table a deck need not be known: `deck 1: 17, 3, 22, 40, ?` gives what was turned up at the
start, and a move says in brackets the card it made known: the one turned up, or the one itself for `buy @1` and `reserve 3?`.

A game that did not begin with a deal has a whole position in place of start, tiles and decks: `position: classic 2 start:0 …`.
Who gives up is told among the moves, `seat 1 resigns`, and the result follows from it.
"""

import re
from dataclasses import dataclass, field, replace

from ..errors import CabochonError, RecordError, WrongType, quoted
from ..rules.cards import TIER_COUNT, TIER_SIZES
from ..rules.state import SLOTS_PER_TIER
from ..rules.variants import CARDS, TILES
from ..ruleset import SWITCHES, Ruleset, ruleset
from ..view import Position
from .move import Move, parse_move
from .numbers import number_or_text, parse_whole
from .position import format_position, format_switch, parse_position, parse_switches

FIRST_LINE = "cabochon game"
VERSION = 1
UNKNOWN = "?"
MOVE_LINE = re.compile(r"(?P<move>[^\[{]*?)\s*(?:\[(?P<card>[^\]]*)\])?\s*(?:\{(?P<comment>[^}]*)\})?")
RESIGNS_LINE = re.compile(r"seat (?P<seat>\d+) resigns")
LONGEST_NAME = 40
COMMENT, COMMENT_END = "a comment", "}"


@dataclass(frozen=True, slots=True)
class RecordedMove:
    """A move, the card it made known (if the record says it), and a comment."""

    move: Move
    card: int | None = None
    comment: str = ""
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Resignation:
    """A seat that gave up, after so many moves. Whoever plays on for it cannot win for it."""

    seat: int
    after: int


@dataclass(frozen=True, slots=True)
class Record:
    """A stored game. A deck lists its cards top first; None stands for a card that nobody wrote down.

    A game that began at a later `position` has no tiles and decks of its own.
    """

    rules: Ruleset
    start: int
    tiles: tuple[int, ...]
    decks: tuple[tuple[int | None, ...], ...]
    moves: tuple[RecordedMove, ...] = ()
    names: tuple[str, ...] = ()
    date: str = ""
    result: str = ""
    resigned: tuple[Resignation, ...] = ()
    position: Position | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every card's place in its deck is known."""
        return all(None not in deck for deck in self.decks)

    def __str__(self) -> str:
        return format_record(self)


def format_record(record: Record) -> str:
    """The text of a record. A name, date or comment that would be read as something else is refused."""
    if not isinstance(record, Record):
        raise WrongType(f"a Record is needed, not {quoted(record)}")
    _check_texts(record)
    rules = record.rules
    lines = [f"{FIRST_LINE} {VERSION}", f"variant: {rules.variant}", f"players: {rules.players}"]
    lines += [f"start: {record.start}"] if record.position is None else []
    lines += [f"{name}: {format_switch(value)}" for name, value in rules.house_rules().items()]
    lines += [f"seat {seat}: {name}" for seat, name in enumerate(record.names) if name]
    lines += [f"date: {record.date}"] if record.date else []
    if record.position is None:
        lines.append("tiles: " + ", ".join(str(tile) for tile in record.tiles))
        lines += [f"deck {tier}: {_format_deck(deck)}" for tier, deck in enumerate(record.decks, 1)]
    else:
        lines.append(f"position: {format_position(record.position)}")
    lines.append("")
    for number, recorded in enumerate((*record.moves, None)):
        lines += [f"seat {one.seat} resigns" for one in record.resigned if one.after == number]
        lines += [_format_move(recorded)] if recorded else []
    lines += [f"result: {record.result}"] if record.result else []
    return "\n".join(lines) + "\n"


def _check_texts(record: Record) -> None:
    """Raise unless all free text can be read back: one line, and no brace that ends a comment."""
    if not isinstance(record.names, tuple | list):
        raise WrongType(f"record: the names are a tuple of texts, not {quoted(record.names)}")
    if len(record.names) > record.rules.players:
        raise RecordError(f"record: {len(record.names)} names for {record.rules.players} seats")
    free = [(f"the name of seat {seat}", name) for seat, name in enumerate(record.names)]
    free += [("the date", record.date), ("the result", record.result)]
    free += [(COMMENT, recorded.comment) for recorded in record.moves]
    for what, text in free:
        if not isinstance(text, str):
            raise WrongType(f"record: {what} is a text, not {quoted(text)}")
        if len(f"{text}.".splitlines()) > 1:
            raise RecordError(f"record: {what} must be one line, not {quoted(text)}")
        if what == COMMENT and COMMENT_END in text:
            raise RecordError(f"record: {what} may have no {COMMENT_END!r} in it: {quoted(text)}")


def _format_deck(deck: tuple[int | None, ...]) -> str:
    known = list(deck)
    while known and known[-1] is None:
        known.pop()
    cards = [UNKNOWN if card is None else str(card) for card in known]
    return ", ".join(cards + [UNKNOWN] * (len(known) < len(deck)))


def _format_move(recorded: RecordedMove) -> str:
    card = f" [{recorded.card}]" if recorded.card else ""
    comment = f" {{{recorded.comment}}}" if recorded.comment else ""
    return f"{recorded.move}{card}{comment}"


def parse_record(text: str) -> Record:
    """The record this text says; its form is checked here, its game when it is replayed."""
    if not isinstance(text, str):
        raise WrongType(f"a record is a text, not {quoted(text)}")
    return _Reader(text).read()


class _Reader:
    """Reads a record line by line; every error names its line."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.at = 0
        self.headers: dict[str, tuple[str, int]] = {}

    def fail(self, message: str) -> RecordError:
        return RecordError(f"record: line {self.at}: {message}")

    def read(self) -> Record:
        self.at = 1
        words = self.lines[0].split()
        if words[:2] != FIRST_LINE.split() or len(words) != 3:
            raise self.fail(f"a record begins with '{FIRST_LINE} {VERSION}'")
        if words[2] != str(VERSION):
            raise self.fail(f"version {words[2]} is not known here (only {VERSION})")
        first_move = self.read_headers()
        rules = self.ruleset()
        first = self.position(rules) if "position" in self.headers else None
        record = Record(
            rules,
            start=first.start if first else self.number("start", self.header("start"), rules.players - 1),
            tiles=() if first else self.tiles(rules),
            decks=() if first else tuple(self.deck(rules, tier) for tier in range(1, TIER_COUNT + 1)),
            position=first,
            names=tuple(self.header(f"seat {seat}")[:LONGEST_NAME] for seat in range(rules.players)),
            date=self.header("date"),
        )
        for name in self.headers:
            self.header(name)
            raise self.fail(f"unknown header {quoted(name)}")
        names = record.names if any(record.names) else ()
        return self.moves(replace(record, names=names), first_move)

    def read_headers(self) -> int:
        """Collect the headers, each with its line; the line of the first move."""
        for number, line in enumerate(self.lines[1:], 2):
            self.at = number
            if not line.strip():
                return number + 1
            name, colon, value = line.partition(":")
            if not colon:
                raise self.fail(f"{quoted(line.strip())} is not a header like 'players: 2' (an empty line ends the headers)")
            if name.strip() in self.headers:
                raise self.fail(f"{quoted(name.strip())} stands twice")
            self.headers[name.strip()] = value.strip(), number
        raise self.fail("the record stops before its moves: an empty line ends the headers")

    def header(self, name: str) -> str:
        """A header's text, which is now dealt with; nothing if it is not there."""
        text, line = self.headers.pop(name, ("", 0))
        self.at = line or self.at
        return text

    def ruleset(self) -> Ruleset:
        switches = parse_switches({name: self.header(name) for name in SWITCHES if name in self.headers})
        for name in ("variant", "players"):
            if name not in self.headers:
                raise RecordError(f"record: the header '{name}:' is missing")
        variant, players = self.header("variant"), self.header("players")
        try:
            return ruleset(variant, number_or_text(players), switches)  # type: ignore[arg-type]
        except CabochonError as wrong:
            raise RecordError(f"record: {wrong}") from wrong

    def number(self, name: str, text: str, most: int, least: int = 0) -> int:
        number = parse_whole(text)
        if number is None or not least <= number <= most:
            raise self.fail(f"{name}: {quoted(text)} is not a number from {least} to {most}")
        return number

    def tiles(self, rules: Ruleset) -> tuple[int, ...]:
        texts = [text.strip() for text in self.header("tiles").split(",")]
        tiles = tuple(self.number("tiles", text, len(TILES[rules.variant]), 1) for text in texts)
        wanted = rules.row.tiles[rules.players - 2]
        if len({(tile - 1) // rules.row.faces for tile in tiles}) != wanted or len(tiles) != wanted:
            raise self.fail(f"tiles: {rules.players} players have {wanted} different tiles, not {', '.join(texts)}")
        return tiles

    def card(self, rules: Ruleset, text: str) -> int | None:
        """A card by number or, where it has one, by name; `?` is one that nobody wrote down."""
        if text == UNKNOWN:
            return None
        for card in CARDS[rules.variant]:
            if text == str(card.number) or (card.name and text.casefold() == card.name.casefold()):
                return card.number
        raise self.fail(f"{quoted(text)} is no card of {rules.variant}")

    def deck(self, rules: Ruleset, tier: int) -> tuple[int | None, ...]:
        name, size = f"deck {tier}", TIER_SIZES[tier - 1]
        text = self.header(name)
        cards = [self.card(rules, item.strip()) for item in text.split(",")] if text else []
        known = [card for card in cards if card is not None]
        for card in known:
            if CARDS[rules.variant][card - 1].tier != tier:
                raise self.fail(f"{name}: card {card} is not of tier {tier}")
        if len(set(known)) != len(known):
            raise self.fail(f"{name}: card {next(card for card in known if known.count(card) > 1)} stands twice")
        if None in cards[:SLOTS_PER_TIER] or len(cards) < SLOTS_PER_TIER:
            raise self.fail(f"{name}: the four cards turned up at the start must be known")
        open_end = cards[-1] is None
        if len(cards) > size + open_end or (len(cards) < size and not open_end):
            raise self.fail(f"{name}: {len(cards)} cards, tier {tier} has {size} (end with ', ?' if the rest is not known)")
        return tuple(cards[:size]) + (None,) * (size - len(cards))

    def position(self, rules: Ruleset) -> Position:
        """Where a game begins that has no deal: a whole position by the rules that the other headers say."""
        text = self.header("position")
        try:
            shown = parse_position(text)
        except CabochonError as wrong:
            raise self.fail(str(wrong)) from wrong
        if not isinstance(shown, Position):
            raise self.fail("position: it must say every card, and this one has a view")
        if shown.rules != rules:
            raise self.fail("position: it has other rules than the headers say")
        return shown

    def moves(self, record: Record, first: int) -> Record:
        """The record with what follows its headers."""
        moves: list[RecordedMove] = []
        resigned: list[Resignation] = []
        result = ""
        for number, line in enumerate(self.lines[first - 1 :], first):
            self.at = number
            if not line.strip():
                continue
            if result:
                raise self.fail("nothing may follow the result")
            if line.startswith("result:"):
                result = line.partition(":")[2].strip()
            elif found := RESIGNS_LINE.fullmatch(line.strip()):
                resigned.append(Resignation(self.resigning(found["seat"], record.rules, resigned), len(moves)))
            else:
                moves.append(self.move(record.rules, line.strip()))
        return replace(record, moves=tuple(moves), resigned=tuple(resigned), result=result)

    def resigning(self, text: str, rules: Ruleset, resigned: list[Resignation]) -> int:
        seat = self.number("seat", text, rules.players - 1)
        if any(one.seat == seat for one in resigned):
            raise self.fail(f"seat {seat} resigns twice")
        if len(resigned) == rules.players - 1:
            raise self.fail("the last seat cannot resign")
        return seat

    def move(self, rules: Ruleset, line: str) -> RecordedMove:
        found = MOVE_LINE.fullmatch(line)
        if not found:
            raise self.fail(f"{quoted(line)} is not a move with a [card] and a {{comment}}")
        try:
            move = parse_move(found["move"], rules.variant)
        except CabochonError as wrong:
            raise self.fail(str(wrong)) from wrong
        card = self.card(rules, found["card"].strip()) if found["card"] else None
        return RecordedMove(move, card, (found["comment"] or "").strip(), self.at)
