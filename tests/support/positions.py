"""Positions for one rule at a time: a fixed deal with a few things laid differently. Nothing need add up.

    position(bank="3k")                                     the bank holds three black tokens and nothing else
    position("marvel", market={"1a": "Rocket"}, tokens="2r")
    position(reserve="g 3r, k 3g?", points1=15, turn=1)     a `?` is a card reserved blind; a digit names the seat (else 0)

A card is what is printed on it, bonus, points and cost (`r2 1w4u2g`), or its name; a tile is its demand (`3w3u3g`) or its
name. A city asks for points too: `14+ 4g 4 other` is 14 points, 4 green and 4 of one other colour. A slot or deck that is not
named stays as it was dealt; `market="-"` clears all twelve places.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cabochon import CARDS, TILES, VARIANTS, CabochonError, Card, Game, IllegalMove, Position, Ruleset, View, state_of
from cabochon.notation.ascii import draw_tile
from cabochon.notation.gems import NOTHING, format_counts, parse_counts
from cabochon.ruleset import SWITCHES
from cabochon.view import Reserved, SeatView, TileOnTable, seat_view
from cabochon.why_not import Reason

SEED = 7
SLOT = re.compile("[123][abcd]")
TABLE_FIELDS = ("bank", "market", "deck1", "deck2", "deck3", "tiles", "avengers", "turn", "stage", "passes")
SEAT_FIELDS = ("tokens", "bonuses", "points", "symbols", "tableau", "reserve", "bought")


def position(variant: str = "classic", players: int = 2, **said: Any) -> Game:
    """A game at a position that need not add up; seat 0 began and is to move unless `turn` says otherwise."""
    house = {name: said.pop(name) for name in SWITCHES if name in said}
    dealt = Game(variant, players, seed=SEED, start=0, **house).position()
    laid = {name: read(name, value, dealt.rules) for name, value in said.items()}
    assert laid.keys() <= _fields(players), f"unknown: {laid.keys() - _fields(players)}"
    states = state_of(_lay(dealt, laid))
    for seat in range(players):
        states["bought"][0, seat] = laid.get(_key("bought", seat), states["bought"][0, seat])
    return Game.from_states(states)


def why_not(game: Game, move: str) -> Reason | None:
    """The rule that forbids a move, after asking the kernel whether it agrees."""
    rule, trial = game.why_not(move), game.copy()
    try:
        trial.play(move)
    except IllegalMove:
        assert rule is not None, f"the kernel refuses {move}, and why_not knows no rule"
    else:
        assert rule is None, f"the kernel allows {move}, and why_not says: {rule}"
    return rule


def card(text: str, variant: str = "classic") -> int:
    """The number of a card: `r2 1w4u2g`, or `Rocket`."""
    return FACES[variant][text]


def read(name: str, value: Any, rules: Ruleset) -> Any:
    """The value of a field, such as a View holds it."""
    return READERS["slot" if SLOT.fullmatch(name) else name.rstrip("0123456789")](value, rules)


def look(shown: View, name: str) -> Any:
    """The same field in a view: `bank`, `tokens1`, `1a`, `deck2`."""
    if SLOT.fullmatch(name):
        return shown.market[int(name[0]) - 1]["abcd".index(name[1])]
    if name[:-1] == "deck" and isinstance(shown, Position):
        return shown.decks[int(name[-1]) - 1]
    field = name.rstrip("0123456789")
    if field in SEAT_FIELDS:
        return getattr(shown.seats[int(name.removeprefix(field) or 0)], field)
    return getattr(shown, name)


def _fields(players: int) -> set[str]:
    """Everything a position can say."""
    return {*TABLE_FIELDS} | {_key(field, seat) for field in SEAT_FIELDS for seat in range(players)}


def _lay(dealt: Position, laid: dict[str, Any]) -> Position:
    rules, tiles, avengers = dealt.rules, laid.get("tiles", dealt.tiles), laid.get("avengers")
    rows = _market(dealt, laid.get("market", {}))
    decks = tuple(laid.get(f"deck{tier}", deck) for tier, deck in enumerate(dealt.decks, 1))
    plain = {name: laid[name] for name in ("bank", "stage", "passes") if name in laid}
    return replace(
        dealt,
        **plain,
        turn=laid.get("turn", 0),
        turns=laid.get("turn", 0),
        market=rows,
        decks=decks,
        deck_sizes=tuple(len(deck) for deck in decks),
        tiles=tiles,
        avengers=avengers,
        seats=tuple(_area(rules, seat, laid, tiles, avengers) for seat in range(rules.players)),
    )


def _market(dealt: Position, laid: dict[str, int | None]) -> tuple[tuple[int | None, ...], ...]:
    rows = enumerate(dealt.market, 1)
    return tuple(tuple(laid.get(f"{tier}{place}", there) for place, there in zip("abcd", row, strict=True)) for tier, row in rows)


def _area(rules: Ruleset, seat: int, laid: dict[str, Any], tiles: tuple[TileOnTable, ...], avengers: int | None) -> SeatView:
    """What follows from the cards, unless it is said otherwise."""
    said = {field: laid[_key(field, seat)] for field in SEAT_FIELDS if _key(field, seat) in laid}
    said.pop("bought", None)
    area = seat_view(
        rules,
        said.pop("tokens", (0,) * len(rules.letters)),
        said.pop("tableau", ()),
        said.pop("reserve", ()),
        tile_points=sum(TILES[rules.variant][tile.number - 1].points for tile in tiles if tile.owner == seat),
        has_avengers=avengers == seat,
    )
    return replace(area, **said)


def _key(field: str, seat: int) -> str:
    return f"{field}{seat or ''}"


def _face(variant: str, printed: Card) -> str:
    return f"{printed.bonus}{printed.points or ''} {format_counts(printed.cost, VARIANTS[variant].letters)}"


FACES = {
    variant: {name: printed.number for printed in cards for name in (_face(variant, printed), printed.name) if name}
    for variant, cards in CARDS.items()
}
DEMANDS = {
    variant: {name: tile.number for tile in tiles for name in (draw_tile(variant, tile.number), tile.name) if name}
    for variant, tiles in TILES.items()
}


def _items(text: str) -> list[str]:
    return [] if text == NOTHING else [item.strip() for item in text.split(",")]


def _gems(text: str, rules: Ruleset) -> tuple[int, ...]:
    return parse_counts(text, rules.letters, CabochonError)


def _cards(text: str, rules: Ruleset) -> tuple[int, ...]:
    return tuple(card(item, rules.variant) for item in _items(text))


def _slot(text: str, rules: Ruleset) -> int | None:
    return None if text == NOTHING else card(text, rules.variant)


def _slots(laid: dict[str, str] | str, rules: Ruleset) -> dict[str, int | None]:
    if laid == NOTHING:
        laid = {f"{tier}{place}": NOTHING for tier in (1, 2, 3) for place in "abcd"}
    assert isinstance(laid, dict)
    return {place: _slot(text, rules) for place, text in laid.items()}


def _reserved(item: str, rules: Ruleset) -> Reserved:
    """`g 3r`, blind `g 3r?`, or only a tier: `t1?`."""
    text = item.removesuffix("?")
    if text in ("t1", "t2", "t3"):
        return Reserved(int(text[1]), text != item, None)
    number = card(text, rules.variant)
    return Reserved(CARDS[rules.variant][number - 1].tier, text != item, number)


def _tile(item: str, rules: Ruleset) -> TileOnTable:
    """`3w3u3g`, or `3w3u3g@1` with its owner; a city is `13+ 4w3r`."""
    name, _, owner = item.partition("@")
    return TileOnTable(DEMANDS[rules.variant][name], int(owner) if owner else None)


def _seat(text: str | int, _rules: Ruleset) -> int | None:
    return None if text == NOTHING else int(text)


def _number(text: str | int, _rules: Ruleset) -> int:
    return int(text)


READERS: dict[str, Callable[[Any, Ruleset], Any]] = {
    "bank": _gems,
    "tokens": _gems,
    "bonuses": lambda text, rules: _gems(text, rules)[:5],
    "points": _number,
    "symbols": _number,
    "bought": _number,
    "tableau": lambda text, rules: tuple(sorted(_cards(text, rules))),
    "reserve": lambda text, rules: tuple(_reserved(item, rules) for item in _items(text)),
    "market": _slots,
    "slot": _slot,
    "deck": _cards,
    "tiles": lambda text, rules: tuple(_tile(item, rules) for item in _items(text)),
    "avengers": _seat,
    "turn": _number,
    "passes": _number,
    "stage": lambda text, _rules: text,
    "reason": lambda text, _rules: text,
    "deck_sizes": lambda text, _rules: tuple(int(size) for size in _items(text)),
}
