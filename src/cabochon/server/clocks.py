"""A table's clock. It is told the time and never asks for it, so that the log alone says how much everybody has left."""

from typing import Any

from .messages import DaysClock, MoveClock, NoClock, TotalClock

SECONDS_PER_DAY = 86_400.0
LEAST_AFTER_BACK = 60.0


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

    def run(self, seat: int | None, now: float) -> None:
        """From now on this seat's time runs."""
        self.running, self.since = seat, now

    def elapsed(self, now: float) -> float:
        """Seconds the running seat has used since they were last counted."""
        return 0.0 if self.running is None else max(0.0, now - self.since)

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
        self.left[seat] = self.allowance if self.is_per_turn else max(self.left[seat], LEAST_AFTER_BACK)

    @property
    def deadline(self) -> float | None:
        """When the running seat's time is up."""
        return None if self.running is None else self.since + self.left[self.running]

    def out(self, now: float) -> dict[str, Any]:
        """A ClockOut."""
        left = list(self.left)
        if self.running is not None:
            left[self.running] = max(0.0, left[self.running] - self.elapsed(now))
        return {"kind": self.kind, "left": [round(seconds, 3) for seconds in left], "running": self.running}


def clock_of(options: NoClock | MoveClock | TotalClock | DaysClock, players: int) -> TableClock | None:
    """The clock a table agreed on."""
    return None if isinstance(options, NoClock) else TableClock(options, players)
