"""Ending what runs in the background."""

import asyncio

import pytest

from cabochon.server import tasks
from cabochon.server.tasks import end_tasks
from tests.server.process import run


async def deaf(cancellations: list[int]) -> None:
    """Goes on after its first cancellation."""
    while len(cancellations) < 2:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            cancellations.append(1)


async def broken() -> None:
    raise ValueError("broken")


def test_a_task_that_swallows_a_cancellation_is_cancelled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "AGAIN_SECONDS", 0.01)
    heard: list[int] = []

    async def whole() -> list[bool]:
        begun = [asyncio.create_task(work) for work in (deaf(heard), broken(), asyncio.sleep(3600))]
        await asyncio.sleep(0)
        await end_tasks(begun)
        return [task.done() for task in begun]

    assert [True, True, True] == run(whole())
    assert 2 == len(heard)


def test_there_may_be_nothing_to_end() -> None:
    run(end_tasks([]))
