"""The one thread that writes.

It gathers what many tables want to store within a few milliseconds into one transaction (group commit), and whoever asked is
told after that transaction was committed.
"""

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.engine import Engine

from . import repository
from .database import first_line, is_of_the_database
from .errors import Refused
from .leases import Lease, Taken
from .nodes import Conflict, Guard, claim

MAX_JOBS_PER_COMMIT = 512
log = logging.getLogger("cabochon.server")


@dataclass(slots=True)
class Job:
    """Something to be stored, all of it or nothing: new log entries, and other statements before them."""

    statements: Sequence[Any] = ()
    entries: Sequence[dict[str, Any]] = ()
    guard: Guard | None = None  # in a cluster: only if no other node has changed the table meanwhile
    done: "asyncio.Future[None] | None" = field(default=None, repr=False)


class Writer:
    """The one thread that writes. It goes on whatever happens; if it has to end, nobody waits for it any more."""

    def __init__(
        self, engine: Engine, window: float, lease: Lease | None = None, failed: Callable[[str], None] = log.critical
    ) -> None:
        self.transaction = engine.begin if lease is None else lease.writing
        self.window = max(0.0, window)
        self.failed = failed
        self.loop = asyncio.get_running_loop()
        self.jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self.commits = self.stored = self.conflicts = 0
        self.has_ended = False
        self.thread = threading.Thread(target=self._run, name="cabochon-writer", daemon=True)
        self.thread.start()

    def store(
        self, *statements: Any, entries: Sequence[dict[str, Any]] = (), guard: Guard | None = None
    ) -> "asyncio.Future[None]":
        """Ask that this is stored; what comes back is done when it is committed, or has failed with a refusal or a Conflict."""
        job = Job(statements, entries, guard, self.loop.create_future())
        self.jobs.put(job)
        assert job.done is not None
        if self.has_ended:
            _tell([job], [RuntimeError("the writer has ended")])
        return job.done

    def stop(self) -> None:
        """Store what is waiting, then end."""
        self.jobs.put(None)
        self.thread.join()

    def _run(self) -> None:
        try:
            while self._write_batch():
                pass
        except BaseException as error:
            log.critical("the thread that writes has ended", exc_info=error)
            self._call(self.failed, "the thread that writes has ended")
        finally:
            self.has_ended = True
            self._give_up()

    def _write_batch(self) -> bool:
        """Store what is waiting; False if that was the last."""
        batch = self._gather()
        jobs = [job for job in batch if job is not None]
        outcomes: Sequence[BaseException | None] = [RuntimeError("the writer has ended")] * len(jobs)
        try:
            outcomes = self._commit(jobs)
        finally:
            self._call(_tell, jobs, outcomes)
        return None not in batch

    def _give_up(self) -> None:
        """Nobody will store what is still waiting."""
        while not self.jobs.empty():
            job = self.jobs.get()
            if job is not None:
                self._call(_tell, [job], [RuntimeError("the writer has ended")])

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        """Call something in the loop's thread, if there is still a loop."""
        try:
            self.loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            log.warning("the server has stopped before everything was stored")

    def _gather(self) -> list[Job | None]:
        """The next job, and those that come within the window."""
        batch = [self.jobs.get()]
        if batch[0] is not None and self.window:
            time.sleep(self.window)
        while len(batch) < MAX_JOBS_PER_COMMIT and batch[-1] is not None and not self.jobs.empty():
            batch.append(self.jobs.get())
        return batch

    def _commit(self, jobs: list[Job]) -> list[Exception | None]:
        """Everything in one transaction; if a job is at fault, each in its own, so that one cannot harm another."""
        try:
            late = self._store(jobs)
        except Exception as error:
            if len(jobs) > 1 and not is_of_the_database(error):
                return [outcome for job in jobs for outcome in self._commit([job])]
            log.warning("could not store: %s", first_line(error))
            if isinstance(error, Taken):
                self._call(self.failed, str(error))
            return [error] * len(jobs)
        return [Conflict(str(job.guard)) if any(job is one for one in late) else None for job in jobs]

    def _store(self, jobs: list[Job]) -> list[Job]:
        """Store these jobs, but for those whose table another node has changed: they are returned."""
        with self.transaction() as connection:
            late = claim(connection, jobs)
            accepted = [job for job in jobs if not any(job is one for one in late)]
            for job in accepted:
                for statement in job.statements:
                    connection.execute(statement)
            rows = [row for job in accepted for row in job.entries]
            if rows:
                repository.add_entries(connection, rows)
        self.commits += 1
        self.stored += len(rows)
        self.conflicts += len(late)
        return late


def _tell(jobs: list[Job], outcomes: Sequence[BaseException | None]) -> None:
    for job, outcome in zip(jobs, outcomes, strict=True):
        if job.done is None or job.done.done():
            continue
        if outcome is None:
            job.done.set_result(None)
        elif isinstance(outcome, Conflict):
            job.done.set_exception(outcome)
        else:
            refusal = Refused("not_stored")
            refusal.__cause__ = outcome
            job.done.set_exception(refusal)
