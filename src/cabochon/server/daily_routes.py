"""What the server answers about the deal of the day and duels."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from ..bots import BOTS
from ..bots.ratings import ratings
from .daily import SharedGames
from .daily_messages import BeginDayIn, DayOut, DuelIn, DuelOut, MadeDuelOut
from .messages import BotOut, CreatedOut, VariantName
from .route_helpers import charge, charge_creation, guest_of, json_response, remember
from .routes import COSTS, bot_out, created_out
from .service import Service
from .shared_deals import exact_bots

COST = 3  # of the reads of an address
DateText = Annotated[str | None, Query(max_length=10)]


def daily_router(service: Service) -> APIRouter:
    """The deal of the day, and duels."""
    router, shared = APIRouter(), SharedGames(service)

    @router.get("/api/daily/{variant}", response_model=DayOut)
    async def day(request: Request, variant: VariantName, date: DateText = None) -> Response:
        """The deal of the day in a game, the own try, and after it what everybody made of it."""
        charge(service, request, COST)
        return json_response(await shared.day(variant, date, service.guests.user_of(request)))

    @router.post("/api/daily/{variant}", response_model=CreatedOut)
    async def begin_day(request: Request, variant: VariantName, wanted: BeginDayIn) -> Response:
        """Play it: once for the table of the day, then for practice."""
        address = charge_creation(service, request)
        user, _ = guest_of(service, request)
        room = await shared.begin_day(variant, wanted.date, wanted.practice, user, address)
        return remember(service, request, json_response(created_out(room.table, 0)), user)

    @router.get("/api/duels", response_model=list[BotOut])
    async def opponents(request: Request) -> Response:
        """The bots that can be chosen for a duel: those that answer the same moves alike."""
        charge(service, request, COSTS["bots"])
        known = ratings()
        return json_response([bot_out(BOTS[name], known.get(name)) for name in exact_bots()])

    @router.post("/api/duels", response_model=MadeDuelOut)
    async def make(request: Request, wanted: DuelIn) -> Response:
        """A new duel. Its page is for two: whoever made it, and the first to play whom its link was sent to."""
        address = charge_creation(service, request)
        user, _ = guest_of(service, request)
        duel_id = await shared.make_duel(wanted.variant, wanted.bots, user, address)
        return remember(service, request, json_response({"id": duel_id}), user)

    @router.get("/api/duels/{duel_id}", response_model=DuelOut)
    async def duel(request: Request, duel_id: str) -> Response:
        """A duel. How the other did is told when the own game is over."""
        charge(service, request, COST)
        return json_response(await shared.duel(duel_id, service.guests.user_of(request)))

    @router.post("/api/duels/{duel_id}", response_model=CreatedOut)
    async def begin_duel(request: Request, duel_id: str) -> Response:
        """Play the own game of a duel."""
        address = charge_creation(service, request)
        user, _ = guest_of(service, request)
        room = await shared.begin_duel(duel_id, user, address)
        return remember(service, request, json_response(created_out(room.table, 0)), user)

    return router
