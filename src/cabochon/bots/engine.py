"""The engine's side of the line protocol, in the style of UCI: text that a person can type. See docs/bots.md."""

import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TextIO

from ..errors import MAX_QUOTED, CabochonError
from ..game import Game
from ..notation.ascii import draw
from ..notation.position import parse_position
from ..rules import compile_progress
from ..search.analysis import Analysis
from ..search.budget import Budget
from ..version import __version__
from ..view import Position, View
from .base import Bot, legal_moves
from .registry import BOTS, bot
from .searchless import Greedy

AUTHOR = "the cabochon project"
MAX_THREADS = 256
MAX_SEED = (1 << 63) - 1
MAX_NODES = 1 << 40
MAX_SECONDS = 1e6
STOP_SECONDS = 1.0  # for a bot that was told to stop; after that greedy's move is played
WARM_UP_BUDGET = Budget(nodes=16)
BENCH_BUDGET = Budget(nodes=1000)
BENCH_SEED = 1
BENCH_DECISIONS = 24
BENCH_TABLES = (("classic", 2), ("classic", 3), ("classic", 4), ("marvel", 2), ("marvel", 3), ("marvel", 4))

WAITING = ("set", "new", "position", "go", "bench")  # these wait until the running search has answered

HELP = """\
cabochon                          answer the name, the author, the options, ready
options                           list the options and their values
set NAME VALUE                    set an option: bot, seed, threads
isready                           answer 'ready' as soon as it is
new                               another game begins
position TEXT [moves M1; M2 ...]  set a position or a view, and play moves in it
position deal VARIANT PLAYERS SEED [moves M1; M2 ...]
show                              draw the position
legal                             list the legal moves
go [nodes N] [seconds S]          search, then answer 'bestmove'
stop                              stop the search and answer the best move so far
bench                             search fixed positions: nodes, seconds, signature
help                              this
quit                              end"""


class EngineError(CabochonError):
    """A line that cannot be carried out; nothing has changed."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a bot has to decide, and with which means."""

    player: Bot
    view: View
    budget: Budget
    seed: int
    threads: int = 1


class Search:
    """One search in a thread of its own. It is answered exactly once: by the bot or, if that does not stop in time, by greedy."""

    def __init__(self, task: Task, write: Callable[[str], None]) -> None:
        self.task, self.write = task, write
        self.lock, self.stopped, self.done = threading.Lock(), threading.Event(), threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._answer(*solve(self.task, self.stopped))
        except Exception as error:  # the session goes on, whatever a bot does
            self._answer(f"error {self.task.player.name}: {one_line(error)}")

    def _answer(self, *lines: str) -> None:
        with self.lock:
            if not self.done.is_set():
                self.write("\n".join(lines))
                self.done.set()

    def stop(self) -> None:
        self.stopped.set()
        self.done.wait(STOP_SECONDS)
        self._answer(f"bestmove {Greedy().choose(self.task.view, Budget(), self.task.seed)}")

    def abandon(self) -> None:
        """Stop it without an answer."""
        self.stopped.set()
        with self.lock:
            self.done.set()


def solve(task: Task, stop: threading.Event | None = None) -> tuple[str, str]:
    """The lines `info` and `bestmove`: with the analysis, if the bot has one and plays by it, else with the time alone."""
    analyst = task.player.analyst
    if analyst is None:
        thought = task.player.think(task.view, task.budget, task.seed, stop)
        return f"info seconds {thought.seconds:.3f}", f"bestmove {thought.move}"
    analysis = analyst.analyse(task.view, task.budget, task.seed, threads=task.threads, stop=stop)
    return describe(analysis), f"bestmove {analysis.best}"


def describe(analysis: Analysis) -> str:
    """The line `info`: nodes, seconds, each seat's chance to win, and the main line."""
    value = " ".join(f"{share:.3f}" for share in analysis.moves[0].values)
    line = "; ".join(str(move) for move in analysis.line)
    return f"info nodes {analysis.nodes} seconds {analysis.seconds:.3f} value {value} line {line}"


class Engine:
    """A session: `read` takes a line of input, `write` is called with each line of output."""

    def __init__(self, write: Callable[[str], None], name: str = "greedy") -> None:
        self.write = write
        self.player = bot(name)
        self.seed, self.threads = 0, 1
        self.game: Game | None = None
        self.view: View | None = None  # what `position` gave: a view, or all of a game's position
        self.search: Search | None = None
        self.warm: set[str] = set()
        self.commands: dict[str, Callable[[str], None]] = {
            "cabochon": self.greet,
            "options": self.list_options,
            "set": self.set_option,
            "isready": self.get_ready,
            "new": self.new_game,
            "position": self.set_position,
            "show": self.show,
            "legal": self.list_legal,
            "go": self.go,
            "stop": self.stop,
            "bench": self.bench,
            "help": self.help,
        }

    def read(self, line: str) -> bool:
        """Carry out a line; whether the session goes on."""
        word, _, rest = line.strip().partition(" ")
        if word == "quit":
            return False
        if word:
            try:
                self._command(word)(rest.strip())
            except Exception as error:  # invalid input is answered with a line, never with a traceback
                self.write(f"error {one_line(error)}")
        return True

    def _command(self, word: str) -> Callable[[str], None]:
        if word not in self.commands:
            raise EngineError(f"unknown command {word[:MAX_QUOTED]!r}: type help")
        if word in WAITING and self.search is not None:
            self.search.done.wait()
        return self.commands[word]

    def greet(self, _rest: str) -> None:
        self.write(f"id name cabochon {__version__}\nid author {AUTHOR}")
        self.list_options("")
        self.get_ready("")

    def list_options(self, _rest: str) -> None:
        self.write(f"option bot {self.player.name} one of {' '.join(BOTS)}")
        self.write(f"option seed {self.seed} a number from 0")
        self.write(f"option threads {self.threads} a number from 1 to {MAX_THREADS}")

    def set_option(self, rest: str) -> None:
        name, _, value = rest.partition(" ")
        if name == "bot":
            self.player = bot(value.strip())
        elif name == "seed":
            self.seed = whole(name, value, 0, MAX_SEED)
        elif name == "threads":
            self.threads = whole(name, value, 1, MAX_THREADS)
        else:
            raise EngineError(f"set: unknown option {name[:MAX_QUOTED]!r}: choose bot, seed or threads")

    def get_ready(self, _rest: str) -> None:
        """Compile or load the search now, so that it does not take time from a budget in seconds."""
        if self.player.name not in self.warm and not self._is_searching():
            self.warm.add(self.player.name)
            game = Game("classic", 2, seed=BENCH_SEED)
            self.player.choose(game.view(game.turn), WARM_UP_BUDGET, 0)
        self.write("ready")

    def new_game(self, _rest: str) -> None:
        self.game = self.view = None
        self.player.new_game()

    def set_position(self, rest: str) -> None:
        """Take a position or a view, and play moves in it. If any part is invalid, the old position stays."""
        text, _, move_list = f"{rest} ".partition(" moves ")
        moves = [move.strip() for move in move_list.split(";") if move.strip()]
        game, view = parse_deal(text) if text.split()[:1] == ["deal"] else parse_table(text.strip())
        if moves and game is None:
            raise EngineError("position: moves cannot be played in a view, since it does not say which cards are turned up")
        if game is not None:
            game.play_all(moves)
            view = game.position()
        self.game, self.view = game, view

    def show(self, _rest: str) -> None:
        self.write(draw(self._position()))

    def list_legal(self, rest: str) -> None:
        """List the legal moves. With moves after it the line is one of those that a host sends: nothing to do."""
        if not rest:
            self.write(f"legal {'; '.join(str(move) for move in legal_moves(self._view_to_decide()))}")

    def go(self, rest: str) -> None:
        """Search in a thread, so that `stop` can be read."""
        budget, view = parse_go(rest), self._view_to_decide()
        self.search = Search(Task(self.player, view, budget, self.seed, self.threads), self.write)

    def stop(self, _rest: str) -> None:
        if self.search is not None:
            self.search.stop()

    def bench(self, _rest: str) -> None:
        """Search fixed positions: two lines for each, then the total. The signature is a checksum of the moves."""
        before, moves = time.perf_counter(), []
        for view in bench_views():
            info, best = solve(Task(self.player, view, BENCH_BUDGET, BENCH_SEED))
            moves.append(best)
            self.write(f"{info}\n{best}")
        signature = zlib.crc32("\n".join(moves).encode())
        self.write(f"bench positions {len(moves)} seconds {time.perf_counter() - before:.3f} signature {signature:08x}")

    def help(self, _rest: str) -> None:
        self.write(HELP)

    def end(self, wait: bool) -> None:
        """The session ends. At the end of the input a running search is finished first; after `quit` it is abandoned."""
        if self.search is None:
            return
        if wait:
            self.search.done.wait()
        self.search.abandon()

    def _is_searching(self) -> bool:
        return self.search is not None and not self.search.done.is_set()

    def _position(self) -> View:
        if self.view is None:
            raise EngineError("there is no position: give one, such as 'position deal classic 2 7'")
        return self.view

    def _view_to_decide(self) -> View:
        """The view of the seat to decide. A bot gets no more than this, even if all of the position is known."""
        view = self._position()
        if view.stage == "over":
            raise EngineError("the game is over: there is nothing to decide")
        if self.game is not None:
            return self.game.view(self.game.turn)
        if view.seat != view.turn:
            raise EngineError(f"seat {view.turn} is to decide, and this is not its view")
        return view


def parse_deal(text: str) -> tuple[Game, View]:
    """A fresh deal: `deal VARIANT PLAYERS SEED`."""
    words = text.split()[1:]
    if len(words) != 3:
        raise EngineError("position deal: give the variant, the number of players and the seed")
    game = Game(words[0], whole("players", words[1], 2, 4), seed=whole("seed", words[2], 0, MAX_SEED))
    return game, game.position()


def parse_table(text: str) -> tuple[Game | None, View]:
    """A position, from which a game can go on, or a view, from which it cannot."""
    view = parse_position(text)
    return (Game.from_position(view) if isinstance(view, Position) else None), view


def parse_go(text: str) -> Budget:
    """The budget: `nodes N`, `seconds S`, both or none."""
    words = text.split()
    limits = dict(zip(words[::2], words[1::2], strict=False))
    if len(words) % 2 or not limits.keys() <= {"nodes", "seconds"} or 2 * len(limits) != len(words):
        raise EngineError(f"go: use 'nodes N' or 'seconds S', not {text[:MAX_QUOTED]!r}")
    nodes = whole("nodes", limits["nodes"], 1, MAX_NODES) if "nodes" in limits else None
    return Budget(nodes, parse_seconds(limits["seconds"]) if "seconds" in limits else None)


def parse_seconds(text: str) -> float:
    try:
        seconds = float(text) if text.isascii() else 0.0  # float() reads the digits of all scripts
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < MAX_SECONDS:
        raise EngineError(f"seconds: {text[:MAX_QUOTED]!r} is not a number above 0")
    return seconds


def whole(name: str, text: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`."""
    text = text.strip()
    if not (text.isdecimal() and text.isascii() and len(text) < 20) or not low <= int(text) <= high:
        raise EngineError(f"{name}: {text[:MAX_QUOTED]!r} is not a number from {low} to {high}")
    return int(text)


def one_line(error: Exception) -> str:
    """The message of an error on one line, since a line is one answer of the protocol."""
    return " ".join(str(error).split()) or type(error).__name__


def bench_views() -> Iterable[View]:
    """A position in the middle of a game for each variant and number of players."""
    for variant, players in BENCH_TABLES:
        game = Game(variant, players, seed=BENCH_SEED, start=0)
        for decision in range(BENCH_DECISIONS):
            game.play(Greedy().choose(game.view(game.turn), Budget(), decision))
        yield game.view(game.turn)


class CompileInfo:
    """Tells the other side that there is a wait: a line when compiling has begun, and one when it is over."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self.write, self.is_told = write, False

    def __call__(self, _count: int, is_done: bool) -> None:
        if is_done == self.is_told:
            self.write("info compiled" if is_done else "info compiling")
        self.is_told = not is_done


def run_session(lines: Iterable[str], write: Callable[[str], None], name: str = "greedy") -> None:
    """A session from its first line to `quit` or the end of the input."""
    engine = Engine(write, name)
    wait = True
    for line in lines:
        if not engine.read(line):
            wait = False
            break
    engine.end(wait)


def main(name: str = "greedy", stdin: TextIO | None = None, stdout: TextIO | None = None) -> None:
    """A session on the standard input and output."""
    source, out = stdin or sys.stdin, stdout or sys.stdout
    lock = threading.Lock()  # the search thread writes too

    def write(text: str) -> None:
        with lock:
            print(text, file=out, flush=True)

    before = compile_progress.tell(CompileInfo(write))
    try:
        run_session(iter(source.readline, ""), write, name)
    finally:
        compile_progress.tell(before)
