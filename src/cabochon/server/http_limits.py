"""Limits on what one connection may cost: uvicorn's protocols with limits on size, time, count and buffers.

HTTP is parsed by h11, because it parses a request only after the one before was answered, and limits the size of the headers.
Bytes go to the parsers in small pieces, one per turn of the event loop, so that a full buffer of tiny requests or frames cannot
block the other connections. While bytes are pending here nothing more is read, so TCP's flow control slows the sender down.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from struct import Struct
from typing import Any, cast

import h11
from orjson import dumps
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request
from websockets.protocol import State

from .addresses import Network, address_block, is_within, parse_networks
from .connection import DIRECT
from .errors import Refused
from .middleware import HEADERS
from .rate_limit import UPLOADS, Bucket
from .settings import Settings

PIECE_BYTES = 4096
MAX_BODY_BYTES = 65_536  # with the framing of its chunks; the application refuses a message long before
MAX_DISCARDED_BYTES = 1 << 20
LINGER_SECONDS = 2.0
MIN_TAKEN_BYTES = 65_536  # within CABOCHON_MAX_UNREAD_SECONDS, or all that waited
MAX_QUEUED_MESSAGES = 32
SPARE_FRAMES_PER_SECOND, SPARE_FRAMES_AT_ONCE = 10.0, 50.0
POLICY_VIOLATION = 1008
TEXT_FRAME, MAX_SHORT_FRAME = 0x81, 125
MEDIUM_HEAD, LONG_HEAD = Struct("!BBH"), Struct("!BBQ")
CLIENTS_FAULT = ("Invalid HTTP request received.", "Unsupported upgrade request.")


@dataclass(slots=True)
class Connections:
    """The open connections of a server, counted in all and by address.

    A proxy that is trusted holds the connections of all its clients: it is counted in all, but not by address.
    """

    settings: Settings
    max_connections: int
    proxies: tuple[Network, ...] = ()
    number: int = 0
    by_address: Counter[str] = field(default_factory=Counter)

    def enter(self, host: str) -> None:
        """Count one more; raises Refused at the limit."""
        if self.number >= self.max_connections:
            raise Refused("server_full")
        if not is_within(host, self.proxies):
            block = address_block(host)
            if self.by_address[block] >= self.settings.max_connections_per_address:
                raise Refused("too_many_connections")
            self.by_address[block] += 1
        self.number += 1

    def leave(self, host: str) -> None:
        """Count one fewer."""
        self.number -= 1
        if not is_within(host, self.proxies):
            block = address_block(host)
            self.by_address[block] -= 1
            if not self.by_address[block]:
                del self.by_address[block]


def protocols(settings: Settings, max_connections: int) -> dict[str, Any]:
    """The arguments of uvicorn's configuration that carry these limits."""
    logging.getLogger("uvicorn.error").addFilter(_is_not_clients_fault)
    connections = Connections(settings, max_connections, parse_networks(settings.trusted_proxies))
    return {
        "http": cast(Any, partial(LimitedHttp, connections)),
        "ws": cast(Any, partial(LimitedSocket, connections)),
        "h11_max_incomplete_event_size": settings.max_header_bytes,
        "timeout_keep_alive": settings.max_idle_seconds,
        "ws_ping_interval": settings.ping_seconds,
        "ws_ping_timeout": settings.ping_seconds,
    }


def _is_not_clients_fault(record: logging.LogRecord) -> bool:
    """A client that does not speak HTTP gets an answer, but no line in the log: it could fill the disk."""
    return record.msg not in CLIENTS_FAULT


class CountedTransport:
    """A transport that counts the bytes written. The client has taken those less the ones still in the buffer.

    What is written within one turn of the event loop goes out at once: an acknowledgement and the state after it, or the head
    and the body of an answer. A write is a system call, which takes longer than most of what the server does for a message.
    """

    __slots__ = ("held", "is_closing", "loop", "transport", "written")

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self.transport, self.loop, self.written = transport, loop, 0
        self.held: list[bytes] = []
        self.is_closing = transport.is_closing  # asked with every message, so it is not looked up each time

    def write(self, data: bytes) -> None:
        """Write at the end of this turn, and count."""
        self.written += len(data)
        if not self.held:
            self.loop.call_soon(self._flush)
        self.held.append(data)

    def write_at_once(self, data: bytes) -> None:
        """Write all there is for this turn, and count."""
        self.written += len(data)
        if self.held:
            self.held.append(data)
            self._flush()
        elif not self.is_closing():
            self.transport.write(data)

    def _flush(self) -> None:
        held, self.held = self.held, []
        if held and not self.is_closing():  # the connection may have been lost within this turn
            self.transport.write(b"".join(held))

    def get_write_buffer_size(self) -> int:
        """The bytes that the client has not taken."""
        return self.transport.get_write_buffer_size() + sum(map(len, self.held))

    def write_eof(self) -> None:
        """End our side after what was written."""
        self._flush()
        self.transport.write_eof()

    def close(self) -> None:
        """Close after what was written."""
        self._flush()
        self.transport.close()

    def abort(self) -> None:
        """Close at once."""
        self.held.clear()
        self.transport.abort()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)


class UnreadWatch:
    """Aborts a connection whose client reads too slowly."""

    __slots__ = ("loop", "seconds", "taken", "timer", "transport", "unread")

    def __init__(self, transport: CountedTransport, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self.transport, self.loop, self.seconds = transport, loop, seconds
        self.unread = self.taken = 0
        self.timer = loop.call_later(seconds, self._look)

    def _look(self) -> None:
        unread = self.transport.get_write_buffer_size()
        taken = self.transport.written - unread
        if taken - self.taken < min(self.unread, MIN_TAKEN_BYTES):
            self.transport.abort()
            return
        self.unread, self.taken = unread, taken
        self.timer = self.loop.call_later(self.seconds, self._look)

    def stop(self) -> None:
        """Stop watching: the connection is closed."""
        self.timer.cancel()


class RequestReader(h11.Connection):
    """h11 with a limit on the number of headers. `hint` is the HTTP status that fits the last protocol error."""

    def __init__(self, max_header_bytes: int, max_headers: int) -> None:
        super().__init__(h11.SERVER, max_header_bytes)
        self.max_headers, self.hint = max_headers, 400

    def next_event(self) -> Any:
        """The next part of a request."""
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            self.hint = error.error_status_hint
            raise
        if isinstance(event, h11.Request) and len(event.headers) > self.max_headers:
            self.hint = 431
            raise h11.RemoteProtocolError("too many headers", error_status_hint=431)
        return event


class WriteFlow(FlowControl):
    """Flow control for writing only: LimitedHttp decides when to read."""

    def pause_reading(self) -> None:
        """Nothing: see LimitedHttp."""

    def resume_reading(self) -> None:
        """Nothing: see LimitedHttp."""


class LimitedHttp(H11Protocol):
    """One HTTP connection: one request at a time, in bounded time and memory."""

    def __init__(self, connections: Connections, **given: Any) -> None:
        super().__init__(**given)
        self.open, self.settings = connections, connections.settings
        self.conn: RequestReader = RequestReader(self.settings.max_header_bytes, self.settings.max_headers)
        self.pending = bytearray()
        self.body_bytes = self.discarded = 0
        self.is_counted = self.is_discarding = False
        self.timed: Any = None  # the state of the request that the timer is for
        self.timer: asyncio.TimerHandle | None = None
        self.next_piece: asyncio.Handle | None = None
        self.watch: UnreadWatch | None = None

    # the connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection. At a limit, answer with the refusal and close."""
        counted = CountedTransport(transport, self.loop)
        super().connection_made(cast(asyncio.Transport, counted))
        self.flow = WriteFlow(self.transport)
        self.watch = UnreadWatch(counted, self.loop, self.settings.max_unread_seconds)
        try:
            self.open.enter(_host(self.client))
        except Refused as refusal:
            self.is_discarding = True
            transport.write(_response(refusal))
            transport.close()
            return
        self.is_counted = True
        self._time()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all timers of this connection."""
        self._stop_waiting()
        if self.is_counted:
            self.open.leave(_host(self.client))
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Buffer the bytes until they may be parsed."""
        if self.is_discarding:
            self.discarded += len(data)
            if self.discarded > MAX_DISCARDED_BYTES:
                self.transport.abort()
            return
        self._unset_keepalive_if_required()
        self.pending += data
        if self.next_piece is None:
            self._feed()

    def _feed(self) -> None:
        """Parse one piece; the next one after the other connections had their turn."""
        self.next_piece = None
        if self.pending and self._is_wanted():
            piece = bytes(self.pending[:PIECE_BYTES])
            del self.pending[:PIECE_BYTES]
            self.conn.receive_data(piece)
            self.handle_events()
            self._count_body(len(piece))
        if self.is_discarding or self.transport.is_closing():
            return
        self._time()
        if self.pending and self._is_wanted():
            self.next_piece = self.loop.call_soon(self._feed)
        if self.pending or not self._is_wanted():
            self.transport.pause_reading()
        else:
            self.transport.resume_reading()

    def _is_wanted(self) -> bool:
        """Whether the current request is incomplete. The next one waits until this one is answered."""
        return not self.is_discarding and self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _count_body(self, received: int) -> None:
        self.body_bytes = self.body_bytes + received if self.conn.their_state is h11.SEND_BODY else 0
        if self.body_bytes > MAX_BODY_BYTES:
            most = max(MAX_BODY_BYTES, 2 * UPLOADS.get(self.scope["path"], 0))
            if self.body_bytes > most:
                self._refuse(Refused("too_large", most=most))

    def on_response_complete(self) -> None:
        """Parse what arrived meanwhile. A body that is still arriving keeps its time limit."""
        super().on_response_complete()
        if self.conn.their_state is h11.SEND_BODY:
            self._unset_keepalive_if_required()
        if self.next_piece is None and not self.transport.is_closing():
            self._feed()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over to a LimitedSocket. It stays counted, under this client's address."""
        self._stop_waiting()
        self.is_counted, self.is_discarding = False, True
        self.pending.clear()
        self.ws_protocol_class = cast(Any, partial(cast(Any, self.ws_protocol_class), self.client))
        super().handle_websocket_upgrade(event)

    def shutdown(self) -> None:
        """The server stops."""
        if self.is_discarding:
            self.transport.abort()
        else:
            super().shutdown()

    # time

    def _time(self) -> None:
        """Start the timer for headers or body. Between two requests uvicorn's own keep-alive timeout applies."""
        state: Any = self.conn.their_state
        if state is h11.IDLE and self.timeout_keep_alive_task is not None:
            state = None
        if state is self.timed:
            return
        self._stop_timer()
        self.timed = state
        seconds = {h11.IDLE: self.settings.max_header_seconds, h11.SEND_BODY: self.settings.max_body_seconds}.get(state)
        if seconds is not None:
            self.timer = self.loop.call_later(seconds, self._refuse, Refused("too_slow"))

    def _stop_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def _stop_waiting(self) -> None:
        self._stop_timer()
        self._unset_keepalive_if_required()
        if self.next_piece is not None:
            self.next_piece.cancel()
            self.next_piece = None
        if self.watch is not None:
            self.watch.stop()

    # refusing

    def send_400_response(self, _msg: str) -> None:
        """Refuse what is not HTTP and headers that are too large: uvicorn calls this for both."""
        if self.conn.hint == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
            limits = {"bytes": self.settings.max_header_bytes, "headers": self.settings.max_headers}
            self._refuse(Refused("headers_too_large", **limits))
        else:
            self._refuse(Refused("bad_request"))

    def _refuse(self, refusal: Refused) -> None:
        """Answer a request that was not read to its end, and close. If the answer was already sent, only close."""
        is_running = self.cycle is not None and not self.cycle.response_complete
        if is_running:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            if self.cycle.response_started:
                self.transport.abort()
                return
        has_begun = self.conn.their_state is not h11.IDLE or bool(self.conn.trailing_data[0])
        if is_running or (has_begun and self.timed is not h11.SEND_BODY):
            self.transport.write(_response(refusal))
        self._linger()

    def _linger(self) -> None:
        """Read on for a moment, then close (lingering close): a close with unread bytes sends a reset, which loses the answer."""
        self._stop_timer()
        self._unset_keepalive_if_required()
        self.pending.clear()
        self.is_discarding = True
        if not self.transport.is_closing():
            self.transport.resume_reading()
            self.transport.write_eof()
            self.timer = self.loop.call_later(LINGER_SECONDS, self.transport.abort)


class Inbox:
    """Messages that wait for the application, which has one reader. An `asyncio.Queue` takes 3 KB, and each socket has one."""

    __slots__ = ("messages", "waiter")

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.waiter: asyncio.Future[None] | None = None

    def qsize(self) -> int:
        """How many there are."""
        return len(self.messages)

    def put_nowait(self, message: Any) -> None:
        """One more."""
        self.messages.append(message)
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    async def get(self) -> Any:
        """The next one."""
        while not self.messages:
            self.waiter = asyncio.get_running_loop().create_future()
            await self.waiter
        return self.messages.pop(0)


class LimitedSocket(WebSocketsSansIOProtocol):
    """One WebSocket. No more is parsed than the application reads, and the buffer of answers cannot be filled."""

    def __init__(self, connections: Connections, counted: tuple[str, int] | None, **given: Any) -> None:
        super().__init__(**given)
        self.open, self.settings, self.counted = connections, connections.settings, counted
        self.queue: Inbox = Inbox()  # type: ignore[assignment]
        self.pending = bytearray()
        self.is_reading = False
        self.read_paused = True  # so says uvicorn's own flow control, which would stop and go on with every single message
        self.after_close, self.close_timeout = 0, LINGER_SECONDS
        self.next_piece: asyncio.Handle | None = None
        self.watch: UnreadWatch | None = None
        self.spare_frames = Bucket(SPARE_FRAMES_PER_SECOND, SPARE_FRAMES_AT_ONCE, self.loop.time())

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take over a connection from HTTP. The address comes from there: after a reset the transport no longer has it."""
        super().connection_made(transport)
        self.client = self.counted
        self.watch = UnreadWatch(cast(CountedTransport, self.transport), self.loop, self.settings.max_unread_seconds)
        self._read(wanted=True)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all timers of this connection."""
        if self.watch is not None:
            self.watch.stop()
        if self.next_piece is not None:
            self.next_piece.cancel()
        self.open.leave(_host(self.client))
        super().connection_lost(exc)
        # These refer to each other: they would stay until a full garbage collection, which is rare here.
        if hasattr(self, "scope"):  # after a handshake that was accepted
            self.scope["extensions"] = {}
        self.pending.clear()
        self.conn.parser.close()

    def start_keepalive(self) -> None:
        """The handshake is over. What was said in it would otherwise be kept as long as the socket, 5 KB of headers."""
        super().start_keepalive()
        for headers in (self.request.headers, self.response.headers, self.scope["headers"]):
            headers.clear()  # type: ignore[union-attr]
        del self.request, self.response

    # reading

    def data_received(self, data: bytes) -> None:
        """Buffer the bytes until they may be parsed. The upgrade request, which comes first, was parsed by h11 already."""
        if not self.handshake_initiated:
            super().data_received(data)
            self._end_without_handshake()
            return
        self.pending += data
        self.after_close += len(data) if self.close_sent else 0
        if self.after_close > MAX_BODY_BYTES:
            self.transport.abort()
        elif self.next_piece is None:
            self._feed()

    def _end_without_handshake(self) -> None:
        """Close after a handshake that h11 accepts and websockets refuses: uvicorn would wait for ever."""
        if not self.handshake_initiated:
            self.transport.write(b"".join(self.conn.data_to_send()) or _response(Refused("bad_request")))
            self.handshake_complete = self.close_sent = True
            self.transport.close()

    def _feed(self) -> None:
        """Parse one piece; the next one after the other connections had their turn and the application has read this one."""
        self.next_piece = None
        if self.pending and self._is_wanted():
            piece = bytes(self.pending[:PIECE_BYTES])
            del self.pending[:PIECE_BYTES]
            super().data_received(piece)
        if self.transport.is_closing():
            self.pending.clear()
            return
        if self.pending and self._is_wanted():
            self.next_piece = self.loop.call_soon(self._feed)
        self._read(wanted=not self.pending and self.writable.is_set())

    def _read(self, *, wanted: bool) -> None:
        """Let more bytes come, or let them wait."""
        if wanted != self.is_reading:
            self.is_reading = wanted
            (self.transport.resume_reading if wanted else self.transport.pause_reading)()

    def _is_wanted(self) -> bool:
        """Whether there is room for more. After our close frame everything is read, because only theirs is missing."""
        return self.close_sent or (self.queue.qsize() < MAX_QUEUED_MESSAGES and self.writable.is_set())

    def handle_connect(self, event: Request) -> None:
        """A handshake has come: the application may send texts without a message of ASGI for each."""
        super().handle_connect(event)
        if not self.close_sent:
            self.scope["extensions"][DIRECT] = {"is_open": self.is_open_to_write, "send": self.send_texts}

    def is_open_to_write(self) -> bool:
        """Whether the client takes what is sent now."""
        is_open = self.handshake_complete and not (self.close_sent or self.disconnected or self.initial_response)
        return is_open and self.conn.state is State.OPEN and self.writable.is_set()

    def send_texts(self, texts: Sequence[bytes]) -> None:
        """Send whole texts by one system call."""
        written = [part for text in texts for part in (_text_head(len(text)), text)]
        cast(CountedTransport, self.transport).write_at_once(b"".join(written))

    async def receive(self) -> Any:
        """The next message for the application; then there may be room to parse another."""
        message = await self.queue.get()
        if not self.is_reading:
            self._go_on()
        return message

    def pause_writing(self) -> None:
        """Stop reading from a client that does not read: each of its pings would add a pong to the buffer."""
        super().pause_writing()
        self._read(wanted=False)

    def resume_writing(self) -> None:
        """The client reads again: go on."""
        super().resume_writing()
        self._go_on()

    def _go_on(self) -> None:
        if self.next_piece is None and not self.transport.is_closing():
            self._feed()

    # frames that are no message: pings, pongs and parts of a message cost time, and the application does not see them

    def handle_ping(self) -> None:
        """Answer it."""
        if self._has_spare_frame():
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """They are still there."""
        if self._has_spare_frame():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """The next part of a message."""
        if self._has_spare_frame():
            super().handle_cont(event)

    def _has_spare_frame(self) -> bool:
        if self.close_sent:
            return False
        if self.spare_frames.take(self.loop.time()):
            return True
        self.conn.fail(POLICY_VIOLATION, "too many control frames or fragments")
        self.queue.put_nowait({"type": "websocket.disconnect", "code": POLICY_VIOLATION})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.transport.close()
        return False

    def send_500_response(self) -> None:
        """Answer a handshake that cannot be completed because the server stops."""
        if not (self.initial_response or self.handshake_complete):
            self.transport.write(_response(Refused("stopping")))


def _text_head(size: int) -> bytes:
    """What comes before a whole text of so many bytes from a server (RFC 6455, 5.2)."""
    if size <= MAX_SHORT_FRAME:
        return bytes((TEXT_FRAME, size))
    if size < 1 << 16:
        return MEDIUM_HEAD.pack(TEXT_FRAME, MAX_SHORT_FRAME + 1, size)
    return LONG_HEAD.pack(TEXT_FRAME, MAX_SHORT_FRAME + 2, size)


def _host(client: tuple[str, int] | None) -> str:
    """The address of the peer: a client or a proxy."""
    return client[0] if client else ""


def _response(refusal: Refused) -> bytes:
    """A complete HTTP response after which the connection is closed."""
    body = dumps(refusal.out())
    headers = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close", **HEADERS}
    status = f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}"
    lines = [status, *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body
