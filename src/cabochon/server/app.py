"""The application: `create_app(settings)` and what it answers over HTTP."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response, WebSocket
from fastapi.exceptions import RequestValidationError
from orjson import dumps
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse

from ..bots import BOTS, Bot
from ..bots.ratings import Rating, ratings
from ..notation.record import format_record
from ..version import __version__
from .fairness import Reveal
from .guests import clean_name
from .hub import Hub, holding, naming
from .limits import Guard
from .listening import serve
from .messages import (
    BotOut,
    CreatedOut,
    GameDataOut,
    LobbyOut,
    NameIn,
    ReplayOut,
    TableOptions,
    TableOut,
    UserOut,
    VariantName,
)
from .pages import api_page, join_url, page, qr_code
from .refusals import Refused
from .settings import Settings, Sources
from .tables import Table, replay_views
from .views import game_data_out

SEAT_NUMBERS = Query(ge=0, le=3)
EXAMPLE = {"application/json": {"example": {"detail": "a sentence", "code": "not_begun", "facts": {}}}}
ANSWERS: dict[int | str, dict[str, Any]] = {
    code: {"description": said, "content": EXAMPLE}
    for code, said in {
        403: "Not for you.",
        404: "There is no such table.",
        409: "Not now.",
        413: "Too large.",
        422: "Not understood.",
        429: "Too often.",
        503: "The server is starting.",
    }.items()
}


def quiet(_done: int, _total: int) -> None:
    """Tell nobody how far the warm-up is."""


def create_app(
    settings: Settings | None = None,
    sources: Sources | None = None,
    progress: Callable[[int, int], None] = quiet,
) -> FastAPI:
    """The server as an ASGI application. Its database is brought up to date at once: what is wrong is told before it starts."""
    hub = Hub(settings or Settings.from_environment(), sources or Sources(), progress)
    hub.prepare()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await hub.start()
        yield
        await hub.stop()

    app = FastAPI(
        title="cabochon",
        version=__version__,
        summary="Splendor and Splendor: Marvel",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=ANSWERS,
    )
    app.state.hub = hub
    app.add_middleware(Guard, origins=hub.settings.origins, is_ready=lambda: hub.is_ready)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    _add_guests(app, hub)
    _add_tables(app, hub)
    _add_table(app, hub)
    _add_pages(app, hub)
    return app


async def _refused(_request: Request, wrong: Exception) -> Response:
    assert isinstance(wrong, Refused)
    return JSONResponse(wrong.out(), wrong.status)


async def _not_understood(_request: Request, wrong: Exception) -> Response:
    assert isinstance(wrong, RequestValidationError)
    error = wrong.errors()[0]
    place = ".".join(str(part) for part in error["loc"] if part not in ("body", "query", "path"))
    refusal = Refused("not_understood", problem=f"{place}: {error['msg']}" if place else error["msg"])
    return JSONResponse(refusal.out(), refusal.status)


def _json(value: Any, status: int = 200) -> Response:
    return Response(dumps(value), status, media_type="application/json", headers={"Cache-Control": "no-store"})


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _guest(hub: Hub, request: Request) -> tuple[str, bool]:
    """Who asks, and whether they were here before."""
    known = hub.guests.user_of(request)
    return known or hub.sources.user_id(), known is not None


def _remember(hub: Hub, request: Request, response: Response, user: str) -> Response:
    hub.guests.remember(response, user, secure=request.url.scheme == "https")
    return response


def _add_guests(app: FastAPI, hub: Hub) -> None:
    @app.get("/api/me", response_model=UserOut)
    async def me(request: Request) -> Response:
        """Who you are. Sets the cookie that holds your seats."""
        user, _ = _guest(hub, request)
        return _remember(hub, request, _json({"name": await hub.name_of(user)}), user)

    @app.put("/api/me", response_model=UserOut)
    async def rename(request: Request, said: NameIn) -> Response:
        """Choose a nickname."""
        user, _ = _guest(hub, request)
        name = clean_name(said.name)
        if not hub.visits.take(_address(request), time.monotonic()):
            raise Refused("too_many_requests")
        await hub.writer.store(*naming(user, name))
        return _remember(hub, request, _json({"name": name}), user)

    @app.get("/s/{token}", include_in_schema=False)
    async def seat_link(request: Request, token: str) -> Response:
        """A private link: this browser holds the seat too."""
        if not hub.visits.take(_address(request), time.monotonic()):
            raise Refused("too_many_requests")
        found = await asyncio.to_thread(hub.storage.table_of_token, token)
        if found is None:
            raise Refused("no_link")
        table, seat = await hub.table(found[0]), found[1]
        user, _ = _guest(hub, request)
        async with table.lock:
            await hub.store(table, *holding(table.id, user, seat))
            table.holders[user] = seat
            table.note_presence()
            table.broadcast()
        return _remember(hub, request, RedirectResponse(f"/t/{table.id}", 303), user)


def _add_tables(app: FastAPI, hub: Hub) -> None:
    @app.get("/api/bots", response_model=list[BotOut])
    async def bots() -> Response:
        """The opponents that can be chosen."""
        known = ratings()
        return _json([bot_out(bot, known.get(bot.name)) for bot in BOTS.values()])

    @app.get("/api/data/{variant}", response_model=GameDataOut)
    async def data(variant: VariantName) -> Response:
        """The printed cards and tiles of a game."""
        return Response(dumps(game_data_out(variant)), media_type="application/json", headers={"Cache-Control": "max-age=3600"})

    @app.post("/api/tables", response_model=CreatedOut)
    async def create(request: Request, options: TableOptions) -> Response:
        """Open a table and sit down at it. If no seat is open the game begins at once."""
        if not hub.creations.take(_address(request), time.monotonic()):
            raise Refused("too_many_tables")
        user, _ = _guest(hub, request)
        table = await hub.create(options, user, await hub.name_of(user))
        return _remember(hub, request, _json(_created(table, 0)), user)

    @app.get("/api/tables", response_model=LobbyOut)
    async def lobby(request: Request) -> Response:
        """Open tables, and your own running and finished games."""
        return _json(await hub.lobby(hub.guests.user_of(request)))


def bot_out(bot: Bot, rating: Rating | None) -> dict[str, Any]:
    """A BotOut."""
    return {"name": bot.name, "character": bot.character, "rating": None if rating is None else round(rating.rating)}


def _created(table: Table, seat: int) -> dict[str, Any]:
    return {"id": table.id, "seat": seat, "seat_link": f"/s/{table.seats[seat].token}"}


def _add_table(app: FastAPI, hub: Hub) -> None:
    finished = _finished(hub)

    @app.get("/api/tables/{table_id}", response_model=TableOut)
    async def table_now(table_id: str) -> Response:
        """What everybody may know about a table."""
        return _json((await hub.table(table_id)).out())

    @app.get("/api/tables/{table_id}/record", response_class=PlainTextResponse)
    async def record(request: Request, table_id: str) -> Response:
        """The record of a finished game."""
        table = await finished(request, table_id)
        name = f'attachment; filename="{table.id}.game"'
        return PlainTextResponse(record_text(table), headers={"Content-Disposition": name})

    @app.get("/api/tables/{table_id}/reveal", response_model=Reveal)
    async def reveal(request: Request, table_id: str) -> Response:
        """After the end: seed, salt, commitment and record, for `cabochon verify`."""
        return _json(reveal_out(await finished(request, table_id)))

    @app.get("/api/tables/{table_id}/replay", response_model=ReplayOut)
    async def replay(request: Request, table_id: str, seat: Annotated[int | None, SEAT_NUMBERS] = None) -> Response:
        """The game so far: as your own seat or a spectator; after the end, as any seat."""
        table = await hub.table(table_id)
        user = hub.guests.user_of(request)
        _check_may_replay(table, user, seat)
        entries = list(table.log)
        game = table.sources.deal(table.options, table.seed, table.start)
        views = await asyncio.to_thread(replay_views, game, [line.entry for line in entries], seat)
        out = {"table": table.out(), "seat": seat, "entries": [line.out(seat) for line in entries]}
        return _json({**out, "views": views, "outcome": table.outcome()})

    @app.get("/api/tables/{table_id}/link", response_model=CreatedOut)
    async def link(request: Request, table_id: str) -> Response:
        """The private link of your own seat, for your other devices."""
        table = await hub.table(table_id)
        seat = table.seat_of(hub.guests.user_of(request))
        if seat is None:
            raise Refused("no_own_seat")
        return _json(_created(table, seat))

    @app.get("/api/tables/{table_id}/qr.svg")
    async def qr(request: Request, table_id: str) -> Response:
        """The link to the table as a QR code."""
        table = await hub.table(table_id)
        return qr_code(join_url(request, f"/t/{table.id}", hub.settings.public_url, hub.settings.host))

    @app.websocket("/api/tables/{table_id}/socket")
    async def socket(websocket: WebSocket, table_id: str, since: int = 0) -> None:
        await serve(websocket, hub, table_id, since)


def _finished(hub: Hub) -> Callable[[Request, str], Awaitable[Table]]:
    """A table after its end, for those who may see it."""

    async def finished(request: Request, table_id: str) -> Table:
        table = await hub.table(table_id)
        if not table.may_watch(hub.guests.user_of(request)):
            raise Refused("nobody_watches")
        if table.status != "finished":
            raise Refused("not_over")
        return table

    return finished


def _check_may_replay(table: Table, user: str | None, seat: int | None) -> None:
    if not table.may_watch(user):
        raise Refused("nobody_watches")
    if table.game is None:
        raise Refused("not_begun")
    if seat is not None and seat >= table.options.players:
        raise Refused("no_eyes", seat=seat)
    if seat is not None and table.status == "running" and table.seat_of(user) != seat:
        raise Refused("other_eyes")


def record_text(table: Table) -> str:
    """The record of a table's game, with names and date."""
    assert table.game is not None
    date = datetime.fromtimestamp(table.created, UTC).date().isoformat()
    return format_record(table.game.record(table.names(), date))


def reveal_out(table: Table) -> dict[str, Any]:
    """All that is needed to check a finished table."""
    return {
        "variant": table.options.variant,
        "players": table.options.players,
        "start": table.start,
        "seed": str(table.seed),
        "salt": table.salt,
        "commitment": table.commitment,
        "record": record_text(table),
    }


def _add_pages(app: FastAPI, hub: Hub) -> None:
    @app.get("/api/health")
    async def health() -> Response:
        """Whether the server is starting or well: database, bots, tables in memory."""
        report = await health_report(hub)
        return _json(report, 200 if report["database"] == "ok" else 503)

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> Response:
        return api_page(app.openapi())

    @app.get("/api/{path:path}", include_in_schema=False)
    async def nothing(path: str) -> Response:
        raise Refused("nothing_there", path=f"/api/{path}")

    @app.get("/{path:path}", include_in_schema=False)
    async def pages(request: Request, path: str) -> Response:
        return page(request, path)


async def health_report(hub: Hub) -> dict[str, Any]:
    """How the server is."""
    try:
        await asyncio.to_thread(hub.storage.check)
        database = "ok"
    except Exception as wrong:
        database = type(wrong).__name__
    return {
        "status": "ok" if hub.is_ready else "starting",
        "database": database,
        "bots": hub.bots.health(),
        "tables": len(hub.tables),
        "sockets": hub.sockets,
        "entries": hub.writer.stored,
        "commits": hub.writer.commits,
        "collections": hub.collector.health(),
        "version": __version__,
    }
