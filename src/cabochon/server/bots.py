"""Bots think in worker processes, one move at a time each. If one fails or is late, a simple bot moves instead.

Hints are thought of there too: they wait and share like the bots.
"""

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ..bots import Bot, Budget, bot
from ..bots.engine import taken
from ..bots.process import add_commands
from ..game import Game
from ..notation.move import Move
from ..rules.cards import VARIANTS
from ..rules.state import MAX_SEATS
from ..ruleset import FEWEST_PLAYERS
from ..search.analysis import GUIDED, STRONGEST, Analysis, analyse
from ..view import View
from .refusals import Refused

if TYPE_CHECKING:
    from .settings import Settings

WARM_UP_MOVES = 12
LOOKED_AT = 16
HINT = Budget(seconds=0.5)
RESTART_SECONDS = 5.0
THINKING = 0.85  # the part of a worker's time that is thinking when tables wait for it; the rest is coming and going
SHORTEST = 0.01  # seconds that a thought may take however late it is
Found = TypeVar("Found")
SPAWNED = multiprocessing.get_context("spawn")
log = logging.getLogger("cabochon.server")


class Called:
    """In a worker: whether the server wants the answer now. It may call earlier than it said, when more tables ask."""

    until: Any = None  # shared with the server: a time of `time.monotonic`

    def is_set(self) -> bool:
        """Whether it is time."""
        return self.until is not None and time.monotonic() >= self.until.value


def settle_in(programs: tuple[str, ...], until: Any) -> None:
    """In a worker: end when the server ends, even by kill -9, know the host's programs, and hear when it calls."""
    threading.Thread(target=_end_with_server, daemon=True).start()
    add_commands(programs)
    Called.until = until


def _end_with_server() -> None:
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(0)


def think(name: str, view: View, seed: int, seconds: float) -> str:
    """In a worker: the bot's move for this view."""
    player = bot(name)
    budget = allowance(player, seconds)
    stop = {"stop": Called()} if budget.seconds else {}
    return str(player.choose(view, budget, seed, **taken(player.choose, stop)))


def allowance(player: Bot, seconds: float) -> Budget:
    """A level that looks at so many positions is as strong on any machine; whoever else searches may think so long."""
    usual: Budget | None = getattr(player, "usual", None)
    return usual if usual and usual.nodes else Budget(seconds=seconds)


def advise(view: View, seed: int, seconds: float) -> Analysis:
    """In a worker: what the net makes of this view."""
    budget = HINT if HINT.seconds is None else replace(HINT, seconds=min(HINT.seconds, seconds))
    return analyse(view, budget, seed, style=GUIDED, stop=Called())


def fair_seconds(waits: Sequence[float], workers: int) -> float:
    """How long those who think may go on, so that nobody waits longer than he should.

    `waits` says for everybody who asked, first come first, in how many seconds he should have his answer; the workers think for
    the first of them, then for the next.
    """
    turns = ((wait, place // workers + 1) for place, wait in enumerate(waits))
    return max(SHORTEST, min(wait * (THINKING if turn > 1 else 1.0) / turn for wait, turn in turns))


def warm_up() -> int:
    """In a worker: compile or load the rules and the search by playing a little; the worker's process id."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    play_a_little()
    for variant in VARIANTS:
        for players in range(FEWEST_PLAYERS, MAX_SEATS + 1):
            game = Game(variant, players, seed=1)
            for style in (STRONGEST, GUIDED):
                analyse(game.view(game.turn), Budget(nodes=LOOKED_AT), 1, style=style)
    return os.getpid()


def play_a_little() -> None:
    """Use everything once that a game needs."""
    for variant in VARIANTS:
        game = Game(variant, 2, seed=1)
        for number in range(WARM_UP_MOVES):
            view = game.view(game.turn)
            game.play(bot("greedy").choose(view, Budget(), number))
            game.why_not("pass")
        if game.legal_moves(payments=True):
            game.undo()


def simple_move(view: View, seed: int) -> Move:
    """A move that needs no search, for a bot that has none."""
    try:
        return bot("greedy").choose(view, Budget(), seed)
    except Exception:
        log.exception("the simple bot failed too")
        return bot("random").choose(view, Budget(), seed)


class Worker:
    """One process that thinks, started anew when it has died or had to be stopped."""

    def __init__(self, programs: tuple[str, ...] = ()) -> None:
        self.pid: int | None = None
        self.programs = programs
        self.until = SPAWNED.RawValue("d", 0.0)
        self.executor = self._executor()

    def _executor(self) -> Executor:
        return ProcessPoolExecutor(1, mp_context=SPAWNED, initializer=settle_in, initargs=(self.programs, self.until))

    async def warm(self) -> None:
        """Wait until the process is ready to think at once."""
        self.pid = await asyncio.get_running_loop().run_in_executor(self.executor, warm_up)

    async def think(self, thought: Callable[[float], Found], seconds: float) -> Found:
        """What is found when it thinks for so long."""
        self.until.value = time.monotonic() + seconds
        return await asyncio.get_running_loop().run_in_executor(self.executor, thought, seconds)

    def call(self, seconds: float) -> None:
        """Whoever thinks shall answer after so many seconds, or as said before if that is earlier."""
        self.until.value = min(self.until.value, time.monotonic() + seconds)

    def stop(self) -> None:
        """End the process, whatever it does."""
        pid, self.pid = self.pid, None
        if pid is not None:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.executor.shutdown(wait=False, cancel_futures=True)

    async def restart(self) -> None:
        """A fresh process in place of the old one."""
        self.stop()
        self.executor = self._executor()
        await self.warm()


class Bots:
    """The workers. Without any, bots think in a thread of the server: for tests and very small machines."""

    def __init__(self, settings: "Settings", progress: Callable[[int, int], None]) -> None:
        self.settings, self.progress = settings, progress
        add_commands(settings.bots)
        self.workers = [Worker(settings.bots) for _ in range(settings.workers)]
        self.free: asyncio.Queue[Worker] = asyncio.Queue()
        self.restarting: set[asyncio.Task[None]] = set()
        self.rules_are_warm = asyncio.Event()
        self.search_is_warm = not self.workers
        self.due: list[float] = []  # when those who asked should have their answers, first come first
        self.replaced = 0

    async def warm(self) -> None:
        """Get ready: the server's own rules first, then the workers, telling how far it is."""
        total = 1 + len(self.workers)
        self.progress(0, total)
        starting = [asyncio.create_task(self._warm(worker)) for worker in self.workers]
        await asyncio.to_thread(play_a_little)
        self.rules_are_warm.set()
        self.progress(1, total)
        for done, ready in enumerate(asyncio.as_completed(starting), 2):
            await ready
            self.progress(done, total)

    async def _warm(self, worker: Worker) -> None:
        try:
            await worker.warm()
        except Exception:
            log.exception("a bot worker could not be started: a simple bot moves until one can")
            self._replace(worker)
            return
        self._set_free(worker)

    def _set_free(self, worker: Worker) -> None:
        self.search_is_warm = True
        self.free.put_nowait(worker)

    @property
    def ready(self) -> int:
        """How many workers have nothing to do."""
        return self.free.qsize()

    async def choose(self, name: str, view: View, seed: int) -> str:
        """The bot's move, or a simple one if it fails or is late, or as long as no worker has ever been ready."""
        if not self.search_is_warm:
            return str(simple_move(view, seed))
        try:
            return await self._think(partial(think, name, view, seed))
        except Exception as wrong:
            self.replaced += 1
            log.warning("bot %s gave no move (%s): a simple one moves instead", name, type(wrong).__name__)
            return str(simple_move(view, seed))

    async def advise(self, view: View, seed: int) -> Analysis:
        """What the net makes of a view. It waits its turn like a bot, and thinks no longer than one."""
        if not self.search_is_warm:
            raise Refused("starting")
        return await self._think(partial(advise, view, seed))

    async def _think(self, thought: Callable[[float], Found]) -> Found:
        due = time.monotonic() + self.settings.bot_seconds
        self.due.append(due)
        try:
            return await (self._in_worker if self.workers else self._in_thread)(thought)
        finally:
            self.due.remove(due)

    def _fair_seconds(self) -> float:
        now = time.monotonic()
        return fair_seconds([due - now for due in self.due], len(self.workers))

    async def _in_thread(self, thought: Callable[[float], Found]) -> Found:
        thinking = asyncio.to_thread(thought, self.settings.bot_seconds)
        return await asyncio.wait_for(thinking, self.settings.bot_deadline)

    async def _in_worker(self, thought: Callable[[float], Found]) -> Found:
        if not self.ready:
            for worker in self.workers:
                worker.call(self._fair_seconds())
        worker = await asyncio.wait_for(self.free.get(), self.settings.bot_deadline)
        try:
            thinking = worker.think(thought, self._fair_seconds())
            found = await asyncio.wait_for(thinking, self.settings.bot_deadline)
        except BaseException as wrong:
            if isinstance(wrong, Exception) and not isinstance(wrong, asyncio.TimeoutError | OSError | RuntimeError):
                self.free.put_nowait(worker)  # the bot raised; its process is well
            else:
                self._replace(worker)
            raise
        self.free.put_nowait(worker)
        return found

    def _replace(self, worker: Worker) -> None:
        task = asyncio.create_task(self._restart(worker))
        self.restarting.add(task)
        task.add_done_callback(self.restarting.discard)

    async def _restart(self, worker: Worker) -> None:
        while True:
            try:
                await worker.restart()
            except Exception:
                log.exception("a bot worker could not be started")
                await asyncio.sleep(RESTART_SECONDS)
            else:
                self._set_free(worker)
                return

    async def stop(self) -> None:
        """End all workers."""
        for task in list(self.restarting):
            task.cancel()
        for worker in self.workers:
            worker.stop()
