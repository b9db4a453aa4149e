"""A position as an SVG picture, and its pixels. Digits are drawn as strokes, so that no font is needed."""

import io
from functools import cache
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from ..rules.cards import TIER_COUNT
from ..rules.gems import COLOUR_COUNT
from ..rules.state import SLOTS_PER_TIER
from ..rules.variants import CARDS, TILES, VARIANTS
from ..view import DRAWINGS, Reserved, View

WIDTH, HEIGHT = 960, 640
TABLE, PAPER, LINE, INK, BACK = "#e9dfc9", "#f8f3e6", "#b08d3c", "#33291c", ("#7d9a78", "#b79a55", "#6d86ad")

COLOURS = {
    "classic": {"w": "#EDEFF4", "u": "#2B5FB8", "g": "#1E8A5A", "r": "#C2303E", "k": "#2A2A2E", "*": "#D9A93A"},
    "marvel": {
        "y": "#F2C230", "p": "#8E4FC4", "b": "#2F7BD9", "r": "#D23B3B", "o": "#EE8A2B", "*": "#9AA3AD", "t": "#3CB371",
    },
}  # fmt: skip
PEAR = '<path d="M0-1C.3-.5 .8-.1 .8.3A.8.7 0 0 1-.8.3C-.8-.1-.3-.5 0-1Z"/>'
CUTS = {
    "classic": {
        "w": '<circle r="1"/><path fill="none" d="M-.4-.9L.4-.9 .9-.4 .9.4 .4.9-.4.9-.9.4-.9-.4Z"/>',
        "u": '<rect x="-.9" y="-.9" width="1.8" height="1.8" rx=".6"/>'
        '<rect fill="none" x="-.5" y="-.5" width="1" height="1" rx=".3"/>',
        "g": '<path d="M-.5-1L.5-1 .9-.6 .9.6 .5 1-.5 1-.9.6-.9-.6Z"/>'
        '<path fill="none" d="M-.3-.6H.3L.5-.4V.4L.3.6H-.3L-.5.4V-.4Z"/>',
        "r": PEAR,
        "k": '<rect x="-.8" y="-.8" width="1.6" height="1.6" rx=".2"/>',
        "*": '<circle r="1"/><circle fill="none" r=".7"/>',
    },
    "marvel": {
        "y": '<path d="M0-1L.8-.2 0 1-.8-.2Z"/>',
        "p": '<path d="M0-1L.87-.5V.5L0 1-.87.5V-.5Z"/>',
        "b": '<path d="M0-1L.87-.5V.5L0 1-.87.5V-.5Z"/><path fill="none" d="M-.87-.5L0 0 .87-.5M0 0V1"/>',
        "r": PEAR,
        "o": '<ellipse rx=".7" ry="1"/>',
        "*": '<path d="M-.8-.9H.8V.1C.8.6 .3.9 0 1-.3.9-.8.6-.8.1Z"/>',
        "t": '<circle r=".95"/><circle r=".45" fill="#f8f3e6"/>',
    },
}
STROKES = (
    "M0 0H4V6H0Z", "M1 1L2.5 0V6", "M0 0H4V3L0 6H4", "M0 0H4V6H0M1 3H4", "M0 0V3H4M3 1V6",
    "M4 0H0V3H4V6H0", "M4 0H0V6H4V3H0", "M0 0H4L1.5 6", "M0 0H4V6H0ZM0 3H4", "M4 3H0V0H4V6H0",
)  # fmt: skip

DEMAND_PLACES = ((14, 16), (14, 38), (14, 60), (50, 38), (50, 60))  # on a tile; the sixth place has its number


def svg(view: View) -> str:
    """The picture: tiles on top, decks and market below, the bank beside them, the seats on the right."""
    variant = view.rules.variant
    parts = [f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{TABLE}"/>']
    parts += [_tile(view, i, 96 + 100 * i, 16) for i in range(len(view.tiles))]
    for tier in range(TIER_COUNT):
        y = 108 + 144 * (TIER_COUNT - 1 - tier)
        parts.append(_back(tier, 16, y, view.deck_sizes[tier]))
        for place in range(SLOTS_PER_TIER):
            number = view.market[tier][place]
            parts.append(_frame(112 + 100 * place, y) if number is None else _card(variant, number, 112 + 100 * place, y))
    parts += [_counted(letter, n, 540, 128 + 64 * i, 20) for i, (letter, n) in enumerate(_by_letter(view, view.bank))]
    parts += [_seat(view, seat, 600, 12 + 156 * seat) for seat in range(view.rules.players)]
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{_gems(view.rules.row.theme)}{"".join(parts)}</svg>'


def pixels(view: View) -> NDArray[np.uint8]:
    """The picture as an array of rows, columns, and red, green, blue."""
    from PIL import Image
    from resvg_py import svg_to_bytes

    png = svg_to_bytes(svg_string=svg(view), skip_system_fonts=True)
    return np.array(Image.open(io.BytesIO(png)).convert("RGB"))


@cache
def _gems(theme: str) -> str:
    cuts = (
        f'<g id="{_id(letter)}" fill="{colour}" stroke="{INK}" stroke-width=".12">{CUTS[theme][letter]}</g>'
        for letter, colour in COLOURS[theme].items()
    )
    return f"<defs>{''.join(cuts)}</defs>"


def _id(letter: str) -> str:
    return "wild" if letter == "*" else f"gem-{letter}"


def _gem(letter: str, x: float, y: float, size: float) -> str:
    return f'<use href="#{_id(letter)}" transform="translate({x},{y}) scale({size})"/>'


def _number(value: int, x: float, y: float, size: float, colour: str = INK) -> str:
    """A number, centred; `size` is the height of its digits."""
    unit, digits = size / 6, str(value)
    left = x - (6 * len(digits) - 2) * unit / 2
    strokes = "".join(f'<path d="{STROKES[int(d)]}" transform="translate({6 * i},0)"/>' for i, d in enumerate(digits))
    place = f'transform="translate({left},{y - size / 2}) scale({unit})"'
    return f'<g {place} fill="none" stroke="{colour}" stroke-width="1.2" stroke-linejoin="round">{strokes}</g>'


def _counted(letter: str, count: int, x: float, y: float, size: float) -> str:
    """A gem with its count beside it, faded if that is 0."""
    faded = "" if count else ' opacity=".35"'
    return f"<g{faded}>{_gem(letter, x, y, size)}{_number(count, x + size * 1.9, y, size)}</g>"


def _one_colour(theme: str, count: int, x: float, y: float, size: float) -> str:
    """A disc of all five colours with a count beside it: so many of one of them."""
    corners = [(sin(2 * pi * i / COLOUR_COUNT), -cos(2 * pi * i / COLOUR_COUNT)) for i in range(COLOUR_COUNT + 1)]
    slices = "".join(
        f'<path d="M0 0L{a[0]:.3f} {a[1]:.3f}A1 1 0 0 1 {b[0]:.3f} {b[1]:.3f}Z" fill="{colour}"/>'
        for a, b, colour in zip(corners, corners[1:], COLOURS[theme].values(), strict=False)
    )
    disc = f'<g transform="translate({x},{y}) scale({size})" stroke="{INK}" stroke-width=".12">{slices}</g>'
    return disc + _number(count, x + size * 1.9, y, size)


def _by_letter(view: View, counts: tuple[int, ...]) -> list[tuple[str, int]]:
    return list(zip(view.rules.letters, counts, strict=False))


def _frame(x: float, y: float, width: float = 88, height: float = 128, fill: str = PAPER, line: str = LINE) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="8" fill="{fill}" stroke="{line}" stroke-width="2"/>'


def _back(tier: int, x: float, y: float, size: int) -> str:
    dots = "".join(f'<circle cx="{x + 28 + 16 * i}" cy="{y + 100}" r="4" fill="{PAPER}"/>' for i in range(tier + 1))
    return _frame(x, y, fill=BACK[tier]) + _number(size, x + 44, y + 52, 28, PAPER) + dots


def _card(variant: str, number: int, x: float, y: float) -> str:
    card = CARDS[variant][number - 1]
    parts = [_frame(x, y), _gem(card.bonus, x + 66, y + 22, 14)]
    if card.points:
        parts.append(_number(card.points, x + 20, y + 22, 24))
    parts += [f'<path d="M{x + 74 - 9 * i} {y + 60}l-3 10h6z" fill="{INK}"/>' for i in range(card.symbols)]
    cost = [(letter, n) for letter, n in zip(VARIANTS[variant].letters, card.cost, strict=False) if n]
    parts += [_counted(letter, n, x + 16, y + 114 - 22 * i, 9) for i, (letter, n) in enumerate(cost)]
    return "".join(parts)


def _tile(view: View, i: int, x: float, y: float) -> str:
    tile = TILES[view.rules.variant][view.tiles[i].number - 1]
    owner, theme = view.tiles[i].owner, view.rules.row.theme
    parts = [_frame(x, y, 92, 76)]
    if tile.points:
        parts.append(_number(tile.points, x + 74, y + 20, 18))
    if tile.prestige:  # points that it asks for are framed; points that it brings are not
        parts += [_frame(x + 52, y + 6, 36, 22), _number(tile.prestige, x + 70, y + 17, 14)]
    wanted = [(letter, n) for letter, n in zip(view.rules.letters, tile.demand, strict=False) if n]
    parts += [_counted(letter, n, x + dx, y + dy, 9) for (letter, n), (dx, dy) in zip(wanted, DEMAND_PLACES, strict=False)]
    if tile.other:
        dx, dy = DEMAND_PLACES[len(wanted)]
        parts.append(_one_colour(theme, tile.other, x + dx, y + dy, 9))
    if owner is not None:
        parts.append(f'<rect x="{x}" y="{y}" width="92" height="76" rx="8" fill="{TABLE}" opacity=".75"/>')
        parts.append(_number(owner, x + 46, y + 38, 36))
    return "".join(parts)


def _seat(view: View, seat: int, x: float, y: float) -> str:
    """A seat's number and points, its tokens above its bonuses, and its reserve."""
    area, is_next = view.seats[seat], seat == view.turn and view.stage != "over"
    parts = [_frame(x, y, 348, 148, line=INK if is_next else LINE), _number(seat, x + 18, y + 22, 16, LINE)]
    parts.append(_number(area.points, x + 21, y + 66, 30 if area.points < 10 else 18))  # two digits fit beside the bonuses
    parts += [_counted(letter, n, x + 56 + 41 * i, y + 22, 9) for i, (letter, n) in enumerate(_by_letter(view, area.tokens))]
    for i in range(COLOUR_COUNT):
        letter, left = view.rules.letters[i], x + 46 + 41 * i
        parts.append(_frame(left, y + 40, 34, 26, fill=COLOURS[view.rules.row.theme][letter]))
        parts.append(_number(area.bonuses[i], left + 17, y + 53, 14, INK if letter in "wyo" else PAPER))
    parts += [_reserved(view, held, x + 46 + 64 * i, y + 74) for i, held in enumerate(area.reserve)]
    return "".join(parts)


def _reserved(view: View, held: Reserved, x: float, y: float) -> str:
    """A small reserved card: its face, or only its tier if it is hidden."""
    if held.card is None:
        return f'<g transform="translate({x},{y}) scale(.5)">{_back_only(held.tier)}</g>'
    return f'<g transform="translate({x},{y}) scale(.53)">{_card(view.rules.variant, held.card, 0, 0)}</g>'


def _back_only(tier: int) -> str:
    dots = "".join(f'<circle cx="{28 + 16 * i}" cy="64" r="5" fill="{PAPER}"/>' for i in range(tier))
    return _frame(0, 0, fill=BACK[tier - 1]) + dots


DRAWINGS["svg"] = svg
