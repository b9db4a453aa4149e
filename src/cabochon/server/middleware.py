"""The middleware that every request and socket passes: host, origin and size are checked, security headers are added."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from urllib.parse import urlsplit

from orjson import dumps
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from .addresses import is_host
from .connection import BAD_MESSAGES, FAILED
from .errors import Refused
from .logs import doing
from .rate_limit import most_bytes

MAX_NUMBER_LENGTH = 20  # digits of a Content-Length: int() of a longer text takes quadratic time
PROBES = ("/api/health", "/api/live", "/api/ready")
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

    HEAD is answered like GET, without the body. What nobody expected is logged once and refused in a sentence too. `sockets` are
    routes of sockets that do not go through the application.
    """

    def __init__(
        self, app: ASGIApp, origins: tuple[str, ...], is_ready: Callable[[], bool], sockets: Sequence[BaseRoute] = ()
    ) -> None:
        self.app, self.origins, self.is_ready = app, origins, is_ready
        self.sockets = Router(sockets, default=app)
        self.requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it in a sentence."""
        self.requests += 1
        if scope["type"] in ("http", "websocket"):
            doing.set({"request": self.requests})
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
            await self.app(passed_on, _limited(receive, most_bytes(scope["path"])), answer)
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
            await self.sockets(scope, receive, send)
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
        if not length.isdecimal() or len(length) > MAX_NUMBER_LENGTH or int(length) > most_bytes(path):
            return Refused("too_large", most=most_bytes(path))
        if not self.is_ready() and path.startswith("/api/") and path not in PROBES:
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


def _limited(receive: Receive, most: int) -> Receive:
    total = 0

    async def limited() -> Message:
        nonlocal total
        message = await receive()
        total += len(message.get("body", b""))
        if total > most:
            raise HTTPException(413, str(Refused("too_large", most=most)))  # FastAPI lets only these through here
        return message

    return limited


async def _refuse(send: Send, refusal: Refused) -> None:
    body = dumps(refusal.out())
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
