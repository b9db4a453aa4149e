"""The broker of a cluster (Valkey or Redis): tells other nodes at once which table has changed. It may be lost at any time.

What goes over it is only ever a hint that there is something to read in PostgreSQL, so nothing depends on its arrival: a node
that has heard nothing looks by itself now and then, and more often while the broker is away.
"""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.asyncio.connection import parse_url
from redis.exceptions import RedisError

from ..errors import CabochonError
from .tasks import end_tasks

CHANNEL = "cabochon:"
LIMITS = "cabochon-limits"
MAX_WAITING = 10_000  # messages that wait for a slow broker; more are dropped
CONNECT_SECONDS, ANSWER_SECONDS = 2.0, 2.0
PING_SECONDS, SILENT_SECONDS = 1.0, 3.0  # a broker that has not answered a ping for so long is away
AGAIN_SECONDS = 0.5
GONE = (RedisError, OSError, TimeoutError)
Command = tuple[str | bytes | int, ...]
Asked = tuple[tuple[Command, ...], "asyncio.Future[list[Any] | None] | None"]  # whoever waits for the answers, if anybody
log = logging.getLogger("cabochon.server")


def check_address(url: str) -> None:
    """Say in one sentence why this is no address of a broker; the address itself may hold a password."""
    try:
        parse_url(url)
    except ValueError as error:
        raise CabochonError(f"--broker: {error}") from None


class Broker:
    """One connection to send, one to listen; both come back by themselves."""

    def __init__(self, url: str, heard: Callable[[str, bytes], None], on_return: Callable[[], None]) -> None:
        self.redis: Any = Redis.from_url(url, socket_connect_timeout=CONNECT_SECONDS, socket_timeout=ANSWER_SECONDS)
        self.heard, self.on_return = heard, on_return
        self.wanted: set[str] = {LIMITS}
        self.listening: PubSub | None = None
        self.is_up = False
        self.sent = self.received = 0
        self.outbox: asyncio.Queue[Asked] = asyncio.Queue(MAX_WAITING)
        self.tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to send and to listen."""
        self.tasks = [asyncio.create_task(self._send_for_ever()), asyncio.create_task(self._listen_for_ever())]

    async def stop(self) -> None:
        """Send and hear no more."""
        self.is_up = False
        await end_tasks(self.tasks)
        while not self.outbox.empty():
            _answer([self.outbox.get_nowait()], None)
        with suppress(*GONE):
            await self.redis.aclose()

    # sending

    def tell(self, channel: str, message: bytes) -> None:
        """Tell the other nodes, if that is possible now."""
        if self.is_up and not self.outbox.full():
            self.outbox.put_nowait(((("PUBLISH", channel, message),), None))

    async def ask(self, *commands: Command) -> list[Any] | None:
        """The answers to these commands; None if the broker is away."""
        if not self.is_up or self.outbox.full():
            return None
        answers: asyncio.Future[list[Any] | None] = asyncio.get_running_loop().create_future()
        self.outbox.put_nowait((commands, answers))
        return await answers

    async def _send_for_ever(self) -> None:
        """Send what has gathered, all at once and over one connection, however many wait."""
        while True:
            batch = [await self.outbox.get()]
            while not self.outbox.empty():
                batch.append(self.outbox.get_nowait())
            found: list[Any] | None = None
            try:
                pipeline = self.redis.pipeline(transaction=False)
                for commands, _ in batch:
                    for command in commands:
                        pipeline.execute_command(*command)
                found = await pipeline.execute()
                self.sent += len(found)
            except GONE:
                self.is_up = False  # the listener tries until it is there again
            except Exception:  # whatever it is, whoever asks next must not wait for ever
                log.exception("sending to the broker failed")
                self.is_up = False
            finally:
                _answer(batch, found)

    async def once(self, name: str, seconds: float) -> bool:
        """Whether nobody else in the cluster has this name now; from now on we have it, for so many seconds at most."""
        found = await self.ask(("SET", f"{CHANNEL}once:{name}", b"1", "NX", "PX", int(seconds * 1000)))
        return found is None or bool(found[0])

    async def forget(self, name: str) -> None:
        """Let others have the name."""
        await self.ask(("DEL", f"{CHANNEL}once:{name}"))

    # listening

    def follow(self, table_id: str) -> None:
        """Hear of a table from now on."""
        self._want(f"{CHANNEL}{table_id}", is_wanted=True)

    def leave(self, table_id: str) -> None:
        """Hear of it no longer."""
        self._want(f"{CHANNEL}{table_id}", is_wanted=False)

    def _want(self, channel: str, *, is_wanted: bool) -> None:
        if (channel in self.wanted) == is_wanted:
            return
        (self.wanted.add if is_wanted else self.wanted.discard)(channel)
        if self.listening is not None:
            change = self.listening.subscribe if is_wanted else self.listening.unsubscribe
            task = asyncio.create_task(self._try(change, channel))
            self.tasks.append(task)
            task.add_done_callback(self.tasks.remove)

    async def _try(self, change: Any, channel: str) -> None:
        try:
            await change(channel)
        except GONE:
            self.is_up = False

    async def _listen_for_ever(self) -> None:
        has_told = False
        while True:
            try:
                await self._listen()
            except GONE as error:
                if not has_told:
                    log.warning("the broker is away: %s", type(error).__name__)
                has_told = True
            except asyncio.CancelledError:
                raise
            except Exception:
                log.exception("listening to the broker failed")
            else:
                has_told = False
            self.is_up, self.listening = False, None
            await asyncio.sleep(AGAIN_SECONDS)
            with suppress(*GONE):  # else what is asked first would go to a connection that has ended
                await self.redis.connection_pool.disconnect(inuse_connections=False)

    async def _listen(self) -> None:
        pubsub = self.redis.pubsub()
        try:
            await pubsub.subscribe(*self.wanted)
            self.listening, self.is_up = pubsub, True
            self.on_return()  # what was told meanwhile was not heard
            loop = asyncio.get_running_loop()
            last = pinged = loop.time()
            while self.is_up:
                message = await pubsub.get_message(timeout=PING_SECONDS)
                now = loop.time()
                if message is not None:
                    last = now
                    if message["type"] == "message":
                        self.received += 1
                        self.heard(message["channel"].decode(), message["data"])
                if now - last > SILENT_SECONDS:
                    return
                if now - pinged > PING_SECONDS:
                    pinged = now
                    await pubsub.ping()
        finally:
            with suppress(Exception):
                await asyncio.shield(pubsub.aclose())


def _answer(batch: list[Asked], found: list[Any] | None) -> None:
    """Give everybody who waits their part of what was found."""
    start = 0
    for commands, answers in batch:
        end = start + len(commands)
        if answers is not None and not answers.done():
            answers.set_result(None if found is None else found[start:end])
        start = end
