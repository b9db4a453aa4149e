"""The processes in which bots think: how they are started again, and what a bot does that has little time or no process."""

import asyncio
import os
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from cabochon import Game
from cabochon.bots import BOTS, Budget, bot
from cabochon.bots.external import ExternalBot
from cabochon.server import bot_pool
from cabochon.server.bot_pool import GLANCE, GLANCE_SECONDS, BotMove, BotPool, Worker, allowance, restart_pause, two_digits
from cabochon.server.errors import Refused
from cabochon.server.settings import Settings
from tests.server.process import run

MARK = "CABOCHON_TEST_HAS_HUNG"
GAME = Game("classic", 2, seed=7, start=0)
VIEW = GAME.view(0)


def hang_once() -> int:
    """In a worker, instead of warming up: the first process never gets ready, the next one is at once."""
    mark = Path(os.environ[MARK])
    if not mark.exists():
        mark.touch()
        time.sleep(3600)
    return os.getpid()


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(MARK, str(tmp_path / "hung"))
    monkeypatch.setattr(bot_pool, "warm_up", hang_once)
    return tmp_path / "hung"


async def until(wanted: Callable[[], Any]) -> None:
    async with asyncio.timeout(60):
        while not wanted():
            await asyncio.sleep(0.01)


def one_worker(**said: Any) -> BotPool:
    return BotPool(Settings(bot_workers=1, **said), lambda done, total: None)


async def first_process(pool: BotPool) -> psutil.Process:
    """Begin to warm up; the process of the only worker."""
    warming = asyncio.create_task(pool.warm())
    await until(lambda: pool.workers[0].pid)
    warming.add_done_callback(lambda done: done.cancelled() or done.result())
    return psutil.Process(pool.workers[0].pid)


def test_a_worker_killed_while_it_gets_ready_is_started_again(hanging: Path) -> None:
    async def scenario() -> None:
        pool = one_worker()
        process = await first_process(pool)
        await until(hanging.exists)
        process.kill()
        await until(lambda: pool.ready)
        assert process.pid != pool.workers[0].pid
        assert 1 == pool.health()["restarts"]
        await pool.stop()

    run(scenario())


def test_a_worker_that_does_not_get_ready_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as one that a signal has stopped: it has not failed, and will never be ready."""
    monkeypatch.setattr(bot_pool, "warm_up", os.getpid)
    monkeypatch.setattr(bot_pool, "WARM_UP_SECONDS", 0.01)
    monkeypatch.setattr(bot_pool, "FIRST_PAUSE", 0.01)

    async def scenario() -> None:
        pool = one_worker()
        process = await first_process(pool)
        await until(lambda: pool.restarts)
        monkeypatch.setattr(bot_pool, "WARM_UP_SECONDS", 60.0)
        await until(lambda: pool.ready)
        assert not process.is_running()
        await pool.stop()

    run(scenario())


def test_a_worker_that_gets_ready_ends_with_the_server(hanging: Path) -> None:
    async def scenario() -> None:
        pool = one_worker()
        process = await first_process(pool)
        await until(hanging.exists)
        await pool.stop()
        await asyncio.to_thread(process.wait, 60)

    run(scenario())


def test_a_worker_that_fails_again_and_again_is_given_longer_pauses() -> None:
    assert [0, 1, 2, 4, 8] == [restart_pause(failures) for failures in range(5)]
    assert 300 == restart_pause(10) == restart_pause(10_000)


@pytest.fixture
def no_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_worker: Worker) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(Worker, "restart", fail)


def lost_worker() -> BotPool:
    """A pool whose only worker has to be replaced."""
    pool = one_worker()
    pool.search_is_warm = True
    pool._replace(pool.workers[0])
    return pool


@pytest.mark.usefixtures("no_restarts")
def test_a_worker_that_can_never_be_started_stays_off(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(bot_pool, "FIRST_PAUSE", 0.0001)

    async def scenario() -> None:
        pool = lost_worker()
        await until(lambda: not pool.restarting)
        assert (bot_pool.MAX_FAILURES, 1) == (pool.health()["restarts"], pool.health()["pausing"])
        assert "starting" == (await pool.choose("legend", VIEW, 5)).why
        await pool.stop()

    run(scenario())
    assert "failed 10 times in a row: it stays off until the server restarts" in caplog.records[-1].message


@pytest.mark.usefixtures("no_restarts")
def test_nobody_waits_for_a_worker_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_pool, "FIRST_PAUSE", 300.0)

    async def scenario() -> None:
        pool = lost_worker()
        await until(lambda: pool.pausing)
        assert (1, 1, 0) == tuple(pool.health()[name] for name in ("restarts", "pausing", "free"))
        move = await pool.choose("legend", VIEW, 5)
        assert ("greedy", "legend", "starting") == (move.bot, move.instead_of, move.why)
        with pytest.raises(Refused, match="starting"):
            await pool.advise(VIEW, 5)
        await pool.stop()

    run(scenario())


# What a bot does that has little time


async def think_here(_worker: Worker, thought: Callable[[float], Any], seconds: float) -> Any:
    """In this process, as if it were a worker."""
    _worker.until.value = time.monotonic() + seconds
    await asyncio.sleep(0)
    return thought(seconds)


def asked_at_once(monkeypatch: pytest.MonkeyPatch, name: str, tables: int, **said: Any) -> tuple[BotPool, list[BotMove]]:
    """What tables are answered that all ask one worker in the same moment."""
    monkeypatch.setattr(Worker, "think", think_here)

    async def scenario() -> tuple[BotPool, list[BotMove]]:
        pool = one_worker(bot_deadline=60.0, **said)
        pool._set_free(pool.workers[0])
        return pool, await asyncio.gather(*(pool.choose(name, VIEW, seed) for seed in range(tables)))

    return run(scenario())


def test_a_bot_that_many_tables_ask_thinks_less_and_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = count(step=GLANCE_SECONDS / 10)  # one that a busy machine does not hold up between two looks at it
    for module in (bot_pool.__name__, __name__):
        monkeypatch.setattr(f"{module}.time", SimpleNamespace(monotonic=lambda: next(clock)))
    pool, moves = asked_at_once(monkeypatch, "legend", 120, bot_seconds=0.1)
    assert {("legend", None)} == {(move.bot, move.instead_of) for move in moves}
    assert {"short"} == {move.why for move in moves}
    assert {GLANCE.nodes} == {move.nodes for move in moves}
    assert (0, 120) == (pool.replaced, pool.health()["shortened"])


def test_a_bot_that_looks_at_so_many_positions_is_not_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, moves = asked_at_once(monkeypatch, "virtuoso", 60, bot_seconds=0.1)
    assert {("virtuoso", None, 16)} == {(move.bot, move.why, move.nodes) for move in moves}
    assert (0, 0) == (pool.replaced, pool.health()["shortened"])


def test_a_bot_that_has_time_says_what_it_thought(monkeypatch: pytest.MonkeyPatch) -> None:
    _, (move,) = asked_at_once(monkeypatch, "legend", 1, bot_seconds=0.1)
    assert ("legend", None, None) == (move.bot, move.instead_of, move.why)
    assert (move.nodes or 0) > 0 and move.seconds > 0


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_a_bot_that_does_not_search_needs_no_worker(name: str) -> None:
    async def scenario() -> BotMove:
        return await one_worker().choose(name, VIEW, 5)

    move = run(scenario())
    assert (name, None, None, None) == (move.bot, move.nodes, move.instead_of, move.why)
    assert str(bot(name).choose(VIEW, Budget(), 5)) == move.text


def test_before_any_worker_is_ready_a_simple_bot_moves() -> None:
    async def scenario() -> BotMove:
        return await one_worker().choose("legend", VIEW, 5)

    move = run(scenario())
    assert ("greedy", "legend", "starting") == (move.bot, move.instead_of, move.why)


@pytest.mark.parametrize(
    "name, seconds, budget",
    [
        ("legend", 1.0, Budget(seconds=1.0)),
        ("legend", 0.006, Budget(seconds=0.006)),
        ("legend", 0.004, GLANCE),
        ("master", 0.002, GLANCE),
        ("jeweller", 0.002, Budget(nodes=1200)),
        ("program", 0.002, Budget(seconds=0.002)),
    ],
)
def test_how_much_a_bot_may_think(name: str, seconds: float, budget: Budget) -> None:
    player = ExternalBot("none") if name == "program" else BOTS[name]
    assert budget == allowance(player, seconds)


@pytest.mark.parametrize("number, rounded", [(None, None), (0, 0), (16, 16), (1234, 1200), (98_765, 99_000), (99_999, 100_000)])
def test_what_was_thought_is_rounded(number: int | None, rounded: int | None) -> None:
    assert rounded == two_digits(number)
    told = BotMove("pass", "legend", number, 0.98765).thought()
    assert f'"nodes":{"null" if rounded is None else rounded},"seconds":0.99' in told
