"""Garbage collection and memory: what a game leaves behind, and when everything is looked at."""

import asyncio
import gc
import inspect
import re
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from numba import njit

from cabochon.game import Game
from cabochon.server.app import create_app
from cabochon.server.connection import Connection
from cabochon.server.gc_tuning import (
    COMPILER,
    FEW,
    FULL_SECONDS,
    MAX_WAIT_SECONDS,
    QUIET_SECONDS,
    Collector,
    forget_library,
    give_back_memory,
)
from cabochon.server.http_limits import LimitedSocket
from cabochon.server.room import Room
from cabochon.server.run import config
from cabochon.server.serialise import packed
from cabochon.server.table import Table
from tests.server.process import Guest, free_port, run
from tests.support.serving import Clock, House, house, settings, two_players

OURS = ("cabochon", "uvicorn", "starlette", "fastapi", "_asyncio", "uvloop", "httptools")
TABLES, MOVES = 12, 6


class Crowd:
    """What a collector asks for."""

    def __init__(self) -> None:
        self.clock, self.size, self.moves = Clock(), 1000, 0
        self.collector = Collector(lambda: self.size, lambda: self.moves, self.clock)

    def after(self, seconds: float, moves: int = 0) -> bool:
        """Whether everything would be looked at after some time, with so many moves at its end."""
        self.clock.pass_by(seconds)
        self.moves += moves
        return self.collector.is_time_for_all()


def test_many_objects_are_left_alone_while_people_play() -> None:
    crowd = Crowd()
    assert not any(crowd.after(1.0, moves=1) for _ in range(3600))
    assert not crowd.after(QUIET_SECONDS - 1)
    assert crowd.after(2.0), "nobody has moved for a while"
    crowd.collector.collect(2)
    assert not crowd.after(FULL_SECONDS - 1), "not again at once"
    assert crowd.after(2.0)
    assert 1 == crowd.collector.health()["full"]


def test_few_objects_are_looked_at_every_minute() -> None:
    crowd = Crowd()
    crowd.size = FEW
    assert not crowd.after(FULL_SECONDS - 1, moves=1)
    assert crowd.after(2.0, moves=1)


def test_without_a_quiet_moment_everything_is_looked_at_once_a_day() -> None:
    crowd = Crowd()
    assert not crowd.after(MAX_WAIT_SECONDS - 1, moves=1)
    assert crowd.after(2.0, moves=1)


def test_giving_memory_back_works_on_any_system(monkeypatch: pytest.MonkeyPatch) -> None:
    give_back_memory()
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    give_back_memory()


# What is left behind


@contextmanager
def real_server(folder: Path) -> Iterator[tuple[str, Any]]:
    """A server as `cabochon play` runs it, in a thread; its address and its service."""
    app, port = create_app(settings(folder, idle_seconds=0.0)), free_port()
    served = config(app, app.state.service.settings)
    served.port = port
    server = uvicorn.Server(served)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{port}", app.state.service
    finally:
        server.should_exit = True
        thread.join()


async def play_games(url: str, tables: int) -> None:
    """Tables with a few moves each, one player, a bot and somebody who watches; all leave."""
    async with Guest(url, "Anna") as anna, Guest(url, "Ben") as ben:
        for _ in range(tables):
            table = await anna.create(bots=["greedy"], start="host")
            async with ben.at(table), anna.at(table) as here:
                for _ in range(MOVES):
                    while not here.is_my_turn:
                        await here.next_state()
                    await here.play(here.state["choices"]["legal"][0])


def alive() -> list[Any]:
    """The tables, games and sockets there are; other tests keep some."""
    return [one for one in gc.get_objects() if type(one) in (Room, Table, Game, Connection)]


def left_since(before: list[Any]) -> list[str]:
    """What is left when the server has had time to close its sockets and to put its tables away."""
    known = {id(one) for one in before}
    for _ in range(500):
        left = [type(one).__name__ for one in alive() if id(one) not in known]
        if not left:
            break
        time.sleep(0.02)
    return left


def test_a_game_that_everybody_left_is_freed_without_a_garbage_collection(tmp_path: Path) -> None:
    with real_server(tmp_path) as (url, service):
        run(play_games(url, 1))
        gc.collect()
        before = alive()
        gc.disable()
        gc.set_debug(gc.DEBUG_SAVEALL)
        try:
            run(play_games(url, TABLES))
            assert [] == left_since(before)
            assert {} == service.rooms
            gc.collect()
            cycles = Counter(type(one).__module__.split(".")[0] for one in gc.garbage)
            assert {} == {name: cycles[name] for name in OURS if cycles[name]}
        finally:
            gc.set_debug(0)
            gc.garbage.clear()
            gc.enable()


def test_a_line_that_breaks_ends_the_parser_which_refers_to_its_connection(tmp_path: Path) -> None:
    async def lose_one(url: str) -> list[LimitedSocket]:
        async with Guest(url, "Anna") as anna, anna.at(await anna.create(bots=["greedy"])) as chair:
            sockets = [one for one in gc.get_objects() if type(one) is LimitedSocket]
            chair.connection.transport.abort()
            while not all(one.disconnected for one in sockets):
                await asyncio.sleep(0.01)
            return sockets

    with real_server(tmp_path) as (url, _):
        sockets = run(lose_one(url))
        assert 1 == len(sockets)
        assert [inspect.GEN_CLOSED] == [inspect.getgeneratorstate(one.conn.parser) for one in sockets]


def tracked(here: House, moves: int) -> int:
    """Objects that the garbage collector has to look at for a table with so many moves whose people have gone."""
    gc.collect()
    before = len(gc.get_objects())
    with two_players(here) as (_table, *chairs):
        for _ in range(moves):
            for chair in chairs:
                chair.catch_up()
            next(chair for chair in chairs if chair.state["choices"]).play()
    here.client.get("/api/health")
    del chairs, chair
    gc.collect()
    return len(gc.get_objects()) - before


def test_what_is_kept_takes_no_more_memory_than_its_text() -> None:
    tracemalloc.start()
    kept = [packed({"number": number}) for number in range(200)]
    size = tracemalloc.get_traced_memory()[0] / len(kept)
    tracemalloc.stop()
    assert size < 200


def test_a_table_costs_the_garbage_collector_little(tmp_path: Path) -> None:
    with house(tmp_path) as here:
        for _ in range(2):  # what libraries keep from their first calls is no cost of a table
            tracked(here, 40)
        assert tracked(here, 40) < 300


def resident(library: str) -> int:
    """Kilobytes of a library that are in memory; 0 where the system does not tell."""
    mappings = Path("/proc/self/smaps")
    if not mappings.exists():
        return 0
    found = 0
    for mapping in re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", mappings.read_text(), flags=re.MULTILINE):
        head, _, rest = mapping.partition("\n")
        if library in head:
            found += sum(int(size) for size in re.findall(r"^Rss: +(\d+) kB$", rest, re.MULTILINE))
    return found


def test_the_compiler_is_let_go_of_and_still_compiles() -> None:
    assert 5 == njit(lambda x: x + 4)(1)
    before = resident(COMPILER)
    forget_library(COMPILER)
    assert resident(COMPILER) <= before / 4
    assert 7 == njit(lambda x: x + 5)(2)
