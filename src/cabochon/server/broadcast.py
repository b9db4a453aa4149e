"""The broadcaster: who at a table is told what, and when.

A change marks every socket of the room (`Connection.refresh`): one pending state for each, however much happens. The state is
built when the socket can take it. Viewers with the same eyes and the same last line are sent the same bytes.
"""

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from orjson import Fragment, dumps

from .chat import rooms_to_read
from .serialise import choices_out, outcome_out, packed, result_out, strangers_out, table_out

if TYPE_CHECKING:
    from .connection import Connection
    from .room import Room
    from .table import Table

PRESENCE_SECONDS = 0.1  # who comes and goes within this time is told at once
MAX_CACHED_STATES = 16
CACHED_CLOCK_SECONDS = 0.05  # a state says how much time is left, so it cannot be used for long


@dataclass(slots=True)
class StateCache:
    """What was written for a room and may be sent again.

    `states` are kept by viewer and last line, until something changes, and only where there is another to send them to: each is
    some 8 KB, and most tables have one socket a seat.
    """

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
    connection.refresh_chat()
    _tell_presence(room)


def leave(room: "Room", connection: "Connection") -> None:
    """A socket has gone."""
    room.connections.pop(connection, None)
    room.note_presence()
    _tell_presence(room)


def _tell_presence(room: "Room") -> None:
    _broadcast_soon(room)
    if room.on_presence:
        room.on_presence(room)


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
        if room.table.status == "finished":
            connection.refresh_chat()  # the players may read what the spectators said


def tell_chat(room: "Room") -> None:
    """Something was said."""
    for connection in room.connections:
        connection.refresh_chat()


def chat_for(room: "Room", connection: "Connection") -> bytes | None:
    """A ChatOut with what this socket may read and was not sent; the rest of it comes next. Nothing if there is nothing."""
    table = room.table
    if not table.may_watch(connection.user):
        return None
    places = rooms_to_read(table, table.seat_of(connection.user))
    lines = table.chat.part(places, connection.heard)
    if table.chat.has_more(places, connection.heard):
        connection.refresh_chat()
    return dumps({"type": "chat", "lines": lines}) if lines else None


def state_for(room: "Room", connection: "Connection") -> bytes | None:
    """The newest state for a socket, with the lines it does not have yet; nothing for somebody who may not watch."""
    table, cache = room.table, room.cache
    if not table.may_watch(connection.user):
        return None
    now = room.sources.playing() if room.tells_time else 0.0
    if len(cache.states) >= MAX_CACHED_STATES or now - cache.states_at > CACHED_CLOCK_SECONDS:
        cache.states.clear()
    key = viewer, since = table.seat_of(connection.user), connection.sent
    known = cache.states.get(key)
    if known is None:
        known = state_out(room, viewer, since, now), table.number
        if room.has_others_like(connection):
            if not cache.states:
                cache.states_at = now
            cache.states[key] = known
    state, connection.sent = known
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
            "asks": [ask.out(now) for ask in room.asks.values()],
            "away": room.replaceable_in(now),
            "declined": room.declined.out() if room.declined else None,
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
    return packed(strangers_out(room.table, room.people_here(), room.cache.spectators))


def listed_out(table: "Table", room: "Room | None", seat: int | None, result: str | None) -> Fragment:
    """A ListedOut, written: all of it for whoever has a seat there, else what strangers may see. `result` is what is stored."""
    people, spectators = (room.people_here(), room.cache.spectators) if room else ((), 0)
    if seat is None and not table.may_watch(None):
        return packed({**strangers_out(table, people, spectators), "seat": None, "turn": None, "result": None})
    known = result_out(table) if room else None if result is None else Fragment(result)
    return packed({**table_out(table, people, spectators), "seat": seat, "turn": table.decides, "result": known})


def outcome(room: "Room") -> Fragment | None:
    """An OutcomeOut, written, after the end."""
    if room.table.status != "finished" or room.table.game is None:
        return None
    if room.cache.outcome is None:
        room.cache.outcome = packed(outcome_out(room.table))
    return room.cache.outcome
