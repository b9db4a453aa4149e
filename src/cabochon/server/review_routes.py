"""What the server answers about reviews."""

import asyncio
import time
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from orjson import dumps

from .errors import Refused
from .rate_limit import address_of
from .review_messages import ReviewedGameOut, ReviewIdOut, ReviewIn, ReviewOut, TriedOut, TryIn
from .reviews import reviewed_game_out
from .routes import finished_table, record_of

if TYPE_CHECKING:
    from .service import Service

# What a request counts against the budget of its address: see COSTS in routes.py.
COSTS = {"ask": 5, "look": 1, "game": 10, "try": 3}


def review_router(service: "Service") -> APIRouter:
    """The addresses of reviews."""
    router = APIRouter()

    def charge(request: Request, what: str) -> str:
        address = address_of(request)
        if not service.reads.take(address, time.monotonic(), COSTS[what]):
            refusal = Refused("too_many_requests")
            refusal.retry_after = service.reads.wait(address, COSTS[what])
            raise refusal
        return address

    @router.post("/api/reviews", response_model=ReviewIdOut)
    async def ask(request: Request, wanted: ReviewIn) -> Response:
        """Ask for the review of a finished game, or of a record. It is made in the background, once for all who ask."""
        address = charge(request, "ask")
        record = wanted.record
        if wanted.table is not None:
            record = await record_of(service, await finished_table(service, request, wanted.table))
        user = service.guests.user_of(request)
        return _json({"id": await service.reviews.ask(record or "", wanted.table, user or address, address)})

    @router.get("/api/reviews/{review_id}", response_model=ReviewOut)
    async def look(request: Request, review_id: str, since: Annotated[int, Query(ge=0, le=10_000)] = 0) -> Response:
        """A review, as far as it has come. While no decision after `since` is judged, the answer waits for some seconds."""
        address = charge(request, "look")
        return _json(await service.reviews.out(review_id, since, service.guests.user_of(request), address))

    @router.get("/api/reviews/{review_id}/game", response_model=ReviewedGameOut)
    async def game(request: Request, review_id: str) -> Response:
        """The game of a review, moment by moment, as the seat saw it that had to decide."""
        charge(request, "game")
        record = await service.reviews.record(review_id)
        async with service.heavy:
            return _json(await asyncio.to_thread(reviewed_game_out, record))

    @router.post("/api/reviews/{review_id}/try", response_model=TriedOut)
    async def tried(request: Request, review_id: str, wanted: TryIn) -> Response:
        """How good another move would have been."""
        address = charge(request, "try")
        user = service.guests.user_of(request) or address
        return _json(await service.reviews.tried(review_id, wanted.number, wanted.move, user, address))

    return router


def _json(value: Any) -> Response:
    return Response(dumps(value), media_type="application/json", headers={"Cache-Control": "no-store"})
