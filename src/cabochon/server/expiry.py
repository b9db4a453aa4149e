"""Deletes what has expired: waiting tables that nobody joined and, if that is set, old games and guests."""

import asyncio
import logging
from typing import TYPE_CHECKING

from .connection import RESTARTING
from .repository import delete_guests, delete_tables
from .room import Room

if TYPE_CHECKING:
    from .service import Service

PAUSE_SECONDS = 600.0
BATCH = 20
GUEST_BATCH = 1000
log = logging.getLogger("cabochon.server")


async def expire_for_ever(service: "Service") -> None:
    """Look every ten minutes."""
    while True:
        try:
            while await expire(service) == BATCH:
                pass
            await expire_guests(service)
            await service.pusher.forget_old()
            await service.reviews.forget_old()
        except Exception:
            log.exception("old tables and guests could not be deleted")
        await asyncio.sleep(PAUSE_SECONDS)


async def expire(service: "Service") -> int:
    """Delete some tables that are too old and not in use; how many there were."""
    now, settings = service.sources.clock(), service.settings
    keep = {
        "waiting": settings.keep_waiting_seconds,
        "finished": settings.keep_finished_seconds,
        "running": settings.keep_running_seconds,
    }
    before = {status: now - seconds for status, seconds in keep.items() if seconds}
    used = {*service.loading, *(table_id for table_id, room in service.rooms.items() if room.is_used)}
    found = await asyncio.to_thread(service.repository.expired_tables, before, used, BATCH)
    unused = [table_id for table_id in found if table_id not in service.loading and not _is_used(service.rooms.get(table_id))]
    if unused:
        await _delete(service, unused)
    return len(unused)


async def expire_guests(service: "Service") -> None:
    """Delete the names of some guests who hold no seat and have not been seen for as long as finished games are kept."""
    seconds = service.settings.keep_finished_seconds
    if not seconds:
        return
    await service.writer.store(*delete_guests(service.sources.clock() - seconds, GUEST_BATCH))


def _is_used(room: Room | None) -> bool:
    return room is not None and room.is_used


async def _delete(service: "Service", table_ids: list[str]) -> None:
    """Delete tables with all that belongs to them. Meanwhile, nobody can begin to use one."""
    service.deleting.update(table_ids)
    try:
        await service.writer.store(*delete_tables(table_ids))
        for table_id in table_ids:
            service.openings.remove(table_id)
            room = service.rooms.get(table_id)
            if room:
                service.forget(room, RESTARTING, "the table is read again")
    finally:
        service.deleting.difference_update(table_ids)
