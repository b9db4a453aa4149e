"""The broadcaster: who at a table is told what, and when.

A change marks every socket of the room (`Connection.refresh`): one pending state for each, however much happens. The state is
built when the socket can take it. Viewers with the same eyes and the same last line are sent the same bytes.
"""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from orjson import Fragment, dumps

from .serialise import NOT_FOR_STRANGERS, choices_out, outcome_out, packed, table_out

if TYPE_CHECKING:
    from .connection import Connection
    from .room import Room
    from .table import Table

PRESENCE_SECONDS = 0.1  # who comes and goes within this time is told at once
MAX_CACHED_STATES = 16
CACHED_CLOCK_SECONDS = 0.05  # a state says how much time is left, so it cannot be used for long


@dataclass(slots=True)
class StateCache:
    """What was written for a room and may be sent again. `states` are kept by viewer and last line, until something changes."""

    table: Fragment | None = None
    outcome: Fragment | None = None
    states: dict[tuple[int | None, int], tuple[bytes, int]] = field(default_factory=dict)
    states_at: float = 0.0
    spectators: int = 0
    presence_timer: asyncio.TimerHandle | None = None


def join(room: "Room", connection: "Connection") -> None:
    """A socket has come: it is sent the state at once, the others hear of it soon."""
    room.connections[connection] = None
    room.note_presence()
    connection.refresh()
    _broadcast_soon(room)


def leave(room: "Room", connection: "Connection") -> None:
    """A socket has gone."""
    room.connections.pop(connection, None)
    room.note_presence()
    _broadcast_soon(room)


def _broadcast_soon(room: "Room") -> None:
    """One state for all who come and go within a moment (debounced)."""
    if room.cache.presence_timer is None:
        room.cache.presence_timer = asyncio.get_running_loop().call_later(PRESENCE_SECONDS, broadcast, room)


def broadcast(room: "Room") -> None:
    """Send everybody the state and the lines they do not have yet, as soon as each can be sent something."""
    cache = room.cache
    if cache.presence_timer:
        cache.presence_timer.cancel()
        cache.presence_timer = None
    cache.states.clear()
    spectators = room.spectators()
    if spectators != cache.spectators:
        cache.spectators, cache.table = spectators, None
    for connection in room.connections:
        connection.refresh()


def state_for(room: "Room", connection: "Connection") -> bytes | None:
    """The newest state for a socket, with the lines it does not have yet; nothing for somebody who may not watch."""
    table, cache = room.table, room.cache
    if not table.may_watch(connection.user):
        return None
    now = room.sources.playing() if table.clock else 0.0
    if len(cache.states) >= MAX_CACHED_STATES or now - cache.states_at > CACHED_CLOCK_SECONDS:
        cache.states.clear()
    key = table.seat_of(connection.user), connection.sent
    if key not in cache.states:
        if not cache.states:
            cache.states_at = now
        cache.states[key] = state_out(room, *key, now), table.number
    state, connection.sent = cache.states[key]
    return state


def state_out(room: "Room", viewer: int | None, since: int, now: float) -> bytes:
    """A StateOut for a seat or a spectator who has the lines up to `since`."""
    table = room.table
    view, prices = table.views.out(viewer) if table.game else (None, {})
    return dumps(
        {
            "type": "state",
            "table": room_out(room),
            "seat": viewer,
            "number": table.number,
            "view": view,
            "choices": choices_out(table, viewer),
            "prices": prices,
            "entries": [line.out(viewer) for line in table.log[since:]],
            "clock": table.clock.out(now) if table.clock and table.game else None,
            "asks": [ask.out() for ask in room.asks.values()],
            "can_undo": room.can_undo(viewer),
            "outcome": outcome(room),
        }
    )


def room_out(room: "Room") -> Fragment:
    """A TableOut, written, for whoever may watch."""
    if room.cache.table is None:
        room.cache.table = packed(table_out(room.table, room.people_here(), room.cache.spectators))
    return room.cache.table


def room_out_for(room: "Room", user: str | None) -> Fragment:
    """A TableOut, written, for a user: less for somebody who may not watch."""
    if room.table.may_watch(user):
        return room_out(room)
    return packed({**table_out(room.table, room.people_here(), room.cache.spectators), **NOT_FOR_STRANGERS})


def listed_out(table: "Table", *, is_own: bool) -> Fragment:
    """A TableOut, written, of a table without a room: all of it for whoever has a seat there, else what strangers may see."""
    out = table_out(table, (), 0)
    return packed(out if is_own or table.may_watch(None) else {**out, **NOT_FOR_STRANGERS})


def outcome(room: "Room") -> Fragment | None:
    """An OutcomeOut, written, after the end."""
    if room.table.status != "finished" or room.table.game is None:
        return None
    if room.cache.outcome is None:
        room.cache.outcome = packed(outcome_out(room.table.game))
    return room.cache.outcome
