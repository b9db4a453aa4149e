"""Private links: what one gives, and taking the seat it leads to. A guest holds one seat at a table."""

import asyncio
from typing import Any

from .broadcast import room_out_for
from .errors import Refused
from .room import Room
from .service import Service
from .table import Seat, SeatChange, Table


async def found_seat(service: Service, token: str) -> tuple[Room, int]:
    """The room and the seat a link leads to."""
    found = await asyncio.to_thread(service.repository.table_of_token, token)
    if found is None:
        raise Refused("no_link")
    return await service.room(found[0]), found[1]


def seat_link_out(room: Room, seat: int, user: str | None) -> dict[str, Any]:
    """A SeatLinkOut."""
    return {"table": room_out_for(room, user), "seat": seat, "holds": room.table.seat_of(user)}


async def take_seat(service: Service, token: str, user: str, gives_up: int | None) -> tuple[Table, int]:
    """Let a guest hold the seat of a link; the one they hold now must be named, so that nobody loses one unknowingly."""
    room, seat = await found_seat(service, token)
    async with service.locked(room):
        table = await service.insist(room, lambda: _taken(service, room, seat, token, user, gives_up))
    return table, seat


async def _taken(service: Service, room: Room, seat: int, token: str, user: str, gives_up: int | None) -> Table:
    table = room.table
    if table.seats[seat].token != token:
        raise Refused("no_link")  # its person has left it while we waited
    if user in table.kicked:
        raise Refused("kicked")
    held = table.seat_of(user)
    if held == seat:
        return table
    if held not in (None, gives_up):
        raise Refused("other_seat", seat=held)
    opened = _opened(table, held, user)
    host = seat if opened and table.host == held else table.host
    change = SeatChange(opened, host, {user: seat}, unsealed=[free.seat for free in opened])
    await service.change_seats(room, change)
    service.settle(room)
    return table


def _opened(table: Table, held: int | None, user: str) -> list[Seat]:
    """The seat that is free after its only holder has left it. During a game it stays its person's: the link leads back to it."""
    if held is None or table.status != "waiting":
        return []
    is_shared = any(seat == held and other != user for other, seat in table.holders.items())
    return [] if is_shared else [Seat(held, "open", "")]
