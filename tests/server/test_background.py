"""Work of low priority: no table waits for it, and there is never too much of it."""

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from cabochon import Game
from cabochon.errors import Interrupted
from cabochon.search.analysis import Signal
from cabochon.search.budget import Budget
from cabochon.server import bot_pool
from cabochon.server.background import Background, WorkFailed
from cabochon.server.bot_pool import BotPool, Worker
from cabochon.server.errors import Refused
from cabochon.server.settings import Settings
from cabochon.study.review import Course, judge
from tests.server.process import run

STUDIES, TABLES = 40, 10


def pool_of(workers: int, **said: Any) -> BotPool:
    return BotPool(Settings(bot_workers=workers, bot_seconds=0.05, bot_deadline=120.0, **said), lambda done, total: None)


@asynccontextmanager
async def warm_pool(workers: int, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[BotPool]:
    """A pool whose processes are there, and have compiled nothing."""
    monkeypatch.setattr(bot_pool, "warm_up", os.getpid)
    monkeypatch.setattr(bot_pool, "warm_up_rules", lambda: None)
    pool = pool_of(workers)
    try:
        await pool.warm()
        yield pool
    finally:
        await pool.stop()


def begin(pool: BotPool, piece: Callable[[Signal], Any], count: int = STUDIES) -> list[asyncio.Task[Any]]:
    return [asyncio.create_task(pool.background.run(piece)) for _ in range(count)]


async def settled() -> None:
    """Let everything happen that can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def end(studies: list[asyncio.Task[Any]]) -> None:
    for study in studies:
        study.cancel()
    await asyncio.gather(*studies, return_exceptions=True)


def until_stopped(stop: Signal) -> None:
    """A piece that never ends by itself."""
    while not stop.is_set():
        time.sleep(0.0005)
    raise Interrupted("stopped")


def fail(_stop: Signal) -> None:
    raise ZeroDivisionError("this piece fails")


def process_id(_stop: Signal) -> int:
    return os.getpid()


def table_thought(_seconds: float) -> str:
    return "a move"


@pytest.mark.parametrize("workers", [0, 2])
def test_tables_are_answered_although_studies_without_end_fill_every_worker(
    workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each table would wait for ever if a piece were not interrupted for it."""

    async def scenario() -> tuple[list[str], int]:
        async with warm_pool(workers, monkeypatch) as pool:
            studies = begin(pool, until_stopped)
            await settled()
            assert len(pool.background.running) == max(1, workers)
            one_by_one = [(await pool._think(table_thought))[0] for _ in range(TABLES)]
            at_once = [found for found, _ in await asyncio.gather(*(pool._think(table_thought) for _ in range(TABLES)))]
            done = sum(study.done() for study in studies)
            await end(studies)
            return one_by_one + at_once, done

    moves, done = run(scenario())
    assert 2 * TABLES * ["a move"] == moves
    assert 0 == done


class Diary:
    """Workers in this process that note what they do. A piece ends when it is interrupted, or when all are `released`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
        self.lines: list[str] = []
        self.stops: dict[Worker, asyncio.Event] = {}
        diary = self

        async def think(_worker: Worker, _thought: Callable[[float], Any], _seconds: float) -> str:
            diary.lines.append("table")
            await asyncio.sleep(0)
            return "a move"

        async def work(worker: Worker, piece: Callable[[Signal], Any]) -> Any:
            diary.lines.append("piece")
            stop = diary.stops[worker]
            if not diary.released.is_set():
                waits = [asyncio.create_task(one.wait()) for one in (stop, diary.released)]
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                await end(waits)
            if stop.is_set():
                diary.lines.append("interrupted")
                raise Interrupted("stopped")
            return piece(stop)

        monkeypatch.setattr(Worker, "think", think)
        monkeypatch.setattr(Worker, "work", work)
        monkeypatch.setattr(Worker, "begin", lambda worker: diary.stops.update({worker: asyncio.Event()}))
        monkeypatch.setattr(Worker, "interrupt", lambda worker: diary.stops[worker].set())
        self.released = asyncio.Event()
        self.pool = pool_of(workers)
        for worker in self.pool.workers:
            self.pool._set_free(worker)


def test_no_piece_begins_while_a_table_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> list[str]:
        diary = Diary(monkeypatch, 1)
        studies = begin(diary.pool, process_id)
        await settled()
        await asyncio.gather(*(diary.pool._think(table_thought) for _ in range(TABLES)))
        await settled()
        lines = list(diary.lines)
        diary.released.set()
        assert STUDIES * [os.getpid()] == await asyncio.gather(*studies)
        assert lines + STUDIES * ["piece"] == [*diary.lines, "piece"]
        await diary.pool.stop()
        return lines

    assert ["piece", "interrupted", *TABLES * ["table"], "piece"] == run(scenario())


def test_a_table_interrupts_no_more_pieces_than_it_needs_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> list[str]:
        diary = Diary(monkeypatch, 3)
        studies = begin(diary.pool, process_id)
        await settled()
        await diary.pool._think(table_thought)
        await end(studies)
        await diary.pool.stop()
        return diary.lines

    assert [*3 * ["piece"], "interrupted", "table"] == run(scenario())[:5]
    assert 1 == run(scenario()).count("interrupted")


def test_a_free_worker_answers_a_table_before_any_piece_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> list[str]:
        diary = Diary(monkeypatch, 2)
        studies = begin(diary.pool, process_id, 1)
        await settled()
        await diary.pool._think(table_thought)
        await end(studies)
        await diary.pool.stop()
        return diary.lines

    assert ["piece", "table"] == run(scenario())


def test_jobs_take_turns_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> list[str]:
        diary = Diary(monkeypatch, 1)
        diary.released.set()
        order: list[str] = []

        async def job(name: str) -> None:
            for _ in range(3):
                await diary.pool.background.run(process_id)
                order.append(name)

        await asyncio.gather(*(job(name) for name in "abc"))
        await diary.pool.stop()
        return order

    assert list("abcabcabc") == run(scenario())


def test_a_piece_that_fails_says_so_and_its_worker_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with warm_pool(1, monkeypatch) as pool:
            first = await pool.background.run(process_id)
            with pytest.raises(WorkFailed, match="ZeroDivisionError: this piece fails"):
                await pool.background.run(fail)
            assert first == await pool.background.run(process_id)
            assert (1, 0) == (pool.ready, pool.restarts)

    run(scenario())


def test_a_job_that_is_given_up_gives_its_worker_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        diary = Diary(monkeypatch, 1)
        first, second = begin(diary.pool, process_id, 2)
        first.cancel()  # it has its worker by now, and does not know it
        second.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        third = begin(diary.pool, process_id, 1)[0]
        diary.released.set()
        assert os.getpid() == await third
        assert 1 == diary.pool.ready
        await diary.pool.stop()

    run(scenario())


def test_a_server_that_stops_cancels_what_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        diary = Diary(monkeypatch, 1)
        studies = begin(diary.pool, process_id)
        await settled()
        await diary.pool.stop()
        await settled()
        assert STUDIES == sum(study.cancelled() for study in studies)
        await end(studies)

    run(scenario())


# Limits


def refused(background: Background, guest: str, address: str) -> str:
    with pytest.raises(Refused) as refusal, background.job(guest, address):
        pytest.fail("one too many")
    return f"{refusal.value.status} {refusal.value.code}"


def test_a_guest_an_address_and_all_together_have_only_so_many_jobs() -> None:
    async def scenario() -> None:
        background = pool_of(0, max_studies=3, max_studies_per_guest=1, max_studies_per_address=2).background
        with background.job("Anna", "here"):
            assert "429 too_many_own_studies" == refused(background, "Anna", "there")
            with background.job("Ben", "here"):
                assert "429 too_many_own_studies" == refused(background, "Carl", "here")
                with background.job("Carl", "there"):
                    assert "429 too_many_studies" == refused(background, "Dora", "elsewhere")
        with background.job("Anna", "here"):
            assert 1 == background.job_count
        assert (0, {}) == (background.job_count, dict(background.jobs))

    run(scenario())


# A review


def test_a_decision_that_is_interrupted_has_no_verdict_and_one_that_is_not_has_the_usual() -> None:
    game = Game("classic", 2, seed=7, start=0)
    game.play(game.legal_moves()[0])
    course, small = Course(game), Budget(nodes=16)
    stop = threading.Event()
    assert judge(course, 0, small, 0) == judge(course, 0, small, 0, stop)
    stop.set()
    with pytest.raises(Interrupted):
        judge(course, 0, small, 0, stop)
