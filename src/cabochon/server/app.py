"""The application: `create_app(settings)` puts the service, the middleware and the routes together."""

import math
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Match

from ..version import __version__
from .daily_routes import daily_router
from .errors import Refused
from .middleware import Guard
from .my_games_routes import games_router
from .puzzle_routes import add_puzzle_routes
from .rate_limit import most_bytes
from .review_routes import review_router
from .routes import add_routes
from .service import Service
from .settings import Settings, Sources
from .socket_reader import table_sockets

EXAMPLE = {"application/json": {"example": {"detail": "a sentence", "code": "not_begun", "facts": {}}}}
ANSWERS: dict[int | str, dict[str, Any]] = {
    code: {"description": description, "content": EXAMPLE}
    for code, description in {
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
    service = Service(settings or Settings.from_environment(), sources or Sources(), progress)
    service.prepare(address)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        await service.start()
        yield
        await service.stop()

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
    app.state.service = service
    app.add_middleware(
        Guard, origins=service.settings.origins, is_ready=lambda: service.is_ready, sockets=[table_sockets(service)]
    )
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _not_possible)
    app.include_router(review_router(service))
    add_puzzle_routes(app, service)
    app.include_router(daily_router(service))
    app.include_router(games_router(service))
    add_routes(app, service)
    return app


async def _refused(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    headers = {"Retry-After": str(math.ceil(error.retry_after))} if error.status == 429 else None
    return JSONResponse(error.out(), error.status, headers)


async def _not_understood(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    refusal = Refused("not_understood", problem=f"{place}: {first['msg']}" if place else first["msg"])
    return JSONResponse(refusal.out(), refusal.status)


async def _not_possible(request: Request, error: Exception) -> Response:
    """What Starlette and FastAPI refuse by themselves."""
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        refusal = Refused("nothing_there", path=request.scope["path"])
    elif error.status_code == 405:
        refusal = Refused("wrong_method", method=request.method)
    elif error.status_code == 413:
        refusal = Refused("too_large", most=most_bytes(request.scope["path"]))
    else:
        refusal = Refused("not_understood", problem=error.detail)
    headers = {"Allow": ", ".join(_methods(request))} if error.status_code == 405 else None
    return JSONResponse(refusal.out(), refusal.status, headers=headers)


def _methods(request: Request) -> list[str]:
    """What is possible at a path; HEAD wherever GET is."""
    at_path = [route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE]
    methods = {method for route in at_path for method in getattr(route, "methods", None) or ()}
    return sorted(methods | ({"HEAD"} if "GET" in methods else set()))
