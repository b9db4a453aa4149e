"""A connection to PostgreSQL with a time limit for every answer.

PostgreSQL's own limits need a PostgreSQL that runs, and those of the line a machine that does not answer. A process that stands
still on a machine that is well, because its disk hangs or somebody stopped it, is noticed here only.
"""

import time
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

Result = TypeVar("Result")


class TimeoutConnection(psycopg.Connection[Any]):
    """Every exchange with the server ends within some seconds, or the connection does."""

    answer_seconds: float

    def wait(self, gen: PQGen[Result], *arguments: Any, **settings: Any) -> Result:
        """Wait for an answer, but not for ever."""
        return super().wait(self._limited(gen), *arguments, **settings)

    def _limited(self, exchange: PQGen[Result]) -> PQGen[Result]:
        """The same exchange; psycopg comes by several times a second although nothing was received."""
        deadline = time.monotonic() + self.answer_seconds
        try:
            waited_for = next(exchange)
            while True:
                ready = yield waited_for
                if not ready and time.monotonic() > deadline:
                    self.pgconn.finish()
                    raise psycopg.OperationalError(f"no answer from PostgreSQL for {self.answer_seconds:g} seconds")
                waited_for = exchange.send(ready)
        except StopIteration as end:
            result: Result = end.value
            return result
