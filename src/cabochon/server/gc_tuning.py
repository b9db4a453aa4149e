"""Garbage collection: when Python looks for objects that only refer to each other.

Reference counting frees nearly everything at once. The cycles that are left are young: a request makes and drops them. So the
youngest objects are looked at all the time, which takes a few milliseconds. A full collection takes about a microsecond for every
object there is, and all tables wait meanwhile, half a second if there are a thousand. It is done while there are few, or when
nobody plays.
"""

import asyncio
import ctypes
import gc
import mmap
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Between two looks at the youngest objects. Most of what a move leaves is gone by the next move at its table: looked at ten times
# a second, it would be looked at for nothing. (Looked at once a second, it took 55 ms.)
YOUNG_SECONDS = 0.5
FULL_SECONDS = 60.0  # between two full collections, at least
QUIET_SECONDS = 10.0  # nobody plays if no move was stored for so long
MAX_WAIT_SECONDS = 86_400.0  # without a quiet moment; then the tables have to wait once
COMPILER = "libllvmlite"  # 80 MiB of code and tables, and nothing is compiled after the start
# Of a mapping in /proc/self/smaps: from where to where, the file, and the kilobytes of it that this process has changed.
MAPPING = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) r-\Sp \S+ \S+ \S+ +(.+)\n(?:[A-Z].*\n)*?Anonymous: +(\d+) kB$", re.MULTILINE)
FEW = 40  # tables and sockets: a full collection takes some 20 milliseconds


def take_over() -> None:
    """No more automatic collections; what is there now stays as long as the server, and is never looked at again."""
    gc.collect()
    gc.freeze()
    gc.disable()


def give_back_memory() -> None:
    """Give freed memory back to the system. glibc keeps what lies below a block in use; elsewhere there is nothing to do."""
    forget_library(COMPILER)
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return
    trim(0)


def forget_library(name: str) -> None:
    """Let go of the memory that holds a library which is hardly used again: it is read from its file if it is.

    Only what is as in the file: what the loader has written into it (addresses) could not be read again.
    """
    try:
        advise, mappings = ctypes.CDLL(None).madvise, Path("/proc/self/smaps").read_text(encoding="utf-8")
    except (AttributeError, OSError, TypeError):
        return  # not Linux
    advise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    for start, end, path, changed in MAPPING.findall(mappings):
        if name in path and changed == "0":
            first = int(start, 16)
            advise(first, int(end, 16) - first, mmap.MADV_DONTNEED)


class Collector:
    """Collects at the right time. `size` counts tables and sockets, `moves` those that were ever stored."""

    def __init__(self, size: Callable[[], int], moves: Callable[[], int], clock: Callable[[], float] = time.monotonic) -> None:
        self.size, self.moves, self.clock = size, moves, clock
        self.longest = self.longest_cpu = 0.0  # on a busy machine the processor is also with others meanwhile
        self.full = 0
        self.seen = moves()
        self.moved = self.collected = clock()

    async def run(self) -> None:
        """For ever."""
        while True:
            await asyncio.sleep(YOUNG_SECONDS)
            if self.is_time_for_all():
                self.collect(2)
                await asyncio.to_thread(give_back_memory)
            else:
                self.collect(0)

    def is_time_for_all(self) -> bool:
        """Whether a full collection is due and would be short, or would disturb nobody."""
        now = self.clock()
        if self.moves() != self.seen:
            self.seen, self.moved = self.moves(), now
        if now - self.collected < FULL_SECONDS:
            return False
        return now - self.moved >= QUIET_SECONDS or self.size() <= FEW or now - self.collected >= MAX_WAIT_SECONDS

    def collect(self, generation: int) -> None:
        """Look at the objects of this generation and the younger ones."""
        before, busy = time.perf_counter(), time.thread_time()
        gc.collect(generation)
        self.longest = max(self.longest, time.perf_counter() - before)
        self.longest_cpu = max(self.longest_cpu, time.thread_time() - busy)
        if generation == 2:
            self.full += 1
            self.collected = self.clock()

    def health(self) -> dict[str, Any]:
        """How many full collections there were, and the longest of all in seconds, and in seconds of the processor."""
        return {"full": self.full, "longest": round(self.longest, 4), "longest_cpu": round(self.longest_cpu, 4)}
