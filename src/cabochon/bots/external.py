"""External programs as bots: a command is started, gets what its seat may know by the line protocol, and answers with a move."""

import os
import shlex
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Queue
from typing import IO

from ..errors import CabochonError
from ..notation.move import Move, parse_move
from ..notation.position import format_position
from ..search.analysis import Signal
from ..search.budget import Budget
from ..view import View
from ..why_not import why_not
from .base import NO_LIMIT, BaseBot, fresh_seed, legal_moves

START_SECONDS = 60.0  # until a program is ready; one that compiles itself first may need many
MOVE_SECONDS = 60.0  # for a move, if the budget has no seconds
GRACE_SECONDS = 5.0  # for a move, on top of the seconds of the budget
EXIT_SECONDS = 1.0  # between `quit` and the kill
MAX_LINE = 1 << 16
MAX_LINES_WAITING = 1000


class ProgramError(CabochonError):
    """A program did not start, ended, was silent for too long, or answered with something that is not a legal move."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds that a program may take: to start, for a move without a budget in seconds, beyond the seconds of its budget."""

    start: float = START_SECONDS
    move: float = MOVE_SECONDS
    grace: float = GRACE_SECONDS

    def for_move(self, budget: Budget) -> float:
        return self.move if budget.seconds is None else budget.seconds + self.grace


def split_command(command: str) -> list[str]:
    """The words of a command line. On Windows a backslash is part of a path and quotes no letter."""
    if os.name != "nt":
        return shlex.split(command)
    return [word.strip('"') for word in shlex.split(command, posix=False)]


class Program:
    """A running program: lines to it and lines from it, each with a timeout."""

    def __init__(self, command: str) -> None:
        try:
            self.process = subprocess.Popen(
                split_command(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ProgramError(f"cannot be started ({error})") from error
        self.lines: Queue[str] = Queue(MAX_LINES_WAITING)
        self.reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self.reader.start()

    def _read(self, output: IO[str]) -> None:
        """Queue the lines. `readline` gives an empty string only at the end of the output; that is queued too, as the mark."""
        while True:
            line = output.readline(MAX_LINE)
            self.lines.put(line)
            if not line:
                return

    def send(self, *lines: str) -> None:
        # That a program has ended is noticed when its answer is awaited.
        with suppress(OSError, ValueError):
            assert self.process.stdin is not None
            self.process.stdin.write("".join(f"{line}\n" for line in lines))
            self.process.stdin.flush()

    def await_line(self, word: str, seconds: float) -> str:
        """The rest of the next line that begins with this word. Other lines are skipped; a line `error` raises."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                line = self.lines.get(timeout=max(deadline - time.monotonic(), 0))
            except Empty:
                raise ProgramError(f"no '{word}' within {seconds:g} s") from None
            if not line:
                raise ProgramError(f"ended without '{word}' ({self._end()})")
            first, _, rest = line.strip().partition(" ")
            if first == word:
                return rest.strip()
            if first == "error":
                raise ProgramError(f"answered 'error {rest}'")

    def _end(self) -> str:
        try:
            return f"exit status {self.process.wait(EXIT_SECONDS)}"
        except subprocess.TimeoutExpired:
            return "its output is closed"

    def stop(self) -> None:
        """Ask it to quit, then kill it with all processes it started."""
        self.send("quit")
        with suppress(OSError):
            self.process.stdin.close()  # type: ignore[union-attr]
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(EXIT_SECONDS)
        self.kill()

    def kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:  # Windows has no groups of processes that end together
                self.process.kill()
        self.process.wait()
        while self.reader.is_alive():  # it may be blocked by a full queue
            with suppress(Empty):
                self.lines.get(timeout=0.01)
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


class ExternalBot(BaseBot):
    """A bot that is a program of its own. It is started for its first move, and again after it has failed."""

    def __init__(self, command: str, name: str = "", timeouts: Timeouts | None = None) -> None:
        self.command, self.name = command, name or command
        self.character = "a program of its own"
        self.timeouts = timeouts or Timeouts()
        self.program: Program | None = None
        self.lock = threading.Lock()

    def start(self) -> None:
        """Start the program and wait until it is ready, unless it runs already."""
        if self.program is not None:
            return
        try:
            self.program = Program(self.command)
            self.program.send("cabochon")
            self.program.await_line("ready", self.timeouts.start)
        except ProgramError as error:
            self._kill()
            raise ProgramError(f"{self.name}: {error}") from error

    def new_game(self) -> None:
        if self.program is not None:
            self.program.send("new")

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int | None = None, stop: Signal | None = None) -> Move:  # noqa: ARG002
        """The program's move; one that gives no legal move is killed. `stop` has no effect."""
        with self.lock:
            self.start()
            assert self.program is not None
            self.program.send(f"set seed {fresh_seed(seed)}", *request(view, budget))
            try:
                return legal_answer(view, self.program.await_line("bestmove", self.timeouts.for_move(budget)))
            except ProgramError as error:
                self._kill()
                raise ProgramError(f"{self.name}: {error}") from error

    def close(self) -> None:
        program, self.program = self.program, None
        if program is not None:
            program.stop()

    def _kill(self) -> None:
        program, self.program = self.program, None
        if program is not None:
            program.kill()


def request(view: View, budget: Budget) -> list[str]:
    """The lines that ask for a decision: what the seat may know, its legal moves, and the budget."""
    moves = "; ".join(str(move) for move in legal_moves(view))
    limits = {"nodes": budget.nodes, "seconds": budget.seconds}
    go = " ".join(["go", *(f"{name} {value}" for name, value in limits.items() if value is not None)])
    return [f"position {format_position(view)}", f"legal {moves}", go]


def legal_answer(view: View, text: str) -> Move:
    """The move that a program answered with; anything but a legal move raises."""
    try:
        move = parse_move(text, view.rules.variant)
    except CabochonError as error:
        raise ProgramError(f"bestmove: {error}") from error
    rule = why_not(view, move)
    if rule is not None:
        raise ProgramError(f"bestmove {move}: {rule.sentence()}")
    return move
