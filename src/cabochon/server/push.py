"""Telling people who are not at the table that it is their turn (Web Push), or that their game is over.

A browser that was asked for it gives an address at its maker's push service and a key (RFC 8030, 8291). The server encrypts a few
words for that key, signs who it is (VAPID, RFC 8292) and posts them there. What is sent is known to everybody at the table.
"""

import asyncio
import base64
import http.client
import logging
import secrets
from collections.abc import Collection, Coroutine, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from orjson import dumps

from ..rules.variants import VARIANTS
from .clock import SECONDS_PER_DAY
from .errors import Refused
from .messages import PushIn
from .push_services import PushServices, origin_of
from .push_subscriptions import (
    delete_old_subscriptions,
    delete_subscription,
    set_subscription,
    subscribers,
    subscriptions_of,
)
from .rate_limit import Buckets
from .tasks import end_tasks

if TYPE_CHECKING:
    from .room import Room
    from .service import Service
    from .table import Table

KEY_NAME = "push"
GROUP_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of P-256; a private key is below it
KEY_BYTES = 32
FRESH_SECONDS = 60.0  # what happened longer ago was told before the server was started
HERE_FACTOR = 4  # who seems to be here is told so many times later: a phone that sleeps looks connected for a while
MAX_SECONDS_TO_LIVE = 7 * SECONDS_PER_DAY
TOKEN_SECONDS = 12 * 3600
SENT_AT_ONCE = 4
MAX_WAITING = 5000  # tables with somebody to be told
PUSH_BURST = 10
KEEP_SECONDS = 90 * SECONDS_PER_DAY  # a subscription is renewed at every visit
GONE = (404, 410)  # the subscription has ended
NO_CONTACT = "https://localhost"  # VAPID asks for an address of whoever sends
log = logging.getLogger("cabochon.server")


@dataclass(frozen=True, slots=True)
class News:
    """What is worth telling people who are away: whose turn it is since when (by turns), or that the game is over."""

    kind: str
    seats: tuple[int, ...]
    turns: int


def news_of(table: "Table") -> News | None:
    """What there is to tell about a table now."""
    if table.status == "finished":
        return News("over", tuple(seat.seat for seat in table.seats if seat.is_person), 0)
    seat = table.decides
    if seat is None or not table.seats[seat].is_human:
        return None
    return News("turn", (seat,), table.views.any_view.turns)


def message_of(table: "Table", news: News, seat: int) -> bytes:
    """What is told. It needs no words: the browser has those of its reader."""
    names = [other.name for other in table.seats if other.is_person and other.seat != seat]
    return dumps({"kind": news.kind, "table": table.id, "game": VARIANTS[table.options.variant].title, "names": names})


def new_key() -> str:
    """A private key for P-256, as text."""
    return _text((secrets.randbelow(GROUP_ORDER - 1) + 1).to_bytes(KEY_BYTES))


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _raw(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Pusher:
    """Knows who wants to be told, waits a moment after each change, and posts."""

    def __init__(self, service: "Service") -> None:
        self.service = service
        self.services = PushServices(service.settings.push_services)
        self.private_key = ""
        self.users: set[str] = set()
        per_hour = service.settings.max_pushes_per_hour
        self.pushes = Buckets(per_hour / 3600, min(per_hour, PUSH_BURST))
        self.sending = asyncio.Semaphore(SENT_AT_ONCE)
        self.tasks: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Read the key (made by the first server of this database) and who has subscribed."""
        self.private_key = self.service.repository.secret_key(KEY_NAME, new_key())
        with self.service.repository.reading() as connection:
            self.users = subscribers(connection)

    async def stop(self) -> None:
        """Wait for nothing."""
        await end_tasks(self.tasks)

    # subscriptions

    @cached_property
    def vapid(self) -> Any:
        """Signs what is sent. Loaded when it is first needed: most servers start and stop without it."""
        from py_vapid import Vapid02

        return Vapid02.from_raw(self.private_key.encode())

    def public_key(self) -> str:
        """What a browser binds its subscription to."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return _text(self.vapid.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))

    async def add(self, user: str, wanted: PushIn) -> None:
        """Store where a browser of a guest is told."""
        if not self.services:
            raise Refused("no_push")
        if not self.services.trusts(wanted.endpoint):
            raise Refused("unknown_push_service")
        row = set_subscription(user, wanted.endpoint, wanted.p256dh, wanted.auth, self.service.sources.clock())
        await self.service.store_at_once(*row)
        self.users.add(user)

    async def remove(self, user: str, endpoint: str) -> None:
        """Forget a browser of a guest. (That they may have no other is found when there is something to tell.)"""
        await self.service.store_at_once(*delete_subscription(endpoint, user))

    async def forget_old(self) -> None:
        """Delete the subscriptions of browsers that have not been here for long."""
        await self.service.writer.store(*delete_old_subscriptions(self.service.sources.clock() - KEEP_SECONDS))

    # what happens at a table

    def look(self, room: "Room") -> None:
        """Something has changed: whoever has asked to be told of their turn is told, unless they come by themselves."""
        news = news_of(room.table)
        if news == room.news:
            return
        room.news = news
        if room.telling:
            room.telling.cancel()  # it is not so any more
        if news is not None and self._is_fresh(room.table) and self._wanted(room.table, news):
            room.telling = self._started(self._tell_in_time(room, news))

    def _wanted(self, table: "Table", news: News) -> list[str]:
        is_known = (
            self.service.cluster is None
        )  # else they may have subscribed at another node: that is looked up before it is told
        return [user for user, seat in table.holders.items() if seat in news.seats and (user in self.users or not is_known)]

    def _is_fresh(self, table: "Table") -> bool:
        """Whether it has just come to this; a table that was read from the database may have been so for days."""
        since = table.log[-1].entry.at if table.log else table.clock.changed if table.clock else None
        return since is None or self.service.sources.clock() - since < FRESH_SECONDS

    def _started(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None] | None":
        if len(self.tasks) >= MAX_WAITING:
            work.close()
            return None
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def _tell_in_time(self, room: "Room", news: News) -> None:
        """First those who are away; later those too who only seem to be here."""
        delay = self.service.settings.push_delay
        await asyncio.sleep(delay)
        elsewhere = {seat for seats, _ in room.nodes.values() for seat in seats}
        here = {user for user, seat in room.table.holders.items() if room.sockets_of(user) or seat in elsewhere}
        await self._tell(room, news, [user for user in self._wanted(room.table, news) if user not in here])
        if here and news.kind == "turn":
            await asyncio.sleep(delay * HERE_FACTOR)
            await self._tell(room, news, [user for user in self._wanted(room.table, news) if user in here])

    async def _tell(self, room: "Room", news: News, users: Collection[str]) -> None:
        """Tell these guests on all their browsers, if it is still so."""
        if room.news != news or not users:
            return
        try:
            found = await asyncio.to_thread(self._subscriptions, users)
        except Refused:
            return  # the database is away: it has told the log
        self.users -= {user for user in users if user not in {row["user_id"] for row in found}}
        for row in found:
            if self.pushes.take(row["user_id"], self.service.sources.playing()):
                await self._send(row, message_of(room.table, news, room.table.holders[row["user_id"]]), self._headers(room.table))

    def _subscriptions(self, users: Collection[str]) -> Sequence[Any]:
        with self.service.repository.reading() as connection:
            return subscriptions_of(connection, users)

    def _headers(self, table: "Table") -> dict[str, str]:
        """A newer message about a table takes the place of one that waits; none is delivered when it is of no use any more."""
        deadline = table.deadline
        left = MAX_SECONDS_TO_LIVE if deadline is None else deadline - self.service.sources.playing()
        seconds = max(1, int(min(left, MAX_SECONDS_TO_LIVE)))
        return {"TTL": str(seconds), "Topic": table.id, "Urgency": "high", "Content-Encoding": "aes128gcm"}

    # sending

    async def _send(self, row: Any, message: bytes, headers: dict[str, str]) -> None:
        """Post to one browser. A subscription that has ended is deleted."""
        try:
            async with self.sending:
                status = await asyncio.to_thread(self._post, row, message, headers)
        except (OSError, ValueError, http.client.HTTPException) as error:
            log.warning("a push service could not be told: %s", type(error).__name__)
            return
        if status in GONE:
            await self.service.store_at_once(*delete_subscription(row["endpoint"]))
        elif status >= 400:
            log.warning("the push service %s answered %s", urlsplit(row["endpoint"]).hostname, status)

    def _post(self, row: Any, message: bytes, headers: dict[str, str]) -> int:
        claims = {"aud": origin_of(urlsplit(row["endpoint"])), "sub": self._contact(), "exp": self._expiry()}
        signed = self.vapid.sign(claims)
        return self.services.post(row["endpoint"], {**headers, **signed}, encrypted(message, row["p256dh"], row["auth"]))

    def _contact(self) -> str:
        public = self.service.settings.public_url.rstrip("/")
        return public if public.startswith("https://") else NO_CONTACT

    def _expiry(self) -> int:
        return int(self.service.sources.clock()) + TOKEN_SECONDS


def encrypted(message: bytes, p256dh: str, auth: str) -> bytes:
    """A message that only the browser with this key can read. A key that is none is a ValueError."""
    import http_ece
    from cryptography.hazmat.primitives.asymmetric import ec

    own = ec.generate_private_key(ec.SECP256R1())
    try:
        return bytes(http_ece.encrypt(message, private_key=own, dh=_raw(p256dh), auth_secret=_raw(auth), version="aes128gcm"))
    except http_ece.ECEException as error:
        raise ValueError("this is no key") from error
