"""The socket of one viewer: what comes in is read one by one, what goes out waits in a queue that cannot grow for ever.

Of a table's states only the newest is worth sending, so a state is never queued: its place in the queue is, once, and the state
is built when its turn has come. However much happens at a table, a slow reader misses nothing and is not thrown out for it.
The same goes for what is said there.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.websockets import WebSocket, WebSocketDisconnect

if TYPE_CHECKING:
    from .chat import Place

SEND_TIMEOUT_SECONDS = 2.0

BAD_MESSAGES, NOT_FOR_YOU, NO_TABLE, TOO_SLOW, OPENED_ELSEWHERE, TOO_MANY = 4400, 4403, 4404, 4408, 4409, 4429
TOO_LARGE, FAILED, RESTARTING, STARTING = 1009, 1011, 1012, 1013

DIRECT = "cabochon.direct"  # an extension of ASGI: functions that send texts without a message for each
STATE, CHAT = object(), object()  # their places among the answers


Build = Callable[["Connection"], bytes | None]


class Connection:
    """One socket at one table. `sent` is the number of the last log line it was sent, `address` where it comes from.

    `heard` is the number of the last line of chat it was sent, by room. `is_asking`: a request of it is being carried out.
    `direct`: how to send texts without a message of ASGI for each, where the server can.
    """

    __slots__ = (
        "address", "chat_waits", "close_reason", "closed", "direct", "has_left", "heard", "is_asking", "max_waiting", "outbox",
        "sent", "state_waits", "user", "waiter", "websocket",
    )  # fmt: skip

    def __init__(
        self,
        websocket: WebSocket,
        user: str | None,
        since: int,
        max_waiting: int,
        address: str = "",
        heard: "dict[Place, int] | None" = None,
        direct: Mapping[str, Callable[..., Any]] | None = None,
    ) -> None:
        self.websocket, self.user, self.sent = websocket, user, since
        self.direct = direct
        self.max_waiting, self.address = max_waiting, address
        self.heard: dict[Place, int] = heard or {"table": 0, "watch": 0}
        self.outbox: list[object] = []  # short, and there are thousands of them: an empty deque takes 600 bytes more
        self.state_waits = self.chat_waits = False
        self.waiter: asyncio.Future[None] | None = None  # of the sender, while there is nothing to send
        self.close_reason: tuple[int, str] | None = None
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_asking = self.has_left = False

    def put(self, message: bytes, *, before_state: bool = False) -> None:
        """Send an answer when its turn comes; an ack comes before the state that follows from it.

        Somebody who asks and does not read is disconnected, and may come back.
        """
        if len(self.outbox) - self.state_waits - self.chat_waits >= self.max_waiting:
            self.close(TOO_SLOW, "too many messages were waiting for you")
            return
        if before_state and self.state_waits:
            self.outbox.remove(STATE)
            self.outbox += (message, STATE)
        else:
            self.outbox.append(message)
        self._wake()

    def refresh(self) -> None:
        """The table has changed: send its newest state, unless that is going to happen anyway."""
        if not self.state_waits:
            self.state_waits = True
            self.outbox.append(STATE)
            self._wake()

    def refresh_chat(self) -> None:
        """Something was said: send it, unless that is going to happen anyway."""
        if not self.chat_waits:
            self.chat_waits = True
            self.outbox.append(CHAT)
            self._wake()

    def close(self, code: int, reason: str) -> None:
        """End the connection; what waits before it is sent if that is quick."""
        if self.close_reason is None:
            self.close_reason = code, reason
            if not self.closed.done():
                self.closed.set_result(None)
            self._wake()

    def _wake(self) -> None:
        """There is something for the sender to do."""
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    async def send_all(self, state: Build, chat: Build) -> None:
        """Send what is put, as long as it can be sent; `state` builds the newest state, or nothing for who may not see it.

        `chat` builds what was said and was not sent, or a part of it.
        """
        direct = self.direct
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            while self.outbox or self.close_reason is None:
                if not self.outbox:
                    self.waiter = asyncio.get_running_loop().create_future()
                    await self.waiter
                    continue
                if direct and direct["is_open"]():
                    direct["send"]([message for message in self._all(state, chat) if message])
                    continue
                message = self._next(state, chat)
                if message is not None:
                    await self.websocket.send({"type": "websocket.send", "text": message.decode()})
                    message = None  # else it would be kept, with orjson's buffer around it, until the next one

    def _all(self, state: Build, chat: Build) -> Iterator[bytes | None]:
        """All that waits."""
        while self.outbox:
            yield self._next(state, chat)

    def _next(self, state: Build, chat: Build) -> bytes | None:
        """What comes next, built if it is a place."""
        message = self.outbox.pop(0)
        if message is STATE:
            self.state_waits = False
            return state(self)
        if message is CHAT:
            self.chat_waits = False
            return chat(self)
        assert isinstance(message, bytes)
        return message

    async def finish(self, sender: "asyncio.Task[None]") -> None:
        """Send what is left, close, and do not wait for ever."""
        if self.close_reason is None:
            sender.cancel()
            return
        done, _ = await asyncio.wait({sender}, timeout=SEND_TIMEOUT_SECONDS)
        if not done:
            sender.cancel()
        code, reason = self.close_reason
        with suppress(Exception):
            await asyncio.wait_for(self.websocket.close(code, reason), SEND_TIMEOUT_SECONDS)
