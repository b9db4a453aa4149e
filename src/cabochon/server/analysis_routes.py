"""The addresses of the analysis board, and the socket over which the engine tells what it finds."""

import asyncio
import time
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response, WebSocket
from orjson import dumps
from pydantic import TypeAdapter, ValidationError
from starlette.websockets import WebSocketDisconnect

from ..notation.position import format_position
from ..study.known import rotated
from ..view import View
from .analysis import (
    MAX_MOVES_SHOWN,
    Problem,
    answer,
    draft_answer,
    found_out,
    game_line_out,
    house_out,
    read,
    record_line_out,
    record_text_of,
    searched_view,
)
from .analysis_messages import (
    AnalysisIn,
    AnalysisMessage,
    AnalysisOut,
    DraftIn,
    FromHereIn,
    GameLineOut,
    OpenRecordIn,
    RecordIn,
    RecordOut,
    StopIn,
    ThinkIn,
)
from .connection import BAD_MESSAGES, NOT_FOR_YOU, STARTING, TOO_MANY
from .daily import may_see
from .errors import Refused
from .messages import CreatedOut, HouseRules, TableOptions
from .middleware import origin_allowed
from .rate_limit import Bucket, address_of
from .reviews import replayed
from .route_helpers import charge, charge_creation, json_response
from .service import Service
from .study_pieces import search
from .table import Table
from .tasks import end_tasks

SEAT = Query(ge=0, le=3)
MESSAGES: TypeAdapter[ThinkIn | StopIn] = TypeAdapter(AnalysisMessage)
COST, GAME_COST, SOCKET_COST = 1, 5, 2  # of the reads of an address
DEPTHS = (160, 800, 4_000, 16_000, 48_000)  # nodes of one search after the other: the first takes a moment, the last some seconds
BURST_SECONDS = 2


def analysis_router(service: Service) -> APIRouter:
    """Everything about the analysis board."""
    router = APIRouter()

    @router.post("/api/analysis", response_model=AnalysisOut)
    async def analysis(request: Request, asked: AnalysisIn) -> Response:
        """A position, and moves played from it: what can be done there, or why it cannot be."""
        charge(service, request, COST + len(asked.moves) // 10)
        return json_response(await _beside(service, partial(answer, asked)))

    @router.post("/api/analysis/draft", response_model=AnalysisOut)
    async def draft(request: Request, asked: DraftIn) -> Response:
        """A position as it is edited: what can be done there, or why it cannot be."""
        charge(service, request, COST)
        return json_response(await _beside(service, partial(draft_answer, asked)))

    @router.post("/api/analysis/record", response_model=RecordOut)
    async def record(request: Request, asked: RecordIn) -> Response:
        """A line of moves from a deal on, as a record."""
        charge(service, request, GAME_COST)
        try:
            text = await _beside(service, partial(record_text_of, asked.position, asked.moves, asked.names))
        except Problem as problem:
            raise Refused("impossible", sentence=str(problem)) from problem
        return json_response({"record": text})

    @router.post("/api/analysis/table", response_model=CreatedOut)
    async def from_here(request: Request, asked: FromHereIn) -> Response:
        """A table whose game begins at this position; you take the seat you name, and a bot all the others."""
        address = charge_creation(service, request)
        options = _options(asked)
        user = service.guests.user_of(request) or service.sources.user_id()
        room = await service.create(options, user, await service.name_of(user), address)
        response = json_response({"id": room.table.id, "seat": 0, "seat_link": f"/s/{room.table.seats[0].token}"})
        service.guests.remember(response, user, secure=request.url.scheme == "https")
        return response

    @router.post("/api/analysis/game", response_model=GameLineOut)
    async def opened(request: Request, asked: OpenRecordIn) -> Response:
        """A record with its moves, to be analysed."""
        charge(service, request, GAME_COST)
        return json_response(await _beside(service, lambda: record_line_out(*replayed(asked.record))))

    @router.get("/api/tables/{table_id}/analysis", response_model=GameLineOut)
    async def game(request: Request, table_id: str, seat: Annotated[int | None, SEAT] = None) -> Response:
        """A game with its moves, to be analysed: after its end, or while you play against bots alone."""
        charge(service, request, GAME_COST)
        table = (await service.room(table_id)).table
        user = service.guests.user_of(request)
        if not await may_see(service, table, user):
            raise Refused("nobody_watches")
        viewer = _viewer(table, user, seat)
        moves = [line.entry.text for line in table.standing]
        first, names = table.first_game(service.sources.deal), [named.name for named in table.seats]
        whole = table.status == "finished"
        return json_response(await _beside(service, lambda: game_line_out(first, moves, names, viewer, whole=whole)))

    @router.websocket("/api/analysis/socket")
    async def socket(websocket: WebSocket) -> None:
        await serve_analysis(websocket, service)

    return router


async def _beside(service: Service, work: Any) -> Any:
    """Do something beside the event loop, few at a time."""
    async with service.heavy:
        return await asyncio.to_thread(work)


def _options(asked: FromHereIn) -> TableOptions:
    """The options of a table that begins at a position. Whoever opens a table sits at seat 0, so the seats are turned."""
    try:
        shown = read(asked.position)
    except Problem as problem:
        raise Refused("impossible", sentence=str(problem)) from problem
    if asked.seat >= shown.rules.players:
        raise Refused("no_seat", seat=asked.seat, last=shown.rules.players - 1)
    return TableOptions(
        variant=shown.rules.variant,
        players=shown.rules.players,
        house=HouseRules(**house_out(shown.rules)),
        bots=[asked.bot] * (shown.rules.players - 1),
        start="host",
        position=format_position(rotated(shown, asked.seat)),
    )


def _viewer(table: Table, user: str | None, seat: int | None) -> int | None:
    """Whose eyes a game is analysed with. Nobody gets advice while another person plays."""
    if table.game is None:
        raise Refused("not_begun")
    if table.status == "finished":
        return seat
    own = table.seat_of(user)
    if own is None:
        raise Refused("watching")
    if table.counts:
        raise Refused("counts")
    if table.others(own):
        raise Refused("hint_alone")
    return own


# the socket


class Board:
    """One analysis board: its socket, and the position that is thought about."""

    def __init__(self, websocket: WebSocket, service: Service, user: str, address: str) -> None:
        self.websocket, self.service, self.user, self.address = websocket, service, user, address
        self.thinking: asyncio.Task[None] | None = None
        self.sending = asyncio.Lock()

    async def send(self, message: dict[str, Any]) -> None:
        """Send one message; where nobody listens any more it is lost."""
        async with self.sending:
            with suppress(WebSocketDisconnect, RuntimeError, OSError):
                await self.websocket.send_text(dumps(message).decode())

    async def stop(self) -> None:
        """Think no more."""
        if self.thinking is not None:
            await end_tasks([self.thinking])
            self.thinking = None

    async def begin(self, asked: ThinkIn) -> None:
        """Think about a position, and no longer about the one before."""
        await self.stop()
        self.thinking = asyncio.create_task(self.think(asked))

    async def think(self, asked: ThinkIn) -> None:
        """Search deeper and deeper, and tell what is found each time."""
        try:
            view = searched_view(asked.position)
            with self.service.bots.background.job(self.user, self.address):
                await self.deepen(view, asked.id)
        except Problem as problem:
            await self.send({"kind": "not_found", "id": asked.id, "problem": problem.out, "code": None, "facts": {}})
        except Refused as refusal:
            said = {"problem": None, "code": refusal.code, "facts": refusal.facts}
            await self.send({"kind": "not_found", "id": asked.id, **said})

    async def deepen(self, view: View, number: int) -> None:
        """Search again with more nodes, until there is nothing more to find or it is enough."""
        if not self.service.bots.search_is_warm:
            raise Refused("starting")
        seed, last = self.service.sources.bot_seed(), DEPTHS[-1]
        for nodes in DEPTHS:
            found = await self.service.bots.background.run(partial(search, view, nodes, seed, MAX_MOVES_SHOWN))
            done = nodes == last or found.moves[0].is_proven or len(found.moves) == 1
            await self.send({"kind": "found", "id": number, **found_out(view, found), "done": done})
            if done:
                return


async def serve_analysis(websocket: WebSocket, service: Service) -> None:
    """One socket from its coming to its going. Whoever leaves is not thought for any longer."""
    if not origin_allowed(websocket.headers, service.settings.origins):
        await websocket.close(NOT_FOR_YOU, "this socket was opened by another site")
        return
    await websocket.accept()
    address = address_of(websocket)
    if not service.is_ready:
        await websocket.close(STARTING, "the server is starting")
        return
    may_ask = service.reads.take(address, time.monotonic(), SOCKET_COST)
    if not may_ask or not await service.sockets.enter(address, seated=False):
        await websocket.close(TOO_MANY, "too many requests from your address")
        return
    board = Board(websocket, service, service.guests.user_of(websocket) or address, address)
    try:
        await _listen(board)
    finally:
        service.sockets.leave(address, seated=False)  # before anything that a task which is cancelled would not come back from
        await board.stop()


def _parsed(text: str) -> ThinkIn | StopIn | None:
    try:
        return MESSAGES.validate_json(text)
    except ValidationError:
        return None


async def _listen(board: Board) -> None:
    settings = board.service.settings
    rate = settings.requests_per_second
    bucket, bad = Bucket(rate, rate * BURST_SECONDS, time.monotonic()), 0
    with suppress(WebSocketDisconnect, RuntimeError, KeyError):
        while True:
            text = await board.websocket.receive_text()
            message = _parsed(text) if bucket.take(time.monotonic()) else None
            if message is None:
                bad += 1
                if bad >= settings.max_bad:
                    await board.websocket.close(BAD_MESSAGES, "too many messages that could not be understood")
                    return
                continue
            await (board.begin(message) if isinstance(message, ThinkIn) else board.stop())
