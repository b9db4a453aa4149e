"""What keeps the server well: buckets for requests, a limit on sizes, a look at origins, and headers."""

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from urllib.parse import urlsplit

from orjson import dumps
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from .addresses import address_block, is_host
from .refusals import Refused
from .sockets import BAD_MESSAGES, FAILED

LARGEST_MESSAGE = 4096
LONGEST_NUMBER = 20
MOST_ADDRESSES = 10_000
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
POLICY = "; ".join(
    (
        "default-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
}
log = logging.getLogger("cabochon.server")


class Bucket:
    """Lets a burst through, and then so many a second."""

    def __init__(self, per_second: float, burst: float, now: float) -> None:
        self.per_second, self.burst = per_second, burst
        self.level, self.at = burst, now

    def take(self, now: float, cost: float = 1) -> bool:
        """Whether one more (that counts as `cost`) may pass now."""
        self.level = min(self.burst, self.level + max(0.0, now - self.at) * self.per_second)
        self.at = now
        if self.level < cost:
            return False
        self.level -= cost
        return True

    def is_full(self, now: float) -> bool:
        """Whether it has forgotten everything that passed."""
        return self.level + max(0.0, now - self.at) * self.per_second >= self.burst

    def wait(self, cost: float = 1) -> float:
        """Seconds until one more may pass."""
        return max(0.0, cost - self.level) / self.per_second


class Buckets:
    """A bucket for each address or guest, as long as it matters."""

    def __init__(self, per_second: float, burst: float) -> None:
        self.per_second, self.burst = per_second, burst
        self.by_address: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, address: str, now: float, cost: float = 1) -> bool:
        """Whether one more from this address may pass now."""
        bucket = self.by_address.pop(address, None) or Bucket(self.per_second, self.burst, now)
        self.by_address[address] = bucket
        taken = bucket.take(now, cost)
        self._forget(now)
        return taken

    def _forget(self, now: float) -> None:
        """A bucket that is full again is as good as a new one; those not seen for longest come first."""
        while self.by_address:
            oldest = next(iter(self.by_address.values()))
            if len(self.by_address) <= MOST_ADDRESSES and not oldest.is_full(now):
                return
            self.by_address.popitem(last=False)

    def wait(self, address: str, cost: float = 1) -> float:
        """Seconds until one more from this address may pass."""
        bucket = self.by_address.get(address)
        return bucket.wait(cost) if bucket else 0.0


def address_of(connection: HTTPConnection) -> str:
    """Where a request or socket comes from, as limits count it."""
    return address_block(connection.client.host) if connection.client else ""


class SocketCounts:
    """How many sockets each address has open, at all tables together: those of spectators, and those of seat holders."""

    def __init__(self, max_spectators: int, max_seated: int) -> None:
        self.most = {False: max_spectators, True: max_seated}
        self.open: Counter[tuple[str, bool]] = Counter()

    def enter(self, address: str, seated: bool) -> bool:
        """Count one more, if it may come in."""
        if self.open[address, seated] >= self.most[seated]:
            return False
        self.open[address, seated] += 1
        return True

    def leave(self, address: str, seated: bool) -> None:
        """Count one less."""
        self.open[address, seated] -= 1
        if self.open[address, seated] <= 0:
            del self.open[address, seated]


def origin_allowed(headers: Headers, extra: Iterable[str]) -> bool:
    """A page of this very host, or one that was named; a request without an origin does not come from another page."""
    origin = headers.get("origin")
    if origin is None or origin.rstrip("/") in {allowed.rstrip("/") for allowed in extra}:
        return True
    try:
        host = urlsplit(origin).netloc
    except ValueError:
        return False
    return bool(host) and host.lower() == headers.get("host", "").lower()


class Guard:
    """Every request and socket passes here: hosts, origins, sizes, headers, and nothing of the game before the server is ready.

    HEAD is answered like GET, without the body. What nobody expected is logged once and refused in a sentence too.
    """

    def __init__(self, app: ASGIApp, origins: tuple[str, ...], is_ready: Callable[[], bool]) -> None:
        self.app, self.origins, self.is_ready = app, origins, is_ready

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it in a sentence."""
        if scope["type"] == "http":
            await self._answer(scope, receive, Answer(send, is_head=scope["method"] == "HEAD"))
        elif scope["type"] == "websocket":
            await self._attend(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, answer: "Answer") -> None:
        refusal = self._refusal(scope)
        if refusal:
            await _refuse(answer, refusal)
            return
        passed_on = {**scope, "method": "GET"} if answer.is_head else scope
        try:
            await self.app(passed_on, _limited(receive), answer)
        except asyncio.CancelledError:  # by uvicorn, when the server stops and cannot wait any longer
            if answer.has_begun:
                raise
            await _refuse(answer, Refused("stopping"))
        except Exception:
            log.exception("%s %s failed", scope["method"], _route(passed_on))
            if not answer.has_begun:
                await _refuse(answer, Refused("failed"))

    async def _attend(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_host_valid(Headers(scope=scope)):
            await send({"type": "websocket.close", "code": BAD_MESSAGES})
            return
        try:
            await self.app(scope, receive, send)
        except WebSocketDisconnect:
            return  # the client has gone
        except Exception:
            log.exception("the socket %s failed", _route(scope))
            with suppress(Exception):
                await send({"type": "websocket.close", "code": FAILED, "reason": str(Refused("failed"))})

    def _refusal(self, scope: Scope) -> Refused | None:
        headers, path = Headers(scope=scope), scope["path"]
        if not _is_host_valid(headers):
            return Refused("bad_host")
        if scope["method"] not in SAFE_METHODS and not origin_allowed(headers, self.origins):
            return Refused("other_site")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > LONGEST_NUMBER or int(length) > LARGEST_MESSAGE:
            return Refused("too_large", most=LARGEST_MESSAGE)
        if not self.is_ready() and path.startswith("/api/") and path != "/api/health":
            return Refused("starting")
        return None


def _is_host_valid(headers: Headers) -> bool:
    """HTTP/1.0 has no such header."""
    host = headers.get("host")
    return host is None or is_host(host)


def _route(scope: Scope) -> str:
    """The pattern of a path for the log: the path itself may hold a secret link."""
    return str(getattr(scope.get("route"), "path", "?"))


class Answer:
    """What is sent back: with our headers, and to HEAD without a body."""

    def __init__(self, send: Send, is_head: bool) -> None:
        self.send, self.is_head, self.has_begun = send, is_head, False

    async def __call__(self, message: Message) -> None:
        """Send one message of ASGI."""
        if message["type"] == "http.response.start":
            self.has_begun = True
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
            if message["status"] == 503:
                headers.setdefault("Retry-After", "1")
        elif self.is_head:
            message = {**message, "body": b""}
        await self.send(message)


def _limited(receive: Receive) -> Receive:
    total = 0

    async def limited() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > LARGEST_MESSAGE:
            raise HTTPException(413, str(Refused("too_large", most=LARGEST_MESSAGE)))  # FastAPI lets only these through here
        return message

    return limited


async def _refuse(send: Send, refusal: Refused) -> None:
    body = dumps(refusal.out())
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
