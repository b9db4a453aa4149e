"""A position drawn as text."""

from ..rules.variants import CARDS, TILES, VARIANTS
from ..view import DRAWINGS, Reserved, SeatView, View
from .gems import format_counts
from .move import PLACES

CELL = 17
TURN_LINES = {
    "main": "take, reserve or buy",
    "return": "return tokens down to the limit",
    "claim": "choose one of the tiles that come",
}


def draw(shown: View) -> str:
    """The table as it lies: tiles, market with deck sizes, bank, and every seat."""
    lines = [headline(shown), "", "tiles   " + "".join(_tile(shown, i).ljust(CELL) for i in range(len(shown.tiles)))]
    lines += [_row(shown, tier) for tier in (3, 2, 1)]
    lines += [f"bank    {_spaced(shown.bank, shown.rules.letters)}", ""]
    for seat in range(shown.rules.players):
        lines += _seat(shown, seat)
    return "\n".join(line.rstrip() for line in lines)


def headline(shown: View) -> str:
    """Which game, which round, and who is to do what."""
    rules = shown.rules
    house = "".join(f", {name}={value}" for name, value in rules.house_rules().items())
    over = shown.stage == "over"
    where = f"{rules.variant}, {rules.players} players{house}, round {(shown.turns - over) // rules.players + 1}"
    return f"{where}: over ({shown.reason})" if over else f"{where}: seat {shown.turn} to {TURN_LINES[shown.stage]}"


def draw_card(variant: str, number: int) -> str:
    """Bonus and points, then the cost: `k1 3g`."""
    card = CARDS[variant][number - 1]
    return f"{card.bonus}{card.points or ' '} {format_counts(card.cost, VARIANTS[variant].letters)}"


def draw_tile(variant: str, number: int) -> str:
    """What it asks for: `3w3u3g`. A city: `14+ 4g 4 other`, 14 points, 4 green and 4 of one other colour."""
    tile = TILES[variant][number - 1]
    points = f"{tile.prestige}+" if tile.prestige else ""
    bonuses = format_counts(tile.demand, VARIANTS[variant].letters) if any(tile.demand) else ""
    other = f"{tile.other} other" if tile.other else ""
    return " ".join(part for part in (points, bonuses, other) if part)


def _spaced(counts: tuple[int, ...], letters: str) -> str:
    return " ".join(f"{count}{letter}" for count, letter in zip(counts, letters, strict=False))


def _row(shown: View, tier: int) -> str:
    return f"{tier} ({shown.deck_sizes[tier - 1]:2})  " + "".join(_slot(shown, tier, place) for place in PLACES)


def _tile(shown: View, i: int) -> str:
    tile = shown.tiles[i]
    if tile.owner is not None:
        return f"{i + 1} seat {tile.owner}"
    return f"{i + 1} {draw_tile(shown.rules.variant, tile.number)}"


def _slot(shown: View, tier: int, place: str) -> str:
    number = shown.market[tier - 1][PLACES.index(place)]
    drawn = "-" if number is None else draw_card(shown.rules.variant, number)
    return f"{place} {drawn}".ljust(CELL)


def _seat(shown: View, seat: int) -> list[str]:
    area = shown.seats[seat]
    mark = ">" if seat == shown.turn and shown.stage != "over" else " "
    extra = f"   symbols {area.symbols}{' (Avengers)' if shown.avengers == seat else ''}" if any(shown.rules.row.time) else ""
    tiles = sum(tile.owner == seat for tile in shown.tiles)
    lines = [
        f"{mark}seat {seat}  {area.points:2} points   cards {len(area.tableau)}   tiles {tiles}{extra}",
        f"        tokens  {_spaced(area.tokens, shown.rules.letters)}   ({sum(area.tokens)}/{shown.rules.token_limit})",
        f"        bonuses {_spaced(area.bonuses, shown.rules.letters)}",
    ]
    return lines + _reserve(shown, area)


def _reserve(shown: View, area: SeatView) -> list[str]:
    cells = [f"@{i} {_held(shown, held)}".ljust(CELL) for i, held in enumerate(area.reserve, 1)]
    return ["        reserve " + "".join(cells)] if cells else []


def _held(shown: View, held: Reserved) -> str:
    if held.card is None:
        return f"tier {held.tier} ?"
    return draw_card(shown.rules.variant, held.card) + ("?" if held.blind else "")


DRAWINGS["text"] = draw
