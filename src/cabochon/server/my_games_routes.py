"""What the server answers about a guest's own games, and the link to another device."""

import asyncio
from typing import Any

import segno
from fastapi import APIRouter, Request, Response
from starlette.responses import PlainTextResponse

from .daily_messages import DeletedOut, DeviceKeyIn, DeviceLinkOut, ImportOut, MyGamesOut
from .errors import Refused
from .identity import DEVICE_SECONDS
from .messages import UserOut
from .my_games import MyGames
from .rate_limit import address_of
from .route_helpers import charge, json_response, origin_of, remember, take_or_refuse
from .service import Service

COSTS = {"games": 5, "import": 20, "export": 20}  # of the reads of an address
UPLOADS_AT_ONCE = 4
UPLOAD = {"requestBody": {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}}
ZIP: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": {}}}}


def games_router(service: Service) -> APIRouter:
    """My games: the list, export and import, another device."""
    router, mine = APIRouter(), MyGames(service)
    uploads = asyncio.Semaphore(UPLOADS_AT_ONCE)  # each of them is in memory

    @router.get("/api/games", response_model=MyGamesOut)
    async def games(request: Request) -> Response:
        """Your finished games, played here or imported, newest first."""
        charge(service, request, COSTS["games"])
        user = service.guests.user_of(request)
        return json_response({"games": [], "more": False} if user is None else await mine.games(user))

    @router.post("/api/games", response_model=ImportOut, openapi_extra=UPLOAD)
    async def bring(request: Request) -> Response:
        """Import records: a zip file of them, or one text with one or more. What cannot be read is told, file by file."""
        charge(service, request, COSTS["import"])
        user = _known(service, request)
        if uploads.locked():
            raise Refused("too_many_requests")
        async with uploads:
            content = await request.body()
            async with service.heavy:
                return json_response(await mine.bring(user, content))

    @router.get("/api/games/export", response_class=Response, responses=ZIP)
    async def export(request: Request) -> Response:
        """Everything: all your finished games as records, in a zip file."""
        charge(service, request, COSTS["export"])
        user = _known(service, request)
        async with service.heavy:
            content = await mine.exported(user)
        named = {"Content-Disposition": 'attachment; filename="cabochon-games.zip"', "Cache-Control": "no-store"}
        return Response(content, media_type="application/zip", headers=named)

    @router.get("/api/games/{import_id}/record", response_class=PlainTextResponse)
    async def record(request: Request, import_id: str) -> Response:
        """The record of a game you have imported."""
        charge(service, request, COSTS["games"])
        text = await mine.record(_known(service, request), import_id)
        return PlainTextResponse(text, headers={"Content-Disposition": 'attachment; filename="imported.game"'})

    @router.delete("/api/games/{import_id}", response_model=DeletedOut)
    async def delete(request: Request, import_id: str) -> Response:
        """Delete a game you have imported."""
        charge(service, request, COSTS["games"])
        await mine.delete(_known(service, request), import_id)
        return json_response({"deleted": import_id})

    @router.post("/api/me/link", response_model=DeviceLinkOut)
    async def device_link(request: Request) -> Response:
        """A link that makes another browser the same guest. What it needs stands after the #, which is sent to no server."""
        take_or_refuse(service.visits, address_of(request))
        key = service.guests.device_key(_known(service, request))
        link = f"{origin_of(service, request)}/games#{key}"
        async with service.heavy:
            qr = await asyncio.to_thread(_drawn, link)
        return json_response({"link": link, "minutes": DEVICE_SECONDS // 60, "qr": qr})

    @router.post("/api/me/device", response_model=UserOut)
    async def become(request: Request, given: DeviceKeyIn) -> Response:
        """Become the guest of such a link on this browser."""
        take_or_refuse(service.visits, address_of(request))
        user = service.guests.user_of_device_key(given.key)
        return remember(service, request, json_response({"name": await service.name_of(user)}), user)

    return router


def _known(service: Service, request: Request) -> str:
    user = service.guests.user_of(request)
    if user is None:
        raise Refused("no_cookie")
    return user


def _drawn(link: str) -> str:
    return str(segno.make(link, error="m").svg_inline(scale=4, border=4, light="#fff", dark="#000"))
