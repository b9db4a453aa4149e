"""The jobs of a cluster, on a queue in PostgreSQL (Procrastinate): bots' turns, clocks of tables where nobody is, and reviews.

Nodes ask for jobs, workers (`cabochon worker`) do them. A job may be done twice, or by two workers at once: what it stores has a
number in the log, or is the same every time. A job may be lost too, with the worker that had it: whoever waits for it asks again.
"""

import asyncio
import logging
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import procrastinate
import sqlalchemy as sa
from procrastinate import exceptions
from procrastinate.schema import SchemaManager
from psycopg import OperationalError
from psycopg.conninfo import make_conninfo
from psycopg_pool import PoolTimeout
from sqlalchemy.engine import Connection, make_url

from .database import CONNECT_SECONDS, postgresql_limits
from .errors import Refused

if TYPE_CHECKING:
    from .room import Room
    from .service import Service

BOTS, CLOCK, REVIEW, SWEEP = "cabochon.bots", "cabochon.clock", "cabochon.review", "cabochon.sweep"
POLL_SECONDS = 0.5  # of a worker: when a clock is up it is noticed within this
BEAT_SECONDS, STALLED_SECONDS = 2.0, 10.0
PAUSE_SECONDS = 0.5  # after the queue was away
STOP_SECONDS = 5.0
AGAIN_SECONDS = 4.0  # a bot that has not moved so long after its usual time is asked for again: its worker may be gone
CONCURRENT_JOBS = 100  # most of them wait: for a process of the pool, or a bot's delay
GONE = (exceptions.ConnectorException, exceptions.AppNotOpen, OperationalError, PoolTimeout, OSError, TimeoutError)
ORPHANS = sa.text(
    """
    SELECT id FROM tables WHERE status = 'running' AND timed AND NOT EXISTS (
        SELECT FROM procrastinate_jobs WHERE status = 'todo' AND queueing_lock LIKE 'clock ' || tables.id || ' %'
    )
    """
)
log = logging.getLogger("cabochon.server")


def add_queue(connection: Connection) -> None:
    """Make the queue's own tables, once. Nobody else does it meanwhile (`one_at_a_time`)."""
    if not sa.inspect(connection).has_table("procrastinate_jobs"):
        cursor = connection.connection.cursor()  # many statements at once, without placeholders
        cursor.execute(SchemaManager.get_schema())
        cursor.close()


def connection_to_queue(database: str) -> str:
    """How libpq connects to the queue of this database: with the limits of all other connections.

    Without them a worker would wait for hours over a line that is dead without a word.
    """
    url = make_url(database)
    limits = postgresql_limits(url)
    said: dict[str, Any] = {**url.translate_connect_args(username="user", database="dbname"), **url.query}
    return make_conninfo(**{**limits, "application_name": "cabochon-jobs", **said, "options": limits["options"]})


class Jobs:
    """The queue as a node or a worker uses it."""

    def __init__(self, service: "Service", *, is_worker: bool) -> None:
        self.service, self.is_worker = service, is_worker
        connector = procrastinate.PsycopgConnector(
            conninfo=connection_to_queue(service.repository.url),
            min_size=1,
            max_size=4,
            timeout=CONNECT_SECONDS,
            reconnect_timeout=0,
        )
        self.app = procrastinate.App(connector=connector)
        self.asked = self.done = self.failed = 0
        self.tasks: set[asyncio.Task[None]] = set()
        self._add_tasks()

    def _add_tasks(self) -> None:
        self.app.task(name=BOTS)(self._counted(self._play_bots))
        self.app.task(name=CLOCK)(self._counted(self._look_at_clock))
        self.app.task(name=REVIEW)(self._counted(self._review))
        self.app.periodic(cron="* * * * *")(self.app.task(name=SWEEP, queueing_lock=SWEEP)(self._sweep))

    async def start(self) -> None:
        """Open the queue; a worker begins to work."""
        self._begin(self._work_for_ever() if self.is_worker else self._open())

    async def stop(self) -> None:
        """Finish what is begun, for a moment."""
        for task in list(self.tasks):
            task.cancel()
        await asyncio.wait([asyncio.gather(*self.tasks, return_exceptions=True)], timeout=STOP_SECONDS)
        with suppress(Exception):
            await asyncio.wait_for(self.app.close_async(), STOP_SECONDS)

    def _begin(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    # asking for them

    def want_bot(self, room: "Room") -> None:
        """A bot is to decide. Asked for once, and again if nothing has happened for too long."""
        table, now = room.table, self.service.sources.playing()
        wait = AGAIN_SECONDS + self.service.settings.bot_delay + self.service.settings.bot_seconds
        if room.bot_wanted[0] == table.number and now - room.bot_wanted[1] < wait:
            return
        room.bot_wanted = table.number, now
        self._begin(self._ask_for_bot(room))

    async def _ask_for_bot(self, room: "Room") -> None:
        table = room.table
        if not await self._ask(BOTS, f"bots {table.id} {table.number}", table=table.id, number=table.number):
            room.bot_wanted = -1, 0.0  # so that the next look asks again

    def want_clock(self, room: "Room") -> None:
        """Somebody's time runs: look at the clock when it is up."""
        table = room.table
        deadline = table.deadline
        if deadline is None or room.clock_wanted == (table.number, deadline):
            return
        room.clock_wanted = table.number, deadline
        at = self.service.sources.clock() + max(0.0, deadline - self.service.sources.playing())
        name = f"clock {table.id} {table.number}"
        when = datetime.fromtimestamp(at, UTC)
        self._begin(self._ask(CLOCK, name, schedule_at=when, table=table.id, number=table.number))

    async def want_review(self, review_id: str) -> None:
        """Somebody waits for a review."""
        await self._ask(REVIEW, f"review {review_id}", review=review_id)

    async def _ask(self, task: str, lock: str, schedule_at: datetime | None = None, **arguments: Any) -> bool:
        """Put a job on the queue, unless it waits there already; False if the queue is away."""
        options: dict[str, Any] = {} if schedule_at is None else {"schedule_at": schedule_at}
        try:
            await self.app.configure_task(task, queueing_lock=lock, **options).defer_async(**arguments)
            self.asked += 1
        except exceptions.AlreadyEnqueued:
            pass
        except GONE as error:
            log.warning("a job could not be asked for: %s", type(error).__name__)
            return False
        return True

    # doing them

    def _counted(self, work: Any) -> Any:
        async def counted(**arguments: Any) -> None:
            try:
                await work(**arguments)
                self.done += 1
            except Refused as refusal:
                log.warning("a job was not done: %s", refusal)
                self.failed += 1
            except Exception:
                log.exception("a job failed")
                self.failed += 1

        return counted

    async def _play_bots(self, table: str, number: int) -> None:
        room = await self.service.room(table)
        if room.table.number >= number:
            self.service.start_bots(room)
        if room.thinking:
            await asyncio.wait({room.thinking})

    async def _look_at_clock(self, table: str, number: int) -> None:
        room = await self.service.room(table)
        if room.table.number > number:
            return
        await self.service.look_at_clock(room)
        self.want_clock(room)  # it was held meanwhile
        if room.thinking:
            await asyncio.wait({room.thinking})

    async def _review(self, review: str) -> None:
        await self.service.reviews.make(review)

    async def _sweep(self, timestamp: int) -> None:
        """Tables with a clock that no job looks at: their node was killed before it could ask."""
        del timestamp
        for table_id in await asyncio.to_thread(self._orphans):
            with suppress(Refused):
                self.want_clock(await self.service.room(table_id))

    def _orphans(self) -> list[str]:
        with self.service.repository.reading() as connection:
            return list(connection.scalars(ORPHANS))

    async def _open(self) -> None:
        while True:
            try:
                await self.app.open_async()
            except GONE:
                await asyncio.sleep(PAUSE_SECONDS)
            else:
                return

    async def _work_for_ever(self) -> None:
        """Work; when the queue was away, begin again."""
        while True:
            await self._open()
            try:
                await self.app.run_worker_async(
                    name=self.service.cluster.node if self.service.cluster else "worker",
                    concurrency=CONCURRENT_JOBS,
                    fetch_job_polling_interval=POLL_SECONDS,
                    update_heartbeat_interval=BEAT_SECONDS,
                    stalled_worker_timeout=STALLED_SECONDS,
                    shutdown_graceful_timeout=STOP_SECONDS,
                    delete_jobs="always",
                    install_signal_handlers=False,
                )
            except asyncio.CancelledError:
                raise
            except Exception as error:
                log.warning("the queue of jobs is away: %s", type(error).__name__)
            await asyncio.sleep(PAUSE_SECONDS)
