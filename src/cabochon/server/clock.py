"""A table's clock. It is told the time and never asks for it, so that the log alone says how much everybody has left.

Clocks run on playing time, which nobody can set; the log has the time of day, by which only a game of days goes on while the
server is down.
"""

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from .messages import DaysClock, MoveClock, NoClock, TotalClock

SECONDS_PER_DAY = 86_400.0
MIN_SECONDS_AFTER_BACK = 60.0
PAUSE_SECONDS = 2.0


class Moment(NamedTuple):
    """A moment by both clocks: the time of day, which the log has, and playing time."""

    day: float
    playing: float


class PlayingTime:
    """Monotonic seconds without those in which this process stood still: suspended, stopped, or its machine swapping.

    A heart has to beat more often than every `longest_pause` seconds; where it did not, nobody could have moved.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic, longest_pause: float = PAUSE_SECONDS) -> None:
        self.monotonic, self.longest_pause = monotonic, longest_pause
        self.last_beat: float | None = None
        self.paused = 0.0
        self.lock = threading.Lock()

    def __call__(self) -> float:
        """The time, in seconds since some moment."""
        with self.lock:
            now = self.monotonic()
            if self.last_beat is not None and now - self.last_beat > self.longest_pause:
                self.paused += now - self.last_beat
                self.last_beat = now
            return now - self.paused

    def beat(self) -> None:
        """Say that the process runs."""
        self.last_beat = self() + self.paused


class TableClock:
    """Seconds left for every seat. A seat that a bot plays for has no time to lose."""

    def __init__(self, options: MoveClock | TotalClock | DaysClock, players: int) -> None:
        self.kind = options.kind
        self.allowance = options.days * SECONDS_PER_DAY if isinstance(options, DaysClock) else float(options.seconds)
        self.increment = float(options.increment) if isinstance(options, TotalClock) else 0.0
        self.is_per_turn = not isinstance(options, TotalClock)
        self.left = [self.allowance] * players
        self.running: int | None = None
        self.since = 0.0
        self.held_since: float | None = None
        self.changed = 0.0

    def run(self, seat: int | None, now: float) -> None:
        """From now on this seat's time runs."""
        self.running, self.since, self.held_since = seat, now, None

    def hold(self, now: float) -> None:
        """No time runs until it is released: the seat to decide is asked something, and need not hurry."""
        if self.held_since is None:
            self.held_since = now

    def release(self, now: float) -> None:
        """The time of the seat to decide goes on."""
        if self.held_since is not None:
            self.since += max(0.0, now - self.held_since)
            self.held_since = None

    def catch_up(self, now: float, time_of_day: float) -> None:
        """The server has started again: only a game of days went on meanwhile, since the log's last change."""
        away = max(0.0, time_of_day - self.changed) if self.kind == "days" else 0.0
        self.run(self.running, now - away)

    def elapsed(self, now: float) -> float:
        """Seconds the running seat has used since they were last counted."""
        until = now if self.held_since is None else self.held_since
        return 0.0 if self.running is None else max(0.0, until - self.since)

    def charge(self, seconds: float) -> None:
        """Take seconds from the running seat."""
        if self.running is not None:
            self.left[self.running] = max(0.0, self.left[self.running] - seconds)

    def end_turn(self, seat: int) -> float:
        """A turn is over; what was left before the seat got its time for the next one."""
        before = self.left[seat]
        self.left[seat] = self.allowance if self.is_per_turn else before + self.increment
        return before

    def take_back(self, seat: int, before: float | None) -> None:
        """A move is taken back. If it had ended a turn, its seat goes on with the time it had, and the next turn is not begun."""
        if before is None:
            return
        if self.is_per_turn:
            self.left = [self.allowance] * len(self.left)
        self.left[seat] = before if self.is_per_turn else self.left[seat] - self.increment

    def come_back(self, seat: int) -> None:
        """A user takes the seat back from a bot, with time enough to think."""
        self.left[seat] = self.allowance if self.is_per_turn else max(self.left[seat], MIN_SECONDS_AFTER_BACK)

    @property
    def deadline(self) -> float | None:
        """When the running seat's time is up; None while no time runs."""
        return None if self.running is None or self.held_since is not None else self.since + self.left[self.running]

    def out(self, now: float) -> dict[str, Any]:
        """A ClockOut."""
        left = list(self.left)
        if self.running is not None:
            left[self.running] = max(0.0, left[self.running] - self.elapsed(now))
        running = self.running if self.held_since is None else None
        return {"kind": self.kind, "left": [round(seconds, 3) for seconds in left], "running": running}


def clock_of(options: NoClock | MoveClock | TotalClock | DaysClock, players: int) -> TableClock | None:
    """The clock a table agreed on."""
    return None if isinstance(options, NoClock) else TableClock(options, players)
