"""Games on all cores: a process for each core, with one thread each."""

import multiprocessing
import os
import pickle
import signal
from collections.abc import Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.util import Finalize

from ..errors import CabochonError
from ..rules import compile_progress
from .pairings import Fixture, Match, fixture
from .runner import GameResult, play_game, stop_bots, warm_up

QUEUED_PER_WORKER = 2  # one is played, one waits: so no worker is ever idle


def play_here(match: Match, fixtures: Iterable[Fixture]) -> Generator[GameResult]:
    try:
        for fixture in fixtures:
            yield play_game(match, fixture)
    finally:
        stop_bots()


def play_in_processes(match: Match, fixtures: Iterable[Fixture], workers: int) -> Generator[GameResult]:
    """Yield the games as they finish. When the caller closes the generator, the workers are killed."""
    before = set(multiprocessing.active_children())
    packed = pack_match(match)
    executor = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=_init_worker, initargs=(packed,))
    waiting, todo = set[Future[GameResult]](), iter(fixtures)
    try:
        while True:
            waiting |= {
                executor.submit(_play_in_worker, game.deal, game.rotation)
                for game in islice(todo, QUEUED_PER_WORKER * workers - len(waiting))
            }
            if not waiting:
                break
            finished, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            yield from (game.result() for game in finished)
    except BrokenProcessPool as error:
        raise CabochonError(
            "a worker process died: with --out the finished games are kept, and the same command goes on"
        ) from error
    finally:
        executor.shutdown(wait=not waiting, cancel_futures=True)
        if waiting:
            for worker in set(multiprocessing.active_children()) - before:
                worker.kill()


def pack_match(match: Match) -> bytes:
    """A match for another process. Bots that are objects may be of a class in a notebook: that needs cloudpickle."""
    if all(entrant.player is None for entrant in match.entrants):
        return pickle.dumps(match)
    try:
        import cloudpickle
    except ImportError as missing:
        raise CabochonError(
            "bots that are objects need cloudpickle for more than one worker: pip install cloudpickle"
        ) from missing
    packed: bytes = cloudpickle.dumps(match)
    return packed


_matches: list[Match] = []  # in a worker: the match that it plays


def _play_in_worker(deal: int, rotation: int) -> GameResult:
    return play_game(_matches[-1], fixture(_matches[-1], deal, rotation))


def _init_worker(packed: bytes) -> None:
    """In a worker: leave Ctrl-C to the parent, and close programs when the worker ends."""
    match = pickle.loads(packed)
    _matches.append(match)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    compile_progress.tell(None)  # the first process has compiled all it could
    Finalize(None, stop_bots, exitpriority=1)
    warm_up(match)


def default_workers() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
