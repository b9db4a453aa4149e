"""Ending what runs in the background."""

import asyncio
from collections.abc import Collection
from typing import Any

AGAIN_SECONDS = 1.0


async def end_tasks(tasks: Collection["asyncio.Future[Any]"]) -> None:
    """Cancel tasks and wait until all have ended, however they end.

    A task may swallow a cancellation that comes at a bad moment, and go on: redis-py does while it connects. So it is cancelled
    again.
    """
    waited_for = pending = set(tasks)
    while pending:
        for task in pending:
            task.cancel()
        _, pending = await asyncio.wait(pending, timeout=AGAIN_SECONDS)
    await asyncio.gather(*waited_for, return_exceptions=True)  # else asyncio complains of errors that nobody has looked at
