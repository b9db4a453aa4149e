"""The application: `create_app(settings)` and what it answers over HTTP."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response, WebSocket
from fastapi.exceptions import RequestValidationError
from orjson import Fragment, dumps
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Match

from ..bots import BOTS, Bot
from ..bots.ratings import Rating, ratings
from ..game import Game
from ..notation.record import format_record
from ..version import __version__
from .fairness import AnyReveal, start_rule
from .guests import clean_name
from .hub import Hub, naming
from .limits import LARGEST_MESSAGE, Buckets, Guard, address_of
from .listening import serve
from .messages import (
    BotOut,
    CreatedOut,
    GameDataOut,
    LobbyOut,
    NameIn,
    ReplayOut,
    SeatLinkOut,
    TableOptions,
    TableOut,
    TakeSeatIn,
    UserOut,
    VariantName,
)
from .pages import api_page, join_url, page, qr_code
from .refusals import Refused
from .seatlinks import found_seat, seat_link_out, take_seat
from .settings import Settings, Sources
from .tables import Line, Table, replay_views
from .views import game_data_out, packed

SEAT_NUMBERS = Query(ge=0, le=3)
# What a read counts against the budget of its address (CABOCHON_MAX_READS_PER_MINUTE), by the work it makes.
COSTS = {
    "me": 1, "bots": 1, "table": 1, "link": 1, "nothing": 1, "seat": 2, "lobby": 3,
    "docs": 5, "qr": 5, "record": 5, "reveal": 5, "replay": 5,
}  # fmt: skip
REPLAY_LINES_PER_POINT = 50  # a replay costs this much more
MAX_KEPT_REPLAYS, MAX_KEPT_RECORDS = 16, 64
EXAMPLE = {"application/json": {"example": {"detail": "a sentence", "code": "not_begun", "facts": {}}}}
ANSWERS: dict[int | str, dict[str, Any]] = {
    code: {"description": said, "content": EXAMPLE}
    for code, said in {
        403: "Not for you.",
        404: "There is no such table.",
        405: "Not with this method.",
        408: "It did not arrive in time.",
        409: "Not now.",
        413: "Too large.",
        422: "Not understood.",
        429: "Too often.",
        431: "Too many or too large headers.",
        503: "The server is starting or stopping, is full, or its database is in trouble.",
    }.items()
}


def quiet(_done: int, _total: int) -> None:
    """Tell nobody how far the warm-up is."""


def create_app(
    settings: Settings | None = None,
    sources: Sources | None = None,
    progress: Callable[[int, int], None] = quiet,
    address: str = "",
) -> FastAPI:
    """The server as an ASGI application. Its database is brought up to date at once: what is wrong is told before it starts."""
    hub = Hub(settings or Settings.from_environment(), sources or Sources(), progress)
    hub.prepare(address)

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
        openapi_url=None,
        responses=ANSWERS,
    )
    app.state.hub = hub
    app.add_middleware(Guard, origins=hub.settings.origins, is_ready=lambda: hub.is_ready)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _not_possible)
    _add_guests(app, hub)
    _add_tables(app, hub)
    _add_table(app, hub)
    _add_pages(app, hub)
    return app


async def _refused(_request: Request, wrong: Exception) -> Response:
    assert isinstance(wrong, Refused)
    headers = {"Retry-After": str(math.ceil(wrong.retry_after))} if wrong.status == 429 else None
    return JSONResponse(wrong.out(), wrong.status, headers)


async def _not_understood(_request: Request, wrong: Exception) -> Response:
    assert isinstance(wrong, RequestValidationError)
    error = wrong.errors()[0]
    place = ".".join(str(part) for part in error["loc"] if part not in ("body", "query", "path"))
    refusal = Refused("not_understood", problem=f"{place}: {error['msg']}" if place else error["msg"])
    return JSONResponse(refusal.out(), refusal.status)


async def _not_possible(request: Request, wrong: Exception) -> Response:
    """What Starlette and FastAPI refuse by themselves."""
    assert isinstance(wrong, HTTPException)
    if wrong.status_code == 404:
        refusal = Refused("nothing_there", path=request.scope["path"])
    elif wrong.status_code == 405:
        refusal = Refused("wrong_method", method=request.method)
    elif wrong.status_code == 413:
        refusal = Refused("too_large", most=LARGEST_MESSAGE)
    else:
        refusal = Refused("not_understood", problem=wrong.detail)
    headers = {"Allow": ", ".join(_methods(request))} if wrong.status_code == 405 else None
    return JSONResponse(refusal.out(), refusal.status, headers=headers)


def _methods(request: Request) -> list[str]:
    """What is possible at a path; HEAD wherever GET is."""
    at_path = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    methods = {method for route in at_path for method in getattr(route, "methods", None) or ()}
    return sorted(methods | ({"HEAD"} if "GET" in methods else set()))


def _json(value: Any, status: int = 200) -> Response:
    return Response(dumps(value), status, media_type="application/json", headers={"Cache-Control": "no-store"})


def _charge(hub: Hub, request: Request, what: str) -> None:
    """Count a read; refuse it when its address has read too much in a short time."""
    _take(hub.reads, address_of(request), COSTS[what])


def _charge_replay(hub: Hub, request: Request, lines: int) -> None:
    """Count what a replay costs beyond finding its table. A full budget pays for any of them."""
    found = COSTS["replay"]
    rest = max(0.0, min(lines // REPLAY_LINES_PER_POINT, hub.reads.burst - found))
    _take(hub.reads, address_of(request), rest, found + rest)


def _take(buckets: Buckets, owner: str, cost: float = 1, next_cost: float | None = None) -> None:
    """Count a request of an address or a guest; refuse it when it is one too many. `next_cost`: what another attempt costs."""
    if not buckets.take(owner, time.monotonic(), cost):
        refusal = Refused("too_many_requests")
        refusal.retry_after = buckets.wait(owner, next_cost or cost)
        raise refusal


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
        user, was_here = _guest(hub, request)
        _take(hub.reads, user if was_here else address_of(request), COSTS["me"])  # a neighbour cannot keep a seat holder out
        return _remember(hub, request, _json({"name": await hub.name_of(user)}), user)

    @app.put("/api/me", response_model=UserOut)
    async def rename(request: Request, said: NameIn) -> Response:
        """Choose a nickname."""
        user, _ = _guest(hub, request)
        name = clean_name(said.name)
        _take(hub.renames, address_of(request))
        await hub.store_at_once(*naming(user, name, hub.sources.clock()))
        return _remember(hub, request, _json({"name": name}), user)

    @app.get("/api/seats/{token}", response_model=SeatLinkOut)
    async def seat_link(request: Request, token: str) -> Response:
        """What a private link gives, and what you hold at its table now. Nothing is changed."""
        _charge(hub, request, "seat")
        table, seat = await found_seat(hub, token)
        return _json(seat_link_out(table, seat, hub.guests.user_of(request)))

    @app.post("/api/seats/{token}", response_model=CreatedOut)
    async def take(request: Request, token: str, said: TakeSeatIn) -> Response:
        """Hold the seat of a private link too. Another seat at the same table must be given up for it."""
        _take(hub.visits, address_of(request))
        user, _ = _guest(hub, request)
        table, seat = await take_seat(hub, token, user, said.gives_up)
        return _remember(hub, request, _json(_created(table, seat)), user)


def _add_tables(app: FastAPI, hub: Hub) -> None:
    @app.get("/api/bots", response_model=list[BotOut])
    async def bots(request: Request) -> Response:
        """The opponents that can be chosen."""
        _charge(hub, request, "bots")
        known = ratings()
        return _json([bot_out(bot, known.get(bot.name)) for bot in BOTS.values()])

    @app.get("/api/data/{variant}", response_model=GameDataOut)
    async def data(variant: VariantName) -> Response:
        """The printed cards and tiles of a game."""
        return Response(_game_data(variant), media_type="application/json", headers={"Cache-Control": "max-age=3600"})

    @app.post("/api/tables", response_model=CreatedOut)
    async def create(request: Request, options: TableOptions, sealed: bool = False) -> Response:
        """Open a table and sit down at it. If no seat is open the game begins at once, or, if `sealed`, after your nonce."""
        address = address_of(request)
        if not hub.creations.take(address, time.monotonic()):
            raise Refused("too_many_tables")
        user, _ = _guest(hub, request)
        table = await hub.create(options, user, await hub.name_of(user), address, sealed=sealed)
        return _remember(hub, request, _json(_created(table, 0)), user)

    @app.get("/api/tables", response_model=LobbyOut)
    async def lobby(request: Request) -> Response:
        """Open tables, and your own running and finished games."""
        _charge(hub, request, "lobby")
        return _json(await hub.lobby(hub.guests.user_of(request)))


@cache
def _game_data(variant: VariantName) -> bytes:
    return dumps(game_data_out(variant))


def bot_out(bot: Bot, rating: Rating | None) -> dict[str, Any]:
    """A BotOut."""
    return {"name": bot.name, "character": bot.character, "rating": None if rating is None else round(rating.rating)}


def _created(table: Table, seat: int) -> dict[str, Any]:
    return {"id": table.id, "seat": seat, "seat_link": f"/s/{table.seats[seat].token}"}


def _add_table(app: FastAPI, hub: Hub) -> None:
    finished = _finished(hub)

    @app.get("/api/tables/{table_id}", response_model=TableOut)
    async def table_now(request: Request, table_id: str) -> Response:
        """What everybody may know about a table; where nobody may watch, less for those without a seat."""
        _charge(hub, request, "table")
        return _json((await hub.table(table_id)).out(hub.guests.user_of(request)))

    @app.get("/api/tables/{table_id}/record", response_class=PlainTextResponse)
    async def record(request: Request, table_id: str) -> Response:
        """The record of a finished game."""
        _charge(hub, request, "record")
        table = await finished(request, table_id)
        name = f'attachment; filename="{table.id}.game"'
        return PlainTextResponse(await _record(hub, table), headers={"Content-Disposition": name})

    @app.get("/api/tables/{table_id}/reveal", response_model=AnyReveal)
    async def reveal(request: Request, table_id: str) -> Response:
        """After the end: secret, seals, nonces, commitment and record, for `cabochon verify`."""
        _charge(hub, request, "reveal")
        table = await finished(request, table_id)
        return _json(reveal_out(table, await _record(hub, table)))

    @app.get("/api/tables/{table_id}/replay", response_model=ReplayOut)
    async def replay(request: Request, table_id: str, seat: Annotated[int | None, SEAT_NUMBERS] = None) -> Response:
        """The game so far: as your own seat or a spectator; after the end, as any seat."""
        _charge(hub, request, "replay")
        table = await hub.table(table_id)
        user = hub.guests.user_of(request)
        _check_may_replay(table, user, seat)
        _charge_replay(hub, request, len(table.log))
        entries, views = await _replay(hub, table, seat)
        out = {"table": table.out(watched=True), "seat": seat, "entries": entries, "views": views}
        return _json({**out, "outcome": table.outcome()})

    @app.get("/api/tables/{table_id}/link", response_model=CreatedOut)
    async def link(request: Request, table_id: str) -> Response:
        """The private link of your own seat, for your other devices."""
        _charge(hub, request, "link")
        table = await hub.table(table_id)
        seat = table.seat_of(hub.guests.user_of(request))
        if seat is None:
            raise Refused("no_own_seat")
        return _json(_created(table, seat))

    @app.get("/api/tables/{table_id}/qr.svg")
    async def qr(request: Request, table_id: str) -> Response:
        """The link to the table as a QR code."""
        _charge(hub, request, "qr")
        table = await hub.table(table_id)
        url = join_url(request, f"/t/{table.id}", hub.settings.public_url, hub.settings.host)
        async with hub.heavy:
            return await asyncio.to_thread(qr_code, url)

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


async def _replay(hub: Hub, table: Table, seat: int | None) -> tuple[Fragment, Fragment]:
    """The lines and views of a replay: written beside the event loop, few at a time; those of a finished game are kept."""
    key = table.id, seat
    async with hub.heavy:
        if key in hub.replays:
            return hub.replays[key]
        is_finished = table.status == "finished"
        written = await asyncio.to_thread(_written_replay, table.first_game(), list(table.log), seat)
        if is_finished:
            _keep(hub.replays, key, written, MAX_KEPT_REPLAYS)
        return written


def _written_replay(game: Game, lines: list[Line], seat: int | None) -> tuple[Fragment, Fragment]:
    views = replay_views(game, [line.entry for line in lines], seat)
    return packed([line.out(seat) for line in lines]), packed(views)


async def _record(hub: Hub, table: Table) -> str:
    """The record of a finished game, which never changes: written beside the event loop, and kept."""
    async with hub.heavy:
        if table.id in hub.records:
            return hub.records[table.id]
        written = await asyncio.to_thread(record_text, table)
        _keep(hub.records, table.id, written, MAX_KEPT_RECORDS)
        return written


def _keep(kept: dict[Any, Any], key: Any, value: Any, most: int) -> None:
    """Keep something, and drop the oldest beyond so many."""
    kept[key] = value
    if len(kept) > most:
        del kept[next(iter(kept))]


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


def reveal_out(table: Table, record: str) -> dict[str, Any]:
    """All that is needed to check a finished table."""
    players, dealing = table.options.players, table.dealing
    out = {"variant": table.options.variant, "players": players, "commitment": table.commitment, "record": record}
    if table.secret is None:
        return {**out, "format": 1, "start": table.start, "seed": str(table.seed), "salt": table.salt}
    sealed = {"seals": dealing.seals, "nonces": dealing.nonces}
    by_seat = {name: [found.get(seat) for seat in range(players)] for name, found in sealed.items()}
    return {**out, "format": 2, "table": table.id, "start_rule": start_rule(table.start), "secret": table.secret, **by_seat}


def _add_pages(app: FastAPI, hub: Hub) -> None:
    @cache
    def schema() -> bytes:
        return dumps(app.openapi())

    @app.get("/api/health")
    async def health() -> Response:
        """Whether the server is starting, well or failing: database, bots, tables in memory."""
        report = await health_report(hub)
        return _json(report, 200 if report["database"] == "ok" else 503)

    @app.get("/api/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        _charge(hub, request, "docs")
        return api_page(app.openapi())

    @app.get("/api/openapi.json", include_in_schema=False)
    async def openapi(request: Request) -> Response:
        _charge(hub, request, "docs")
        return Response(schema(), media_type="application/json")

    @app.get("/api/{path:path}", include_in_schema=False)
    async def nothing(request: Request, path: str) -> Response:
        _charge(hub, request, "nothing")
        raise Refused("nothing_there", path=f"/api/{path}")

    @app.get("/s/{token}", include_in_schema=False)
    async def seat_page(request: Request, token: str) -> Response:  # noqa: ARG001
        """The page that asks before it takes a seat. To open a link changes nothing: pictures on other sites open links too."""
        return page(request, "index.html")

    @app.get("/{path:path}", include_in_schema=False)
    async def pages(request: Request, path: str) -> Response:
        return page(request, path)


async def health_report(hub: Hub) -> dict[str, Any]:
    """How the server is."""
    trouble = await hub.trouble()
    return {
        "status": "failing" if trouble else "ok" if hub.is_ready else "starting",
        "database": trouble or "ok",
        "bots": hub.bots.health(),
        "tables": len(hub.tables),
        "sockets": hub.socket_count,
        "entries": hub.writer.stored,
        "commits": hub.writer.commits,
        "collections": hub.collector.health(),
        "version": __version__,
    }
