"""The socket of one viewer: what comes in is read one by one, what goes out waits in a queue that cannot grow for ever."""

import asyncio
from contextlib import suppress

from starlette.websockets import WebSocket, WebSocketDisconnect

SEND_PATIENCE = 2.0

BAD_MESSAGES, NOT_FOR_YOU, NO_TABLE, TOO_SLOW, TOO_MANY = 4400, 4403, 4404, 4408, 4429
TOO_LARGE, FAILED, RESTARTING, STARTING = 1009, 1011, 1012, 1013


class Connection:
    """One socket at one table. `sent` is the number of the last log line it was sent."""

    def __init__(self, websocket: WebSocket, user: str | None, since: int, most_waiting: int) -> None:
        self.websocket, self.user, self.sent = websocket, user, since
        self.outbox: asyncio.Queue[bytes | None] = asyncio.Queue(most_waiting)
        self.farewell: tuple[int, str] | None = None
        self.closed = asyncio.Event()

    def put(self, message: bytes) -> None:
        """Send a message when its turn comes. Somebody who does not read is disconnected, and may come back."""
        try:
            self.outbox.put_nowait(message)
        except asyncio.QueueFull:
            self.close(TOO_SLOW, "too many messages were waiting for you")

    def close(self, code: int, reason: str) -> None:
        """End the connection; what waits before it is sent if that is quick."""
        if self.farewell is None:
            self.farewell = code, reason
            self.closed.set()

    async def send_all(self) -> None:
        """Send what is put, as long as it can be sent."""
        with suppress(WebSocketDisconnect, RuntimeError, OSError):
            while (message := await self.outbox.get()) is not None:
                await self.websocket.send({"type": "websocket.send", "text": message.decode()})

    async def say_goodbye(self, sender: "asyncio.Task[None]") -> None:
        """Send what is left, close, and do not wait for ever."""
        if self.farewell is None:
            sender.cancel()
            return
        with suppress(asyncio.QueueFull):
            self.outbox.put_nowait(None)
        done, _ = await asyncio.wait({sender}, timeout=SEND_PATIENCE)
        if not done:
            sender.cancel()
        code, reason = self.farewell
        with suppress(Exception):
            await asyncio.wait_for(self.websocket.close(code, reason), SEND_PATIENCE)
