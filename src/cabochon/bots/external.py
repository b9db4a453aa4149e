"""Foreign programs as bots: a command is started, is told what its seat may know by the line protocol, and answers a move."""

import os
import re
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, Queue
from typing import IO

from ..errors import CabochonError
from ..notation.move import Move, parse_move
from ..notation.position import format_position
from ..search.budget import Budget
from ..view import View
from ..why_not import why_not
from .base import Bot, legal_moves

START_SECONDS = 60.0  # until a program is ready; one that is compiled first may need many
LONGEST_THOUGHT = 60.0  # for a move, if the budget says no seconds
GRACE_SECONDS = 5.0  # for a move, on top of the seconds of the budget
GOODBYE_SECONDS = 1.0
LONGEST_LINE = 1 << 16
MOST_LINES_WAITING = 1000
NAME = re.compile(r"[a-z][a-z0-9_-]{0,30}")


class ProgramError(CabochonError):
    """A foreign program did not start, ended, was silent for too long, or answered with what is no legal move."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a program may take: to start, for a move without a budget in seconds, beyond the seconds of its budget."""

    start: float = START_SECONDS
    move: float = LONGEST_THOUGHT
    grace: float = GRACE_SECONDS

    def for_move(self, budget: Budget) -> float:
        """Seconds until the answer is missing."""
        return self.move if budget.seconds is None else budget.seconds + self.grace


class Program:
    """A running program: lines to it, lines from it, each awaited only so long."""

    def __init__(self, command: str) -> None:
        try:
            self.process = subprocess.Popen(
                shlex.split(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                bufsize=1,
                start_new_session=True,
            )
        except (OSError, ValueError) as wrong:
            raise ProgramError(f"cannot be started ({wrong})") from wrong
        self.lines: Queue[str] = Queue(MOST_LINES_WAITING)
        self.reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self.reader.start()

    def _read(self, output: IO[str]) -> None:
        """Pass lines on; an empty one that has no end marks that there are no more."""
        while True:
            line = output.readline(LONGEST_LINE)
            self.lines.put(line)
            if not line:
                return

    def tell(self, *lines: str) -> None:
        """Send lines. One that has ended is noticed when its answer is awaited."""
        with suppress(OSError, ValueError):
            assert self.process.stdin is not None
            self.process.stdin.write("".join(f"{line}\n" for line in lines))
            self.process.stdin.flush()

    def await_line(self, word: str, seconds: float) -> str:
        """The rest of the next line that begins with this word; other lines are passed over, `error` is one."""
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
        """How a program ended that says no more."""
        try:
            return f"exit status {self.process.wait(GOODBYE_SECONDS)}"
        except subprocess.TimeoutExpired:
            return "its output is closed"

    def stop(self) -> None:
        """Say goodbye, and end it with all that it started."""
        self.tell("quit")
        with suppress(OSError):
            self.process.stdin.close()  # type: ignore[union-attr]
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(GOODBYE_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End it now."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        while self.reader.is_alive():
            with suppress(Empty):
                self.lines.get(timeout=0.01)
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


class ForeignBot:
    """A bot that is a program of its own. It is started for its first move, and again after it has failed."""

    def __init__(self, command: str, name: str = "", patience: Patience | None = None) -> None:
        self.command, self.name = command, name or command
        self.character = "a program of its own"
        self.patience = patience or Patience()
        self.program: Program | None = None
        self.lock = threading.Lock()

    def start(self) -> None:
        """Start the program and greet it, if it does not run yet."""
        if self.program is not None:
            return
        try:
            self.program = Program(self.command)
            self.program.tell("cabochon")
            self.program.await_line("ready", self.patience.start)
        except ProgramError as wrong:
            self._give_up()
            raise ProgramError(f"{self.name}: {wrong}") from wrong

    def new(self) -> None:
        """Tell it that another game begins."""
        if self.program is not None:
            self.program.tell("new")

    def choose(self, view: View, budget: Budget, seed: int) -> Move:
        """Its move; a program that gives none is ended."""
        with self.lock:
            self.start()
            assert self.program is not None
            self.program.tell(f"set seed {seed}", *questions(view, budget))
            try:
                return legal_answer(view, self.program.await_line("bestmove", self.patience.for_move(budget)))
            except ProgramError as wrong:
                self._give_up()
                raise ProgramError(f"{self.name}: {wrong}") from wrong

    def close(self) -> None:
        """End the program."""
        program, self.program = self.program, None
        if program is not None:
            program.stop()

    def _give_up(self) -> None:
        program, self.program = self.program, None
        if program is not None:
            program.kill()


def questions(view: View, budget: Budget) -> list[str]:
    """What a program is told before it thinks: what its seat may know, its legal moves, and how long to think."""
    moves = "; ".join(str(move) for move in legal_moves(view))
    limits = {"nodes": budget.nodes, "seconds": budget.seconds}
    go = " ".join(["go", *(f"{name} {value}" for name, value in limits.items() if value is not None)])
    return [f"position {format_position(view)}", f"legal {moves}", go]


def legal_answer(view: View, text: str) -> Move:
    """The move a program answered with, if it is one and is legal."""
    try:
        move = parse_move(text, view.rules.variant)
    except CabochonError as wrong:
        raise ProgramError(f"bestmove: {wrong}") from wrong
    rule = why_not(view, move)
    if rule is not None:
        raise ProgramError(f"bestmove {move}: {rule.sentence()}")
    return move


def add_bot(name: str, factory: Callable[[], Bot]) -> None:
    """Make a bot known by this name, here and in nobody else's process."""
    from . import BOTS

    if not NAME.fullmatch(name):
        raise CabochonError(f"bot {name!r}: a bot's name is small letters, digits, - and _, and begins with a letter")
    if name in BOTS and not isinstance(BOTS[name], ForeignBot):
        raise CabochonError(f"bot {name!r}: there is a bot of this name already")
    BOTS[name] = factory()


def add_commands(said: Iterable[str]) -> None:
    """Make foreign programs known, each said as NAME=COMMAND."""
    for text in said:
        name, equals, command = text.partition("=")
        if not equals or not command.strip():
            raise CabochonError(f"bot {text!r}: a program is said as NAME=COMMAND")
        add_bot(name.strip(), lambda name=name, command=command: ForeignBot(command.strip(), name.strip()))  # type: ignore[misc]
