"""Games on all cores: one process each, one thread a process."""

import multiprocessing
import os
import signal
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.util import Finalize

from ..errors import CabochonError
from .pairings import Fixture, Match
from .runner import Played, play_game, stop_bots, warm_up

AHEAD = 2  # games handed out for each worker, so that none waits


def play_here(match: Match, fixtures: Iterable[Fixture]) -> Generator[Played]:
    """One game after the other in this process."""
    try:
        for fixture in fixtures:
            yield play_game(match, fixture)
    finally:
        stop_bots()


def play_in_processes(match: Match, fixtures: Iterable[Fixture], workers: int) -> Generator[Played]:
    """Games as they finish. Whoever stops listening stops the workers, whatever they are doing."""
    before = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(match,))
    waiting, todo = set[Future[Played]](), iter(fixtures)
    try:
        while True:
            waiting |= {executor.submit(play_game, match, fixture) for fixture in islice(todo, AHEAD * workers - len(waiting))}
            if not waiting:
                break
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (game.result() for game in finished)
    except BrokenProcessPool as wrong:
        raise CabochonError("a worker ended unasked: what was played is kept with --out, and the same command goes on") from wrong
    finally:
        executor.shutdown(wait=not waiting, cancel_futures=True)
        if waiting:
            for worker in set(multiprocessing.active_children()) - before:
                worker.kill()


def _begin(match: Match) -> None:
    """In a worker: leave Ctrl-C to the parent, and end foreign programs with the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Finalize(None, stop_bots, exitpriority=1)
    warm_up(match)


def default_workers() -> int:
    """One for each core that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
