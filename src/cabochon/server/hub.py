"""All tables of the server: it finds and makes them, stores what happens, lets bots think and watches the clocks."""

import asyncio
import gc
import logging
import secrets
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from ..bots import BOTS
from . import storage
from .bots import Bots
from .guests import Guests, first_name
from .limits import Buckets
from .messages import TableOptions
from .refusals import Refused
from .settings import Settings, Sources, default_database
from .storage import Storage, Stored, Writer
from .tables import Entry, Seat, Table
from .tidying import Collector, take_over

KEY_BYTES = 32
LISTED_SECONDS = 86_400.0
LINKS_PER_MINUTE = 60.0
log = logging.getLogger("cabochon.server")


def nothing() -> None:
    """Do nothing."""


class Hub:
    """The tables in memory and what they need."""

    def __init__(self, settings: Settings, sources: Sources, progress: Callable[[int, int], None]) -> None:
        self.settings, self.sources = settings, sources
        self.storage = Storage(settings.database or default_database())
        self.bots: Bots
        self.writer: Writer
        self.guests: Guests
        self.collector: Collector
        self.progress = progress
        self.tables: dict[str, Table] = {}
        self.loading: dict[str, asyncio.Future[Table]] = {}
        self.creations = Buckets(settings.tables_per_minute / 60, settings.tables_per_minute)
        self.visits = Buckets(LINKS_PER_MINUTE / 60, LINKS_PER_MINUTE)
        self.background: list[asyncio.Task[None]] = []
        self.hints: dict[str, asyncio.Task[None]] = {}  # by guest
        self.one_by_one = asyncio.Lock()
        self.is_ready = False

    # from start to stop

    def prepare(self) -> None:
        """Bring the database up to date. What is wrong with it is told before anything is started."""
        self.storage.migrate()
        self.guests = Guests(self.storage.secret_key("guests", secrets.token_urlsafe(KEY_BYTES)))

    async def start(self) -> None:
        """Begin to write and to get ready; without workers the server answers only when it is ready."""
        self.writer = Writer(self.storage.engine, self.settings.commit_window)
        self.bots = Bots(self.settings, self.progress)
        getting_ready = asyncio.create_task(self._get_ready())
        self.background = [getting_ready, asyncio.create_task(self._tick_for_ever())]
        self.collector = Collector(lambda: len(self.tables) + self.sockets, lambda: self.writer.stored)
        if not gc.isenabled():
            self.background.append(asyncio.create_task(self.collector.run()))
        if not self.bots.workers:
            await getting_ready

    async def _get_ready(self) -> None:
        """People can play as soon as the rules are warm; a bot that is asked earlier than its worker is ready waits for it."""
        warming = asyncio.create_task(self.bots.warm())
        self.background.append(warming)
        await self.bots.rules_are_warm.wait()
        if not gc.isenabled():
            take_over()  # also of what the rules have loaded
        self.is_ready = True
        for table_id in await asyncio.to_thread(self.storage.timed_tables):
            try:
                self.drive(await self.table(table_id))
            except Exception:
                log.exception("table %s could not be read", table_id)

    async def stop(self) -> None:
        """Store what is waiting and end the workers."""
        self.is_ready = False
        thinking = [table.thinking for table in self.tables.values() if table.thinking]
        tasks = [*self.background, *thinking, *self.hints.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.bots.stop()
        await asyncio.to_thread(self.writer.stop)
        self.storage.engine.dispose()

    @property
    def sockets(self) -> int:
        """How many there are, at all tables."""
        return sum(len(table.connections) for table in self.tables.values())

    # finding and making tables

    async def table(self, table_id: str) -> Table:
        """The table of this name, from memory or from its log."""
        found = self.tables.get(table_id)
        if found is None:
            if table_id not in self.loading:
                self.loading[table_id] = asyncio.ensure_future(self._load(table_id))
            found = await asyncio.shield(self.loading[table_id])
        found.used = self.sources.clock()
        return found

    async def _load(self, table_id: str) -> Table:
        try:
            stored = await asyncio.to_thread(self.storage.table, table_id)
            if stored is None:
                raise Refused("no_table")
            table = self.tables[table_id] = await asyncio.to_thread(Table.load, stored, self.sources)
            if table.status != stored.table["status"]:
                await self._store_status(table)
            return table
        finally:
            del self.loading[table_id]

    def forget(self, table: Table, code: int, reason: str) -> None:
        """Drop what is in memory, because the log may know better; everybody comes back by themselves."""
        if self.tables.get(table.id) is table:
            del self.tables[table.id]
        for connection in list(table.connections):
            connection.close(code, reason)

    async def create(self, options: TableOptions, user: str, name: str) -> Table:
        """A new table; its creator sits at seat 0, bots at the last seats."""
        check_bots(options)
        people = options.players - len(options.bots)
        seats = [Seat(0, "user", name, token=self.sources.token())]
        seats += [Seat(seat, "open", "") for seat in range(1, people)]
        seats += [Seat(people + i, "bot", bot, bot) for i, bot in enumerate(options.bots)]
        start = 0 if options.start == "host" else self.sources.start(options.players)
        return await self._open(options, seats, {user: 0}, host=0, start=start)

    async def rematch(self, table: Table) -> Table:
        """The same people at a new table; the next seat begins."""
        seats = [
            Seat(seat.seat, seat.kind, seat.name, seat.bot, self.sources.token() if seat.kind == "user" else None)
            for seat in table.seats
        ]
        start = (table.start + 1) % table.options.players
        new = await self._open(table.options, seats, dict(table.holders), host=table.host, start=start)
        await self.store(table, storage.tables.update().where(storage.tables.c.id == table.id).values(rematch=new.id))
        table.rematch = new.id
        table.note_presence()
        return new

    async def _open(
        self, options: TableOptions, seats: list[Seat], holders: dict[str, int], *, host: int | None, start: int
    ) -> Table:
        now = self.sources.clock()
        is_full = all(seat.kind != "open" for seat in seats)
        row: dict[str, Any] = {
            "id": self.sources.table_id(),
            "options": options.model_dump_json(),
            "status": "running" if is_full else "waiting",
            "host": host,
            "start": start,
            "seed": self.sources.seed(),
            "salt": self.sources.salt(),
            "created": now,
            "began": now if is_full else None,
            "rematch": None,
            "listed": options.watch == "anybody",
            "timed": options.clock.kind != "none",
        }
        stored = Stored(
            row,
            [seat_row(row["id"], seat) for seat in seats],
            [{"table_id": row["id"], "user_id": user, "seat": seat} for user, seat in holders.items()],
        )
        statements = [storage.tables.insert().values(row), storage.seats.insert().values(list(stored.seats))]
        if stored.holders:
            statements.append(storage.holders.insert().values(list(stored.holders)))
        await self.writer.store(*statements)
        table = self.tables[row["id"]] = Table.load(stored, self.sources)
        self.drive(table)
        return table

    # what happens at a table; its lock is held

    async def write(self, table: Table, entries: Sequence[Entry], stored: Callable[[], None] = nothing) -> None:
        """Store entries, say so, then do what they say: one table after the other, and between them the sockets are served."""
        await self.store(table, entries=[entry.row(table.id) for entry in entries])
        stored()
        async with self.one_by_one:
            self._apply(table, entries)
        if table.status == "finished":
            await self._store_status(table)

    def _apply(self, table: Table, entries: Sequence[Entry]) -> None:
        try:
            for entry in entries:
                table.apply(entry)
        except Exception:
            self.forget(table, 1012, "the table is read again")
            raise

    async def store(self, table: Table, *statements: Any, entries: Sequence[dict[str, Any]] = ()) -> None:
        """Store something about a table. If that fails, nothing has changed, and everybody is asked to look again."""
        try:
            await self.writer.store(*statements, entries=entries)
        except Exception as wrong:
            self.forget(table, 1012, "the table is read again")
            raise Refused("not_stored") from wrong

    async def _store_status(self, table: Table) -> None:
        await self.store(table, storage.tables.update().where(storage.tables.c.id == table.id).values(status=table.status))

    def settle(self, table: Table) -> None:
        """After something has changed: tell everybody, and let a bot think if it is to decide."""
        table.broadcast()
        self.drive(table)

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
        except Exception:
            log.exception("table %s: a bot could not move", table.id)
        finally:
            table.thinking = None

    async def _play_bot(self, table: Table, seat: int, name: str) -> None:
        number, view = table.number, table.shown.view(seat)
        chosen, _ = await asyncio.gather(
            self.bots.choose(name, view, self.sources.bot_seed()), asyncio.sleep(self.settings.bot_delay)
        )
        async with table.lock:
            if table.number != number:
                return
            if chosen.text not in table.shown.choices:
                log.warning("bot %s wanted %r, which is not legal", name, chosen.text)
                chosen = self.bots.stand_in(name, view, self.sources.bot_seed(), "failed")
            await self.write(table, [table.entry("move", seat, chosen.text, thought=chosen.thought())])
            table.broadcast()

    # clocks

    async def _tick_for_ever(self) -> None:
        while True:
            await asyncio.sleep(self.settings.tick_seconds)
            await self.tick()

    async def tick(self) -> None:
        """Look at the clocks, and put away tables that nobody uses."""
        now = self.sources.clock()
        for table in list(self.tables.values()):
            if _is_late(table, now):
                await self._time_out(table)
            elif self._is_idle(table, now):
                del self.tables[table.id]

    async def _time_out(self, table: Table) -> None:
        """The seat whose time is up is played by a bot from now on."""
        try:
            async with table.lock:
                if _is_late(table, self.sources.clock()):
                    await self.write(table, [table.entry("timeout", table.clock.running, self.settings.stand_in)])
                    self.settle(table)
        except Exception:
            log.exception("table %s: its clock could not be looked at", table.id)

    def _is_idle(self, table: Table, now: float) -> bool:
        in_use = table.connections or table.thinking or table.lock.locked() or (table.clock and table.status == "running")
        return not in_use and now - table.used > self.settings.idle_seconds

    # people

    async def name_of(self, user: str) -> str:
        """What a guest is called."""
        return await asyncio.to_thread(self.storage.user_name, user) or first_name(user)

    async def lobby(self, user: str | None) -> dict[str, list[Any]]:
        """A LobbyOut: open tables, and the guest's own."""
        since = self.sources.clock() - LISTED_SECONDS
        opened = await asyncio.to_thread(self.storage.open_tables, since)
        own = {"running": [], "finished": []} if user is None else await asyncio.to_thread(self._own, user)
        waiting = [table for table in opened if any(seat["kind"] == "open" for seat in table.seats)]
        return {name: [self._listed(stored) for stored in found] for name, found in {"open": waiting, **own}.items()}

    def _own(self, user: str) -> dict[str, list[Stored]]:
        running = self.storage.tables_of(user, "waiting") + self.storage.tables_of(user, "running")
        return {"running": running, "finished": self.storage.tables_of(user, "finished")}

    def _listed(self, stored: Stored) -> Any:
        table = self.tables.get(stored.table["id"])
        return (table or Table.load(stored, self.sources, replayed=False)).out()


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


def seat_row(table_id: str, seat: Seat) -> dict[str, Any]:
    """A seat as it is stored."""
    return {
        "table_id": table_id,
        "seat": seat.seat,
        "kind": seat.kind,
        "name": seat.name,
        "bot": seat.bot,
        "token": seat.token,
    }


def seat_update(table_id: str, seat: Seat) -> sa.Update:
    """Store a seat anew."""
    place = (storage.seats.c.table_id == table_id) & (storage.seats.c.seat == seat.seat)
    return storage.seats.update().where(place).values(kind=seat.kind, name=seat.name, bot=seat.bot, token=seat.token)


def holding(table_id: str, user: str, seat: int | None) -> list[Any]:
    """Store that a user holds a seat, or (None) none."""
    place = (storage.holders.c.table_id == table_id) & (storage.holders.c.user_id == user)
    gone = [storage.holders.delete().where(place)]
    return gone if seat is None else [*gone, storage.holders.insert().values(table_id=table_id, user_id=user, seat=seat)]


def naming(user: str, name: str) -> list[Any]:
    """Store a guest's nickname."""
    return [storage.users.delete().where(storage.users.c.id == user), storage.users.insert().values(id=user, name=name)]
