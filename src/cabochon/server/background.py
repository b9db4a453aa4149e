"""Work of low priority in the bots' pool: reviews and whatever else is studied. No table ever waits for it.

A job (a review) is done in pieces (its decisions). A piece begins only while a worker is free and no table waits for one. A table
that asks while all workers are busy interrupts a piece: that ends within a millisecond, and is done again later. The pieces of
several jobs take turns, first come first served, so that each job shows its first results soon.
"""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from ..errors import Interrupted
from ..search.analysis import Signal
from .errors import Refused

if TYPE_CHECKING:
    from .bot_pool import BotPool, Worker

PIECE_SECONDS = 60.0  # a piece takes a second or less; a worker that is busy for so long is stuck
Found = TypeVar("Found")
Piece = Callable[[Signal], Found]  # in a worker; when the signal is set it raises Interrupted, or returns what it has


class WorkFailed(Exception):
    """A piece raised an exception; the worker it ran in is well."""


class Place(Protocol):
    """Where a piece can run: a worker, or a thread of a server without workers."""

    def begin(self) -> None:
        """Get ready for a piece. From now on it can be interrupted, even before it has begun."""

    async def work(self, piece: Piece[Found]) -> Found:
        """Run a piece."""

    def interrupt(self) -> None:
        """Tell the running piece to stop."""


class ThreadPlace:
    """A thread of the server, where there are no workers."""

    def __init__(self) -> None:
        self.stop = threading.Event()

    def begin(self) -> None:
        """Get ready for a piece."""
        self.stop.clear()

    async def work(self, piece: Piece[Found]) -> Found:
        """Run a piece."""
        return await asyncio.to_thread(piece, self.stop)

    def interrupt(self) -> None:
        """Tell the running piece to stop."""
        self.stop.set()


class Background:
    """The queue of pieces, and who has how many jobs."""

    def __init__(self, pool: "BotPool") -> None:
        self.pool = pool
        self.thread = None if pool.workers else ThreadPlace()
        self.turns: deque[asyncio.Future[Place]] = deque()  # of the pieces that wait, the next one first
        self.running: list[Place] = []  # those that were not interrupted yet
        self.working: set[asyncio.Task[Any]] = set()
        self.jobs: Counter[str] = Counter()  # by guest and by address
        self.job_count = 0
        self.is_stopped = False

    # who may ask

    @contextmanager
    def job(self, guest: str, address: str) -> Iterator[None]:
        """A job's place among all jobs. Refused if there are too many: of this guest, from this address, or in all."""
        settings = self.pool.settings
        if self.job_count >= settings.max_studies:
            raise _busy("too_many_studies", settings.max_studies)
        owners = {f"guest {guest}": settings.max_studies_per_guest, f"address {address}": settings.max_studies_per_address}
        for owner, most in owners.items():
            if self.jobs[owner] >= most:
                raise _busy("too_many_own_studies", most)
        self.jobs.update(owners.keys())
        self.job_count += 1
        try:
            yield
        finally:
            self.job_count -= 1
            self.jobs -= Counter(owners.keys())

    # pieces

    async def run(self, piece: Piece[Found]) -> Found:
        """What a piece finds. It waits while tables are served, and is done again if it was interrupted."""
        is_first = False
        while True:
            place = await self._turn(first=is_first)
            working = asyncio.create_task(self._work(place, piece))
            self.working.add(working)
            working.add_done_callback(self._worked)
            try:
                return await asyncio.shield(working)
            except Interrupted:
                is_first = True
            except asyncio.CancelledError:
                place.interrupt()  # the worker is well, and is given back when the piece has ended
                raise

    async def _work(self, place: Place, piece: Piece[Found]) -> Found:
        try:
            found = await asyncio.wait_for(place.work(piece), PIECE_SECONDS)
        except (Interrupted, WorkFailed):
            self._leave(place)
            raise
        except BaseException:
            self._leave(place, is_well=False)
            raise
        self._leave(place)
        return found

    def _worked(self, working: asyncio.Task[Any]) -> None:
        self.working.discard(working)
        if not working.cancelled():
            working.exception()  # nobody may wait for it any more

    async def _turn(self, *, first: bool) -> Place:
        if self.is_stopped:
            raise asyncio.CancelledError
        turn: asyncio.Future[Place] = asyncio.get_running_loop().create_future()
        (self.turns.appendleft if first else self.turns.append)(turn)
        self.look()
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave(turn.result())
            raise

    def look(self) -> None:
        """Begin with pieces while there is room for them. Called whenever a worker may have become free."""
        while self.turns and not self.is_stopped:
            if self.turns[0].done():  # whoever waited has given up
                self.turns.popleft()
            elif (place := self._free_place()) is not None:
                place.begin()
                self.running.append(place)
                self.turns.popleft().set_result(place)
            else:
                return

    def _free_place(self) -> Place | None:
        if self.thread:
            return None if self.working or self.pool.due else self.thread
        return self.pool.free.get_nowait() if self.pool.ready > self.pool.waiting else None

    def _leave(self, place: Place, *, is_well: bool = True) -> None:
        if place in self.running:
            self.running.remove(place)
        if self.thread is None and not self.is_stopped:
            self.pool.take_back(cast("Worker", place), is_well=is_well)
        self.look()

    def interrupt(self) -> bool:
        """Make room for a table; False if there is nothing to interrupt. The piece that began last has lost least."""
        if not self.running:
            return False
        self.running.pop().interrupt()
        return True

    def stop(self) -> None:
        """Nothing begins any more; what runs is interrupted, and whoever waits is cancelled."""
        self.is_stopped = True
        while self.interrupt():
            pass
        for turn in self.turns:
            turn.cancel()
        self.turns.clear()


def _busy(code: str, most: int) -> Refused:
    refusal = Refused(code, most=most)
    refusal.retry_after = 10.0
    return refusal
