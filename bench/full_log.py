"""How long a table with a full log takes to load, and how large its replay is: take and undo, and a game without an end.

`PYTHONPATH=. python bench/full_log.py`
"""

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

from cabochon import Game
from cabochon.server import repository
from cabochon.server.broadcast import state_out
from cabochon.server.room import Room
from cabochon.server.table import MAX_LOG_ENTRIES, Entry, Table, load_table
from cabochon.tools.provenance import commit, machine
from tests.support.serving import Guest, House, house

Found = TypeVar("Found")
ENDLESS = {"players": 4, "house": {"goal": 100, "token_limit": 6}}  # some tokens are always left to take
BUYING = 0.03


def taken_back() -> Iterator[tuple[str, str, int | None]]:
    """The same move played and taken back."""
    for number in range(1, MAX_LOG_ENTRIES, 2):
        yield "move", "take wug", None
        yield "undo", "take wug", number


def endless(game: Game) -> Iterator[tuple[str, str, int | None]]:
    """Random moves at a table of four whose goal nobody reaches, few of them purchases: mostly tokens go to and fro."""
    rng = random.Random(1)
    for _ in range(MAX_LOG_ENTRIES):
        legal = game.legal_moves()
        tokens = [move for move in legal if move.kind in ("take", "return")]
        move = rng.choice(tokens if tokens and rng.random() > BUYING else legal)
        game.play(move)
        yield "move", str(move), None
    assert not game.is_over


def fill(here: House, table: Table, lines: Iterator[tuple[str, str, int | None]]) -> None:
    """Store a log as if it had been played."""
    game, rows = table.first_game(here.service.sources.deal), []
    for number, (kind, text, undoes) in enumerate(lines, 1):
        rows.append(repository.entry_row(table.id, Entry(number, kind, game.turn if kind == "move" else 0, text, 0.0, undoes)))
        game.play(text) if kind == "move" else game.undo()
    with here.service.repository.engine.begin() as connection:
        repository.add_entries(connection, rows)
        connection.execute(repository.tables.update().where(repository.tables.c.id == table.id).values(status="finished"))


def timed(make: Callable[[], Found]) -> tuple[str, Found]:
    """What something takes: time, and seconds of the processor, which others on the machine do not lengthen as much."""
    began, began_cpu = time.perf_counter(), time.process_time()
    made = make()
    took, took_cpu = time.perf_counter() - began, time.process_time() - began_cpu
    return f"{1000 * took:.0f} ms ({1000 * took_cpu:.0f} ms of the processor)", made


def measure(here: House, host: Guest, name: str, table_id: str) -> None:
    """Print times and sizes of one table."""
    here.service.rooms.clear()
    reading, stored = timed(lambda: here.service.repository.table(table_id))
    assert stored is not None
    loading, table = timed(lambda: load_table(stored, here.service.sources.deal, here.service.sources.now()))
    print(f"{name}: {table.number} lines, {table.status}")
    print(f"  to read: {reading}\n  to play: {loading}")
    making, state = timed(lambda: state_out(Room(table, here.service.sources), 0, 0, 0.0))
    print(f"  first state of a newcomer: {making}, {len(state) / 1e6:.2f} MB")
    host.get(f"/api/tables/{table_id}")
    for what in ("replay?seat=0", "replay?seat=0", "record", "record", "reveal", "reveal"):
        took, answer = timed(partial(host.get, f"/api/tables/{table_id}/{what}"))
        assert answer.status_code == 200, answer.text
        print(f"  {what}: {took}, {len(answer.content) / 1e6:.2f} MB")


def main() -> None:
    """Fill two tables and measure both."""
    print(f"{machine()}, commit {commit()}")
    with tempfile.TemporaryDirectory() as folder, house(Path(folder)) as here:
        host = here.guest()
        short = host.create(players=2, bots=["greedy"], start="host")
        long = host.create(**ENDLESS, bots=["greedy"] * 3, start="host")
        for table_id, lines in ((short, lambda _game: taken_back()), (long, endless)):
            table = here.service.rooms[table_id].table
            fill(here, table, lines(table.first_game(here.service.sources.deal)))
        measure(here, host, "take and undo", short)
        measure(here, host, "a game without an end", long)


if __name__ == "__main__":
    main()
