"""The service: it finds and creates tables, stores what happens and applies it, runs the bots and checks the clocks."""

import asyncio
import gc
import logging
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from orjson import Fragment, dumps

from ..bots import BOTS
from ..errors import CabochonError
from ..notation.move import Move
from ..rules.deal import ANY_START
from ..ruleset import Ruleset
from ..study.known import parse_known
from .bot_pool import BotPool
from .broadcast import broadcast, listed_out, tell_chat
from .chat import ChatLine
from .clock import SECONDS_PER_DAY
from .commitment import commitment_2, commitment_3
from .connection import RESTARTING
from .database import trouble_sentence
from .errors import Refused
from .expiry import expire_for_ever
from .gc_tuning import Collector, give_back_memory, take_over
from .identity import Guests, first_name
from .messages import TableOptions
from .metrics import Waits
from .nodes import Conflict, first_version
from .push import Pusher
from .rate_limit import Buckets, Openings, SocketCounts
from .repository import (
    MAX_LISTED,
    Repository,
    Stored,
    add_chat,
    entry_row,
    insert_table,
    seat_row,
    set_holder,
    set_kicked,
    set_nonces,
    set_seal,
    set_seen,
    update_seats,
    update_table,
)
from .reviews import Reviews
from .room import Room
from .serialise import result_out
from .settings import Settings, Sources, default_database
from .shared_deals import SharedDeal, choose_alike
from .table import Entry, Seat, SeatChange, Series, Table, load_table, read_table
from .tasks import end_tasks
from .writer import Writer

if TYPE_CHECKING:
    from .cluster import Cluster

KEY_BYTES = 32
LISTED_SECONDS = SECONDS_PER_DAY
LINKS_PER_MINUTE, RENAMES_PER_MINUTE = 60.0, 60.0
TIMED_SECONDS = 60.0  # how often running tables with a clock are looked for that are not in memory
RETRY_SECONDS = 1.0
SEEN_SECONDS = SECONDS_PER_DAY  # how often is stored that a guest was here
HEALTH_SECONDS = 3.0  # how long the database may take before it is called unwell
PROBE_SECONDS = 1.0  # however often somebody asks, it is tried no more often than this
INTEGRITY_SECONDS, INTEGRITY_SHARE = 60.0, 0.01  # how often the whole file is looked at, and the share of all time that may take
INTEGRITY_STOP_SECONDS = 5.0
TICKS_TO_A_PAUSE = 8
MAX_DRAIN_SECONDS, DRAIN_PAUSE = 3.0, 0.05
MOVE_BURST_SECONDS = 12
HEAVY_AT_ONCE = 2
MAX_READ_FOR_A_LIST = 10
MAX_HINT_SECONDS = 30.0
WORKER_IDLE_SECONDS = 60.0  # a worker of a cluster reads on with a table that it played at for so long
READ_AGAIN = "the table is read again"  # why sockets are closed
LATE_PER_SECOND, LATE_AT_ONCE = 0.5, 10.0
Found = TypeVar("Found")
log = logging.getLogger("cabochon.server")


def nothing() -> None:
    """Do nothing."""


class Service:
    """The rooms in memory, and what they share: repository, writer, bots and rate limits."""

    def __init__(
        self, settings: Settings, sources: Sources, progress: Callable[[int, int], None], *, is_worker: bool = False
    ) -> None:
        self.settings, self.sources = settings, sources
        self.repository = Repository(settings.database or default_database(), is_shared=bool(settings.broker))
        self.cluster = _cluster(self, is_worker=is_worker)
        self.bots: BotPool
        self.writer: Writer
        self.guests: Guests
        self.collector: Collector
        self.progress = progress
        self.rooms: dict[str, Room] = {}
        self.loading: dict[str, asyncio.Future[Room]] = {}
        self.creations = Buckets(settings.tables_per_minute / 60, settings.tables_per_minute)
        self.daily_creations = Buckets(settings.max_tables_per_day / SECONDS_PER_DAY, settings.max_tables_per_day)
        self.visits = Buckets(LINKS_PER_MINUTE / 60, LINKS_PER_MINUTE)
        self.renames = Buckets(RENAMES_PER_MINUTE / 60, RENAMES_PER_MINUTE)
        self.moves = Buckets(settings.max_moves_per_second, settings.max_moves_per_second * MOVE_BURST_SECONDS)
        self.takebacks = Buckets(settings.max_takebacks_per_minute / 60, settings.max_takebacks_per_minute)
        self.chats = Buckets(settings.max_chat_per_minute / 60, settings.max_chat_per_minute / 2)
        self.chats_from = Buckets(settings.max_chat_per_minute_per_address / 60, settings.max_chat_per_minute_per_address / 2)
        self.reads = Buckets(settings.max_reads_per_minute / 60, settings.max_reads_per_minute / 2)
        self.reconnects = Buckets(LATE_PER_SECOND, LATE_AT_ONCE)  # guests whose address has used up its reads
        if self.cluster:
            shared = ("creations", "daily_creations", "visits", "renames", "moves", "takebacks", "chats", "chats_from", "reads")
            self.cluster.limits.add(**{name: getattr(self, name) for name in shared})
        most_sockets = settings.max_sockets_per_address, settings.max_seated_sockets_per_address
        self.sockets = self.cluster.socket_counts(*most_sockets) if self.cluster else SocketCounts(*most_sockets)
        self.openings = self.cluster.openings() if self.cluster else Openings()
        self.heavy = asyncio.Semaphore(HEAVY_AT_ONCE)
        self.replays: dict[tuple[str, int | None], tuple[Fragment, Fragment]] = {}  # of finished games, by table and seat
        self.records: dict[str, str] = {}  # of finished games, by table
        self.counting = asyncio.Lock()  # between counting the waiting tables and adding one
        self.deleting: set[str] = set()
        self.background: list[asyncio.Task[None]] = []
        self.hints: dict[str, asyncio.Task[None]] = {}  # by guest
        self.pusher = Pusher(self)
        self.reviews = Reviews(self)
        self.is_started = self.is_ready = self.is_draining = False
        self.waits = Waits()
        self.damaged: set[str] = set()
        self.probe: asyncio.Task[str | None] | None = None
        self.probed = 0.0
        self.integrity: asyncio.Task[None] | None = None
        self.integrity_due = 0.0
        self.damage: str | None = None
        self.failure: str | None = None
        self.on_failure: Callable[[], None] = nothing

    # from start to stop

    def prepare(self, address: str = "") -> None:
        """Take the database and bring it up to date. What is wrong with it is told before anything is started."""
        self.repository.open(address)
        if self.cluster:
            self.sources = self.cluster.prepare(self.sources, address)
        self.guests = Guests(self.repository.secret_key("guests", secrets.token_urlsafe(KEY_BYTES)), self.sources.clock)
        self.pusher.open()

    async def start(self) -> None:
        """Begin to write and to get ready; without workers the server answers only when it is ready."""
        self.writer = Writer(self.repository.engine, self.settings.commit_window, self.repository.lease, self.fail)
        self.bots = BotPool(self.settings, self.progress)
        if self.cluster:
            await self.cluster.start()
        getting_ready = asyncio.create_task(self._get_ready())
        for_ever = [self._tick_for_ever(), expire_for_ever(self)]
        if self.cluster is None:
            for_ever.append(self._beat_for_ever())
        self.background = [getting_ready, *(asyncio.create_task(one) for one in for_ever)]
        self.collector = Collector(lambda: len(self.rooms) + self.socket_count, lambda: self.writer.stored)
        self.is_started = True
        if not gc.isenabled():
            self.background.append(asyncio.create_task(self.collector.run()))
        if not self.bots.workers:
            await getting_ready

    async def _get_ready(self) -> None:
        """People can play as soon as the rules are warm; until the first worker is ready a simple bot moves."""
        warming = asyncio.create_task(self._warm_bots())
        self.background.append(warming)
        await self.bots.rules_are_warm.wait()
        if not gc.isenabled():
            take_over()  # also of what the rules have loaded
        self.is_ready = True
        if self.cluster:
            return  # the workers look at the clocks of tables where nobody is
        done = await self._watch_timed_tables()
        self.background.append(asyncio.create_task(self._watch_for_ever(done)))

    async def _warm_bots(self) -> None:
        await self.bots.warm()
        if not gc.isenabled():
            await asyncio.to_thread(give_back_memory)  # nothing is compiled any more

    async def _watch_for_ever(self, done: bool) -> None:
        while True:
            await asyncio.sleep(TIMED_SECONDS if done else RETRY_SECONDS)
            done = await self._watch_timed_tables()

    async def _watch_timed_tables(self) -> bool:
        """Running tables with a clock are kept in memory, also when one was forgotten; False if the database does not answer."""
        try:
            for table_id in await asyncio.to_thread(self.repository.timed_tables):
                if table_id not in self.rooms and table_id not in self.damaged:
                    await self._watch(table_id)
        except Refused:
            return False
        except Exception:
            log.exception("the running tables could not be looked for")
            return False
        return True

    async def _watch(self, table_id: str) -> None:
        try:
            room = await self.room(table_id)
            self.start_bots(room)
            self.pusher.look(room)
        except Refused as refusal:
            if refusal.code == "no_database":
                raise

    def fail(self, reason: str) -> None:
        """Stop because it is not safe to go on: nothing is answered any more, and whoever runs it is told."""
        if self.failure is not None:
            return
        log.critical("the server stops: %s", reason)
        self.failure, self.is_ready = reason, False
        for room in list(self.rooms.values()):
            self.forget(room, RESTARTING, "the server stops")
        self.on_failure()

    async def drain(self) -> None:
        """Before a stop: whoever asks `ready` looks elsewhere, what was begun is stored, sockets are told to come back."""
        if self.is_draining:
            return
        self.is_draining = True
        log.info("draining: %s sockets", self.socket_count)
        await asyncio.sleep(self.settings.drain_seconds)
        self.is_ready = False
        deadline = time.monotonic() + MAX_DRAIN_SECONDS
        while self.socket_count and time.monotonic() < deadline:
            for room in list(self.rooms.values()):
                for connection in list(room.connections):
                    connection.close(RESTARTING, "the server stops: come back in a moment")
            await asyncio.sleep(DRAIN_PAUSE)

    async def stop(self) -> None:
        """Store what is waiting and end the workers."""
        self.is_ready = False
        thinking = [room.thinking for room in self.rooms.values() if room.thinking]
        if self.integrity:
            await asyncio.wait({self.integrity}, timeout=INTEGRITY_STOP_SECONDS)  # a thread cannot be cancelled
        checks = [task for task in (self.probe, self.integrity) if task]
        await end_tasks([*self.background, *thinking, *self.hints.values(), *checks])
        await self.pusher.stop()
        await self.reviews.stop()
        await self.bots.stop()
        if self.cluster:
            await self.cluster.stop()
        await asyncio.to_thread(self.writer.stop)
        self.repository.close()

    # whether it is well

    async def trouble(self) -> str | None:
        """Why nothing can be stored now, in a sentence; None if all is well. Asked often, it tries again once a second."""
        if self.failure is not None:
            return self.failure
        now = time.monotonic()
        if self.probe is None or (self.probe.done() and now - self.probed >= PROBE_SECONDS):
            self.probe, self.probed = asyncio.create_task(self._try_to_store()), now
        await asyncio.wait({self.probe}, timeout=max(0.0, self.probed + HEALTH_SECONDS - now))
        if not self.probe.done():
            return f"the database has not answered for {HEALTH_SECONDS:g} seconds"
        return self.probe.result() or self.damage

    async def _try_to_store(self) -> str | None:
        try:
            await self.writer.store(self.cluster.proof() if self.cluster else self.repository.lease.proof())
        except Refused as refusal:
            return trouble_sentence(refusal.__cause__)
        if self.integrity is None and time.monotonic() >= self.integrity_due:
            self.integrity = asyncio.create_task(self._look_for_damage())
        return None

    async def _look_for_damage(self) -> None:
        """Look at the whole file, in the background."""
        began = time.monotonic()
        try:
            self.damage = await asyncio.to_thread(self.repository.damage)
            if self.damage:
                log.error(self.damage)
        finally:
            ended = time.monotonic()
            self.integrity_due = ended + max(INTEGRITY_SECONDS, (ended - began) / INTEGRITY_SHARE)
            self.integrity = None

    @property
    def socket_count(self) -> int:
        """How many there are, at all tables."""
        return sum(len(room.connections) for room in self.rooms.values())

    # finding and making tables

    async def room(self, table_id: str) -> Room:
        """The room of the table of this name, from memory or from its log."""
        if table_id in self.deleting:
            raise Refused("no_table")
        found = self.rooms.get(table_id)
        if found is None:
            is_begun = table_id in self.loading
            if not is_begun:
                self.loading[table_id] = asyncio.ensure_future(self._load(table_id))
            found = await asyncio.shield(self.loading[table_id])
            if self.cluster and is_begun:
                await self.cluster.freshen(found)  # it was read for somebody who came before, and may have known less
        elif self.cluster:
            await self.cluster.freshen(found)
        found.used = self.sources.playing()
        return found

    async def _load(self, table_id: str) -> Room:
        try:
            if self.cluster:
                stored = await self.cluster.with_version(table_id)
            else:
                stored = await asyncio.to_thread(self.repository.table, table_id)
            if stored is None:
                raise Refused("no_table")
            table = await asyncio.to_thread(self._read, stored, lambda: load_table(stored, self.sources.deal, self.sources.now()))
            room = self._opened(table)
            if self.cluster:
                self.cluster.take_over_rest(room, stored)
            elif table.status == "dealing":
                self.deal_again(room)
            if table.status != stored.table["status"]:
                with suppress(Conflict):  # then another node has done it
                    await self._store_status(room)
            elif table.status == "finished" and stored.table["result"] is None:
                with suppress(Refused):  # a game of an older server; there will be another time
                    await self.store_at_once(*update_table(table_id, result=_written_result(table)))
            return room
        finally:
            del self.loading[table_id]

    def _opened(self, table: Table) -> Room:
        room = self.rooms[table.id] = Room(table, self.sources, self.settings.away_seconds)
        if self.cluster:
            self.cluster.opened(room)
        return room

    def _read(self, stored: Stored, read: Callable[[], Table]) -> Table:
        """A stored table; one that is damaged costs itself only."""
        table_id = stored.table["id"]
        try:
            table = read()
        except Exception as error:
            if table_id not in self.damaged:
                sentence = str(error).strip().partition("\n")[0]
                # Written out, so that each damaged table is a trouble of its own; where in the code is of no interest.
                log.error(f"table {table_id} is damaged: {type(error).__name__}: {sentence}")  # noqa: TRY400
                self.damaged.add(table_id)
            raise Refused("damaged") from error
        self.damaged.discard(table_id)
        return table

    def locked(self, room: Room) -> "Locked":
        """The room's lock, for an `async with`."""
        return Locked(self, room)

    def forget(self, room: Room, code: int, reason: str) -> None:
        """Drop what is in memory, because the log may know better; everybody comes back by themselves."""
        if self.rooms.get(room.table.id) is room:
            self._drop(room)
        for connection in list(room.connections):
            connection.close(code, reason)

    def _drop(self, room: Room) -> None:
        del self.rooms[room.table.id]
        if self.cluster:
            self.cluster.dropped(room)

    async def create(self, options: TableOptions, user: str, name: str, address: str = "", *, sealed: bool = False) -> Room:
        """A new table; its creator sits at seat 0, bots at the last seats. `sealed`: the deal waits for the creator's seal."""
        check_bots(options)
        check_rules(options)
        people = options.players - len(options.bots)
        self.charge_table(address)
        seats = [Seat(0, "user", name, token=self.sources.token())]
        seats += [Seat(seat, "open", "") for seat in range(1, people)]
        seats += [Seat(people + i, "bot", bot, bot) for i, bot in enumerate(options.bots)]
        start = 0 if options.start == "host" else ANY_START
        if people == 1:
            return await self._open(options, seats, {user: 0}, host=0, start=start, awaited=[0] if sealed else [])
        async with self.counting:
            await self._check_waiting(user, address)
            room = await self._open(options, seats, {user: 0}, host=0, start=start, awaited=())
            await self.openings.add(room.table.id, address, room.table.created)
        return room

    def charge_table(self, address: str) -> None:
        """Count a new table; refuse one too many in a day."""
        if not self.daily_creations.take(address, time.monotonic()):
            raise Refused("too_many_tables")

    async def open_shared(self, options: TableOptions, user: str, name: str, address: str, shared: SharedDeal) -> Room:
        """A table against bots whose deal others play too."""
        self.charge_table(address)
        seats = [Seat(0, "user", name, token=self.sources.token())]
        seats += [Seat(seat, "bot", bot, bot) for seat, bot in enumerate(options.bots, 1)]
        return await self._open(options, seats, {user: 0}, host=0, start=ANY_START, awaited=(), shared=shared)

    async def _check_waiting(self, user: str, address: str) -> None:
        """Refuse one more table that waits for players to whoever has many."""
        most, most_from_there = self.settings.max_waiting_tables, self.settings.max_waiting_tables_per_address
        if await asyncio.to_thread(self.repository.waiting_tables, user) >= most:
            raise Refused("too_many_waiting", most=most)
        if await self.openings.count(address, self.sources.clock() - LISTED_SECONDS) >= most_from_there:
            raise Refused("too_many_waiting_there", most=most_from_there)

    async def rematch(self, room: Room, missing: Sequence[int], user: str, address: str) -> None:
        """The same people at a new table; the next seat begins. Those who are here and took part in the last deal are awaited.

        The seats that are `missing` are open there: the table waits, as one of this user and address, and its series is new.
        """
        table = room.table
        assert table.game is not None
        seats = [
            Seat(seat.seat, seat.kind, seat.name, seat.bot, self.sources.token() if seat.is_person else None)
            if seat.seat not in missing
            else Seat(seat.seat, "open", "")
            for seat in table.seats
        ]
        holders = {holder: seat for holder, seat in table.holders.items() if seat not in missing}
        host = holders.get(user) if table.host in missing else table.host
        start = (table.game.start + 1) % table.options.players
        if missing:
            async with self.counting:
                await self._check_waiting(user, address)
                new = await self._open(table.options, seats, holders, host=host, start=start, awaited=(), after=room)
                await self.openings.add(new.table.id, address, new.table.created)
        else:
            awaited = [seat for seat in table.dealing.seals if room.away_since[seat] is None]
            series = table.series_now
            new = await self._open(
                table.options, seats, holders, host=host, start=start, awaited=awaited, series=series, after=room
            )
        table.rematch = new.table.id
        room.note_presence()

    async def _open(
        self,
        options: TableOptions,
        seats: list[Seat],
        holders: dict[str, int],
        *,
        host: int | None,
        start: int,
        awaited: Sequence[int],
        series: Series | None = None,
        shared: SharedDeal | None = None,
        after: Room | None = None,
    ) -> Room:
        """Store a new table. `after`: the one whose rematch it is, and which is stored to lead here at the same time."""
        now, table_id = self.sources.clock(), self.sources.table_id()
        secret = shared.secret if shared else self.sources.secret()
        named = options.variant, options.players, start, secret
        is_full = all(seat.kind != "open" for seat in seats)
        status = "waiting" if not is_full else "dealing" if awaited else "running"
        row: dict[str, Any] = {
            "id": table_id,
            "status": status,
            "host": host,
            "start": start,
            "seed": 0,
            "salt": "",
            "secret": secret,
            "commitment": commitment_3(shared.name, *named) if shared else commitment_2(table_id, *named),
            "shared": shared.name if shared else None,
            "counts": shared is not None and shared.counts,
            "created": now,
            "began": now if status == "running" else None,
            "rematch": None,
            "series": dumps(series.out()).decode() if series else None,
            "result": None,
            **_kept_options(options),
        }
        stored = Stored(
            row,
            [seat_row(row["id"], seat) for seat in seats],
            [{"table_id": row["id"], "user_id": user, "seat": seat} for user, seat in holders.items()],
        )
        statements = [*insert_table(stored), *(shared.statements(table_id) if shared else ())]
        if self.cluster:
            statements += first_version(table_id)
        if after is None:
            await self.store_at_once(*statements)
        else:
            await self.store(after, *statements, *update_table(after.table.id, rematch=table_id))
        room = self._opened(load_table(stored, self.sources.deal, self.sources.now()))
        if status == "dealing":
            room.table.dealing.begin(awaited, self.sources.playing(), self.settings.deal_seconds)
        if self.cluster:
            with suppress(Conflict):
                await self.cluster.share(room)
        self.start_bots(room)
        self.pusher.look(room)
        if self.cluster:
            self.cluster.jobs.want_clock(room)
        return room

    # what happens at a table; its lock is held

    async def write(
        self, room: Room, entries: Sequence[Entry], move: Move | None = None, stored: Callable[[], None] = nothing
    ) -> None:
        """Store entries, say so, then do what they say.

        Once they are stored nothing is refused any more. What goes wrong after that costs the table its place in memory: it is
        read again from its log. `move` is the move of a single entry, where that is known.
        """
        table = room.table
        if self.cluster:
            playing = self.sources.playing()
            entries = [replace(entry, playing=playing) for entry in entries]
        await self.store(room, entries=[entry_row(table.id, entry) for entry in entries])
        stored()
        try:
            for entry in entries:
                room.apply(entry, move)
            if self.cluster:
                self.cluster.applied(room)
        except Exception:
            log.exception("table %s: what is stored could not be done", table.id)
            self.forget(room, RESTARTING, READ_AGAIN)
        if table.status == "finished":
            with suppress(Refused, Conflict):  # whoever reads the table next stores it
                await self._store_status(room)

    async def store(self, room: Room, *statements: Any, entries: Sequence[dict[str, Any]] = (), state: str | None = None) -> None:
        """Store something about a table. If that fails, nothing has changed, and everybody is asked to look again.

        In a cluster: only if no other node has changed it meanwhile, else Conflict. `state`: of the room, where that has changed.
        """
        is_log = state is None and not statements
        guard = self.cluster.guard(room, is_log=is_log, state=state) if self.cluster else None
        began = time.perf_counter()
        try:
            await self.writer.store(*statements, entries=entries, guard=guard)
            self.waits.add(time.perf_counter() - began)
            if self.cluster and guard:
                self.cluster.stored(room, guard)
        except Conflict:
            raise
        except Exception as error:
            self.forget(room, RESTARTING, READ_AGAIN)
            raise Refused("not_stored") from error

    async def store_at_once(self, *statements: Any) -> None:
        """Store something that no table in memory knows of yet."""
        try:
            await self.writer.store(*statements)
        except Exception as error:
            raise Refused("not_stored") from error

    async def _store_status(self, room: Room) -> None:
        table = room.table
        await self.store(room, *update_table(table.id, status=table.status, result=_written_result(table)))

    async def change_seats(self, room: Room, change: SeatChange, *statements: Any, **values: Any) -> None:
        """Store and change seats, their holders and the host; with them other statements, and `values` of the table."""
        table_id = room.table.id
        held = [statement for user, seat in change.holders.items() for statement in set_holder(table_id, user, seat)]
        unsealed = [statement for seat in change.unsealed for statement in set_seal(table_id, seat, None)]
        kicked = [statement for user in change.kicked for statement in set_kicked(table_id, user)]
        changed = [*update_seats(table_id, change.seats), *update_table(table_id, host=change.host, **values)]
        await self.store(room, *changed, *held, *unsealed, *kicked, *statements)
        room.change_seats(change)

    async def say(self, room: Room, line: ChatLine) -> None:
        """Store a line of chat, then tell it."""
        await self.store(room, *add_chat(line.row(room.table.id)))
        room.table.chat.add(line)
        tell_chat(room)

    async def change_options(self, room: Room, options: TableOptions) -> None:
        """Store and change what a table agrees on."""
        check_rules(options)
        await self.store(room, *update_table(room.table.id, **_kept_options(options)))
        room.change_options(options)

    async def insist(self, room: Room, work: Callable[[], Awaitable[Found]]) -> Found:
        """Do something at a table, in a cluster again if another node came first. The room's lock is held."""
        return await (self.cluster.insist(room, work) if self.cluster else work())

    def settle(self, room: Room) -> None:
        """After something has changed: tell everybody, and let a bot think if it is to decide. Not if the room was forgotten."""
        if self.rooms.get(room.table.id) is room:
            broadcast(room)
            self.start_bots(room)
            self.pusher.look(room)
            if self.cluster:
                self.cluster.jobs.want_clock(room)

    # the deal

    async def start_game(self, room: Room, bots: list[Seat]) -> None:
        """Bots take the open seats and the cards are dealt; where somebody has sealed a nonce, it is opened first."""
        table, seals, now = room.table, room.table.dealing.seals, self.sources.now()
        begun: dict[str, Any] = {"status": "dealing"} if seals else {"status": "running", "began": now.day}
        await self.change_seats(room, SeatChange(bots, table.host), **begun)
        self.openings.remove(table.id)
        if seals:
            # Also those who sat down a moment ago: their seals may be on the way.
            table.status = "dealing"
            table.dealing.begin({*seals, *room.people_here()}, self.sources.playing(), self.settings.deal_seconds)
            room.note_presence()
        else:
            room.begin(now.day)

    async def seal(self, room: Room, seat: int, seal: str) -> None:
        """A seat has sealed its nonce."""
        await self.store(room, *set_seal(room.table.id, seat, seal))
        room.table.dealing.seal(seat, seal)
        await self.deal_on(room)

    async def open_nonce(self, room: Room, seat: int, nonce: str) -> None:
        """A seat opens its nonce; it is stored with the others when the cards are dealt, or where other nodes must know it."""
        room.table.dealing.open(seat, nonce)
        await self.deal_on(room)
        if self.cluster and room.table.status == "dealing":
            await self.store(room, *set_nonces(room.table.id, {seat: nonce}))

    def deal_again(self, room: Room) -> None:
        """The server was stopped during a deal. Seals that are there are final: somebody may have opened a nonce already."""
        table = room.table
        people = [seat.seat for seat in table.seats if seat.is_person]
        table.dealing.begin(table.dealing.seals or people, self.sources.playing(), self.settings.deal_seconds)

    async def deal_on(self, room: Room) -> None:
        """Go on with a deal; the game begins when every nonce is opened, or the time is up. The room's lock is held."""
        table, now = room.table, self.sources.now()
        table.dealing.go_on(now.playing, self.settings.deal_seconds)
        if table.status == "dealing" and table.dealing.is_settled(now.playing):
            begun = update_table(table.id, status="running", began=now.day)
            await self.store(room, *begun, *set_nonces(table.id, table.dealing.nonces))
            room.begin(now.day)
        room.note_presence()

    async def _deal_late(self, room: Room) -> None:
        """Who has not sealed or opened in time is left out."""
        if room.table.dealing.is_late(self.sources.playing()):
            await self.deal_on(room)
            self.settle(room)

    async def _attempt(self, room: Room, work: Callable[[Room], Awaitable[None]], failure: str) -> None:
        """Do what nobody has asked for, with the room's lock: what fails is told to the log."""
        try:
            async with self.locked(room):
                await self.insist(room, lambda: work(room))
        except Refused as refusal:
            log.warning("table %s: %s: %s", room.table.id, failure, refusal)
        except Exception:
            log.exception("table %s: %s", room.table.id, failure)

    # bots

    def start_bots(self, room: Room) -> None:
        """If a bot is to decide, start the task that plays for it."""
        seat = room.table.decides
        if seat is None or not room.table.seats[seat].played_by:
            return
        if self.cluster and not self.cluster.is_worker:
            self.cluster.jobs.want_bot(room)
        elif room.thinking is None:
            room.thinking = asyncio.create_task(self._play_bots(room))

    async def _play_bots(self, room: Room) -> None:
        table = room.table
        try:
            while (seat := table.decides) is not None and (name := table.seats[seat].played_by):
                await self._play_bot(room, seat, name)
        except Refused as refusal:
            log.warning("table %s: a bot could not move: %s", table.id, refusal)
        except Exception:
            log.exception("table %s: a bot could not move", table.id)
        finally:
            room.thinking = None

    async def _play_bot(self, room: Room, seat: int, name: str) -> None:
        table = room.table
        number, view = table.number, table.views.view(seat)
        shared_seed = table.bot_seed(seat)
        seed = self.sources.bot_seed() if shared_seed is None else shared_seed
        choosing = self.bots.choose(name, view, seed) if shared_seed is None else choose_alike(self.bots, name, view, seed)
        chosen, _ = await asyncio.gather(choosing, asyncio.sleep(self.settings.bot_delay))
        async with self.locked(room):
            if table.number != number:
                return
            if chosen.text not in table.views.choices:
                log.warning("bot %s wanted %r, which is not legal", name, chosen.text)
                chosen = self.bots.stand_in(name, view, seed, "failed")
            entry = table.entry("move", seat, chosen.text, self.sources.now(), chosen.thought())
            try:
                await self.write(room, [entry])
            except Conflict:  # another worker, or somebody who took something back
                assert self.cluster is not None
                await self.cluster.read_on(room, is_all=True)
            else:
                self.settle(room)

    # clocks

    async def _tick_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self.settings.tick_seconds)
            try:
                await self.tick()
            except Exception:
                log.exception("the clocks could not be looked at")

    async def _beat_for_ever(self) -> None:
        """Where this was not called for long, the process stood still, and no clock runs on."""
        playing = self.sources.playing
        playing.longest_pause = max(playing.longest_pause, TICKS_TO_A_PAUSE * self.settings.tick_seconds)
        while True:
            playing.beat()
            await asyncio.sleep(self.settings.tick_seconds)

    async def tick(self) -> None:
        """Look at the clocks and deals, and put away tables that nobody uses."""
        now = self.sources.playing()
        for room in list(self.rooms.values()):
            if room.asks and room.late_asks(now):
                await self._attempt(room, self._end_late_asks, "its questions could not be ended")
            if room.table.clock and _is_late(room.table, now):
                await self.look_at_clock(room)
            elif room.table.status == "dealing" and room.table.dealing.is_late(now):
                await self._attempt(room, self._deal_late, "its cards could not be dealt")
            elif not room.connections and self._is_idle(room, now):
                self._drop(room)
            elif self.cluster and room.connections:
                self.start_bots(room)  # it may have to be asked for again

    async def look_at_clock(self, room: Room) -> None:
        """If somebody's time is up, a bot plays for them."""
        if _is_late(room.table, self.sources.playing()):
            await self._attempt(room, self._time_out, "its clock could not be looked at")

    async def _end_late_asks(self, room: Room) -> None:
        """Who has not answered in time has said no."""
        for ask in room.late_asks(self.sources.playing()):
            room.end_ask(ask, "late")
        self.settle(room)

    async def _time_out(self, room: Room) -> None:
        """The seat whose time is up is played by a bot from now on."""
        table, now = room.table, self.sources.now()
        if table.clock and table.clock.running is not None and _is_late(table, now.playing):
            await self.write(room, [table.entry("timeout", table.clock.running, self.settings.stand_in, now)])
            self.settle(room)

    def _is_idle(self, room: Room, now: float) -> bool:
        has_deadline = room.table.clock and room.table.status == "running" and self.cluster is None
        idle_seconds = self.settings.idle_seconds
        if self.cluster and self.cluster.is_worker:
            idle_seconds = min(idle_seconds, WORKER_IDLE_SECONDS)
        return not (room.is_used or has_deadline) and now - room.used > idle_seconds

    # people

    async def name_of(self, user: str) -> str:
        """What a guest is called. A guest who has chosen a name is noted as seen, once a day."""
        found, now = await asyncio.to_thread(self.repository.user, user), self.sources.clock()
        if found is None:
            return first_name(user)
        if now - found["seen"] > SEEN_SECONDS:
            with suppress(Refused):
                await self.store_at_once(*set_seen(user, now))
        return str(found["name"])

    @asynccontextmanager
    async def one_hint(self, user: str) -> AsyncIterator[None]:
        """One thought at a time for a guest; in a cluster also where they ask at several nodes."""
        broker = self.cluster.broker if self.cluster else None
        if broker and not await broker.once(f"hint:{user}", MAX_HINT_SECONDS):
            raise Refused("hint_coming")
        try:
            yield
        finally:
            if broker:
                await broker.forget(f"hint:{user}")

    async def lobby(self, user: str | None, address: str) -> dict[str, list[Any]]:
        """A LobbyOut: open tables, games to watch, and the guest's own."""
        since = self.sources.clock() - LISTED_SECONDS
        found = await asyncio.to_thread(self.repository.open_table_ids, since)
        fair = self._fair(found, await self.openings.addresses(found))
        opened = await asyncio.to_thread(self.repository.open_tables, fair)
        own = {"running": [], "finished": []} if user is None else await asyncio.to_thread(self._own, user)
        await self._look_whose_turn(own["running"], address)
        waiting = [table for table in opened if any(seat["kind"] == "open" for seat in table.seats)]
        listed = {"open": waiting, **own}
        if self.cluster:
            await self._read_watched(address)
        watched = [listed_out(room.table, room, None, None) for room in self._games_to_watch(user)]
        return {"watch": watched, **{name: self._all_listed(found) for name, found in listed.items()}}

    async def _look_whose_turn(self, running: list[Stored], address: str) -> None:
        """Read some games that are not in memory, the newest first: only their logs say whose turn it is. Each is a read."""
        unread = [stored.table["id"] for stored in running if stored.table["id"] not in self.rooms]
        for table_id in unread[:MAX_READ_FOR_A_LIST]:
            if not self.reads.take(address, time.monotonic()):
                return
            with suppress(Refused):
                await self.room(table_id)

    async def _read_watched(self, address: str) -> None:
        """In a cluster: read some games to watch whose players are at other nodes. Each is a read."""
        found = await asyncio.to_thread(self.repository.watched_table_ids)
        for table_id in [one for one in found if one not in self.rooms][:MAX_READ_FOR_A_LIST]:
            if not self.reads.take(address, time.monotonic()):
                return
            with suppress(Refused):
                await self.room(table_id)

    def _games_to_watch(self, user: str | None) -> list[Room]:
        """Running games that anybody may watch, with a player at the table; only so many with players from one address."""
        found = [room for room in self.rooms.values() if room.is_public and room.table.seat_of(user) is None]
        found.sort(key=lambda room: (room.spectators(), room.table.created), reverse=True)
        listed: Counter[str] = Counter()
        kept = []
        for room in found:
            address = room.player_address or room.table.id  # that of a player at another node is not known here
            listed[address] += 1
            if listed[address] <= self.settings.max_listed_per_address:
                kept.append(room)
        return kept[:MAX_LISTED]

    def _fair(self, table_ids: list[str], addresses: dict[str, str]) -> list[str]:
        """The tables that are listed: only so many from one address, so that it cannot push out the others."""
        listed: Counter[str] = Counter()
        kept = []
        for table_id in table_ids:
            address = addresses.get(table_id, table_id)
            listed[address] += 1
            if listed[address] <= self.settings.max_listed_per_address:
                kept.append(table_id)
        return kept[:MAX_LISTED]

    def _own(self, user: str) -> dict[str, list[Stored]]:
        running = [table for status in ("waiting", "dealing", "running") for table in self.repository.tables_of(user, status)]
        return {"running": running, "finished": self.repository.tables_of(user, "finished")}

    def _all_listed(self, found: list[Stored]) -> list[Fragment]:
        listed = []
        for stored in found:
            with suppress(Refused):  # a damaged table is left out
                listed.append(self._listed(stored))
        return listed

    def _listed(self, stored: Stored) -> Fragment:
        """A ListedOut; whoever has a seat there may see all of it, anybody else what strangers may."""
        table_id, seat = stored.table["id"], stored.table.get("own_seat")
        room = self.rooms.get(table_id)
        if room is None and table_id in self.damaged:
            raise Refused("damaged")
        table = room.table if room else self._read(stored, lambda: read_table(stored))
        return listed_out(table, room, seat, stored.table["result"])


class Locked:
    """A room's lock. Who waited for it while the room was forgotten has an old object; a newer one may be in use.

    Every move takes one: made from a generator it would take three times as long.
    """

    __slots__ = ("room", "service")

    def __init__(self, service: Service, room: Room) -> None:
        self.service, self.room = service, room

    async def __aenter__(self) -> None:
        room = self.room
        await room.lock.acquire()
        if self.service.rooms.get(room.table.id) is not room:
            room.lock.release()
            raise Refused("not_stored")

    async def __aexit__(self, *_: object) -> None:
        self.room.lock.release()


def _cluster(service: Service, *, is_worker: bool) -> "Cluster | None":
    """The process as a node, if a broker is named. What that needs is not installed with a single server."""
    if not service.settings.broker:
        return None
    from .cluster import Cluster

    return Cluster(service, service.settings, is_worker=is_worker)


def _written_result(table: Table) -> str | None:
    result = result_out(table)
    return None if result is None else dumps(result).decode()


def _kept_options(options: TableOptions) -> dict[str, Any]:
    """Options as they are stored, with what is asked of many tables at once."""
    is_timed = options.clock.kind != "none"
    return {"options": options.model_dump_json(), "listed": options.watch == "anybody", "timed": is_timed}


def _is_late(table: Table, now: float) -> bool:
    return table.deadline is not None and now >= table.deadline


def check_rules(options: TableOptions) -> None:
    """Refuse house rules that do not go with the variant."""
    try:
        rules = Ruleset(options.variant, options.players, **options.house_rules())
    except CabochonError as error:
        raise Refused("house_rules", sentence=str(error)) from error
    if options.position is not None:
        check_start(options.position, rules)


def check_start(position: str, rules: Ruleset) -> None:
    """Refuse a position that cannot be, is over, or is one of another game."""
    try:
        shown = parse_known(position)
    except CabochonError as error:
        raise Refused("impossible", sentence=str(error)) from error
    if shown.rules != rules:
        raise Refused("impossible", sentence="the position is one of another game, or of other house rules")
    if shown.stage == "over":
        raise Refused("over")


def check_bots(options: TableOptions) -> None:
    """Refuse bots that do not exist, and more of them than there are seats beside the host."""
    for name in options.bots:
        check_bot(name)
    if len(options.bots) >= options.players:
        raise Refused("too_many_bots", bots=len(options.bots), players=options.players, most=options.players - 1)


def check_bot(name: str) -> None:
    """Refuse a bot that does not exist."""
    if name not in BOTS:
        raise Refused("unknown_bot", bot=name, known=", ".join(BOTS))
