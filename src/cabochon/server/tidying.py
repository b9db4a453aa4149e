"""Python's search for unreachable cycles, in small portions.

A move replaces some hundred objects by as many new ones. Python counts new objects less freed ones, so by itself it would wait
until very many have gathered, then look at all of them, and every table would wait meanwhile.
"""

import asyncio
import gc
import time

PAUSE_SECONDS = 0.1
QUIET_OBJECTS = 100
QUIET_SECONDS, BUSY_SECONDS = 60.0, 3600.0


def take_over() -> None:
    """No more automatic collections; what is there now is never looked at again."""
    gc.collect()
    gc.freeze()
    gc.disable()


async def tidy_for_ever() -> None:
    """Look at the newest objects ten times a second; at all of them once a minute if nobody plays, else once an hour."""
    last = time.monotonic()
    while True:
        await asyncio.sleep(PAUSE_SECONDS)
        since = time.monotonic() - last
        if since > (QUIET_SECONDS if gc.get_count()[0] < QUIET_OBJECTS else BUSY_SECONDS):
            gc.collect()
            last = time.monotonic()
        else:
            gc.collect(0)
