"""The broker's two connections: they end when they are told to, and an error that nobody has thought of ends neither."""

import asyncio
from typing import Any

import pytest

from cabochon.server import tasks
from cabochon.server.broker import Broker
from tests.server.process import run
from tests.support.valkey import Valkey


def nothing(*_: Any) -> None:
    pass


@pytest.mark.parametrize("turns", range(0, 60, 3))
def test_it_can_be_stopped_at_any_moment_of_its_start(valkey: Valkey, monkeypatch: pytest.MonkeyPatch, turns: int) -> None:
    """redis-py swallows a cancellation at some of them."""
    monkeypatch.setattr(tasks, "AGAIN_SECONDS", 0.05)

    async def whole() -> None:
        broker = Broker(valkey.url, nothing, nothing)
        broker.start()
        for _ in range(turns):
            await asyncio.sleep(0.0001)
        broker.follow("a")
        async with asyncio.timeout(30):
            await broker.stop()

    run(whole())


def test_whoever_asks_after_an_odd_error_is_answered(valkey: Valkey) -> None:
    async def whole() -> list[list[Any] | None]:
        broker = Broker(valkey.url, nothing, nothing)
        broker.start()
        pipeline = broker.redis.pipeline
        while not broker.is_up:
            await asyncio.sleep(0.01)
        broker.redis.pipeline = None
        first = await broker.ask(("PING",))
        broker.redis.pipeline = pipeline
        while not broker.is_up:
            await asyncio.sleep(0.01)
        second = await broker.ask(("PING",))
        await broker.stop()
        return [first, second]

    assert [None, [True]] == run(whole())
