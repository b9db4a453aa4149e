"""Puzzles over HTTP: the list, one of them, the puzzle of the day, an answer. Who has solved what, only the browser knows."""

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, FastAPI, Path, Query, Request, Response

from ..advantages import advantages
from ..errors import CabochonError
from ..game import Game
from ..notation.move import Move, parse_move
from ..study.puzzles import Puzzle, daily_puzzle, mixed, puzzles, steps
from ..view import sample
from ..why_not import why_not
from .errors import NOT_A_MOVE, Refused, forbidden, not_a_move
from .puzzle_messages import DailyPuzzleOut, PuzzleAnswerIn, PuzzleAnswerOut, PuzzleListOut, PuzzleOut, PuzzleRuleOut
from .route_helpers import charge, json_response
from .serialise import Choices, prices, view_out
from .service import Service

COST = 1  # of each request, beside those in `routes.COSTS`
MAX_KEPT = 64  # puzzles and answers that are kept written
PuzzleId = Annotated[str, Path(max_length=16)]
MoveText = Annotated[str, Query(max_length=100)]


def add_puzzle_routes(app: FastAPI, service: Service) -> None:
    """Add what is answered about puzzles."""
    router = APIRouter(prefix="/api/puzzles")

    def count(request: Request) -> None:
        charge(service, request, COST)

    _add_reads(router, count, lambda: datetime.fromtimestamp(service.sources.clock(), UTC).date())
    _add_answers(router, count)
    app.include_router(router)


def _add_reads(router: APIRouter, count: Callable[[Request], object], today: Callable[[], date]) -> None:
    @router.get("", response_model=PuzzleListOut)
    async def every_puzzle(request: Request) -> Response:
        """Every puzzle with its themes and difficulty, and the puzzle of the day."""
        count(request)
        return json_response({**_list(), **daily_out(today())})

    @router.get("/daily", response_model=DailyPuzzleOut)
    async def daily(request: Request, day: Annotated[date | None, Query(alias="date")] = None) -> Response:
        """The puzzle of a day, by UTC: today's if nothing is said."""
        count(request)
        found = daily_out(day or today())
        return json_response({"id": found["daily"], "date": found["date"]})

    @router.get("/{puzzle_id}", response_model=PuzzleOut)
    async def puzzle(request: Request, puzzle_id: PuzzleId) -> Response:
        """A puzzle: the position as the seat to decide sees it, and its legal moves."""
        count(request)
        return json_response(await asyncio.to_thread(puzzle_out, _found(puzzle_id)))


def _add_answers(router: APIRouter, count: Callable[[Request], object]) -> None:
    @router.post("/{puzzle_id}/answer", response_model=PuzzleAnswerOut)
    async def answer(request: Request, puzzle_id: PuzzleId, given: PuzzleAnswerIn) -> Response:
        """Answer a puzzle: whether it was right, and why."""
        count(request)
        return json_response(await asyncio.to_thread(answer_out, _found(puzzle_id), given.text))

    @router.get("/{puzzle_id}/why-not", response_model=PuzzleRuleOut)
    async def rule(request: Request, puzzle_id: PuzzleId, text: MoveText) -> Response:
        """The rule that forbids a move in a puzzle."""
        count(request)
        return json_response({"rule": await asyncio.to_thread(rule_out, _found(puzzle_id), text)})


def _found(puzzle_id: str) -> Puzzle:
    found = puzzles().get(puzzle_id)
    if found is None:
        raise Refused("no_puzzle")
    return found


@cache
def _list() -> dict[str, Any]:
    return {
        "puzzles": [
            {"id": one.id, "variant": one.variant, "themes": one.themes, "difficulty": one.difficulty}
            for one in mixed(puzzles().values())
        ]
    }


def daily_out(day: date) -> dict[str, str]:
    """The puzzle of a day; without any puzzle there is none."""
    if not puzzles():
        raise Refused("no_puzzle")
    return {"daily": daily_puzzle(day).id, "date": day.isoformat()}


def _game(puzzle: Puzzle) -> Game:
    """A game at the position; what the seat does not know is drawn at random, and nothing depends on it."""
    return Game.from_states(sample(puzzle.view, np.random.default_rng(0)))


@lru_cache(MAX_KEPT)
def puzzle_out(puzzle: Puzzle) -> dict[str, Any]:
    """A PuzzleOut."""
    view, game = puzzle.view, _game(puzzle)
    choices = Choices(game)
    return {
        "id": puzzle.id,
        "variant": puzzle.variant,
        "difficulty": puzzle.difficulty,
        "view": view_out(view, game.is_last_round),
        "prices": prices(view),
        "choices": {"legal": choices.legal, "payments": choices.payments},
    }


def rule_out(puzzle: Puzzle, text: str) -> dict[str, Any] | None:
    """A RuleOut for a move that is not legal in a puzzle, or that is none at all."""
    try:
        reason = why_not(puzzle.view, parse_move(text, puzzle.variant))
    except CabochonError:
        return {"code": NOT_A_MOVE, "facts": {"text": text}}
    return None if reason is None else {"code": reason.code, "facts": reason.facts}


def legal_move(puzzle: Puzzle, text: str) -> Move:
    """The move that a text says, if it is legal in the puzzle."""
    try:
        move = parse_move(text, puzzle.variant)
        reason = why_not(puzzle.view, move)
    except CabochonError as error:
        raise not_a_move(text, error) from error
    if reason is not None:
        raise forbidden(move, reason)
    return move


def answer_out(puzzle: Puzzle, text: str) -> dict[str, Any]:
    """A PuzzleAnswerOut."""
    given = legal_move(puzzle, text)
    second = parse_move(puzzle.chances[1][0], puzzle.variant)
    return {
        "right": puzzle.is_solved_by(given),
        "best": _move_out(puzzle, puzzle.move),
        "given": _move_out(puzzle, given),
        "second": _move_out(puzzle, second),
        "proof": puzzle.proof,
        "themes": puzzle.themes,
        "missed": puzzle.missed,
        "line": [{"seat": seat, "text": step} for seat, step in steps(puzzle)],
    }


@lru_cache(MAX_KEPT)
def _move_out(puzzle: Puzzle, move: Move) -> dict[str, Any]:
    """A PuzzleMoveOut."""
    why = [{"code": one.code, "facts": one.facts} for one in advantages(puzzle.view, move)]
    return {"text": str(move), "chance": puzzle.chance_of(move), "why": why}
