"""What every route does with a request: count it, know its guest, answer in JSON."""

import time
from typing import Any

from fastapi import Request, Response
from orjson import dumps

from .errors import Refused
from .pages import origin_for_friends
from .rate_limit import Buckets, address_of
from .service import Service


def json_response(value: Any, status: int = 200) -> Response:
    """An answer that no cache keeps."""
    return Response(dumps(value), status, media_type="application/json", headers={"Cache-Control": "no-store"})


def charge(service: Service, request: Request, cost: float) -> str:
    """Count a read; refuse it when its address, which is returned, has read too much in a short time."""
    address = address_of(request)
    take_or_refuse(service.reads, address, cost)
    return address


def take_or_refuse(buckets: Buckets, owner: str, cost: float = 1, next_cost: float | None = None) -> None:
    """Count a request of an address or a guest; refuse it when it is one too many. `next_cost`: what another attempt costs."""
    if not buckets.take(owner, time.monotonic(), cost):
        refusal = Refused("too_many_requests")
        refusal.retry_after = buckets.wait(owner, next_cost or cost)
        raise refusal


def charge_creation(service: Service, request: Request) -> str:
    """Count a table that is opened; refuse it when its address, which is returned, has opened too many in a short time."""
    address = address_of(request)
    if not service.creations.take(address, time.monotonic()):
        raise Refused("too_many_tables")
    return address


def origin_of(service: Service, request: Request) -> str:
    """The address of this server as friends can open it."""
    return origin_for_friends(request, service.settings.public_url, service.settings.host)


def guest_of(service: Service, request: Request) -> tuple[str, bool]:
    """Who asks, and whether they were here before."""
    known = service.guests.user_of(request)
    return known or service.sources.user_id(), known is not None


def remember(service: Service, request: Request, response: Response, user: str) -> Response:
    """Give an answer the cookie of its guest."""
    service.guests.remember(response, user, secure=request.url.scheme == "https")
    return response
