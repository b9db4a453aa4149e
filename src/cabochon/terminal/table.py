"""The table drawn in colour. The letters of the colours are always there: nobody has to see the colours."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from ..notation.move import PLACES
from ..rules.variants import CARDS, TILES
from ..view import Reserved, View
from ..why_not import why_not
from .sentences import headline
from .vocabulary import plural

STYLES = {
    "classic": {"w": "black on white", "u": "white on blue", "g": "black on green", "r": "white on red", "k": "white on grey23"},
    "marvel": {
        "y": "black on yellow",
        "p": "white on magenta",
        "b": "white on blue",
        "r": "white on red",
        "o": "black on orange3",
    },
}
STYLES["classic"] |= {"*": "black on gold3"}
STYLES["marvel"] |= {"*": "black on grey70", "t": "black on green"}
NARROW_CELL, WIDE_CELL = 18, 27
MARGIN, LABEL = 8, 10
CAN_BUY = "+"


def draw_table(view: View, names: Sequence[str], width: int) -> Text:
    """The table as a seat sees it: tiles, market, bank and seats. A `+` marks what the seat to decide can buy."""
    drawing = _Drawing(view, names, width)
    lines = list(drawing.lines())
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


def _styled(text: str, style: str = "") -> Text:
    """A text whose style does not extend to what is appended to it, unlike that of `Text(text, style)`."""
    return Text().append(text, style)


class _Drawing:
    """Draws one view, line by line."""

    def __init__(self, view: View, names: Sequence[str], width: int) -> None:
        self.view, self.names, self.rules = view, names, view.rules
        self.styles = STYLES[self.rules.row.theme]
        self.wide = width >= MARGIN + len(PLACES) * WIDE_CELL
        self.cell = WIDE_CELL if self.wide else NARROW_CELL
        self.named = bool(CARDS[self.rules.variant][0].name)
        self.name_width = max(LABEL - 4, *(len(name) for name in names))
        self.affordable = _affordable(view)

    def lines(self) -> Iterator[Text]:
        yield _styled(headline(self.view, self.names), "bold")
        yield Text()
        yield from self.tiles()
        for tier in (3, 2, 1):
            yield from self.row(tier)
        yield self.label("bank") + self.spaced(self.view.bank)
        yield Text()
        for seat in range(self.rules.players):
            yield from self.seat(seat)

    def margin(self, label: str) -> Text:
        return _styled(label.ljust(MARGIN), "dim")

    def label(self, word: str) -> Text:
        return _styled(word.ljust(LABEL), "dim")

    def gem(self, text: str, letter: str) -> Text:
        return _styled(text, self.styles[letter])

    def spaced(self, counts: Sequence[int]) -> Text:
        """All counts, zeros too, so that the columns stay aligned."""
        pairs = zip(counts, self.rules.letters, strict=False)
        return Text(" ").join(self.gem(f"{n}{letter}", letter) if n else _styled(f"0{letter}", "dim") for n, letter in pairs)

    def cost(self, counts: Sequence[int]) -> Text:
        pairs = zip(counts, self.rules.letters, strict=False)
        return Text("").join(self.gem(f"{n}{letter}", letter) for n, letter in pairs if n) or Text("-")

    def card(self, number: int) -> Text:
        """Bonus and points, the cost, and Avengers symbols: `r2 1w4u2g`."""
        card = CARDS[self.rules.variant][number - 1]
        points = _styled(f"{card.points or ' '} ", "bold")
        return self.gem(card.bonus, card.bonus) + points + self.cost(card.cost) + _styled(f" {'A' * card.symbols}")

    def placed(self, place: str, number: int | None) -> Text:
        """A card after its place, with a mark if it can be bought."""
        can_buy = number is not None and number in self.affordable
        drawn = _styled("-", "dim") if number is None else self.card(number)
        return self.padded(_styled(CAN_BUY if can_buy else " ", "bold") + _styled(f"{place} ", "bold" if can_buy else "") + drawn)

    def padded(self, text: Text, width: int = 0) -> Text:
        text.truncate(width or self.cell)
        text.pad_right((width or self.cell) - len(text))
        return text

    def row(self, tier: int) -> Iterator[Text]:
        numbers = self.view.market[tier - 1]
        cells = [self.placed(f"{tier}{place}", number) for place, number in zip(PLACES, numbers, strict=True)]
        yield self.margin(f"{self.view.deck_sizes[tier - 1]:2} left") + Text("").join(cells)
        if self.named:
            yield self.margin("") + Text("").join(self.name(number) for number in numbers)

    def name(self, number: int | None) -> Text:
        return self.padded(_styled("   " + (CARDS[self.rules.variant][number - 1].name if number else ""), "italic dim"))

    def tiles(self) -> Iterator[Text]:
        cell = min(WIDE_CELL, len(PLACES) * self.cell // len(self.view.tiles))
        yield self.margin("tiles") + Text("").join(self.padded(self.tile(i), cell) for i in range(len(self.view.tiles)))
        if self.named:
            faces = [TILES[self.rules.variant][tile.number - 1].name for tile in self.view.tiles]
            yield self.margin("") + Text("").join(self.padded(_styled(f"   {face}", "italic dim"), cell) for face in faces)

    def tile(self, i: int) -> Text:
        tile = self.view.tiles[i]
        if tile.owner is not None:
            return _styled(f" {i + 1}  {self.names[tile.owner]}", "dim")
        face = TILES[self.rules.variant][tile.number - 1]
        points, other = f"{face.prestige}+ " if face.prestige else "", f" {face.other} other" if face.other else ""
        return _styled(f" {i + 1}  {points}") + self.cost(face.demand) + _styled(other)

    def seat(self, seat: int) -> Iterator[Text]:
        area = self.view.seats[seat]
        mark = ">" if seat == self.view.turn and self.view.stage != "over" else " "
        yield _styled(f"{mark} {self.names[seat]:<{self.name_width}}  ", "bold") + Text(", ".join(self.standing(seat)))
        limit = f" ({sum(area.tokens)}/{self.rules.token_limit})"
        tokens = self.label("  tokens") + self.spaced(area.tokens) + _styled(limit.ljust(10))
        yield tokens + _styled("bonuses ", "dim") + self.spaced(area.bonuses)
        if area.reserve:
            cells = [self.reserved(i, held) for i, held in enumerate(area.reserve, 1)]
            yield self.label("  reserve") + Text("").join(cells)

    def standing(self, seat: int) -> Iterator[str]:
        area = self.view.seats[seat]
        yield f"{area.points} of {self.rules.goal} points" if self.rules.goal else plural(area.points, "point")
        yield plural(len(area.tableau), "card")
        yield plural(sum(tile.owner == seat for tile in self.view.tiles), self.rules.row.tile_kind)
        if self.rules.row.gauntlet:
            yield plural(area.symbols, "symbol") + (" (Avengers tile)" if self.view.avengers == seat else "")

    def reserved(self, i: int, held: Reserved) -> Text:
        if held.card is None:
            return self.padded(_styled(f" @{i} tier {held.tier}, unseen", "dim"))
        return self.placed(f"@{i}", held.card)


def _affordable(view: View) -> set[int]:
    """The cards that the seat to decide can buy now."""
    area = view.seats[view.turn]
    places = {
        f"{tier}{place}": number for tier, row in enumerate(view.market, 1) for place, number in zip(PLACES, row, strict=True)
    }
    places |= {f"@{i}": held.card for i, held in enumerate(area.reserve, 1)}
    return {number for place, number in places.items() if number and why_not(view, f"buy {place}") is None}
