"""A pool of worker processes for the bots that search. Hints run in the same pool, and behind them what has low priority.

A worker searches for one move at a time. When many tables wait, each search gets less time, down to a few positions. A simple bot
moves in place of another only if that one fails or no worker is free in time. Each answer says which bot moved, how much it
searched, and why that was less than usual.
"""

import asyncio
import logging
import math
import multiprocessing
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from orjson import dumps

from ..bots import Bot, Budget, Thought, bot
from ..bots.levels import LEGEND, MASTER
from ..bots.registry import add_commands, is_object_here
from ..errors import Interrupted
from ..game import Game
from ..rules import compile_progress
from ..rules.state import MAX_SEATS
from ..rules.variants import VARIANTS
from ..ruleset import FEWEST_PLAYERS
from ..search.analysis import Analysis
from ..view import View
from ..warming import warm_up_rules
from .background import Background, Piece, WorkFailed
from .errors import Refused

if TYPE_CHECKING:
    from .settings import Settings

LOOKED_AT = 16
HINT = Budget(seconds=0.5)
WARM_UP_SECONDS = 600.0  # until a worker is ready: on a slow machine it has to compile for minutes the first time
FIRST_PAUSE, MAX_PAUSE = 1.0, 300.0  # seconds before a worker that failed again is started again; each twice the one before
MAX_FAILURES = 10  # in a row, about ten minutes of pauses: then the cause is not a passing one, and the worker stays off
THINKING = 0.85  # the part of a worker's time that is thinking when tables wait for it; the rest is coming and going
MIN_SECONDS = 0.002  # seconds that a thought may take however late it is
GLANCE_SECONDS, GLANCE = 0.005, Budget(nodes=16)  # with less time than this, so many positions: they take about as long as one
SHORT = 0.25  # the part of its usual time with less of which a bot was weakened
Found = TypeVar("Found")
SPAWNED = multiprocessing.get_context("spawn")
log = logging.getLogger("cabochon.server")


class Deadline:
    """In a worker: when the search must stop. The server moves it forward when more tables ask."""

    until: Any = None  # shared with the server: a time of `time.monotonic`

    def is_set(self) -> bool:
        """Whether the time is over. The search asks this as it would a `threading.Event`."""
        return self.until is not None and time.monotonic() >= self.until.value


def init_worker(programs: tuple[str, ...], until: Any) -> None:
    """In a worker: end when the server ends (even by kill -9), register the host's programs, share the deadline."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # systemd sends it to all processes of a service
    compile_progress.tell(None)  # the server tells how many workers are ready
    threading.Thread(target=_end_with_server, daemon=True).start()
    add_commands(programs)
    Deadline.until = until


def _end_with_server() -> None:
    server = multiprocessing.parent_process()
    if server is not None:
        server.join()
        os._exit(0)


@dataclass(frozen=True, slots=True)
class BotMove:
    """A bot's move, who made it and what it took.

    `instead_of` is the bot that should have moved, if another did. `why` says why it was weakened: it was `late`, `failed` or
    `starting`, or it had a `short` time only.
    """

    text: str
    bot: str
    nodes: int | None
    seconds: float
    instead_of: str | None = None
    why: str | None = None

    def thought(self) -> str:
        """A ThoughtOut as JSON, as it is stored with the move. Rounded, because everybody at the table sees it."""
        thought = asdict(self) | {"nodes": two_digits(self.nodes), "seconds": round(self.seconds, 2)}
        del thought["text"]
        return dumps(thought).decode()


def two_digits(number: int | None) -> int | None:
    """A number rounded to its first two digits."""
    return None if number is None else int(float(f"{number:.1e}"))


class BotFailed(Exception):
    """A bot raised an exception; the worker it thought in is well."""


def run_guarded(thought: Callable[[float], Found], seconds: float) -> Found:
    """In a worker: run the search. BotFailed marks an error of the bot, so that it is not taken for a broken worker."""
    try:
        return thought(seconds)
    except Exception as error:
        raise BotFailed(f"{type(error).__name__}: {error}") from None


def run_piece(piece: Piece[Found]) -> Found:
    """In a worker: run a piece of low priority. WorkFailed marks its own errors."""
    try:
        return piece(Deadline())
    except Interrupted:
        raise
    except Exception as error:
        raise WorkFailed(f"{type(error).__name__}: {error}") from None


def choose_in_worker(name: str, view: View, seed: int, seconds: float) -> Thought:
    """In a worker: the bot's move for this view."""
    player = bot(name)
    budget = allowance(player, seconds)
    return player.think(view, budget, seed, Deadline() if budget.seconds else None)


def allowance(player: Bot, seconds: float) -> Budget:
    """A level with a fixed number of nodes keeps it: it is as strong on any machine. Other bots get this much time."""
    usual = player.default_budget or Budget()
    if usual.nodes:
        return usual
    return GLANCE if usual.seconds and seconds < GLANCE_SECONDS else Budget(seconds=seconds)


def is_timed(player: Bot) -> bool:
    """Whether a bot is stronger with more time."""
    return player.default_budget is not None and not player.default_budget.nodes


def advise(view: View, seed: int, seconds: float) -> Analysis:
    """In a worker: the analysis behind a hint."""
    budget = HINT if HINT.seconds is None else replace(HINT, seconds=min(HINT.seconds, seconds))
    return LEGEND.analyse(view, budget, seed, stop=Deadline())


def fair_seconds(waits: Sequence[float], workers: int) -> float:
    """How many seconds a search may take, so that no request waits too long.

    `waits` has for each request, in order of arrival, the seconds until its answer is due. The workers serve them in that order.
    """
    if waits and waits[-1] * THINKING * workers <= len(waits) * MIN_SECONDS:
        return MIN_SECONDS  # very many wait
    turns = ((wait, place // workers + 1) for place, wait in enumerate(waits))
    return max(MIN_SECONDS, min(wait * (THINKING if turn > 1 else 1.0) / turn for wait, turn in turns))


def warm_up() -> int:
    """In a worker: compile the rules and the search, or load them from the cache. Returns the process id."""
    warm_up_rules()
    for variant in VARIANTS:
        for players in range(FEWEST_PLAYERS, MAX_SEATS + 1):
            game = Game(variant, players, seed=1)
            for level in (LEGEND, MASTER):
                level.analyse(game.view(game.turn), Budget(nodes=LOOKED_AT), 1)
    return os.getpid()


def simple_move(view: View, seed: int) -> tuple[str, Thought]:
    """A move without a search, and the name of the bot that chose it."""
    try:
        return "greedy", bot("greedy").think(view, Budget(), seed)
    except Exception:
        log.exception("the simple bot failed too")
        return "random", bot("random").think(view, Budget(), seed)


def restart_pause(failures: int) -> float:
    """Seconds to wait before a worker is restarted, by its failures since it last answered: exponential backoff."""
    return 0.0 if failures == 0 else min(FIRST_PAUSE * 2 ** min(failures - 1, 32), MAX_PAUSE)


class Worker:
    """One worker process, restarted when it has died or had to be stopped."""

    def __init__(self, programs: tuple[str, ...] = ()) -> None:
        self.programs = programs
        self.until = SPAWNED.RawValue("d", 0.0)
        self.failures = 0  # since it last answered
        self.executor = self._executor()

    def _executor(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, mp_context=SPAWNED, initializer=init_worker, initargs=(self.programs, self.until))

    @property
    def pid(self) -> int | None:
        """The id of its process, also while that is warming up."""
        return next(iter(self.executor._processes or ()), None)

    async def warm(self) -> None:
        """Wait until the process can search without compiling."""
        warming = asyncio.get_running_loop().run_in_executor(self.executor, warm_up)
        await asyncio.wait_for(warming, WARM_UP_SECONDS)

    async def think(self, thought: Callable[[float], Found], seconds: float) -> Found:
        """Run a search in the process with this much time."""
        self.until.value = time.monotonic() + seconds
        return await asyncio.get_running_loop().run_in_executor(self.executor, run_guarded, thought, seconds)

    def begin(self) -> None:
        """Get ready for a piece of low priority: it has as much time as it needs, until it is interrupted."""
        self.until.value = math.inf

    async def work(self, piece: Piece[Found]) -> Found:
        """Run a piece of low priority in the process."""
        return await asyncio.get_running_loop().run_in_executor(self.executor, run_piece, piece)

    def interrupt(self) -> None:
        """Tell the running piece to stop."""
        self.until.value = 0.0

    def call(self, seconds: float) -> None:
        """Move the deadline of the running search to so many seconds from now, unless it is earlier already."""
        self.until.value = min(self.until.value, time.monotonic() + seconds)

    def stop(self) -> None:
        """End the process, whatever it does."""
        for process in list((self.executor._processes or {}).values()):  # from Python 3.14 on: kill_workers
            process.kill()
        self.executor.shutdown(wait=False, cancel_futures=True)

    async def restart(self) -> None:
        """Replace the process by a new one."""
        self.stop()
        self.executor = self._executor()
        await self.warm()


class BotPool:
    """The workers. With none, searches run in a thread of the server: for tests and very small machines."""

    def __init__(self, settings: "Settings", progress: Callable[[int, int], None]) -> None:
        self.settings, self.progress = settings, progress
        add_commands(settings.bots)
        self.workers = [Worker(settings.bots) for _ in range(settings.workers)]
        self.free: asyncio.Queue[Worker] = asyncio.Queue()
        self.restarting: set[asyncio.Task[None]] = set()
        self.pausing: set[Worker] = set()  # those that could not be started again, until they can
        self.rules_are_warm = asyncio.Event()
        self.search_is_warm = not self.workers
        self.due: list[float] = []  # when those who asked should have their answers, first come first
        self.waiting = 0  # those of them who have no worker yet
        self.background = Background(self)
        self.weakened: Counter[str] = Counter()  # moves of bots, by why they were weakened
        self.restarts = 0

    async def warm(self) -> None:
        """Warm up the rules in this process, then the workers, and report progress."""
        total = 1 + len(self.workers)
        self.progress(0, total)
        first = [asyncio.create_task(self._warm(worker)) for worker in self.workers[:1]]
        await asyncio.to_thread(warm_up_rules)
        self.rules_are_warm.set()
        self.progress(1, total)
        await asyncio.gather(*first)  # it compiles the search; the others find it on disk
        self.progress(1 + len(first), total)
        others = [asyncio.create_task(self._warm(worker)) for worker in self.workers[1:]]
        for done, ready in enumerate(asyncio.as_completed(others), 2 + len(first)):
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
        self.pausing.discard(worker)
        self.free.put_nowait(worker)
        self.background.look()

    @property
    def ready(self) -> int:
        """How many workers are idle."""
        return self.free.qsize()

    @property
    def replaced(self) -> int:
        """Moves that a simple bot made in place of another."""
        return self.weakened.total() - self.weakened["short"]

    def health(self) -> dict[str, Any]:
        """The state of the workers, and how often bots were weakened."""
        return {
            "workers": len(self.workers),
            "free": self.ready,
            "waiting": max(0, len(self.due) - len(self.workers)),
            "restarts": self.restarts,
            "pausing": len(self.pausing),
            "replaced": self.replaced,
            "shortened": self.weakened["short"],
            "studies": self.background.job_count,
        }

    async def choose(self, name: str, view: View, seed: int) -> BotMove:
        """The bot's move; a simple bot's move if it fails, if no worker is free in time, or if no worker can run."""
        try:
            player = bot(name)
            if player.default_budget is None and not is_object_here(name):  # it does not search: quicker here than in a worker
                return self._moved(name, player.think(view, Budget(), seed))
            if is_object_here(name):
                thought, seconds = await self._in_thread(partial(choose_in_worker, name, view, seed))
            elif not self.search_is_warm or self._has_no_worker():
                return self.stand_in(name, view, seed, "starting")
            else:
                thought, seconds = await self._think(partial(choose_in_worker, name, view, seed))
        except Exception as error:
            log.warning("bot %s gave no move (%s): a simple one moves instead", name, str(error) or type(error).__name__)
            return self.stand_in(name, view, seed, "late" if isinstance(error, TimeoutError) else "failed")
        is_short = is_timed(player) and seconds < SHORT * self.settings.bot_seconds
        return self._moved(name, thought, why="short" if is_short else None)

    def stand_in(self, name: str, view: View, seed: int, why: str) -> BotMove:
        """A simple bot's move in place of another bot's."""
        simple, thought = simple_move(view, seed)
        return self._moved(simple, thought, name, why)

    def _moved(self, name: str, thought: Thought, instead_of: str | None = None, why: str | None = None) -> BotMove:
        if why:
            self.weakened[why] += 1
        return BotMove(str(thought.move), name, thought.nodes, thought.seconds, instead_of, why)

    def _has_no_worker(self) -> bool:
        """Whether no worker runs and the last restart of each failed: nobody should wait for one."""
        return bool(self.workers) and len(self.pausing) == len(self.workers)

    async def advise(self, view: View, seed: int) -> Analysis:
        """The analysis behind a hint. It queues like a bot and gets no more time than one."""
        if not self.search_is_warm or self._has_no_worker():
            raise Refused("starting")
        return (await self._think(partial(advise, view, seed)))[0]

    async def _think(self, thought: Callable[[float], Found]) -> tuple[Found, float]:
        """The result of a search, and the seconds it was allowed."""
        due = time.monotonic() + self.settings.bot_seconds
        self.due.append(due)
        try:
            return await (self._in_worker if self.workers else self._in_thread)(thought)
        finally:
            self.due.remove(due)
            self.background.look()

    def _fair_seconds(self) -> float:
        now = time.monotonic()
        return fair_seconds([due - now for due in self.due], len(self.workers))

    async def _in_thread(self, thought: Callable[[float], Found]) -> tuple[Found, float]:
        seconds = self.settings.bot_seconds
        self.background.interrupt()
        return await asyncio.wait_for(asyncio.to_thread(thought, seconds), self.settings.bot_deadline), seconds

    async def _in_worker(self, thought: Callable[[float], Found]) -> tuple[Found, float]:
        worker = await self._next_worker()
        started = time.monotonic()
        try:
            thinking = worker.think(thought, self._fair_seconds())
            found = await asyncio.wait_for(thinking, self.settings.bot_deadline)
        except BotFailed:
            self.free.put_nowait(worker)
            raise
        except BaseException:
            self._replace(worker)
            raise
        worker.failures = 0
        self.free.put_nowait(worker)
        return found, worker.until.value - started

    async def _next_worker(self) -> Worker:
        """A free worker. If there is none, work of low priority makes room; if there is none of that, all think shorter."""
        self.waiting += 1
        try:
            if self.waiting > self.ready and not self.background.interrupt():
                seconds = self._fair_seconds()
                for worker in self.workers:
                    worker.call(seconds)
            return await asyncio.wait_for(self.free.get(), self.settings.bot_deadline)
        finally:
            self.waiting -= 1
            self.background.look()

    def take_back(self, worker: Worker, *, is_well: bool) -> None:
        """A worker comes back from work of low priority."""
        if not is_well:
            self._replace(worker)
            return
        worker.failures = 0
        self.free.put_nowait(worker)

    def _replace(self, worker: Worker) -> None:
        task = asyncio.create_task(self._restart(worker))
        self.restarting.add(task)
        task.add_done_callback(self.restarting.discard)

    async def _restart(self, worker: Worker) -> None:
        """Restart a worker with exponential backoff. One that fails MAX_FAILURES times in a row stays off."""
        while True:
            worker.stop()
            if worker.failures >= MAX_FAILURES:
                log.error("a bot worker failed %d times in a row: it stays off until the server restarts", worker.failures)
                return
            pause = restart_pause(worker.failures)
            if pause:
                log.warning("a bot worker failed %d times in a row: it is started again in %g seconds", worker.failures, pause)
                self.pausing.add(worker)
                await asyncio.sleep(pause)
            worker.failures += 1
            self.restarts += 1
            try:
                await worker.restart()
            except Exception:
                log.exception("a bot worker could not be started")
            else:
                self._set_free(worker)
                return

    async def stop(self) -> None:
        """End all workers."""
        self.background.stop()
        for task in list(self.restarting):
            task.cancel()
        for worker in self.workers:
            worker.stop()
