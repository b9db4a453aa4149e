"""Private links: what one gives, and taking the seat it leads to. A guest holds one seat at a table."""

import asyncio
from typing import Any

from .errors import Refused
from .repository import set_holder, set_seal, update_seats, update_table
from .service import Service
from .table import Seat, Table


async def found_seat(service: Service, token: str) -> tuple[Table, int]:
    """The table and the seat a link leads to."""
    found = await asyncio.to_thread(service.repository.table_of_token, token)
    if found is None:
        raise Refused("no_link")
    return await service.table(found[0]), found[1]


def seat_link_out(table: Table, seat: int, user: str | None) -> dict[str, Any]:
    """A SeatLinkOut."""
    return {"table": table.out(user), "seat": seat, "holds": table.seat_of(user)}


async def take_seat(service: Service, token: str, user: str, gives_up: int | None) -> tuple[Table, int]:
    """Let a guest hold the seat of a link; the one they hold now must be named, so that nobody loses one unknowingly."""
    table, seat = await found_seat(service, token)
    async with service.locked(table):
        if table.seats[seat].token != token:
            raise Refused("no_link")  # its person has left it while we waited
        held = table.seat_of(user)
        if held == seat:
            return table, seat
        if held not in (None, gives_up):
            raise Refused("other_seat", seat=held)
        opened = _opened(table, held, user)
        host = seat if opened and table.host == held else table.host
        changed = [*update_seats(table.id, [opened]), *set_seal(table.id, opened.seat, None)] if opened else []
        await service.store(table, *set_holder(table.id, user, seat), *changed, *update_table(table.id, host=host))
        table.holders[user] = seat
        table.host = host
        if opened:
            table.seats[opened.seat] = opened
            table.dealing.vacate(opened.seat)
        table.note_presence()
        service.settle(table)
    return table, seat


def _opened(table: Table, held: int | None, user: str) -> Seat | None:
    """The seat that is free after its only holder has left it. During a game it stays its person's: the link leads back to it."""
    if held is None or table.status != "waiting":
        return None
    is_shared = any(seat == held and other != user for other, seat in table.holders.items())
    return None if is_shared else Seat(held, "open", "")
