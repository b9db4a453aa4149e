"""What the server answers about the deal of the day and duels."""

import time
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from ..bots import BOTS
from ..bots.ratings import ratings
from .daily import SharedGames
from .daily_messages import BeginDayIn, DayOut, DuelIn, DuelOut, MadeDuelOut
from .errors import Refused
from .messages import BotOut, CreatedOut, VariantName
from .rate_limit import address_of
from .routes import _charge, _created, _guest, _json, _remember, bot_out
from .service import Service
from .shared_deals import exact_bots

DateText = Annotated[str | None, Query(max_length=10)]


def daily_router(service: Service) -> APIRouter:
    """The deal of the day, and duels."""
    router, shared = APIRouter(), SharedGames(service)

    @router.get("/api/daily/{variant}", response_model=DayOut)
    async def day(request: Request, variant: VariantName, date: DateText = None) -> Response:
        """The deal of the day in a game, the own try, and after it what everybody made of it."""
        _charge(service, request, "daily")
        return _json(await shared.day(variant, date, service.guests.user_of(request)))

    @router.post("/api/daily/{variant}", response_model=CreatedOut)
    async def begin_day(request: Request, variant: VariantName, wanted: BeginDayIn) -> Response:
        """Play it: once for the table of the day, then for practice."""
        _check_pace(service, request)
        user, _ = _guest(service, request)
        room = await shared.begin_day(variant, wanted.date, wanted.practice, user, address_of(request))
        return _remember(service, request, _json(_created(room.table, 0)), user)

    @router.get("/api/duels", response_model=list[BotOut])
    async def opponents(request: Request) -> Response:
        """The bots that can be chosen for a duel: those that answer the same moves alike."""
        _charge(service, request, "bots")
        known = ratings()
        return _json([bot_out(BOTS[name], known.get(name)) for name in exact_bots()])

    @router.post("/api/duels", response_model=MadeDuelOut)
    async def make(request: Request, wanted: DuelIn) -> Response:
        """A new duel. Its page is for two: whoever made it, and the first to play whom its link was sent to."""
        _check_pace(service, request)
        user, _ = _guest(service, request)
        duel_id = await shared.make_duel(wanted.variant, wanted.bots, user, address_of(request))
        return _remember(service, request, _json({"id": duel_id}), user)

    @router.get("/api/duels/{duel_id}", response_model=DuelOut)
    async def duel(request: Request, duel_id: str) -> Response:
        """A duel. How the other did is told when the own game is over."""
        _charge(service, request, "daily")
        return _json(await shared.duel(duel_id, service.guests.user_of(request)))

    @router.post("/api/duels/{duel_id}", response_model=CreatedOut)
    async def begin_duel(request: Request, duel_id: str) -> Response:
        """Play the own game of a duel."""
        _check_pace(service, request)
        user, _ = _guest(service, request)
        room = await shared.begin_duel(duel_id, user, address_of(request))
        return _remember(service, request, _json(_created(room.table, 0)), user)

    return router


def _check_pace(service: Service, request: Request) -> None:
    if not service.creations.take(address_of(request), time.monotonic()):
        raise Refused("too_many_tables")
