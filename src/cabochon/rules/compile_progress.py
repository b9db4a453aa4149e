"""How far compiling is. The first use of a function compiles it, which takes seconds and would else look like a standstill.

By default a line tells of it on a terminal and in a notebook, and nothing is written where nobody watches. `tell` says it to
somebody else: the engine's protocol, the server.
"""

import sys
import time
from collections.abc import Callable

PATIENCE = 1.0  # seconds before a line is worth it
BETWEEN_LINES = 0.1
Listener = Callable[[int, bool], None]  # how many functions are compiled, and whether that is all for now


def is_watched() -> bool:
    """Whether somebody sees what is written: on a terminal, or in a notebook."""
    return sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)


def write_line(count: int, is_done: bool) -> None:
    """One line that is written again and again, and taken away at the end."""
    if is_watched():
        line = f"Compiling for the first use: {count} functions ..."
        print(f"\r{' ' * len(line) if is_done else line}", end="\r" if is_done else "", file=sys.stderr, flush=True)


class _Progress:
    """Of the functions that are compiled within one call from Python."""

    def __init__(self) -> None:
        self.listener: Listener | None = write_line
        self.depth = self.count = 0
        self.is_told = False
        self.next_line = 0.0

    def begin(self) -> None:
        if self.depth == 0:
            self.next_line = time.monotonic() + PATIENCE
        self.depth += 1

    def step(self, *, is_long: bool = False) -> None:
        """One function more; `is_long`: LLVM will take its time now, without another step."""
        self.count += 1
        if self.listener is not None and (is_long or time.monotonic() >= self.next_line):
            self.next_line = time.monotonic() + BETWEEN_LINES
            self.is_told = True
            self.listener(self.count, self.depth == 0)

    def end(self) -> None:
        self.depth -= 1
        if self.depth == 0 and self.is_told and self.listener is not None:
            self.is_told = False
            self.listener(self.count, self.depth == 0)


progress = _Progress()


def tell(listener: Listener | None) -> Listener | None:
    """From now on this listener is told of compiling; None: nobody. Returns the one before."""
    before, progress.listener = progress.listener, listener
    return before
