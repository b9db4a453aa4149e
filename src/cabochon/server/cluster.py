"""The process as a node of a cluster: it shares tables with other nodes over PostgreSQL, and hears of changes over the broker.

The log is the truth, and no node owns a table. Each node keeps the tables its sockets need, and their versions. A change is
stored only if the node knew the version before; a node that did not is told `Conflict`, reads on, and tries again. After a
commit the version goes over the broker, and every node that has the table reads on from the log and tells its sockets.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from orjson import dumps, loads

from .broadcast import broadcast, tell_chat
from .broker import CHANNEL, LIMITS, Broker, check_address
from .chat import LINE_FIELDS, ChatLine
from .connection import RESTARTING
from .errors import Refused
from .jobs import Jobs
from .nodes import (
    Conflict,
    Guard,
    Time,
    beat,
    first_version,
    forget_dead,
    leave_cluster,
    nodes,
    say_alive,
    set_presence,
)
from .push import news_of
from .repository import Row, Stored
from .room import Room
from .room_state import take_over_state, written_state
from .settings import Settings, Sources
from .shared_limits import SOCKETS_AGAIN_SECONDS, SharedLimits, SharedOpenings, SharedSockets
from .shared_time import SharedTime
from .table import read_entry, read_table
from .tasks import end_tasks

if TYPE_CHECKING:
    from .service import Service

NODE_BYTES = 9
BEAT_SECONDS = 0.25
POLL_SECONDS, POLL_SECONDS_ALONE = 3.0, 0.4  # how often a node looks by itself: with a broker, and without one
PRESENCE_SECONDS = 0.1
READ_SECONDS = 0.002  # tables that change within this time are read together
TRIES = 20  # how often something is tried again because another node came first
SWEEP_SECONDS = 60.0
LIMITS_SECONDS = 0.5
MAX_ANSWER_SECONDS, MAX_BEATS = 0.5, 3  # the time is known to half of what its answer took
Beat = tuple[Time, frozenset[str], float, float]  # the time, the nodes that run, and when it was asked and answered
Found = TypeVar("Found")
log = logging.getLogger("cabochon.server")


class Cluster:
    """What a node knows about the others, and how it keeps up with them."""

    def __init__(self, service: "Service", settings: Settings, *, is_worker: bool) -> None:
        check_address(settings.broker)
        self.service, self.settings, self.is_worker = service, settings, is_worker
        self.jobs: Jobs
        self.node = secrets.token_urlsafe(NODE_BYTES)
        self.address = ""
        self.time = SharedTime()
        self.live: frozenset[str] = frozenset()
        self.broker: Broker
        self.limits = SharedLimits(self.node)
        self.sockets: SharedSockets
        self.beating = ThreadPoolExecutor(1, "cabochon-beat")
        self.tasks: set[asyncio.Task[None]] = set()
        self.behind: dict[str, Room] = {}  # tables that another node has changed
        self.has_news = asyncio.Event()
        self.conflicts = 0

    # from start to stop

    def prepare(self, sources: Sources, address: str) -> Sources:
        """Take the time from PostgreSQL."""
        self.address = address
        self._set(self._beat())
        return replace(sources, clock=self.time.day, playing=self.time)

    async def start(self) -> None:
        """Begin to beat, to listen and to look."""
        self.broker = Broker(self.settings.broker, self._heard, self._look_at_all)
        self.broker.start()
        self.jobs = Jobs(self.service, is_worker=self.is_worker)
        await self.jobs.start()
        for work in (self._beat_for_ever(), self._poll_for_ever(), self._sweep_for_ever(), self._share_limits_for_ever()):
            self._begin(work)
        self._begin(self._read_for_ever())

    async def stop(self) -> None:
        """Leave: the others see at once that nobody is connected here any more."""
        await end_tasks(self.tasks)
        await self.jobs.stop()
        with suppress(Exception):
            await self.service.writer.store(*leave_cluster(self.node))
        await self.broker.stop()
        self.beating.shutdown(wait=False)

    def _begin(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def proof(self) -> Any:
        """A small change that shows that the database can be written to."""
        return nodes.update().where(nodes.c.id == self.node).values(address=self.address)

    # the time and the other nodes

    def _beat(self) -> Beat:
        """Ask for the time; again where the answer was under way for so long that it says little."""
        for _ in range(MAX_BEATS):
            with self.service.repository.engine.begin() as connection:
                live = say_alive(connection, self.node, self.address)
                asked = self.time.monotonic()
                found = beat(connection)
                answered = self.time.monotonic()
            if answered - asked <= MAX_ANSWER_SECONDS:
                break
        return found, live, asked, answered

    def _set(self, answer: Beat) -> None:
        found, live, asked, answered = answer
        self.time.set(found, asked, answered)
        if live != self.live:
            self.live = live
            for room in list(self.service.rooms.values()):
                if self._nodes_changed(room):
                    self._read_soon(room)

    def _nodes_changed(self, room: Room) -> bool:
        """Whoever was connected to a node that is gone is away; whoever is at one that is there again, or is new, is here."""
        return bool(room.nodes.keys() - self.live or room.silent_nodes & self.live)

    async def _beat_for_ever(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                self._set(await loop.run_in_executor(self.beating, self._beat))
            except Exception as error:
                log.warning("this node could not beat: %s", type(error).__name__)
            await asyncio.sleep(BEAT_SECONDS)

    async def _sweep_for_ever(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            with suppress(Refused):
                await self.service.store_at_once(*forget_dead(self.time.day()))

    # changes of this node

    def guard(self, room: Room, *, is_log: bool, state: str | None) -> Guard:
        """What a change has to know."""
        return Guard(room.table.id, room.version, is_log, state)

    def stored(self, room: Room, guard: Guard) -> None:
        """A change of this node is stored: the others are told."""
        room.version = guard.version + 1
        if not guard.is_log:
            room.parts = room.version
        if guard.room is not None:
            room.state = guard.room
        self.broker.tell(f"{CHANNEL}{room.table.id}", f"{self.node} {room.version}".encode())

    def applied(self, room: Room) -> None:
        """Lines of the log were applied: what they did to the room follows from them at every node."""
        room.state = written_state(room)

    async def share(self, room: Room) -> None:
        """Store what has changed in a room beside its table. Its lock is held."""
        state = written_state(room)
        if state != room.state:
            await self.service.store(room, state=state)

    async def insist(self, room: Room, work: Callable[[], Awaitable[Found]]) -> Found:
        """Do something at a table, again if another node came first. What it refuses must be so now, not as far as we knew.

        What has stored something is done, and not done again where only the room could not be shared: it would be refused then.
        """
        found: Any = None
        is_done = False
        for _ in range(TRIES):
            version = room.version
            try:
                found = found if is_done else await work()
                is_done |= room.version > version
                if found is None:
                    await self.share(room)
            except Conflict:
                self.conflicts += 1
            except Refused as refusal:
                if refusal.code == "not_stored" or not await self.is_behind(room):
                    raise
            else:
                return cast(Found, found)
            await self.read_on(room, is_all=True)
        if is_done:
            return cast(Found, found)
        raise Refused("not_stored")

    # changes of other nodes

    def opened(self, room: Room) -> None:
        """A room is in memory from now on."""
        room.on_presence = self._presence_changed
        self.broker.follow(room.table.id)

    def dropped(self, room: Room) -> None:
        """A room is no longer in memory."""
        self.broker.leave(room.table.id)

    def _heard(self, channel: str, message: bytes) -> None:
        if channel == LIMITS:
            self.limits.hear(message)
            return
        node, _, version = message.decode().partition(" ")
        room = self.service.rooms.get(channel.removeprefix(CHANNEL))
        if room is not None and node != self.node and int(version) > room.version:
            self._read_soon(room)

    def _look_at_all(self) -> None:
        self.sockets.untold |= set(self.sockets.open)  # a broker that was started again knows of none
        self._begin(self._poll())

    async def _poll_for_ever(self) -> None:
        while True:
            await asyncio.sleep(POLL_SECONDS if self.broker.is_up else POLL_SECONDS_ALONE)
            await self._poll()

    async def _poll(self) -> None:
        """Look which tables have changed; also tell who is here, where that could not be stored before."""
        known = list(self.service.rooms)
        try:
            found = await asyncio.to_thread(self.service.repository.versions, known) if known else {}
        except Refused:
            return
        for table_id in known:
            room = self.service.rooms.get(table_id)
            if room is None:
                continue
            if found.get(table_id, room.version + 1) > room.version or self._nodes_changed(room):
                self._read_soon(room)
            self._presence_changed(room)

    def _read_soon(self, room: Room) -> None:
        self.behind[room.table.id] = room
        self.has_news.set()

    async def _read_for_ever(self) -> None:
        """Read on with all tables that have changed within a moment at once."""
        while True:
            await self.has_news.wait()
            await asyncio.sleep(READ_SECONDS)
            self.has_news.clear()
            rooms, self.behind = self.behind, {}
            known = {name: room.table.number for name, room in rooms.items()}
            try:
                found = await asyncio.to_thread(self.service.repository.logs_after, known)
            except Refused:
                continue  # the database is away: they will be looked at again
            for name, room in rooms.items():
                self._begin(self._read(room, known[name], found.get(name)))

    async def _read(self, room: Room, number: int, found: tuple[Row, list[Row]] | None) -> None:
        """Read on with one table. What was found after its line `number` is enough if only lines of the log were added."""
        try:
            async with self.service.locked(room):
                if self._nodes_changed(room):
                    await self.read_on(room, is_all=True)
                elif found is None or room.version < found[0]["version"]:
                    await self.read_on(room, found=found if room.table.number == number else None)
        except Refused:
            pass  # it was forgotten, or the database is away: it will be looked at again
        except Exception:
            log.exception("table %s could not be read on", room.table.id)
            self.service.forget(room, RESTARTING, "the table is read again")

    async def is_behind(self, room: Room) -> bool:
        """Whether another node has changed a table since we read it."""
        found = await asyncio.to_thread(self.service.repository.versions, [room.table.id])
        return found.get(room.table.id, room.version + 1) > room.version

    async def freshen(self, room: Room) -> None:
        """Read on if there is something new. What is stored here but not applied yet is waited for: others may know it."""
        if room.lock.locked() or await self.is_behind(room):
            async with self.service.locked(room):
                if await self.is_behind(room):
                    await self.read_on(room)

    async def read_on(self, room: Room, *, is_all: bool = False, found: tuple[Row, Sequence[Row]] | None = None) -> None:
        """Read what other nodes have done, and tell everybody here. The room's lock is held. `found`: what was read already."""
        table, repository = room.table, self.service.repository
        if found is None and not is_all:
            found = await asyncio.to_thread(repository.log_after, table.id, table.number)
        if found is not None and found[0]["parts"] <= room.parts and table.game is not None:
            version, added = found
            for row in added:
                room.apply(read_entry(row))
            room.version, room.state = version["version"], written_state(room)
        else:
            heard = {place: len(lines) for place, lines in table.chat.written.items()}
            stored = await asyncio.to_thread(repository.snapshot, table.id, table.number, heard)
            if stored is None or stored.shared is None:
                self.service.forget(room, RESTARTING, "the table is read again")
                raise Refused("no_table")
            self._take_over(room, stored)
        room.news = news_of(table)  # who stored it tells those who are away
        broadcast(room)
        tell_chat(room)
        if not self.is_worker:
            self.service.start_bots(room)

    def _take_over(self, room: Room, stored: Stored) -> None:
        table = room.table
        table.take_over(read_table(replace(stored, chat=())))
        if table.game is None and table.status in ("running", "finished"):
            table.status = "running"
            room.begin(stored.table["began"])
        for row in stored.entries:
            room.apply(read_entry(row))
        for row in stored.chat:
            table.chat.add(ChatLine(**{name: row[name] for name in LINE_FIELDS}))
        self.take_over_rest(room, stored)

    def take_over_rest(self, room: Room, stored: Stored) -> None:
        """The version, the state and the presence of a room whose table was just read."""
        assert stored.shared is not None
        room.version = stored.shared["version"]
        room.parts = stored.shared["parts"]
        if not take_over_state(room, stored.shared["room"]) and room.table.status == "dealing":
            self.service.deal_again(room)
        room.state = written_state(room)
        at_nodes = {row["node"]: (loads(row["seats"]), row["spectators"]) for row in stored.presence}
        others = {node: here for node, here in at_nodes.items() if node != self.node}
        room.nodes = {node: here for node, here in others.items() if node in self.live}
        room.silent_nodes = others.keys() - self.live
        room.told_presence = at_nodes.get(self.node, ([], 0))
        room.note_presence()

    async def with_version(self, table_id: str) -> Stored | None:
        """A stored table with its version, which one of an older server is given now."""
        stored = await asyncio.to_thread(self.service.repository.snapshot, table_id)
        if stored is not None and stored.shared is None:
            await self.service.store_at_once(*first_version(table_id))
            stored = await asyncio.to_thread(self.service.repository.snapshot, table_id)
        return stored

    # presence

    def _presence_changed(self, room: Room) -> None:
        if room.presence() != room.told_presence and not room.is_telling_presence:
            room.is_telling_presence = True
            self._begin(self._tell_presence(room))

    async def _tell_presence(self, room: Room) -> None:
        """Store who is connected here; those who come and go within a moment at once."""
        await asyncio.sleep(PRESENCE_SECONDS)
        room.is_telling_presence = False
        with suppress(Refused, Conflict):  # it is looked at again soon
            async with self.service.locked(room):
                for _ in range(TRIES):
                    here = room.presence()
                    if here == room.told_presence:
                        return
                    guard = self.guard(room, is_log=False, state=None)
                    try:
                        await self.service.writer.store(*set_presence(room.table.id, self.node, *here), guard=guard)
                    except Conflict:
                        await self.read_on(room, is_all=True)
                        continue
                    room.told_presence = here
                    self.stored(room, guard)
                    return

    # limits

    def socket_counts(self, max_spectators: int, max_seated: int) -> SharedSockets:
        """The open sockets of each address at all nodes."""
        self.sockets = SharedSockets(self, max_spectators, max_seated)
        return self.sockets

    def openings(self) -> SharedOpenings:
        """From where waiting tables were opened, at all nodes."""
        return SharedOpenings(self)

    async def _share_limits_for_ever(self) -> None:
        loop = asyncio.get_running_loop()
        told_all = loop.time()
        while True:
            await asyncio.sleep(LIMITS_SECONDS)
            if (spent := self.limits.spent()) is not None:
                self.broker.tell(LIMITS, dumps(spent))
            is_all = loop.time() - told_all > SOCKETS_AGAIN_SECONDS
            told_all = loop.time() if is_all else told_all
            await self.sockets.tell(is_all=is_all)
