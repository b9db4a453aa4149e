"""All tables of the server: it finds and makes them, stores what happens, lets bots think and watches the clocks."""

import asyncio
import gc
import logging
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from orjson import Fragment

from ..bots import BOTS
from ..rules.deal import ANY_START
from .bot_pool import BotPool
from .clock import SECONDS_PER_DAY
from .commitment import commitment_2
from .database import trouble_sentence
from .errors import Refused
from .expiry import expire_for_ever
from .gc_tuning import Collector, take_over
from .identity import Guests, first_name
from .messages import TableOptions
from .rate_limit import Buckets, SocketCounts
from .repository import MAX_LISTED, Repository, Stored, insert_table, seat_row, set_nonces, set_seen, update_table
from .settings import Settings, Sources, default_database
from .table import Entry, Seat, Table
from .writer import Writer

KEY_BYTES = 32
LISTED_SECONDS = SECONDS_PER_DAY
LINKS_PER_MINUTE, RENAMES_PER_MINUTE = 60.0, 60.0
TIMED_SECONDS = 60.0  # how often running tables with a clock are looked for that are not in memory
RETRY_SECONDS = 1.0
SEEN_SECONDS = SECONDS_PER_DAY  # how often is stored that a guest was here
HEALTH_SECONDS = 3.0  # how long the database may take before it is called unwell
PROBE_SECONDS = 1.0  # however often somebody asks, it is tried no more often than this
INTEGRITY_SECONDS, INTEGRITY_SHARE = 60.0, 0.01  # how often the whole file is looked at, and the share of all time that may take
INTEGRITY_GOODBYE = 5.0
TICKS_TO_A_PAUSE = 8
MOVE_BURST_SECONDS = 12
HEAVY_AT_ONCE = 2
LATE_PER_SECOND, LATE_AT_ONCE = 0.5, 10.0
log = logging.getLogger("cabochon.server")


def nothing() -> None:
    """Do nothing."""


class Service:
    """The tables in memory and what they need."""

    def __init__(self, settings: Settings, sources: Sources, progress: Callable[[int, int], None]) -> None:
        self.settings, self.sources = settings, sources
        self.repository = Repository(settings.database or default_database())
        self.bots: BotPool
        self.writer: Writer
        self.guests: Guests
        self.collector: Collector
        self.progress = progress
        self.tables: dict[str, Table] = {}
        self.loading: dict[str, asyncio.Future[Table]] = {}
        self.creations = Buckets(settings.tables_per_minute / 60, settings.tables_per_minute)
        self.daily_creations = Buckets(settings.max_tables_per_day / SECONDS_PER_DAY, settings.max_tables_per_day)
        self.visits = Buckets(LINKS_PER_MINUTE / 60, LINKS_PER_MINUTE)
        self.renames = Buckets(RENAMES_PER_MINUTE / 60, RENAMES_PER_MINUTE)
        self.moves = Buckets(settings.max_moves_per_second, settings.max_moves_per_second * MOVE_BURST_SECONDS)
        self.takebacks = Buckets(settings.max_takebacks_per_minute / 60, settings.max_takebacks_per_minute)
        self.reads = Buckets(settings.max_reads_per_minute / 60, settings.max_reads_per_minute / 2)
        self.late_comers = Buckets(LATE_PER_SECOND, LATE_AT_ONCE)  # guests whose address has used up its reads
        self.sockets = SocketCounts(settings.max_sockets_per_address, settings.max_seated_sockets_per_address)
        self.heavy = asyncio.Semaphore(HEAVY_AT_ONCE)
        self.replays: dict[tuple[str, int | None], tuple[Fragment, Fragment]] = {}  # of finished games, by table and seat
        self.records: dict[str, str] = {}  # of finished games, by table
        self.created_from: dict[str, tuple[str, float]] = {}  # addresses and times of waiting tables; they are stored nowhere
        self.counting = asyncio.Lock()  # between counting the waiting tables and adding one
        self.deleting: set[str] = set()
        self.background: list[asyncio.Task[None]] = []
        self.hints: dict[str, asyncio.Task[None]] = {}  # by guest
        self.one_by_one = asyncio.Lock()
        self.is_ready = False
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
        self.guests = Guests(self.repository.secret_key("guests", secrets.token_urlsafe(KEY_BYTES)), self.sources.clock)

    async def start(self) -> None:
        """Begin to write and to get ready; without workers the server answers only when it is ready."""
        self.writer = Writer(self.repository.engine, self.settings.commit_window, self.repository.lease, self.fail)
        self.bots = BotPool(self.settings, self.progress)
        getting_ready = asyncio.create_task(self._get_ready())
        for_ever = (self._tick_for_ever(), self._beat_for_ever(), expire_for_ever(self))
        self.background = [getting_ready, *(asyncio.create_task(one) for one in for_ever)]
        self.collector = Collector(lambda: len(self.tables) + self.socket_count, lambda: self.writer.stored)
        if not gc.isenabled():
            self.background.append(asyncio.create_task(self.collector.run()))
        if not self.bots.workers:
            await getting_ready

    async def _get_ready(self) -> None:
        """People can play as soon as the rules are warm; until the first worker is ready a simple bot moves."""
        warming = asyncio.create_task(self.bots.warm())
        self.background.append(warming)
        await self.bots.rules_are_warm.wait()
        if not gc.isenabled():
            take_over()  # also of what the rules have loaded
        self.is_ready = True
        done = await self._watch_timed_tables()
        self.background.append(asyncio.create_task(self._watch_for_ever(done)))

    async def _watch_for_ever(self, done: bool) -> None:
        while True:
            await asyncio.sleep(TIMED_SECONDS if done else RETRY_SECONDS)
            done = await self._watch_timed_tables()

    async def _watch_timed_tables(self) -> bool:
        """Running tables with a clock are kept in memory, also when one was forgotten; False if the database does not answer."""
        try:
            for table_id in await asyncio.to_thread(self.repository.timed_tables):
                if table_id not in self.tables and table_id not in self.damaged:
                    await self._watch(table_id)
        except Refused:
            return False
        except Exception:
            log.exception("the running tables could not be looked for")
            return False
        return True

    async def _watch(self, table_id: str) -> None:
        try:
            self.drive(await self.table(table_id))
        except Refused as refusal:
            if refusal.code == "no_database":
                raise

    def fail(self, reason: str) -> None:
        """Stop because it is not safe to go on: nothing is answered any more, and whoever runs it is told."""
        if self.failure is not None:
            return
        log.critical("the server stops: %s", reason)
        self.failure, self.is_ready = reason, False
        for table in list(self.tables.values()):
            self.forget(table, 1012, "the server stops")
        self.on_failure()

    async def stop(self) -> None:
        """Store what is waiting and end the workers."""
        self.is_ready = False
        thinking = [table.thinking for table in self.tables.values() if table.thinking]
        if self.integrity:
            await asyncio.wait({self.integrity}, timeout=INTEGRITY_GOODBYE)  # a thread cannot be cancelled
        checks = [task for task in (self.probe, self.integrity) if task]
        tasks = [*self.background, *thinking, *self.hints.values(), *checks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.bots.stop()
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
            await self.writer.store(self.repository.lease.proof())
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
        return sum(len(table.connections) for table in self.tables.values())

    # finding and making tables

    async def table(self, table_id: str) -> Table:
        """The table of this name, from memory or from its log."""
        if table_id in self.deleting:
            raise Refused("no_table")
        found = self.tables.get(table_id)
        if found is None:
            if table_id not in self.loading:
                self.loading[table_id] = asyncio.ensure_future(self._load(table_id))
            found = await asyncio.shield(self.loading[table_id])
        found.used = self.sources.playing()
        return found

    async def _load(self, table_id: str) -> Table:
        try:
            stored = await asyncio.to_thread(self.repository.table, table_id)
            if stored is None:
                raise Refused("no_table")
            table = self.tables[table_id] = await asyncio.to_thread(self._read, stored)
            if table.status == "dealing":
                self._deal_again(table)
            if table.status != stored.table["status"]:
                await self._store_status(table)
            return table
        finally:
            del self.loading[table_id]

    def _read(self, stored: Stored, *, replayed: bool = True) -> Table:
        """A stored table; one that is damaged costs itself only."""
        table_id = stored.table["id"]
        if table_id in self.damaged and not replayed:
            raise Refused("damaged")
        try:
            table = Table.load(stored, self.sources, replayed=replayed)
        except Exception as error:
            if table_id not in self.damaged:
                said = str(error).strip().partition("\n")[0]
                # Written out, so that each damaged table is a trouble of its own; where in the code is of no interest.
                log.error(f"table {table_id} is damaged: {type(error).__name__}: {said}")  # noqa: TRY400
                self.damaged.add(table_id)
            raise Refused("damaged") from error
        self.damaged.discard(table_id)
        return table

    @asynccontextmanager
    async def locked(self, table: Table) -> AsyncIterator[None]:
        """The table's lock. Who waited for it while the table was forgotten has an old object; a newer one may be in use."""
        async with table.lock:
            if self.tables.get(table.id) is not table:
                raise Refused("not_stored")
            yield

    def forget(self, table: Table, code: int, reason: str) -> None:
        """Drop what is in memory, because the log may know better; everybody comes back by themselves."""
        if self.tables.get(table.id) is table:
            del self.tables[table.id]
        for connection in list(table.connections):
            connection.close(code, reason)

    async def create(self, options: TableOptions, user: str, name: str, address: str = "", *, sealed: bool = False) -> Table:
        """A new table; its creator sits at seat 0, bots at the last seats. `sealed`: the deal waits for the creator's seal."""
        check_bots(options)
        people = options.players - len(options.bots)
        if not self.daily_creations.take(address, time.monotonic()):
            raise Refused("too_many_tables")
        seats = [Seat(0, "user", name, token=self.sources.token())]
        seats += [Seat(seat, "open", "") for seat in range(1, people)]
        seats += [Seat(people + i, "bot", bot, bot) for i, bot in enumerate(options.bots)]
        start = 0 if options.start == "host" else ANY_START
        if people == 1:
            return await self._open(options, seats, {user: 0}, host=0, start=start, awaited=[0] if sealed else [])
        async with self.counting:
            await self._check_waiting(user, address)
            table = await self._open(options, seats, {user: 0}, host=0, start=start, awaited=())
            self.created_from[table.id] = address, table.created
        return table

    async def _check_waiting(self, user: str, address: str) -> None:
        """Refuse one more table that waits for players to whoever has many."""
        most, most_from_there = self.settings.max_waiting_tables, self.settings.max_waiting_tables_per_address
        if await asyncio.to_thread(self.repository.waiting_tables, user) >= most:
            raise Refused("too_many_waiting", most=most)
        listed_since = self.sources.clock() - LISTED_SECONDS
        self.created_from = {name: made for name, made in self.created_from.items() if made[1] > listed_since}
        if sum(found == address for found, _ in self.created_from.values()) >= most_from_there:
            raise Refused("too_many_waiting_there", most=most_from_there)

    async def rematch(self, table: Table) -> Table:
        """The same people at a new table; the next seat begins. Those who are here and took part in the last deal are awaited."""
        seats = [
            Seat(seat.seat, seat.kind, seat.name, seat.bot, self.sources.token() if seat.is_person else None)
            for seat in table.seats
        ]
        assert table.game is not None
        start = (table.game.start + 1) % table.options.players
        awaited = [seat for seat in table.dealing.seals if table.seats[seat].away_since is None]
        new = await self._open(table.options, seats, dict(table.holders), host=table.host, start=start, awaited=awaited)
        await self.store(table, *update_table(table.id, rematch=new.id))
        table.rematch = new.id
        table.note_presence()
        return new

    async def _open(
        self,
        options: TableOptions,
        seats: list[Seat],
        holders: dict[str, int],
        *,
        host: int | None,
        start: int,
        awaited: Sequence[int],
    ) -> Table:
        now, table_id, secret = self.sources.clock(), self.sources.table_id(), self.sources.secret()
        is_full = all(seat.kind != "open" for seat in seats)
        status = "waiting" if not is_full else "dealing" if awaited else "running"
        row: dict[str, Any] = {
            "id": table_id,
            "options": options.model_dump_json(),
            "status": status,
            "host": host,
            "start": start,
            "seed": 0,
            "salt": "",
            "secret": secret,
            "commitment": commitment_2(table_id, options.variant, options.players, start, secret),
            "created": now,
            "began": now if status == "running" else None,
            "rematch": None,
            "listed": options.watch == "anybody",
            "timed": options.clock.kind != "none",
        }
        stored = Stored(
            row,
            [seat_row(row["id"], seat) for seat in seats],
            [{"table_id": row["id"], "user_id": user, "seat": seat} for user, seat in holders.items()],
        )
        await self.store_at_once(*insert_table(stored))
        table = self.tables[row["id"]] = Table.load(stored, self.sources)
        if status == "dealing":
            table.dealing.begin(awaited, self.sources.playing(), self.settings.deal_seconds)
        self.drive(table)
        return table

    # what happens at a table; its lock is held

    async def write(self, table: Table, entries: Sequence[Entry], stored: Callable[[], None] = nothing) -> None:
        """Store entries, say so, then do what they say: one table after the other, and between them the sockets are served.

        Once they are stored nothing is refused any more. What goes wrong after that costs the table its place in memory: it is
        read again from its log.
        """
        table.check_room(len(entries))
        await self.store(table, entries=[entry.row(table.id) for entry in entries])
        stored()
        async with self.one_by_one:
            self._apply(table, entries)
        if table.status == "finished":
            with suppress(Refused):  # whoever reads the table next stores it
                await self._store_status(table)

    def _apply(self, table: Table, entries: Sequence[Entry]) -> None:
        try:
            for entry in entries:
                table.apply(entry)
        except Exception:
            log.exception("table %s: what is stored could not be done", table.id)
            self.forget(table, 1012, "the table is read again")

    async def store(self, table: Table, *statements: Any, entries: Sequence[dict[str, Any]] = ()) -> None:
        """Store something about a table. If that fails, nothing has changed, and everybody is asked to look again."""
        try:
            await self.writer.store(*statements, entries=entries)
        except Exception as error:
            self.forget(table, 1012, "the table is read again")
            raise Refused("not_stored") from error

    async def store_at_once(self, *statements: Any) -> None:
        """Store something that no table in memory knows of yet."""
        try:
            await self.writer.store(*statements)
        except Exception as error:
            raise Refused("not_stored") from error

    async def _store_status(self, table: Table) -> None:
        await self.store(table, *update_table(table.id, status=table.status))

    def settle(self, table: Table) -> None:
        """After something has changed: tell everybody, and let a bot think if it is to decide. Not if the table was forgotten."""
        if self.tables.get(table.id) is table:
            table.broadcast()
            self.drive(table)

    # the deal

    def _deal_again(self, table: Table) -> None:
        """The server was stopped during a deal. Seals that are there are final: somebody may have opened a nonce already."""
        people = [seat.seat for seat in table.seats if seat.is_person]
        table.dealing.begin(table.dealing.seals or people, self.sources.playing(), self.settings.deal_seconds)

    async def deal_on(self, table: Table) -> None:
        """Go on with a deal; the game begins when every nonce is opened, or the time is up. The table's lock is held."""
        playing, now = self.sources.playing(), self.sources.clock()
        table.dealing.go_on(playing, self.settings.deal_seconds)
        if table.status == "dealing" and table.dealing.is_settled(playing):
            begun = update_table(table.id, status="running", began=now)
            await self.store(table, *begun, *set_nonces(table.id, table.dealing.nonces))
            table.begin(now)
        table.note_presence()

    async def _deal_late(self, table: Table) -> None:
        """Who has not sealed or opened in time is left out."""
        try:
            async with self.locked(table):
                if table.dealing.is_late(self.sources.playing()):
                    await self.deal_on(table)
                    self.settle(table)
        except Refused as refusal:
            log.warning("table %s: its cards could not be dealt: %s", table.id, refusal)
        except Exception:
            log.exception("table %s: its cards could not be dealt", table.id)

    # bots

    def drive(self, table: Table) -> None:
        """If a bot is to decide, let it think."""
        seat = table.decides
        if seat is not None and table.seats[seat].played_by and table.thinking is None:
            table.thinking = asyncio.create_task(self._play_bots(table))

    async def _play_bots(self, table: Table) -> None:
        try:
            while (seat := table.decides) is not None and (name := table.seats[seat].played_by):
                await self._play_bot(table, seat, name)
        except Refused as refusal:
            log.warning("table %s: a bot could not move: %s", table.id, refusal)
        except Exception:
            log.exception("table %s: a bot could not move", table.id)
        finally:
            table.thinking = None

    async def _play_bot(self, table: Table, seat: int, name: str) -> None:
        number, view = table.number, table.views.view(seat)
        chosen, _ = await asyncio.gather(
            self.bots.choose(name, view, self.sources.bot_seed()), asyncio.sleep(self.settings.bot_delay)
        )
        async with self.locked(table):
            if table.number != number:
                return
            if chosen.text not in table.views.choices:
                log.warning("bot %s wanted %r, which is not legal", name, chosen.text)
                chosen = self.bots.stand_in(name, view, self.sources.bot_seed(), "failed")
            await self.write(table, [table.entry("move", seat, chosen.text, thought=chosen.thought())])
            self.settle(table)

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
        for table in list(self.tables.values()):
            if _is_late(table, now):
                await self._time_out(table)
            elif table.dealing.is_late(now):
                await self._deal_late(table)
            elif self._is_idle(table, now):
                del self.tables[table.id]

    async def _time_out(self, table: Table) -> None:
        """The seat whose time is up is played by a bot from now on."""
        try:
            async with self.locked(table):
                if _is_late(table, self.sources.playing()):
                    await self.write(table, [table.entry("timeout", table.clock.running, self.settings.stand_in)])
                    self.settle(table)
        except Refused as refusal:
            log.warning("table %s: its clock could not be looked at: %s", table.id, refusal)
        except Exception:
            log.exception("table %s: its clock could not be looked at", table.id)

    def _is_idle(self, table: Table, now: float) -> bool:
        has_deadline = table.clock and table.status == "running"
        in_use = table.connections or table.thinking or table.lock.locked() or has_deadline
        return not in_use and now - table.used > self.settings.idle_seconds

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

    async def lobby(self, user: str | None) -> dict[str, list[Any]]:
        """A LobbyOut: open tables, and the guest's own."""
        since = self.sources.clock() - LISTED_SECONDS
        found = await asyncio.to_thread(self.repository.open_table_ids, since)
        opened = await asyncio.to_thread(self.repository.open_tables, self._fair(found))
        own = {"running": [], "finished": []} if user is None else await asyncio.to_thread(self._own, user)
        waiting = [table for table in opened if any(seat["kind"] == "open" for seat in table.seats)]
        shown = {name: self._all_listed(found, watched=True) for name, found in own.items()}
        return {"open": self._all_listed(waiting, watched=None), **shown}

    def _fair(self, table_ids: list[str]) -> list[str]:
        """The tables that are listed: only so many from one address, so that it cannot push out the others."""
        listed: Counter[str] = Counter()
        kept = []
        for table_id in table_ids:
            address, _ = self.created_from.get(table_id, (table_id, 0.0))
            listed[address] += 1
            if listed[address] <= self.settings.max_listed_per_address:
                kept.append(table_id)
        return kept[:MAX_LISTED]

    def _own(self, user: str) -> dict[str, list[Stored]]:
        running = [table for status in ("waiting", "dealing", "running") for table in self.repository.tables_of(user, status)]
        return {"running": running, "finished": self.repository.tables_of(user, "finished")}

    def _all_listed(self, found: list[Stored], *, watched: bool | None) -> list[Any]:
        listed = []
        for stored in found:
            with suppress(Refused):  # a damaged table is left out
                listed.append(self._listed(stored, watched=watched))
        return listed

    def _listed(self, stored: Stored, *, watched: bool | None) -> Any:
        """A TableOut; whoever has a seat there may see all of it, anybody else what strangers may."""
        table = self.tables.get(stored.table["id"])
        return (table or self._read(stored, replayed=False)).out(watched=watched)


def _is_late(table: Table, now: float) -> bool:
    deadline = table.clock.deadline if table.clock and table.status == "running" else None
    return deadline is not None and now >= deadline


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
