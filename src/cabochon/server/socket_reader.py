"""Reading a socket: every message is parsed or refused. Clients that send too many invalid messages are disconnected."""

import asyncio
import json
import time
from contextlib import suppress
from functools import partial
from typing import Any

from orjson import dumps
from pydantic import TypeAdapter, ValidationError
from starlette.routing import WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from .broadcast import chat_for, join, leave, state_for
from .chat import PLACES, Place
from .connection import (
    BAD_MESSAGES,
    DIRECT,
    NO_TABLE,
    NOT_FOR_YOU,
    OPENED_ELSEWHERE,
    SEND_TIMEOUT_SECONDS,
    STARTING,
    TOO_LARGE,
    TOO_MANY,
    Connection,
)
from .errors import Refused
from .handlers import carry_out, refused
from .messages import ClientMessage, PingIn
from .middleware import origin_allowed
from .rate_limit import MAX_MESSAGE_BYTES, Bucket, address_of
from .room import Room
from .service import Service
from .table import Table

MESSAGES: TypeAdapter[Any] = TypeAdapter(ClientMessage)
BURST_SECONDS = 2
SOCKET_COST = 2
PONG = dumps({"type": "pong"})


class Malformed(Exception):
    """A message that is none of ours; `request` is its id, if it has one."""

    def __init__(self, request: int | None, refusal: Refused) -> None:
        super().__init__(str(refusal))
        self.request, self.refusal = request, refusal


def parse_message(text: str) -> Any:
    """The message this text is."""
    try:
        return MESSAGES.validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        problem = f"{place}: {first['msg']}" if place else first["msg"]
        raise Malformed(_request_id(text), Refused("not_understood", problem=problem)) from error


def _request_id(text: str) -> int | None:
    with suppress(ValueError, RecursionError):
        message = json.loads(text)
        request = message.get("id") if isinstance(message, dict) else None
        if isinstance(request, int) and not isinstance(request, bool) and 0 <= request <= 1 << 31:
            return request
    return None


class TableSocket:
    """Where the sockets of tables are opened: an ASGI application.

    It stands before FastAPI, because all that FastAPI makes for a request would stay as long as the socket does.
    """

    def __init__(self, service: Service) -> None:
        self.service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one socket."""
        websocket = WebSocket(scope, receive, send)
        known = websocket.query_params
        try:
            since, table, watch = (int(known.get(name, 0)) for name in ("since", *PLACES))
        except ValueError:
            await websocket.close(BAD_MESSAGES, "the last lines that are known are numbers")
            return
        await serve(websocket, self.service, scope["path_params"]["table_id"], since, {"table": table, "watch": watch})


def table_sockets(service: Service) -> WebSocketRoute:
    """The route of these sockets."""
    return WebSocketRoute("/api/tables/{table_id}/socket", TableSocket(service))


async def serve(websocket: WebSocket, service: Service, table_id: str, since: int, heard: dict[Place, int]) -> None:
    """One socket from its coming to its going."""
    if not origin_allowed(websocket.headers, service.settings.origins):
        await websocket.close(NOT_FOR_YOU, "this socket was opened by another site")
        return
    user, address = service.guests.user_of(websocket) if service.is_ready else None, address_of(websocket)
    await websocket.accept()
    room = await _welcome(websocket, service, table_id, user, address)
    if room is None:
        return
    is_seated = room.table.seat_of(user) is not None
    if not await service.sockets.enter(address, is_seated):
        await websocket.close(TOO_MANY, "too many sockets from your address")
        return
    try:
        known, heard = _known(room.table, since), _known_chat(room.table, heard)
        direct = websocket.scope.get("extensions", {}).get(DIRECT)
        connection = Connection(websocket, user, known, service.settings.max_unsent, address, heard, direct)
        await _attend(service, room, connection)
    finally:
        service.sockets.leave(address, is_seated)


async def _welcome(websocket: WebSocket, service: Service, table_id: str, user: str | None, address: str) -> Room | None:
    """The table, if it is there and may be seen; else the socket is closed with the reason."""
    if not service.is_ready:
        await websocket.close(STARTING, "the server is starting")
        return None
    try:
        if not await _may_ask(service, table_id, user, address):
            await websocket.close(TOO_MANY, "too many requests from your address")
            return None
        room = await service.room(table_id)
    except Refused as refusal:
        await websocket.close(STARTING if refusal.code in ("no_database", "not_stored") else NO_TABLE, str(refusal))
        return None
    if not room.table.may_watch(user):
        await websocket.close(NOT_FOR_YOU, "at this table nobody may watch")
    elif room.table.seat_of(user) is None and _is_crowded(service, room, address):
        await websocket.close(TOO_MANY, "too many are at this table")
    else:
        return room
    return None


async def _may_ask(service: Service, table_id: str, user: str | None, address: str) -> bool:
    """An address may open only so many sockets in a short time; whoever has a seat at the table comes in all the same."""
    if service.reads.take(address, time.monotonic(), SOCKET_COST):
        return True
    if user is None or not service.reconnects.take(user, time.monotonic()):
        return False
    room = service.rooms.get(table_id)
    if room is not None:
        return user in room.table.holders
    return await asyncio.to_thread(service.repository.holds_seat, table_id, user)


def _is_crowded(service: Service, room: Room, address: str) -> bool:
    """Whether one more spectator, or one more from this address, is too many."""
    settings = service.settings
    return room.spectators() >= settings.max_spectators or room.spectators(address) >= settings.max_spectators_per_address


def _known(table: Table, since: int) -> int:
    """The number of the last line a client has, if that can be."""
    return since if 0 <= since <= table.number else 0


def _known_chat(table: Table, heard: dict[Place, int]) -> dict[Place, int]:
    """The last line of each room that a client has, if that can be."""
    return {place: heard[place] if 0 <= heard[place] <= len(table.chat.written[place]) else 0 for place in PLACES}


async def _attend(service: Service, room: Room, connection: Connection) -> None:
    sender = asyncio.create_task(connection.send_all(partial(state_for, room), partial(chat_for, room)))
    reader = asyncio.create_task(_listen(service, room, connection))
    try:
        _close_oldest(service, room, connection.user)
        join(room, connection)
        service.start_bots(room)
        await asyncio.wait({sender, reader, connection.closed}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        connection.has_left = True
        if not connection.is_asking:
            reader.cancel()
        elif connection.close_reason:  # what was begun is answered
            await asyncio.wait({reader}, timeout=SEND_TIMEOUT_SECONDS)
        leave(room, connection)
        await connection.finish(sender)


def _close_oldest(service: Service, room: Room, user: str | None) -> None:
    """A guest who comes once too often leaves where they came first: there is always a way to one's seat."""
    if user is not None:
        own = room.sockets_of(user)
        for connection in own[: max(0, len(own) + 1 - service.settings.max_sockets_per_guest)]:
            connection.close(OPENED_ELSEWHERE, "you have opened this table in too many places")


async def _listen(service: Service, room: Room, connection: Connection) -> None:
    """Read until the socket is gone or has sent too much that was refused. A request that was begun is carried out to its end."""
    rate = service.settings.requests_per_second
    bucket, bad = Bucket(rate, rate * BURST_SECONDS, time.monotonic()), 0
    with suppress(WebSocketDisconnect, RuntimeError):
        while not connection.has_left and (text := await _next_text(connection)) is not None:
            try:
                message = _admitted(bucket, text)
            except Malformed as error:
                bad += 1
                connection.put(refused(error.request, error.refusal))
                if bad >= service.settings.max_bad:
                    connection.close(BAD_MESSAGES, "too many messages that could not be understood")
                    return
                continue
            if isinstance(message, PingIn):
                connection.put(PONG)
            else:
                connection.is_asking = True
                await carry_out(service, room, connection, message)
                connection.is_asking = False


def _admitted(bucket: Bucket, text: str) -> Any:
    if not bucket.take(time.monotonic()):
        raise Malformed(_request_id(text), Refused("too_many_messages"))
    return parse_message(text)


async def _next_text(connection: Connection) -> str | None:
    """The next message as text; None when there will be none. Bytes are read as text."""
    message = await connection.websocket.receive()
    if message["type"] == "websocket.disconnect":
        return None
    text: str | None = message.get("text")
    size = len(message.get("bytes") or b"") if text is None else len(text.encode(errors="replace"))
    if size > MAX_MESSAGE_BYTES:
        connection.close(TOO_LARGE, f"a message may have {MAX_MESSAGE_BYTES} bytes")
        return None
    return message["bytes"].decode(errors="replace") if text is None else text
