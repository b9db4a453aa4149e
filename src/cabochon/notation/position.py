"""A position on one line: everything, or one seat's view with `?` for the unseen.

    classic 2 start:0 turns:0 stage:main bank:4w4u4g4r4k5* market:1,2,3,4/41,…/71,… decks:5,6,…/45,…/75,… tiles:3,5,9
    seat0:-|-|- seat1:-|-|-

A seat is tokens | bought cards | reserved cards. A reserved card that came unseen from a deck ends in `?`; one that the view
does not show is `t2?`, its tier. A claimed tile names its owner: `5@1`. In a view `seen:` names the seat (`-`: a spectator)
and a deck is its size: `36?`. Points, bonuses and symbols follow from the cards and are not written.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..errors import PositionError, RulesetError, WrongType, quoted
from ..rules.cards import TIER_COUNT
from ..rules.state import REASONS, SLOTS_PER_TIER, STAGES
from ..rules.variants import CARDS, TILES
from ..ruleset import SWITCHES, Ruleset, ruleset
from ..view import Position, Reserved, SeatView, TileOnTable, View, seat_view
from .gems import NOTHING, format_counts, parse_counts
from .numbers import number_or_text, parse_whole
from .validity import check_position

SPECTATOR = "-"
MAX_QUOTED = 40  # characters of a foreign text that a fact holds
ON_OFF = {"on": True, "off": False}
Item = TypeVar("Item")


def unread(field: str, sentence: str) -> PositionError:
    """A text that cannot be read; `field` is where."""
    return PositionError(sentence, facts={"field": field})


def format_position(shown: View) -> str:
    """One line for a Position (everything) or a View (with `?` for the unseen)."""
    if not isinstance(shown, View):
        raise WrongType(f"a View or a Position is needed, not {quoted(shown)}")
    rules = shown.rules
    fields = [rules.variant, str(rules.players)]
    fields += [f"{name}:{format_switch(value)}" for name, value in rules.house_rules().items()]
    if not isinstance(shown, Position):
        fields.append(f"seen:{SPECTATOR if shown.seat is None else shown.seat}")
    fields += [f"start:{shown.start}", f"turns:{shown.turns}", f"stage:{shown.stage}"]
    if shown.reason:
        fields.append(f"reason:{shown.reason}")
    if shown.passes:
        fields.append(f"passes:{shown.passes}")
    fields.append(f"bank:{format_counts(shown.bank, rules.letters)}")
    fields.append("market:" + "/".join(_list(row, _slot) for row in shown.market))
    if isinstance(shown, Position):
        fields.append("decks:" + "/".join(_list(deck, str) for deck in shown.decks))
    else:
        fields.append("decks:" + "/".join(f"{size}?" for size in shown.deck_sizes))
    fields.append("tiles:" + _list(shown.tiles, _tile))
    if shown.avengers is not None:
        fields.append(f"avengers:{shown.avengers}")
    fields += [f"seat{seat}:{_area(area, rules)}" for seat, area in enumerate(shown.seats)]
    return " ".join(fields)


def format_switch(value: bool | int) -> str:
    """A house rule's value as text."""
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def parse_switches(texts: dict[str, str]) -> dict[str, Any]:
    """House rules from text; a value that is none is left for the ruleset to refuse."""
    return {name: ON_OFF[text] if text in ON_OFF else number_or_text(text) for name, text in texts.items()}


def parse_position(text: str) -> Position | View:
    """The Position, or the View if it has `seen:`. Refused with the reason if it cannot be."""
    shown = read_position(text)
    check_position(shown)
    return shown


def read_position(text: str) -> Position | View:
    """The same, without asking whether it can be."""
    if not isinstance(text, str):
        raise WrongType(f"a position is a text, not {quoted(text)}")
    words = text.split()
    if len(words) < 2:
        raise unread(
            text.strip()[:MAX_QUOTED], f"{quoted(text)} is not a position: it begins with a variant and the number of players"
        )
    fields = _fields(words[2:])
    try:
        house = parse_switches({name: fields.pop(name) for name in SWITCHES if name in fields})
        rules = ruleset(words[0], number_or_text(words[1]), house)  # type: ignore[arg-type]
    except RulesetError as wrong:
        raise unread(" ".join(words[:2])[:MAX_QUOTED], f"position: {wrong}") from wrong
    return _Reader(rules, fields).read()


def _fields(words: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for word in words:
        name, colon, value = word.partition(":")
        if not colon or not value:
            raise unread(word[:MAX_QUOTED], f"position: {quoted(word)} is not a field like bank:4w4u")
        if name in fields:
            raise unread(name, f"position: {name} stands twice")
        fields[name] = value
    return fields


class _Reader:
    """Reads the fields of one position; what is left over at the end is unknown."""

    def __init__(self, rules: Ruleset, fields: dict[str, str]) -> None:
        self.rules, self.fields = rules, fields

    def take(self, name: str, default: str | None = None) -> str:
        if name in self.fields:
            return self.fields.pop(name)
        if default is None:
            raise unread(name, f"position: {name} is missing")
        return default

    def read(self) -> Position | View:
        rules = self.rules
        whole = "seen" not in self.fields
        seen = self.take("seen", SPECTATOR)
        start, turns = self.number("start", rules.players - 1), self.number("turns", 1 << 30)
        tiles = tuple(_items("tiles", self.take("tiles"), self.tile))
        avengers = self.number("avengers", rules.players - 1) if "avengers" in self.fields else None
        decks = self.parts("decks", self.take("decks"), "/", TIER_COUNT)
        common: dict[str, Any] = {
            "rules": rules,
            "seat": None if seen == SPECTATOR else _number("seen", seen, rules.players - 1),
            "start": start,
            "turns": turns,
            "turn": (start + turns) % rules.players,
            "stage": self.one_of("stage", STAGES),
            "passes": self.number("passes", rules.players, "0"),
            "reason": self.one_of("reason", REASONS, ""),
            "bank": self.gems("bank", self.take("bank")),
            "market": self.market(),
            "tiles": tiles,
            "avengers": avengers,
            "seats": tuple(self.area(seat, tiles, avengers) for seat in range(rules.players)),
        }
        if self.fields:
            name = next(iter(self.fields))
            raise unread(name[:MAX_QUOTED], f"position: unknown field {quoted(name)}")
        if not whole:
            sizes = tuple(_number("decks", deck.removesuffix("?"), len(CARDS[rules.variant])) for deck in decks)
            return View(**common, deck_sizes=sizes)
        cards = tuple(tuple(_items("decks", deck, self.card)) for deck in decks)
        return Position(**common, deck_sizes=tuple(len(deck) for deck in cards), decks=cards)

    def number(self, name: str, most: int, default: str | None = None) -> int:
        return _number(name, self.take(name, default), most)

    def one_of(self, name: str, values: tuple[str, ...], default: str | None = None) -> str:
        value = self.take(name, default)
        if value not in values:
            raise unread(name, f"position: {name}: {quoted(value)} is none of {', '.join(filter(None, values))}")
        return value

    def parts(self, name: str, text: str, mark: str, count: int) -> list[str]:
        found = text.split(mark)
        if len(found) != count:
            raise unread(name, f"position: {name}: expected {count} parts between {mark!r}, found {len(found)}")
        return found

    def gems(self, name: str, text: str) -> tuple[int, ...]:
        return parse_counts(text, self.rules.letters, lambda wrong: unread(name, f"position: {name}: {wrong}"))

    def card(self, name: str, text: str) -> int:
        number = _number(name, text, len(CARDS[self.rules.variant]))
        if number == 0:
            raise unread(name, f"position: {name}: cards are numbered from 1")
        return number

    def market(self) -> tuple[tuple[int | None, ...], ...]:
        rows = self.parts("market", self.take("market"), "/", TIER_COUNT)
        market = tuple(tuple(_items("market", row, self.slot)) for row in rows)
        for row in market:
            if len(row) != SLOTS_PER_TIER:
                raise unread("market", f"position: market: a row has four places ({NOTHING} for an empty one), not {len(row)}")
        return market

    def slot(self, name: str, text: str) -> int | None:
        return None if text == NOTHING else self.card(name, text)

    def tile(self, name: str, text: str) -> TileOnTable:
        number, at, owner = text.partition("@")
        tile = _number(name, number, len(TILES[self.rules.variant]))
        if tile == 0:
            raise unread("tiles", "position: tiles: tiles are numbered from 1")
        return TileOnTable(tile, _number(name, owner, self.rules.players - 1) if at else None)

    def reserved(self, name: str, text: str) -> Reserved:
        blind = text.endswith("?")
        text = text.removesuffix("?")
        if text in ("t1", "t2", "t3"):
            return Reserved(int(text[1]), blind, None)
        number = self.card(name, text)
        return Reserved(CARDS[self.rules.variant][number - 1].tier, blind, number)

    def area(self, seat: int, tiles: Iterable[TileOnTable], avengers: int | None) -> SeatView:
        name = f"seat{seat}"
        tokens, tableau, reserve = self.parts(name, self.take(name), "|", 3)
        owned = [TILES[self.rules.variant][tile.number - 1].points for tile in tiles if tile.owner == seat]
        return seat_view(
            self.rules,
            self.gems(name, tokens),
            _items(name, tableau, self.card),
            tuple(_items(name, reserve, self.reserved)),
            tile_points=sum(owned),
            has_avengers=avengers == seat,
        )


def _number(name: str, text: str, most: int) -> int:
    number = parse_whole(text)
    if number is None or number > most:
        raise unread(name, f"position: {name}: {quoted(text)} is not a number from 0 to {most}")
    return number


def _items(name: str, text: str, read: Callable[[str, str], Item]) -> list[Item]:
    """A list between commas. A lone `-` is an empty list, except in the market, where each place is written."""
    if text == NOTHING:
        return []
    return [read(name, item) for item in text.split(",")]


def _list(items: Iterable[Item], write: Callable[[Item], str]) -> str:
    return ",".join(write(item) for item in items) or NOTHING


def _slot(card: int | None) -> str:
    return NOTHING if card is None else str(card)


def _tile(tile: TileOnTable) -> str:
    return f"{tile.number}" if tile.owner is None else f"{tile.number}@{tile.owner}"


def _reserved(held: Reserved) -> str:
    return f"{f't{held.tier}' if held.card is None else held.card}{'?' if held.blind else ''}"


def _area(area: SeatView, rules: Ruleset) -> str:
    return "|".join([format_counts(area.tokens, rules.letters), _list(area.tableau, str), _list(area.reserve, _reserved)])
