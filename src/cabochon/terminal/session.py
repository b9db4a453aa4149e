"""One person at a table with bots, line by line."""

import datetime
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from ..bots import Bot, Budget, bot, legal_moves
from ..errors import CabochonError
from ..game import Game
from ..notation.move import Move
from ..notation.record import format_record
from ..notation.replay import record_of
from ..rules.gems import WILD
from ..rules.variants import VARIANTS
from ..view import View
from ..why_not import why_not
from .rules_pages import chapters, rules_pages, sections, show_rules
from .sentences import retell, tile_text, verdict
from .table import draw_table
from .vocabulary import WILD_WORD, YOU, does, say, sentence

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
        begins = sentence(does(self.names[self.game.turn], "begin"))
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
        places = [tile_text(shown, int(str(move).split()[1]) - 1) for move in legal_moves(shown)]
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
