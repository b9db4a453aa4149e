"""The line protocol, engine's side: text that a person can type, in the spirit of UCI. See docs/bots.md."""

import inspect
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from ..errors import CabochonError
from ..game import Game
from ..notation.ascii import draw
from ..notation.position import parse_position
from ..search.budget import Budget
from ..version import __version__
from ..view import Position, View
from . import BOTS, bot
from .base import Bot, Greedy, legal_moves

AUTHOR = "the cabochon project"
MOST_THREADS = 256
STOP_SECONDS = 1.0  # for a bot that was told to stop; after that a simple move is played
WARM_UP_BUDGET = Budget(nodes=16)
BENCH_BUDGET = Budget(nodes=1000)
BENCH_SEED = 1
BENCH_DECISIONS = 24
BENCH_TABLES = (("classic", 2), ("classic", 3), ("classic", 4), ("marvel", 2), ("marvel", 3), ("marvel", 4))

WAITING = ("set", "new", "position", "go", "bench")  # these wait until a thought is finished or stopped

HELP = """\
cabochon                          greet: who this is, its options, ready
options                           list the options and their values
set NAME VALUE                    set an option: bot, seed, threads
isready                           answer 'ready' as soon as it is
new                               another game begins
position TEXT [moves M1; M2 ...]  look at a position or a view, and play moves in it
position deal VARIANT PLAYERS SEED [moves M1; M2 ...]
show                              draw the position
legal                             list the legal moves
go [nodes N] [seconds S]          think, then say 'bestmove'
stop                              stop thinking and say the best move so far
bench                             think about fixed positions: nodes, seconds, signature
help                              this
quit                              end"""


class Wrong(CabochonError):
    """A line that cannot be obeyed; nothing has changed."""


class Thinking:
    """One thought in a thread of its own. It is answered exactly once, by the bot or, if that does not stop, in its place."""

    def __init__(self, player: Bot, view: View, budget: Budget, seed: int, threads: int, say: Callable[[str], None]) -> None:
        self.player, self.view, self.budget, self.seed, self.threads, self.say = player, view, budget, seed, threads, say
        self.lock, self.stopped, self.done = threading.Lock(), threading.Event(), threading.Event()
        threading.Thread(target=self._think, daemon=True).start()

    def _think(self) -> None:
        try:
            self._answer(*think(self.player, self.view, self.budget, self.seed, self.threads, self.stopped))
        except Exception as wrong:  # the session goes on, whatever a bot does
            self._answer(f"error {self.player.name}: {one_line(wrong)}")

    def _answer(self, *lines: str) -> None:
        with self.lock:
            if not self.done.is_set():
                self.say("\n".join(lines))
                self.done.set()

    def stop(self) -> None:
        """Tell the bot to stop; if it does not know how, a simple bot answers."""
        self.stopped.set()
        if can_stop(self.player):
            self.done.wait(STOP_SECONDS)
        self._answer(f"bestmove {Greedy().choose(self.view, Budget(), self.seed)}")

    def forget(self) -> None:
        """Nobody wants the answer any more."""
        self.stopped.set()
        with self.lock:
            self.done.set()


def think(
    player: Bot, view: View, budget: Budget, seed: int, threads: int = 1, stop: threading.Event | None = None
) -> tuple[str, str]:
    """The lines `info` and `bestmove`. A bot that searches tells what it found, unless it does not always play that."""
    before = time.perf_counter()
    offered = {"threads": threads, "stop": stop}
    if not tells(player):
        move = player.choose(view, budget, seed, **taken(player.choose, offered))
        return f"info seconds {time.perf_counter() - before:.3f}", f"bestmove {move}"
    analyse = player.analyse  # type: ignore[attr-defined]
    analysis = analyse(view, budget, seed, **taken(analyse, offered))
    return describe(analysis), f"bestmove {analysis.best}"


def tells(player: Bot) -> bool:
    """Whether a bot offers what its search found, and plays it."""
    return hasattr(player, "analyse") and not getattr(player, "looseness", 0)


def can_stop(player: Bot) -> bool:
    """Whether a bot listens while it thinks."""
    return "stop" in inspect.signature(player.analyse if tells(player) else player.choose).parameters  # type: ignore[attr-defined]


def taken(function: Callable[..., Any], offered: dict[str, Any]) -> dict[str, Any]:
    """Of what is offered, that which a function takes."""
    return {name: offered[name] for name in offered.keys() & inspect.signature(function).parameters.keys()}


def describe(analysis: Any) -> str:
    """What a search found: nodes, seconds, each seat's share of the win, and the main line."""
    value = " ".join(f"{share:.3f}" for share in analysis.moves[0].values)
    line = "; ".join(str(move) for move in analysis.line)
    return f"info nodes {analysis.nodes} seconds {analysis.seconds:.3f} value {value} line {line}"


class Engine:
    """A session: what it is told line by line, and what it says."""

    def __init__(self, say: Callable[[str], None], name: str = "greedy") -> None:
        self.say = say
        self.player = bot(name)
        self.seed, self.threads = 0, 1
        self.game: Game | None = None
        self.shown: View | None = None
        self.thinking: Thinking | None = None
        self.warm: set[str] = set()
        self.commands: dict[str, Callable[[str], None]] = {
            "cabochon": self.greet,
            "options": self.tell_options,
            "set": self.set_option,
            "isready": self.get_ready,
            "new": self.forget_game,
            "position": self.look_at,
            "show": self.draw_position,
            "legal": self.tell_legal,
            "go": self.go,
            "stop": self.stop,
            "bench": self.bench,
            "help": self.help,
        }

    def hear(self, line: str) -> bool:
        """Do what a line says; whether the session goes on."""
        word, _, rest = line.strip().partition(" ")
        if word == "quit":
            return False
        if word:
            try:
                self._command(word)(rest.strip())
            except Exception as wrong:  # wrong input is told in a line, never with a traceback
                self.say(f"error {one_line(wrong)}")
        return True

    def _command(self, word: str) -> Callable[[str], None]:
        if word not in self.commands:
            raise Wrong(f"unknown command {word[:40]!r}: say help")
        if word in WAITING and self.thinking is not None:
            self.thinking.done.wait()
        return self.commands[word]

    def greet(self, _rest: str) -> None:
        """Say who this is."""
        self.say(f"id name cabochon {__version__}\nid author {AUTHOR}")
        self.tell_options("")
        self.get_ready("")

    def tell_options(self, _rest: str) -> None:
        """List the options."""
        self.say(f"option bot {self.player.name} one of {' '.join(BOTS)}")
        self.say(f"option seed {self.seed} a number from 0")
        self.say(f"option threads {self.threads} a number from 1 to {MOST_THREADS}")

    def set_option(self, rest: str) -> None:
        """Set one."""
        name, _, value = rest.partition(" ")
        if name == "bot":
            self.player = bot(value.strip())
        elif name == "seed":
            self.seed = whole(name, value, 0, (1 << 63) - 1)
        elif name == "threads":
            self.threads = whole(name, value, 1, MOST_THREADS)
        else:
            raise Wrong(f"set: unknown option {name[:40]!r}: choose bot, seed or threads")

    def get_ready(self, _rest: str) -> None:
        """Compile or load what thinking needs, so that it costs none of the time given for a move."""
        if self.player.name not in self.warm and not self._is_thinking():
            self.warm.add(self.player.name)
            game = Game("classic", 2, seed=BENCH_SEED)
            self.player.choose(game.view(game.turn), WARM_UP_BUDGET, 0)
        self.say("ready")

    def forget_game(self, _rest: str) -> None:
        """Forget the position."""
        self.game = self.shown = None
        if hasattr(self.player, "new"):
            self.player.new()

    def look_at(self, rest: str) -> None:
        """Take a position or view; it is kept only if all of it is right."""
        text, _, said = f"{rest} ".partition(" moves ")
        moves = [move.strip() for move in said.split(";") if move.strip()]
        game, shown = dealt(text) if text.split()[:1] == ["deal"] else placed(text.strip())
        if moves and game is None:
            raise Wrong("position: moves cannot be played in a view, since it does not say which cards are turned up")
        if game is not None:
            game.play_all(moves)
            shown = game.position()
        self.game, self.shown = game, shown

    def draw_position(self, _rest: str) -> None:
        """Draw it."""
        self.say(draw(self._position()))

    def tell_legal(self, rest: str) -> None:
        """List the legal moves; whoever plays against us may list them for us, which changes nothing."""
        if not rest:
            self.say(f"legal {'; '.join(str(move) for move in legal_moves(self._decided_from()))}")

    def go(self, rest: str) -> None:
        """Think in a thread, so that `stop` is heard."""
        budget, view = parse_go(rest), self._decided_from()
        self.thinking = Thinking(self.player, view, budget, self.seed, self.threads, self.say)

    def stop(self, _rest: str) -> None:
        """Answer now."""
        if self.thinking is not None:
            self.thinking.stop()

    def bench(self, _rest: str) -> None:
        """Think about fixed positions: a line for each, then the sum."""
        before, moves = time.perf_counter(), []
        for view in bench_views():
            info, best = think(self.player, view, BENCH_BUDGET, BENCH_SEED)
            moves.append(best)
            self.say(f"{info}\n{best}")
        signature = zlib.crc32("\n".join(moves).encode())
        self.say(f"bench positions {len(moves)} seconds {time.perf_counter() - before:.3f} signature {signature:08x}")

    def help(self, _rest: str) -> None:
        """List the commands."""
        self.say(HELP)

    def end(self, wait: bool) -> None:
        """The session ends: at the end of the input a thought is finished, after `quit` it is dropped."""
        if self.thinking is None:
            return
        if wait:
            self.thinking.done.wait()
        self.thinking.forget()

    def _is_thinking(self) -> bool:
        return self.thinking is not None and not self.thinking.done.is_set()

    def _position(self) -> View:
        if self.shown is None:
            raise Wrong("there is no position: say one, such as 'position deal classic 2 7'")
        return self.shown

    def _decided_from(self) -> View:
        """The view of the seat to decide, which is all that a bot is shown."""
        shown = self._position()
        if shown.stage == "over":
            raise Wrong("the game is over: there is nothing to decide")
        if self.game is not None:
            return self.game.view(self.game.turn)
        if shown.seat != shown.turn:
            raise Wrong(f"seat {shown.turn} is to decide, and this is not its view")
        return shown


def dealt(text: str) -> tuple[Game, View]:
    """A fresh deal: `deal VARIANT PLAYERS SEED`."""
    words = text.split()[1:]
    if len(words) != 3:
        raise Wrong("position deal: say the variant, the number of players and the seed")
    game = Game(words[0], whole("players", words[1], 2, 4), seed=whole("seed", words[2], 0, (1 << 63) - 1))
    return game, game.position()


def placed(text: str) -> tuple[Game | None, View]:
    """A position, which is a game, or a view, which is not."""
    shown = parse_position(text)
    return (Game.from_position(shown) if isinstance(shown, Position) else None), shown


def parse_go(text: str) -> Budget:
    """The budget: `nodes N`, `seconds S`, both or none."""
    words = text.split()
    said = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or not said.keys() <= {"nodes", "seconds"} or 2 * len(said) != len(words):
        raise Wrong(f"go: say 'nodes N' or 'seconds S', not {text[:40]!r}")
    nodes = whole("nodes", said["nodes"], 1, 1 << 40) if "nodes" in said else None
    return Budget(nodes, positive(said["seconds"]) if "seconds" in said else None)


def positive(text: str) -> float:
    """A number of seconds."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e6:
        raise Wrong(f"seconds: {text[:40]!r} is not a number above 0")
    return seconds


def whole(name: str, text: str, least: int, most: int) -> int:
    """A whole number within bounds."""
    text = text.strip()
    if not (text.isdecimal() and text.isascii() and len(text) < 20) or not least <= int(text) <= most:
        raise Wrong(f"{name}: {text[:40]!r} is not a number from {least} to {most}")
    return int(text)


def one_line(wrong: Exception) -> str:
    """What is wrong, on one line."""
    return " ".join(str(wrong).split()) or type(wrong).__name__


def bench_views() -> Iterable[View]:
    """A position in the middle of a game for each variant and number of players."""
    for variant, players in BENCH_TABLES:
        game = Game(variant, players, seed=BENCH_SEED, start=0)
        for decision in range(BENCH_DECISIONS):
            game.play(Greedy().choose(game.view(game.turn), Budget(), decision))
        yield game.view(game.turn)


def serve(lines: Iterable[str], say: Callable[[str], None], name: str = "greedy") -> None:
    """A session from its first line to `quit` or the end of the input."""
    engine = Engine(say, name)
    wait = True
    for line in lines:
        if not engine.hear(line):
            wait = False
            break
    engine.end(wait)


def talk(name: str = "greedy", typed: TextIO | None = None, printed: TextIO | None = None) -> None:
    """A session on the standard input and output."""
    source, out = typed or sys.stdin, printed or sys.stdout
    lock = threading.Lock()

    def say(text: str) -> None:
        with lock:
            print(text, file=out, flush=True)

    serve(iter(source.readline, ""), say, name)
