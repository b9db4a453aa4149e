"""What a room knows beside its stored table, as the nodes of a cluster tell each other: questions, the clock, the deal.

It is stored with the number of the log's last line. What later lines do to it follows from the log, at every node alike.
"""

import math
from collections import Counter
from typing import Any

from orjson import dumps, loads

from .room import Ask, Declined, Room

EMPTY = {"number": 0, "asked": 0, "asks": [], "back": [], "declined": None, "clock": None, "deal": None}


def written_state(room: Room) -> str:
    """The state of a room as JSON."""
    table, clock = room.table, room.table.clock
    dealing = table.dealing
    state = {
        "number": table.number,
        "asked": room.asked,
        "asks": [_written_ask(ask) for ask in room.asks.values()],
        "back": [[*decision, count] for decision, count in room.asked_back.items()],
        "declined": room.declined and [_written_ask(room.declined.ask), room.declined.how, room.declined.by],
        "clock": [clock.since, clock.held_since] if clock and table.game else None,
        "deal": [dealing.phase, sorted(dealing.awaited), _finite(dealing.deadline)] if table.status == "dealing" else None,
    }
    return dumps(state).decode()


def take_over_state(room: Room, text: str | None) -> bool:
    """Put a room into a stored state, as the lines of the log after it have left it; False if there is no deal in it."""
    table, clock = room.table, room.table.clock
    state: dict[str, Any] = loads(text) if text else EMPTY
    room.asked = state["asked"]
    room.asks = {ask.number: ask for ask in map(_read_ask, state["asks"])}
    room.asked_back = Counter({(seat, number): count for seat, number, count in state["back"]})
    declined = state["declined"]
    room.declined = Declined(_read_ask(declined[0]), *declined[1:]) if declined else None
    for line in table.log[state["number"] :]:
        room.go_on(line.entry)
    if clock and state["clock"] and state["number"] == table.number:
        clock.since, clock.held_since = state["clock"]
    if table.status == "dealing" and state["deal"]:
        phase, awaited, deadline = state["deal"]
        table.dealing.phase, table.dealing.awaited = phase, frozenset(awaited)
        table.dealing.deadline = math.inf if deadline is None else deadline
    room.cache.table = None
    return bool(state["deal"])


def _written_ask(ask: Ask) -> list[Any]:
    return [ask.number, ask.what, ask.by, ask.seat, ask.waiting_for, _finite(ask.until)]


def _read_ask(written: list[Any]) -> Ask:
    number, what, by, seat, waiting_for, until = written
    return Ask(number, what, by, seat, waiting_for, math.inf if until is None else until)


def _finite(seconds: float) -> float | None:
    return None if seconds == math.inf else seconds
