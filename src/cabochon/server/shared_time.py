"""The time that all nodes of a cluster share: PostgreSQL's, which each node asks for several times a second."""

import time
from collections.abc import Callable

from .clock import PlayingTime
from .nodes import MAX_PAUSE_SECONDS, Time

STILL_SECONDS = 0.75 * MAX_PAUSE_SECONDS  # what is shown stays within a second of what PostgreSQL will have counted


class SharedTime(PlayingTime):
    """The cluster's playing time and time of day, between two answers of PostgreSQL by this machine's monotonic clock.

    While PostgreSQL is away playing time stands still after a moment: nobody can move.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__(monotonic)
        self.known, self.at = Time(time.time(), 0.0), monotonic()

    def set(self, known: Time, asked: float, answered: float) -> None:
        """PostgreSQL has said what time it was, between these moments of the monotonic clock."""
        self.known, self.at = known, (asked + answered) / 2

    def __call__(self) -> float:
        """The playing time."""
        return self.known.playing + min(self.monotonic() - self.at, STILL_SECONDS)

    def day(self) -> float:
        """The time of day."""
        return self.known.day + self.monotonic() - self.at

    def beat(self) -> None:
        """Nothing: the cluster beats."""
