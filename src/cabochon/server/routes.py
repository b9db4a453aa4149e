"""What the server answers over HTTP."""

import asyncio
import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import FastAPI, Query, Request, Response
from orjson import Fragment, dumps
from starlette.responses import PlainTextResponse

from ..bots import BOTS, Bot
from ..bots.ratings import Rating, ratings
from ..game import Game
from ..notation.record import Resignation, format_record
from ..rules.variants import VARIANTS
from ..version import __version__
from .addresses import is_local
from .analysis_routes import analysis_router
from .broadcast import outcome, room_out, room_out_for
from .commitment import AnyReveal, start_rule
from .daily import may_see
from .errors import Refused
from .identity import clean_name
from .messages import (
    BotOut,
    CreatedOut,
    GameDataOut,
    JoinOut,
    LobbyOut,
    NameIn,
    PushIn,
    PushKeyOut,
    PushOffIn,
    ReplayOut,
    SeatLinkOut,
    TableOptions,
    TableOut,
    TakeSeatIn,
    UserOut,
    VariantName,
    VariantOut,
)
from .pages import api_page, page, qr_code
from .preview import preview_page
from .rate_limit import address_of
from .repository import set_name
from .route_helpers import charge, charge_creation, guest_of, json_response, origin_of, remember, take_or_refuse
from .seat_links import found_seat, seat_link_out, take_seat
from .serialise import game_data_out, packed, variant_out
from .service import Service
from .table import Line, Table, replay_views

SEAT_NUMBERS = Query(ge=0, le=3)
# What a read counts against the budget of its address (CABOCHON_MAX_READS_PER_MINUTE), by the work it makes.
COSTS = {
    "me": 1, "bots": 1, "join": 1, "push": 1, "table": 1, "link": 1, "nothing": 1, "seat": 2, "lobby": 3,
    "docs": 5, "qr": 5, "record": 5, "reveal": 5, "replay": 5,
}  # fmt: skip
REPLAY_LINES_PER_POINT = 50  # a replay costs this much more
MAX_KEPT_REPLAYS, MAX_KEPT_RECORDS = 16, 64


def add_routes(app: FastAPI, service: Service) -> None:
    """Everything that is answered; the client's pages come last, because they match any path."""
    _add_guests(app, service)
    _add_push(app, service)
    _add_tables(app, service)
    _add_table(app, service)
    app.include_router(analysis_router(service))
    _add_pages(app, service)


def _charge_replay(service: Service, request: Request, lines: int) -> None:
    """Count what a replay costs beyond finding its table. A full budget pays for any of them."""
    found = COSTS["replay"]
    rest = max(0.0, min(lines // REPLAY_LINES_PER_POINT, service.reads.burst - found))
    take_or_refuse(service.reads, address_of(request), rest, found + rest)


def _add_guests(app: FastAPI, service: Service) -> None:
    @app.get("/api/me", response_model=UserOut)
    async def me(request: Request) -> Response:
        """Who you are. Sets the cookie that holds your seats."""
        user, was_here = guest_of(service, request)
        take_or_refuse(
            service.reads, user if was_here else address_of(request), COSTS["me"]
        )  # a neighbour cannot keep a seat holder out
        return remember(service, request, json_response({"name": await service.name_of(user)}), user)

    @app.put("/api/me", response_model=UserOut)
    async def rename(request: Request, wanted: NameIn) -> Response:
        """Choose a nickname."""
        user, _ = guest_of(service, request)
        name = clean_name(wanted.name)
        take_or_refuse(service.renames, address_of(request))
        await service.store_at_once(*set_name(user, name, service.sources.clock()))
        return remember(service, request, json_response({"name": name}), user)

    @app.get("/api/seats/{token}", response_model=SeatLinkOut)
    async def seat_link(request: Request, token: str) -> Response:
        """What a private link gives, and what you hold at its table now. Nothing is changed."""
        charge(service, request, COSTS["seat"])
        room, seat = await found_seat(service, token)
        return json_response(seat_link_out(room, seat, service.guests.user_of(request)))

    @app.post("/api/seats/{token}", response_model=CreatedOut)
    async def take(request: Request, token: str, taken: TakeSeatIn) -> Response:
        """Hold the seat of a private link too. Another seat at the same table must be given up for it."""
        take_or_refuse(service.visits, address_of(request))
        user, _ = guest_of(service, request)
        table, seat = await take_seat(service, token, user, taken.gives_up)
        return remember(service, request, json_response(created_out(table, seat)), user)


def _add_push(app: FastAPI, service: Service) -> None:
    @app.get("/api/push", response_model=PushKeyOut)
    async def push_key(request: Request) -> Response:
        """The key to which a browser binds a subscription."""
        charge(service, request, COSTS["push"])
        return json_response({"key": await asyncio.to_thread(service.pusher.public_key) if service.pusher.services else None})

    @app.put("/api/push", response_model=PushKeyOut)
    async def subscribe(request: Request, wanted: PushIn) -> Response:
        """Be told on this browser when it is your turn. Sent again, it is renewed."""
        await service.pusher.add(_subscriber(service, request), wanted)
        return json_response({"key": await asyncio.to_thread(service.pusher.public_key)})

    @app.delete("/api/push", response_model=PushKeyOut)
    async def unsubscribe(request: Request, unwanted: PushOffIn) -> Response:
        """Not to be told on this browser any more."""
        await service.pusher.remove(_subscriber(service, request), unwanted.endpoint)
        return json_response({"key": None})


def _subscriber(service: Service, request: Request) -> str:
    """Who is to be told: a guest who can be found again."""
    take_or_refuse(service.visits, address_of(request))
    user = service.guests.user_of(request)
    if user is None:
        raise Refused("no_cookie")
    return user


def _add_tables(app: FastAPI, service: Service) -> None:
    @app.get("/api/bots", response_model=list[BotOut])
    async def bots(request: Request) -> Response:
        """The opponents that can be chosen, from weak to strong."""
        charge(service, request, COSTS["bots"])
        known = ratings()
        # From weak to strong; who has no rating comes last, in the order of the registry.
        weak_first = sorted(BOTS.values(), key=lambda bot: known[bot.name].rating if bot.name in known else math.inf)
        return json_response([bot_out(bot, known.get(bot.name)) for bot in weak_first])

    @app.get("/api/variants", response_model=list[VariantOut])
    async def variants() -> Response:
        """The games that can be chosen, in their order."""
        return Response(_variants(), media_type="application/json", headers={"Cache-Control": "max-age=3600"})

    @app.get("/api/data/{variant}", response_model=GameDataOut)
    async def data(variant: VariantName) -> Response:
        """All that is needed to draw a game: its numbers, what it has, the printed cards and tiles."""
        return Response(_game_data(variant), media_type="application/json", headers={"Cache-Control": "max-age=3600"})

    @app.get("/api/join", response_model=JoinOut)
    async def join(request: Request) -> Response:
        """Where friends find this server."""
        charge(service, request, COSTS["join"])
        origin = origin_of(service, request)
        return json_response({"origin": origin, "only_here": is_local(urlsplit(origin).hostname or "")})

    @app.post("/api/tables", response_model=CreatedOut)
    async def create(request: Request, options: TableOptions, sealed: bool = False) -> Response:
        """Open a table and sit down at it. If no seat is open the game begins at once, or, if `sealed`, after your nonce."""
        address = charge_creation(service, request)
        user, _ = guest_of(service, request)
        room = await service.create(options, user, await service.name_of(user), address, sealed=sealed)
        return remember(service, request, json_response(created_out(room.table, 0)), user)

    @app.get("/api/tables", response_model=LobbyOut)
    async def lobby(request: Request) -> Response:
        """Open tables, public games to watch, and your own running and finished games."""
        charge(service, request, COSTS["lobby"])
        return json_response(await service.lobby(service.guests.user_of(request), address_of(request)))


@cache
def _variants() -> bytes:
    return dumps([variant_out(variant) for variant in VARIANTS.values()])


@cache
def _game_data(variant: VariantName) -> bytes:
    return dumps(game_data_out(variant))


def bot_out(bot: Bot, rating: Rating | None) -> dict[str, Any]:
    """A BotOut."""
    return {"name": bot.name, "character": bot.character, "rating": None if rating is None else round(rating.rating)}


def created_out(table: Table, seat: int) -> dict[str, Any]:
    """A CreatedOut."""
    return {"id": table.id, "seat": seat, "seat_link": f"/s/{table.seats[seat].token}"}


def _add_table(app: FastAPI, service: Service) -> None:
    finished = _finished(service)

    @app.get("/api/tables/{table_id}", response_model=TableOut)
    async def table_now(request: Request, table_id: str) -> Response:
        """What everybody may know about a table; where nobody may watch, less for those without a seat."""
        charge(service, request, COSTS["table"])
        return json_response(room_out_for(await service.room(table_id), service.guests.user_of(request)))

    @app.get("/api/tables/{table_id}/record", response_class=PlainTextResponse)
    async def record(request: Request, table_id: str) -> Response:
        """The record of a finished game."""
        charge(service, request, COSTS["record"])
        table = await finished(request, table_id)
        name = f'attachment; filename="{table.id}.game"'
        return PlainTextResponse(await record_of(service, table), headers={"Content-Disposition": name})

    @app.get("/api/tables/{table_id}/reveal", response_model=AnyReveal)
    async def reveal(request: Request, table_id: str) -> Response:
        """After the end: secret, seals, nonces, commitment and record, for `cabochon verify`."""
        charge(service, request, COSTS["reveal"])
        table = _from_deal(await finished(request, table_id))
        return json_response(reveal_out(table, await record_of(service, table)))

    @app.get("/api/tables/{table_id}/replay", response_model=ReplayOut)
    async def replay(request: Request, table_id: str, seat: Annotated[int | None, SEAT_NUMBERS] = None) -> Response:
        """The game so far: as your own seat or a spectator; after the end, as any seat."""
        charge(service, request, COSTS["replay"])
        room = await service.room(table_id)
        table, user = room.table, service.guests.user_of(request)
        if not await may_see(service, table, user):
            raise Refused("nobody_watches")
        _check_may_replay(table, user, seat)
        _charge_replay(service, request, len(table.log))
        entries, views = await _replay(service, table, seat)
        out = {"table": room_out(room), "seat": seat, "entries": entries, "views": views}
        return json_response({**out, "outcome": outcome(room)})

    @app.get("/api/tables/{table_id}/link", response_model=CreatedOut)
    async def link(request: Request, table_id: str) -> Response:
        """The private link of your own seat, for your other devices."""
        charge(service, request, COSTS["link"])
        table = (await service.room(table_id)).table
        seat = table.seat_of(service.guests.user_of(request))
        if seat is None:
            raise Refused("no_own_seat")
        return json_response(created_out(table, seat))

    @app.get("/api/tables/{table_id}/qr.svg")
    async def qr(request: Request, table_id: str) -> Response:
        """The link to the table as a QR code."""
        charge(service, request, COSTS["qr"])
        table = (await service.room(table_id)).table
        url = f"{origin_of(service, request)}/t/{table.id}"
        async with service.heavy:
            return await asyncio.to_thread(qr_code, url)


def _finished(service: Service) -> Callable[[Request, str], Awaitable[Table]]:
    """A table after its end, for those who may see it."""

    async def finished(request: Request, table_id: str) -> Table:
        return await finished_table(service, request, table_id)

    return finished


def _from_deal(table: Table) -> Table:
    """Refuse a game that began at a later position."""
    if table.options.position is not None:
        raise Refused("from_position")
    return table


async def finished_table(service: Service, request: Request, table_id: str) -> Table:
    """A table after its end. Refused to those who may not see it, and before its end."""
    table = (await service.room(table_id)).table
    if not await may_see(service, table, service.guests.user_of(request)):
        raise Refused("nobody_watches")
    if table.status != "finished":
        raise Refused("not_over")
    return table


async def _replay(service: Service, table: Table, seat: int | None) -> tuple[Fragment, Fragment]:
    """The lines and views of a replay: written beside the event loop, few at a time; those of a finished game are kept."""
    key = table.id, seat
    async with service.heavy:
        if key in service.replays:
            return service.replays[key]
        is_finished = table.status == "finished"
        written = await asyncio.to_thread(_written_replay, table.first_game(service.sources.deal), list(table.log), seat)
        if is_finished:
            _keep(service.replays, key, written, MAX_KEPT_REPLAYS)
        return written


def _written_replay(game: Game, lines: list[Line], seat: int | None) -> tuple[Fragment, Fragment]:
    views = replay_views(game, [line.entry for line in lines], seat)
    return packed([line.out(seat) for line in lines]), packed(views)


async def record_of(service: Service, table: Table) -> str:
    """The record of a finished game, which never changes: written beside the event loop, and kept."""
    async with service.heavy:
        if table.id in service.records:
            return service.records[table.id]
        written = await asyncio.to_thread(record_text, table, table.resigned)
        _keep(service.records, table.id, written, MAX_KEPT_RECORDS)
        return written


def _keep(kept: dict[Any, Any], key: Any, value: Any, most: int) -> None:
    """Keep something, and drop the oldest beyond so many."""
    kept[key] = value
    if len(kept) > most:
        del kept[next(iter(kept))]


def _check_may_replay(table: Table, user: str | None, seat: int | None) -> None:
    if table.game is None:
        raise Refused("not_begun")
    if seat is not None and seat >= table.options.players:
        raise Refused("no_eyes", seat=seat)
    if seat is not None and table.status == "running" and table.seat_of(user) != seat:
        raise Refused("other_eyes")
    if table.status == "running" and not table.options.house.open_reserves:
        raise Refused("face_down")  # every market there was shows which card somebody took from it


def record_text(table: Table, resigned: tuple[Resignation, ...]) -> str:
    """The record of a table's game, with names and date."""
    assert table.game is not None
    date = datetime.fromtimestamp(table.created, UTC).date().isoformat()
    names = tuple(seat.name for seat in table.seats)
    return format_record(table.game.record(names, date, resigned))


def reveal_out(table: Table, record: str) -> dict[str, Any]:
    """All that is needed to check a finished table."""
    players, origin, dealing = table.options.players, table.origin, table.dealing
    out = {"variant": table.options.variant, "players": players, "commitment": origin.commitment, "record": record}
    if origin.secret is None:
        return {**out, "format": 1, "start": origin.start, "seed": str(origin.seed), "salt": origin.salt}
    if origin.shared is not None:
        named = {"table": table.id, "deal": origin.shared, "start_rule": start_rule(origin.start)}
        return {**out, "format": 3, **named, "secret": origin.secret}
    sealed = {"seals": dealing.seals, "nonces": dealing.nonces}
    by_seat = {name: [found.get(seat) for seat in range(players)] for name, found in sealed.items()}
    return {**out, "format": 2, "table": table.id, "start_rule": start_rule(origin.start), "secret": origin.secret, **by_seat}


def _add_pages(app: FastAPI, service: Service) -> None:
    @cache
    def schema() -> bytes:
        return dumps(app.openapi())

    @app.get("/api/health")
    async def health() -> Response:
        """Whether the server is starting, well or failing: database, bots, tables in memory."""
        report = await health_report(service)
        return json_response(report, 200 if report["database"] == "ok" else 503)

    @app.get("/api/live")
    async def live() -> Response:
        """Whether the process runs. If it does not answer, it has to be started again."""
        return json_response(
            {"status": "ok"} if service.failure is None else {"status": "failing"}, 503 if service.failure else 200
        )

    @app.get("/api/ready")
    async def ready() -> Response:
        """Whether requests are served here. Not while it starts or stops, or cannot store."""
        status = "stopping" if service.is_draining else "starting" if not service.is_ready else await service.trouble() or "ok"
        return json_response({"status": status}, 200 if status == "ok" else 503)

    @app.get("/api/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        charge(service, request, COSTS["docs"])
        return api_page(app.openapi())

    @app.get("/api/openapi.json", include_in_schema=False)
    async def openapi(request: Request) -> Response:
        charge(service, request, COSTS["docs"])
        return Response(schema(), media_type="application/json")

    @app.get("/api/{path:path}", include_in_schema=False)
    async def nothing(request: Request, path: str) -> Response:
        charge(service, request, COSTS["nothing"])
        raise Refused("nothing_there", path=f"/api/{path}")

    @app.get("/s/{token}", include_in_schema=False)
    async def seat_page(request: Request, token: str) -> Response:  # noqa: ARG001
        """The page that asks before it takes a seat. To open a link changes nothing: pictures on other sites open links too."""
        return page(request, "index.html")

    @app.get("/t/{table_id}", include_in_schema=False)
    @app.get("/t/{table_id}/replay", include_in_schema=False)
    async def table_page(request: Request, table_id: str) -> Response:
        """The client, with what a messenger shows of a link to this table."""
        return preview_page(request, await _previewed(service, request, table_id), origin_of(service, request))

    @app.get("/{path:path}", include_in_schema=False)
    async def pages(request: Request, path: str) -> Response:
        return page(request, path)


async def _previewed(service: Service, request: Request, table_id: str) -> Table | None:
    """The table of a page, if it is there. The page itself is served in any case."""
    if not service.is_ready:
        return None
    with suppress(Refused):
        charge(service, request, COSTS["table"])
        return (await service.room(table_id)).table
    return None


async def health_report(service: Service) -> dict[str, Any]:
    """How the server is."""
    trouble = await service.trouble()
    return {
        "status": "failing" if trouble else "ok" if service.is_ready else "starting",
        "database": trouble or "ok",
        "bots": service.bots.health(),
        "tables": len(service.rooms),
        "sockets": service.socket_count,
        "entries": service.writer.stored,
        "commits": service.writer.commits,
        "collections": service.collector.health(),
        "version": __version__,
    }
