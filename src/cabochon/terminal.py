"""The game in a terminal: the table drawn in colour (letters always shown), moves told in sentences, and play line by line."""

import datetime
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.text import Text

from .bots import Bot, Budget, bot, legal_moves
from .errors import CabochonError
from .game import Game
from .notation.gems import format_counts
from .notation.move import PLACES, Move
from .notation.record import format_record
from .replay import record_of
from .rules.buying import AVENGERS_POINTS
from .rules.cards import CARDS, TILES, VARIANTS
from .rules.gems import COLOUR_COUNT, TIME, WILD
from .rules.kernel import PACKAGE
from .view import Reserved, SeatView, View
from .why_not import why_not

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
TILE_WORD = {"classic": "noble", "marvel": "location"}
WILD_WORD = {"classic": "gold", "marvel": "S.H.I.E.L.D."}
BUY_WORD = {"classic": "buy", "marvel": "recruit"}
TO_DO = {"main": "play", "return": "return tokens", "claim": "choose a tile"}
NUMBERS = ("no", "one", "two", "three")


def console() -> Console:
    """Standard output, with nothing made up: no markup, no highlighting, no emoji."""
    return Console(highlight=False, markup=False, emoji=False)


def say(out: Console, text: str | Text = "") -> None:
    """Print a sentence, between words on as many lines as a terminal needs; a drawing, or a line for a file, stays whole."""
    out.print(text, soft_wrap=isinstance(text, Text) or not out.is_terminal)


def plural(count: int, word: str) -> str:
    """`1 card`, `2 cards`."""
    return f"{count} {word}" + ("" if count == 1 else "s")


def printable(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return "".join(letter for letter in text if letter.isprintable())


def seat_names(players: int, names: Sequence[str] = ()) -> tuple[str, ...]:
    """What the seats are called: by the names given, or `seat 0`."""
    given = [printable(name) for name in names]
    return tuple(name or f"seat {seat}" for seat, name in zip(range(players), [*given, *[""] * players], strict=False))


# the table


def draw_table(shown: View, names: Sequence[str], width: int) -> Text:
    """The table as a seat sees it: tiles, market, bank, and every seat; `+` stands before what the seat to decide can buy."""
    drawing = _Drawing(shown, names, width)
    lines = list(drawing.lines())
    for line in lines:
        line.rstrip()
    return Text("\n").join(lines)


def _styled(text: str, style: str = "") -> Text:
    """A piece of text whose style ends where it ends, whatever is added to it."""
    return Text().append(text, style)


class _Drawing:
    """Draws one view, line by line."""

    def __init__(self, shown: View, names: Sequence[str], width: int) -> None:
        self.shown, self.names, self.rules = shown, names, shown.rules
        self.styles = STYLES[self.rules.variant]
        self.wide = width >= MARGIN + len(PLACES) * WIDE_CELL
        self.cell = WIDE_CELL if self.wide else NARROW_CELL
        self.named = bool(CARDS[self.rules.variant][0].name)
        self.name_width = max(LABEL - 4, *(len(name) for name in names))
        self.affordable = _affordable(shown)

    def lines(self) -> Iterator[Text]:
        yield _styled(headline(self.shown, self.names), "bold")
        yield Text()
        yield from self.tiles()
        for tier in (3, 2, 1):
            yield from self.row(tier)
        yield self.label("bank") + self.spaced(self.shown.bank)
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
        """Every count, zeros too, so that columns stay in place."""
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
        """A card with its place before it, and a mark if it can be bought."""
        can_buy = number is not None and number in self.affordable
        drawn = _styled("-", "dim") if number is None else self.card(number)
        return self.padded(_styled(CAN_BUY if can_buy else " ", "bold") + _styled(f"{place} ", "bold" if can_buy else "") + drawn)

    def padded(self, text: Text, width: int = 0) -> Text:
        text.truncate(width or self.cell)
        text.pad_right((width or self.cell) - len(text))
        return text

    def row(self, tier: int) -> Iterator[Text]:
        numbers = self.shown.market[tier - 1]
        cells = [self.placed(f"{tier}{place}", number) for place, number in zip(PLACES, numbers, strict=True)]
        yield self.margin(f"{self.shown.deck_sizes[tier - 1]:2} left") + Text("").join(cells)
        if self.named:
            yield self.margin("") + Text("").join(self.name(number) for number in numbers)

    def name(self, number: int | None) -> Text:
        return self.padded(_styled("   " + (CARDS[self.rules.variant][number - 1].name if number else ""), "italic dim"))

    def tiles(self) -> Iterator[Text]:
        cell = min(WIDE_CELL, len(PLACES) * self.cell // len(self.shown.tiles))
        yield self.margin("tiles") + Text("").join(self.padded(self.tile(i), cell) for i in range(len(self.shown.tiles)))
        if self.named:
            faces = [TILES[self.rules.variant][tile.number - 1].name for tile in self.shown.tiles]
            yield self.margin("") + Text("").join(self.padded(_styled(f"   {face}", "italic dim"), cell) for face in faces)

    def tile(self, i: int) -> Text:
        tile = self.shown.tiles[i]
        if tile.owner is not None:
            return _styled(f" {i + 1}  {self.names[tile.owner]}", "dim")
        return _styled(f" {i + 1}  ") + self.cost(TILES[self.rules.variant][tile.number - 1].demand)

    def seat(self, seat: int) -> Iterator[Text]:
        area = self.shown.seats[seat]
        mark = ">" if seat == self.shown.turn and self.shown.stage != "over" else " "
        yield _styled(f"{mark} {self.names[seat]:<{self.name_width}}  ", "bold") + Text(", ".join(self.standing(seat)))
        limit = f" ({sum(area.tokens)}/{self.rules.token_limit})"
        tokens = self.label("  tokens") + self.spaced(area.tokens) + _styled(limit.ljust(10))
        yield tokens + _styled("bonuses ", "dim") + self.spaced(area.bonuses)
        if area.reserve:
            cells = [self.reserved(i, held) for i, held in enumerate(area.reserve, 1)]
            yield self.label("  reserve") + Text("").join(cells)

    def standing(self, seat: int) -> Iterator[str]:
        area = self.shown.seats[seat]
        yield f"{area.points} of {self.rules.goal} points"
        yield plural(len(area.tableau), "card")
        yield plural(sum(tile.owner == seat for tile in self.shown.tiles), TILE_WORD[self.rules.variant])
        if self.rules.row.gauntlet:
            yield plural(area.symbols, "symbol") + (" (Avengers tile)" if self.shown.avengers == seat else "")

    def reserved(self, i: int, held: Reserved) -> Text:
        if held.card is None:
            return self.padded(_styled(f" @{i} tier {held.tier}, unseen", "dim"))
        return self.placed(f"@{i}", held.card)


def _affordable(shown: View) -> set[int]:
    """The cards the seat to decide can buy now."""
    if shown.stage != "main":
        return set()
    area = shown.seats[shown.turn]
    numbers = [number for row in shown.market for number in row] + [held.card for held in area.reserve]
    return {number for number in numbers if number and _short_of(shown, area, number) == 0}


def _short_of(shown: View, area: SeatView, number: int) -> int:
    cost = CARDS[shown.rules.variant][number - 1].cost
    short = sum(max(0, due - area.bonuses[lane] - area.tokens[lane]) for lane, due in enumerate(cost))
    return max(0, short - area.tokens[WILD])


def headline(shown: View, names: Sequence[str]) -> str:
    """Which game, which round, and whose turn it is."""
    rules = shown.rules
    house = "".join(f", {name}={value}" for name, value in rules.house_rules().items())
    if shown.stage == "over":
        return f"{rules.variant}, {rules.players} players{house}: over"
    last = ", the last one" if any(fulfils_goal(shown, seat) for seat in range(rules.players)) else ""
    where = f"{rules.variant}, {rules.players} players{house}, round {shown.turns // rules.players + 1}{last}"
    verb = "are" if names[shown.turn] == YOU else "is"
    return f"{where}: {names[shown.turn]} {verb} to {TO_DO[shown.stage]}"


def fulfils_goal(shown: View, seat: int) -> bool:
    """Points enough and, in Marvel, a bonus of each colour and a Time token."""
    area = shown.seats[seat]
    if area.points < (shown.rules.goal or 0):
        return False
    return not shown.rules.row.gauntlet or (min(area.bonuses) > 0 and area.tokens[TIME] > 0)


# moves in sentences

YOU = "you"


def retell(before: View, after: View, move: Move, name: str) -> str:
    """What a move did, in sentences, from what a seat saw before and after it."""
    return sentence(" ".join([_deed(before, after, move, name), *_what_came(before, after, move, name)]))


def sentence(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[0].upper() + text[1:]


def _does(name: str, verb: str) -> str:
    if name == YOU:
        return f"{name} {verb}"
    return f"{name} {verb}{'es' if verb.endswith('ss') else 's'}"


def _deed(before: View, after: View, move: Move, name: str) -> str:
    was, now = before.seats[before.turn], after.seats[before.turn]
    word = str(move).split()[1] if move.kind != "pass" else ""
    changed = tuple(b - a for a, b in zip(was.tokens, now.tokens, strict=True))
    if move.kind == "take":
        return f"{_does(name, 'take')} {_colours(before, changed)}."
    if move.kind == "reserve":
        return f"{_does(name, 'reserve')} {_reserved_card(before, now, word)}{_with_wild(before, changed)}."
    if move.kind == "buy":
        paid = " ".join(f"{-n}{letter}" for n, letter in zip(changed, before.rules.letters, strict=True) if n < 0)
        price = f"for {paid or 'nothing'}"
        return f"{_does(name, BUY_WORD[before.rules.variant])} {_bought_card(before, was, now, word)} {price}."
    if move.kind == "return":
        return f"{_does(name, 'return')} a {_token_word(before, word)} token."
    if move.kind == "claim":
        return f"{_does(name, 'choose')} {_tile_text(before, int(word) - 1)}."
    return f"{_does(name, 'pass')}."


def _colours(shown: View, taken: Sequence[int]) -> str:
    words = shown.rules.row.colours
    return listed([word if n == 1 else f"{NUMBERS[n]} {word}" for word, n in zip(words, taken, strict=False) if n > 0])


def listed(words: Sequence[str]) -> str:
    """`white, blue and green`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else "nothing"


def _token_word(shown: View, letter: str) -> str:
    lane = shown.rules.letters.index(letter)
    return shown.rules.row.colours[lane] if lane < COLOUR_COUNT else WILD_WORD[shown.rules.variant]


def _card_text(shown: View, number: int) -> str:
    """A card in words: its name if it has one, colour and points."""
    card = CARDS[shown.rules.variant][number - 1]
    colour = shown.rules.row.colours[shown.rules.letters.index(card.bonus)]
    points = f", {plural(card.points, 'point')}" if card.points else ""
    return f"{card.name} ({colour}{points})" if card.name else f"a {colour} card{points}"


def _reserved_card(before: View, now: SeatView, word: str) -> str:
    tier, place = int(word[0]), word[1]
    if place != "?":
        number = before.market[tier - 1][PLACES.index(place)]
        assert number is not None, "only a card that is there can be reserved"
        return f"{word}, {_card_text(before, number)}"
    held = now.reserve[-1].card
    return f"the top card of deck {tier}" + (f": {_card_text(before, held)}" if held else ", unseen")


def _with_wild(before: View, changed: Sequence[int]) -> str:
    word = WILD_WORD[before.rules.variant]
    return f", with a {word} token" if changed[WILD] > 0 else f" (no {word} is left)"


def _bought_card(before: View, was: SeatView, now: SeatView, word: str) -> str:
    number = next(iter(set(now.tableau) - set(was.tableau)))
    return f"{'a reserved card' if word[0] == '@' else word}, {_card_text(before, number)},"


def _tile_text(shown: View, place: int) -> str:
    tile = TILES[shown.rules.variant][shown.tiles[place].number - 1]
    name = f" {tile.name}" if tile.name else ""
    return f"{TILE_WORD[shown.rules.variant]} {place + 1}{name} ({format_counts(tile.demand, shown.rules.letters)})"


def _what_came(before: View, after: View, move: Move, name: str) -> Iterator[str]:
    """What the turn brought besides: a tile, a Time token, the Avengers tile."""
    seat = before.turn
    for place, (was, now) in enumerate(zip(before.tiles, after.tiles, strict=True)):
        if was.owner != now.owner and move.kind != "claim":
            points = TILES[before.rules.variant][was.number - 1].points
            yield sentence(f"{_tile_text(before, place)} comes to {name}: {points} points.")
    if before.seats[seat].tokens[TIME:] != after.seats[seat].tokens[TIME:]:
        yield "A Time token comes with it."
    if before.avengers != after.avengers:
        yield f"The Avengers tile goes to {name}: {AVENGERS_POINTS} points."


# the end


def verdict(game: Game, names: Sequence[str]) -> Iterator[str]:
    """How the game ended, who won and why, and every seat by rank."""
    outcome, shown = game.outcome, game.position()
    if outcome is None:
        yield f"Not finished: round {game.round}, {names[game.turn]} to play."
        return
    reached = "the Gauntlet was reached" if game.rules.row.gauntlet else f"{game.rules.goal} points were reached"
    played_out = f"{reached}, and the round is played out"
    yield f"The game is over: {played_out if outcome.reason == 'goal' else 'nobody can move any more'}."
    yield _winners(shown, outcome.ranks, outcome.winners, names)
    yield ""
    for seat in sorted(range(game.players), key=lambda seat: outcome.ranks[seat]):
        yield f"  {outcome.ranks[seat]}. {names[seat]:<12} {', '.join(_merits(shown, seat))}"


def _winners(shown: View, ranks: Sequence[int], winners: Sequence[int], names: Sequence[str]) -> str:
    who = listed([names[seat] for seat in winners])
    if len(winners) > 1:
        return sentence(f"{who} share the victory.")
    second = min((seat for seat in range(len(ranks)) if seat != winners[0]), key=lambda seat: ranks[seat])
    return sentence(f"{_does(who, 'win')} {_because(shown, winners[0], second)}.")


def _because(shown: View, first: int, second: int) -> str:
    """What put the first before the second."""
    best, next_best = shown.seats[first], shown.seats[second]
    if fulfils_goal(shown, first) != fulfils_goal(shown, second) and best.points <= next_best.points:
        return "with the Gauntlet"
    if best.points != next_best.points:
        return f"with {best.points} points to {next_best.points}"
    if shown.avengers == first:
        return "on equal points with the Avengers tile"
    return f"on equal points with fewer cards ({len(best.tableau)} to {len(next_best.tableau)})"


def _merits(shown: View, seat: int) -> Iterator[str]:
    area = shown.seats[seat]
    yield plural(area.points, "point")
    yield plural(len(area.tableau), "card")
    if shown.avengers == seat:
        yield "the Avengers tile"
    if shown.rules.row.gauntlet:
        yield "the Gauntlet" if fulfils_goal(shown, seat) else "no Gauntlet"


# the rules as pages


def rules_pages() -> dict[str, str]:
    """The pages of the rules by name, from the package or, in a checkout, from docs/rules."""
    for folder in (PACKAGE / "data" / "rules", PACKAGE.parent.parent / "docs" / "rules"):
        pages = {path.stem: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md"))}
        if pages:
            return pages
    raise CabochonError("the pages of the rules are not installed")


HEADING = re.compile(r"^(#+) +(.+?) *#*$")
CHAPTER = 2
Section = tuple[int, str, list[str]]


def sections(page: str) -> list[Section]:
    """A page cut at its headings: level, title, lines (the heading's own line first)."""
    found: list[Section] = []
    fenced = False
    for line in page.splitlines():
        fenced ^= line.startswith("```")
        heading = None if fenced else HEADING.match(line)
        if heading:
            found.append((len(heading[1]), heading[2], []))
        if found:
            found[-1][2].append(line)
    return found


def chapters(parts: Iterable[Section]) -> list[str]:
    """The larger headings."""
    return [title for level, title, _ in parts if level <= CHAPTER]


def section(pages: Iterable[str], title: str) -> str:
    """The sections whose heading contains the title, each with what is below it."""
    parts = [part for page in pages for part in sections(page)]
    lines: list[str] = []
    inside = 0
    for level, heading, text in parts:
        if inside and level <= inside:
            inside = 0
        if not inside and title.casefold() in heading.casefold():
            inside = level
        if inside:
            lines += text
    if not lines:
        raise CabochonError(f"no section {title!r}: choose from {'; '.join(chapters(parts))}")
    return "\n".join(lines)


def show_rules(out: Console, variant: str, title: str = "") -> None:
    """The page of a variant, or the sections (also of the house rules) whose heading contains the title."""
    pages = rules_pages()
    if variant not in pages:
        raise CabochonError(f"no page {variant!r}: choose one of {', '.join(pages)}")
    wanted = [pages[variant], *(pages[name] for name in pages if name not in CARDS and name != variant)]
    out.print(Markdown(section(wanted, title) if title else pages[variant]))


# playing

HELP = """\
take {a}{b}{c}         three different tokens
take {a}{a}          two alike, from a pile of four
reserve 2c       a card of the market, with a {wild} token
reserve 3?       the unseen top card of tier 3, with a {wild} token
buy 1a           a card of the market, paying colours first
buy @1           the first card of your reserve
buy 1a with *{a}   the same, paying as you say
pass             only when nothing else is possible

moves   every legal move      hint   what greedy would play   rules [SECTION]
undo    take your move back   show   draw the table again     save FILE
quit    leave the table       help   this page

Tokens: {tokens}.
A card reads: bonus, points, cost. A plus sign marks what you can buy."""
ABOUT_SYMBOLS = "\nAn A is an Avengers symbol; every card of tier 3 carries the Time symbol."


def help_text(variant: str) -> str:
    """What can be typed."""
    row = VARIANTS[variant]
    a, b, c = tuple(row.letters[:3])
    names = [f"{letter} {word}" for letter, word in zip(row.letters, (*row.colours, WILD_WORD[variant], "Time"), strict=False)]
    told = HELP.format(a=a, b=b, c=c, wild=WILD_WORD[variant], tokens=", ".join(names))
    return told + (ABOUT_SYMBOLS if row.gauntlet else "")


SHORT = {"?": "help", "q": "quit", "exit": "quit", "recruit": "buy"}
SHORT_MOVES = {"t": "take", "r": "reserve", "b": "buy", "p": "pass"}


class Sitting:
    """One person at the table with bots: asks for moves line by line and shows only what that seat may know."""

    def __init__(self, out: Console, game: Game, seat: int, bots: Mapping[int, Bot], seed: int) -> None:
        self.out, self.game, self.seat, self.bots, self.seed = out, game, seat, bots, seed
        self.names = _names_at(seat, bots)
        self.deciders: list[int] = []
        self.saved: set[Path] = set()
        self.left = self.drawn = False

    def run(self) -> None:
        """Play until the game is over or the person leaves."""
        begins = sentence(_does(self.names[self.game.turn], "begin"))
        say(self.out, f"{begins}. Type help to see what you can say.")
        with suppress(ImportError):
            import readline  # noqa: F401  (lets the person edit the line and call back earlier ones)
        try:
            while not self.game.is_over and not self.left:
                if self.game.turn == self.seat:
                    self.ask()
                else:
                    self.let_play()
        except (EOFError, KeyboardInterrupt, UnicodeDecodeError):
            say(self.out)
            self.left = True
        self.part()

    def part(self) -> None:
        """The ranking, or a word of parting."""
        if self.left:
            say(self.out, "You leave the table. Until next time!")
            return
        self.show()
        say(self.out)
        for line in verdict(self.game, self.names):
            say(self.out, line)

    def view(self) -> View:
        """What the person may know."""
        return self.game.view(self.seat)

    def show(self, _rest: str = "") -> None:
        """Draw the table."""
        say(self.out)
        say(self.out, draw_table(self.view(), self.names, self.out.width))
        self.drawn = True

    def let_play(self) -> None:
        """A bot decides from its own view."""
        seat = self.game.turn
        chosen = self.bots[seat].choose(self.game.view(seat), Budget(), self.seed + len(self.deciders))
        self.play(chosen)

    def play(self, move: Move) -> None:
        """Play a legal move and tell what it did."""
        before = self.view()
        self.game.play(move)
        self.deciders.append(before.turn)
        say(self.out, retell(before, self.view(), move, self.names[before.turn]))
        self.drawn = False

    def ask(self) -> None:
        """One line from the person: a command or a move."""
        if not self.drawn:
            self.show()
        say(self.out)
        verb, _, rest = self.line(_question(self.view())).partition(" ")
        verb = self.whole_word(verb.lower())
        commands: dict[str, Callable[[str], None]] = {
            "": self.show, "show": self.show, "moves": self.list_moves, "help": self.help, "undo": self.undo,
            "hint": self.hint, "rules": self.rules, "save": self.save, "quit": self.leave,
        }  # fmt: skip
        try:
            if verb in commands:
                commands[verb](rest.strip())
            else:
                self.decide(f"{verb} {rest.lower()}")
        except CabochonError as wrong:
            say(self.out, f"{wrong}")

    def whole_word(self, verb: str) -> str:
        """A shortened word in full; while tokens are returned, a letter is a token."""
        return (SHORT | SHORT_MOVES if self.game.stage == "main" else SHORT).get(verb, verb)

    def line(self, question: str) -> str:
        """What the person types; a line that comes from elsewhere is shown, so that the whole reads as typed."""
        said = input(question).strip()
        if not sys.stdin.isatty():
            say(self.out, said)
        return said

    def decide(self, said: str) -> None:
        """Play what was said, or say the rule that forbids it."""
        shown = self.view()
        moves = [Move.parse(text, self.game.variant) for text in spoken(shown, said)]
        excess = sum(shown.seats[self.seat].tokens) - shown.rules.token_limit
        if shown.stage == "return" and len(moves) > excess:
            raise CabochonError(f"{said.strip()}: return {excess}, not {len(moves)}")
        for move in moves:
            rule = why_not(self.view(), move)
            if rule is not None:
                raise CabochonError(f"{move}: {rule.sentence()}")
            self.play(move)

    def list_moves(self, _rest: str) -> None:
        """Every legal move."""
        for line in move_lines(legal_moves(self.view())):
            self.out.print(line)

    def help(self, _rest: str) -> None:
        """What can be typed."""
        say(self.out, help_text(self.game.variant))

    def undo(self, _rest: str) -> None:
        """Back to the person's previous decision."""
        if self.seat not in self.deciders:
            raise CabochonError("there is no move of yours to take back")
        while self.deciders.pop() != self.seat:
            self.game.undo()
        say(self.out, f"Taken back: {self.game.undo()}.")
        self.drawn = False

    def hint(self, _rest: str) -> None:
        """What greedy would play."""
        say(self.out, f"Greedy would play: {bot('greedy').choose(self.view(), Budget(), self.seed)}")

    def rules(self, rest: str) -> None:
        """A section of the rules; without a word, which ones there are."""
        if rest:
            show_rules(self.out, self.game.variant, rest)
        else:
            titles = chapters(sections(rules_pages().get(self.game.variant, "")))
            self.out.print(f"Say rules and a part of a heading: {'; '.join(titles)}.")

    def save(self, rest: str) -> None:
        """Keep the game so far as a record."""
        if not rest:
            raise CabochonError("save FILE: say where to keep the game")
        self.keep(Path(rest).expanduser())
        say(self.out, f"Kept in {rest}.")

    def keep(self, path: Path) -> None:
        """Write the record; a file that this game did not write is left alone."""
        if path.exists() and path not in self.saved:
            raise CabochonError(f"{path} is there already: choose another name")
        record = record_of(self.game, self.names, datetime.datetime.now(tz=datetime.UTC).date().isoformat())
        try:
            path.write_text(format_record(record), encoding="utf-8")
        except OSError as wrong:
            raise CabochonError(f"{path} cannot be written: {wrong.strerror}") from wrong
        self.saved.add(path)

    def leave(self, _rest: str) -> None:
        """Leave the table."""
        self.left = True


def _names_at(seat: int, bots: Mapping[int, Bot]) -> tuple[str, ...]:
    """`you`, and every bot by name; with its seat where two are called alike."""
    called = [bots[other].name if other != seat else YOU for other in range(len(bots) + 1)]
    return tuple(name if called.count(name) == 1 else f"{name} {other}" for other, name in enumerate(called))


def _question(shown: View) -> str:
    area, rules = shown.seats[shown.turn], shown.rules
    if shown.stage == "return":
        excess = sum(area.tokens) - rules.token_limit
        held = " ".join(letter for letter, n in zip(rules.letters[: WILD + 1], area.tokens, strict=False) if n)
        return f"You hold {sum(area.tokens)} tokens. Return {excess} of {held}: "
    if shown.stage == "claim":
        places = [_tile_text(shown, int(str(move).split()[1]) - 1) for move in legal_moves(shown)]
        return f"You may choose {' or '.join(places)}. Its number: "
    return "Your move: "


def spoken(shown: View, said: str) -> list[str]:
    """The moves a line says. Letters alone return tokens, a number alone chooses a tile; `take w u g` is `take wug`."""
    words = said.split()
    if shown.stage == "return":
        letters = "".join(words[1:] if words[0] == "return" else words)
        if letters and set(letters) <= set(shown.rules.letters):
            return [f"return {letter}" for letter in letters]
    if shown.stage == "claim" and len(words) == 1 and words[0].isdecimal():
        return [f"claim {words[0]}"]
    if words[0] == "take":
        return [f"take {''.join(words[1:])}"]
    return [" ".join(words)]


def move_lines(moves: Iterable[Move]) -> Iterator[str]:
    """Legal moves on a line for each verb."""
    by_verb: dict[str, list[str]] = {}
    for move in moves:
        verb, _, rest = str(move).partition(" ")
        by_verb.setdefault(verb, []).append(rest)
    for verb, rests in by_verb.items():
        yield f"{verb:<8}{' '.join(rests)}".rstrip()
