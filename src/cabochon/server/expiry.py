"""What nobody will miss: tables that waited in vain and, where the host of the server wishes it, old games and guests."""

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from . import storage
from .tables import Table

if TYPE_CHECKING:
    from .hub import Hub

PAUSE_SECONDS = 600.0
BATCH = 20
GUEST_BATCH = 1000
log = logging.getLogger("cabochon.server")


async def expire_for_ever(hub: "Hub") -> None:
    """Look now and again."""
    while True:
        try:
            while await expire(hub) == BATCH:
                pass
            await expire_guests(hub)
        except Exception:
            log.exception("old tables and guests could not be deleted")
        await asyncio.sleep(PAUSE_SECONDS)


async def expire(hub: "Hub") -> int:
    """Delete some tables that are too old and not in use; how many there were."""
    now, settings = hub.sources.clock(), hub.settings
    keep = {
        "waiting": settings.keep_waiting_seconds,
        "finished": settings.keep_finished_seconds,
        "running": settings.keep_running_seconds,
    }
    before = {status: now - seconds for status, seconds in keep.items() if seconds}
    used = {*hub.loading, *(table.id for table in hub.tables.values() if _is_used(table))}
    found = await asyncio.to_thread(hub.storage.expired_tables, before, used, BATCH)
    unused = [table_id for table_id in found if table_id not in hub.loading and not _is_used(hub.tables.get(table_id))]
    if unused:
        await _delete(hub, unused)
    return len(unused)


async def expire_guests(hub: "Hub") -> None:
    """Delete the names of some guests who hold no seat and have not been seen for as long as finished games are kept."""
    seconds = hub.settings.keep_finished_seconds
    if not seconds:
        return
    users = storage.users.c
    has_seat = sa.exists().where(storage.holders.c.user_id == users.id)
    old = sa.select(users.id).where(users.seen < hub.sources.clock() - seconds, ~has_seat).limit(GUEST_BATCH)
    await hub.writer.store(storage.users.delete().where(users.id.in_(old)))


def _is_used(table: Table | None) -> bool:
    return table is not None and bool(table.connections or table.thinking or table.lock.locked())


async def _delete(hub: "Hub", table_ids: list[str]) -> None:
    """Delete tables with all that belongs to them. Meanwhile, nobody can begin to use one."""
    hub.deleting.update(table_ids)
    try:
        await hub.writer.store(*deletions(table_ids))
        for table_id in table_ids:
            hub.created_from.pop(table_id, None)
            table = hub.tables.get(table_id)
            if table:
                hub.forget(table, 1012, "the table is read again")
    finally:
        hub.deleting.difference_update(table_ids)


def deletions(table_ids: list[str]) -> list[Any]:
    """The statements that delete tables, what refers to them first."""
    parts = (storage.entries, storage.holders, storage.seals, storage.seats)
    deleted = [part.delete().where(part.c.table_id.in_(table_ids)) for part in parts]
    return [*deleted, storage.tables.delete().where(storage.tables.c.id.in_(table_ids))]
