"""A game of one person against bots, line by line."""

import datetime
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from ..advantages import advantages
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
from .sentences import describe_move, describe_outcome, tile_text
from .table import draw_table
from .vocabulary import YOU, capitalise, conjugate, print_text

HELP = """\
take {a}{b}{c}         three different tokens
take {a}{a}          two alike, from a pile of four
reserve 2c       a card of the market, with a {wild} token
reserve 3?       the unseen top card of tier 3, with a {wild} token
buy 1a           a card of the market, paying colours first
buy @1           the first card of your reserve
buy 1a with *{a}   the same, with a payment of your choice
pass             only when nothing else is possible

moves   every legal move      hint   what greedy would play   rules [SECTION]
undo    take your move back   show   draw the table again     save FILE
quit    leave the table       help   this page

Tokens: {tokens}.
A card reads: bonus, points, cost. A plus sign marks what you can buy."""
ABOUT_SYMBOLS = "\nAn A is an Avengers symbol; every card of tier 3 carries the Time symbol."


def help_text(variant: str) -> str:
    row = VARIANTS[variant]
    a, b, c = tuple(row.letters[:3])
    names = [f"{letter} {word}" for letter, word in zip(row.letters, (*row.colours, row.words["wild"], "Time"), strict=False)]
    text = HELP.format(a=a, b=b, c=c, wild=row.words["wild"], tokens=", ".join(names))
    return text + (ABOUT_SYMBOLS if row.gauntlet else "")


ALIASES = {"?": "help", "q": "quit", "exit": "quit", "recruit": "buy"}
MOVE_ALIASES = {"t": "take", "r": "reserve", "b": "buy", "p": "pass"}


class Session:
    """Asks one person for moves, line by line, and shows only what the seat of that person may know."""

    def __init__(self, out: Console, game: Game, seat: int, bots: Mapping[int, Bot], seed: int) -> None:
        self.out, self.game, self.seat, self.bots, self.seed = out, game, seat, bots, seed
        self.names = _names_at(seat, bots)
        self.deciders: list[int] = []  # the seat of each move, for undo
        self.saved: set[Path] = set()  # files of this game, which may be written again
        self.left = self.drawn = False

    def run(self) -> None:
        """Play until the game is over or the person leaves."""
        begins = capitalise(conjugate(self.names[self.game.turn], "begin"))
        print_text(self.out, f"{begins}. Type help to see what you can type.")
        with suppress(ImportError):
            import readline  # noqa: F401  (lets the person edit the line and call back earlier ones)
        try:
            while not self.game.is_over and not self.left:
                if self.game.turn == self.seat:
                    self.ask()
                else:
                    self.bot_turn()
        except (EOFError, KeyboardInterrupt, UnicodeDecodeError):
            print_text(self.out)
            self.left = True
        self.finish()

    def finish(self) -> None:
        """Print the ranking, or a goodbye if the person left."""
        if self.left:
            print_text(self.out, "You leave the table. Until next time!")
            return
        self.show()
        print_text(self.out)
        for line in describe_outcome(self.game, self.names):
            print_text(self.out, line)

    def view(self) -> View:
        return self.game.view(self.seat)

    def show(self, _rest: str = "") -> None:
        print_text(self.out)
        print_text(self.out, draw_table(self.view(), self.names, self.out.width))
        self.drawn = True

    def bot_turn(self) -> None:
        """A bot decides, from the view of its own seat."""
        seat = self.game.turn
        chosen = self.bots[seat].choose(self.game.view(seat), Budget(), self.seed + len(self.deciders))
        self.play(chosen)

    def play(self, move: Move) -> None:
        """Play a legal move and print what it did."""
        viewer = self.game.turn if move.kind == "pass" else self.seat  # who passes shows the reserved cards
        before = self.game.view(viewer)
        self.game.play(move)
        self.deciders.append(before.turn)
        print_text(self.out, describe_move(before, self.game.view(viewer), move, self.names[before.turn]))
        self.drawn = False

    def ask(self) -> None:
        """Read one line from the person and carry it out: a command or a move."""
        if not self.drawn:
            self.show()
        print_text(self.out)
        verb, _, rest = self.read_line(_question(self.view())).partition(" ")
        verb = self.expand(verb.lower())
        commands: dict[str, Callable[[str], None]] = {
            "": self.show, "show": self.show, "moves": self.list_moves, "help": self.help, "undo": self.undo,
            "hint": self.hint, "rules": self.rules, "save": self.save, "quit": self.leave,
        }  # fmt: skip
        try:
            if verb in commands:
                commands[verb](rest.strip())
            else:
                self.decide(f"{verb} {rest.lower()}")
        except CabochonError as error:
            print_text(self.out, f"{error}")

    def expand(self, verb: str) -> str:
        """The full word for an alias. While tokens are returned a letter means a token, not a move."""
        return (ALIASES | MOVE_ALIASES if self.game.stage == "main" else ALIASES).get(verb, verb)

    def read_line(self, question: str) -> str:
        """A line of input. One that does not come from a terminal is printed, so that the output reads as if typed."""
        line = input(question).strip()
        if not sys.stdin.isatty():
            print_text(self.out, line)
        return line

    def decide(self, line: str) -> None:
        """Play the moves of a line; the first that is illegal raises with the rule that forbids it."""
        view = self.view()
        moves = [Move.parse(text, self.game.variant) for text in parse_line(view, line)]
        excess = sum(view.seats[self.seat].tokens) - view.rules.token_limit
        if view.stage == "return" and len(moves) > excess:
            raise CabochonError(f"{line.strip()}: return {excess}, not {len(moves)}")
        for move in moves:
            rule = why_not(self.view(), move)
            if rule is not None:
                raise CabochonError(f"{move}: {rule.sentence()}")
            self.play(move)

    def list_moves(self, _rest: str) -> None:
        for line in move_lines(legal_moves(self.view())):
            self.out.print(line)

    def help(self, _rest: str) -> None:
        print_text(self.out, help_text(self.game.variant))

    def undo(self, _rest: str) -> None:
        """Back to the person's previous decision."""
        if self.seat not in self.deciders:
            raise CabochonError("there is no move of yours to take back")
        while self.deciders.pop() != self.seat:
            self.game.undo()
        print_text(self.out, f"Taken back: {self.game.undo()}.")
        self.drawn = False

    def hint(self, _rest: str) -> None:
        """What greedy would play, and what speaks for it."""
        move = bot("greedy").choose(self.view(), Budget(), self.seed)
        why = "; ".join(one.sentence(self.names, self.game.variant) for one in advantages(self.view(), move))
        print_text(self.out, f"Greedy would play: {move}{f' ({why})' if why else ''}")

    def rules(self, rest: str) -> None:
        """Print a section of the rules; without a title, the headings."""
        if rest:
            show_rules(self.out, self.game.variant, rest)
        else:
            titles = chapters(sections(rules_pages().get(self.game.variant, "")))
            self.out.print(f"Type rules and a part of a heading: {'; '.join(titles)}.")

    def save(self, rest: str) -> None:
        if not rest:
            raise CabochonError("save FILE: the name of a file is missing")
        self.write_record(Path(rest).expanduser())
        print_text(self.out, f"Saved in {rest}.")

    def write_record(self, path: Path) -> None:
        """Save the game so far. A file that was there before this game is never overwritten."""
        if path.exists() and path not in self.saved:
            raise CabochonError(f"{path} exists already: choose another name")
        record = record_of(self.game, self.names, datetime.datetime.now(tz=datetime.UTC).date().isoformat())
        try:
            path.write_text(format_record(record), encoding="utf-8")
        except OSError as error:
            raise CabochonError(f"{path} cannot be written: {error.strerror}") from error
        self.saved.add(path)

    def leave(self, _rest: str) -> None:
        self.left = True


def _names_at(seat: int, bots: Mapping[int, Bot]) -> tuple[str, ...]:
    """`you`, and every bot by name; with its seat where two have the same name."""
    names = [bots[other].name if other != seat else YOU for other in range(len(bots) + 1)]
    return tuple(name if names.count(name) == 1 else f"{name} {other}" for other, name in enumerate(names))


def _question(view: View) -> str:
    area, rules = view.seats[view.turn], view.rules
    if view.stage == "return":
        excess = sum(area.tokens) - rules.token_limit
        held = " ".join(letter for letter, n in zip(rules.letters[: WILD + 1], area.tokens, strict=False) if n)
        return f"You hold {sum(area.tokens)} tokens. Return {excess} of {held}: "
    if view.stage == "claim":
        places = [tile_text(view, int(str(move).split()[1]) - 1) for move in legal_moves(view)]
        return f"You may choose {' or '.join(places)}. Its number: "
    return "Your move: "


def parse_line(view: View, line: str) -> list[str]:
    """The moves in a line. Letters alone return tokens, a number alone chooses a tile; `take w u g` is `take wug`."""
    words = line.split()
    if view.stage == "return":
        letters = "".join(words[1:] if words[0] == "return" else words)
        if letters and set(letters) <= set(view.rules.letters):
            return [f"return {letter}" for letter in letters]
    if view.stage == "claim" and len(words) == 1 and words[0].isdecimal():
        return [f"claim {words[0]}"]
    if words[0] == "take":
        return [f"take {''.join(words[1:])}"]
    return [" ".join(words)]


def move_lines(moves: Iterable[Move]) -> Iterator[str]:
    """The moves as text, a line for each verb."""
    by_verb: dict[str, list[str]] = {}
    for move in moves:
        verb, _, rest = str(move).partition(" ")
        by_verb.setdefault(verb, []).append(rest)
    for verb, rests in by_verb.items():
        yield f"{verb:<8}{' '.join(rests)}".rstrip()
