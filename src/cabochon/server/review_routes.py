"""What the server answers about reviews."""

import asyncio
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query, Request, Response

from .review_messages import ReviewedGameOut, ReviewIdOut, ReviewIn, ReviewOut, TriedOut, TryIn
from .reviews import reviewed_game_out
from .route_helpers import charge, json_response
from .routes import finished_table, record_of

if TYPE_CHECKING:
    from .service import Service

# What a request counts against the budget of its address: see COSTS in routes.py.
COSTS = {"ask": 5, "look": 1, "game": 10, "try": 3}


def review_router(service: "Service") -> APIRouter:
    """The addresses of reviews."""
    router = APIRouter()

    @router.post("/api/reviews", response_model=ReviewIdOut)
    async def ask(request: Request, wanted: ReviewIn) -> Response:
        """Ask for the review of a finished game, or of a record. It is made in the background, once for all who ask."""
        address = charge(service, request, COSTS["ask"])
        record = wanted.record
        if wanted.table is not None:
            record = await record_of(service, await finished_table(service, request, wanted.table))
        user = service.guests.user_of(request)
        return json_response({"id": await service.reviews.ask(record or "", wanted.table, user or address, address)})

    @router.get("/api/reviews/{review_id}", response_model=ReviewOut)
    async def look(request: Request, review_id: str, since: Annotated[int, Query(ge=0, le=10_000)] = 0) -> Response:
        """A review, as far as it has come. While no decision after `since` is judged, the answer waits for some seconds."""
        address = charge(service, request, COSTS["look"])
        return json_response(await service.reviews.out(review_id, since, service.guests.user_of(request), address))

    @router.get("/api/reviews/{review_id}/game", response_model=ReviewedGameOut)
    async def game(request: Request, review_id: str) -> Response:
        """The game of a review, moment by moment, as the seat saw it that had to decide."""
        charge(service, request, COSTS["game"])
        record = await service.reviews.record(review_id)
        async with service.heavy:
            return json_response(await asyncio.to_thread(reviewed_game_out, record))

    @router.post("/api/reviews/{review_id}/try", response_model=TriedOut)
    async def tried(request: Request, review_id: str, wanted: TryIn) -> Response:
        """How good another move would have been."""
        address = charge(service, request, COSTS["try"])
        user = service.guests.user_of(request) or address
        return json_response(await service.reviews.tried(review_id, wanted.number, wanted.move, user, address))

    return router
