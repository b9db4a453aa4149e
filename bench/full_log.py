"""How long a table with a full log takes to load, and how large its replay is: take and undo, and a game without an end.

`PYTHONPATH=. python bench/full_log.py`
"""

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from cabochon import Game
from cabochon.machine import commit, machine
from cabochon.server import storage
from cabochon.server.tables import MAX_LOG_ENTRIES, Entry, Table
from tests.serving import Guest, House, house

Found = TypeVar("Found")
ENDLESS = {"players": 4, "house": {"goal": 100, "token_limit": 6}}  # some tokens are always left to take
BUYING = 0.03
REPEATS = 3


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
    game, rows = table.first_game(), []
    for number, (kind, text, undoes) in enumerate(lines, 1):
        rows.append(Entry(number, kind, game.turn if kind == "move" else 0, text, 0.0, undoes).row(table.id))
        game.play(text) if kind == "move" else game.undo()
    with here.hub.storage.engine.begin() as connection:
        storage.add_entries(connection, rows)
        connection.execute(storage.tables.update().where(storage.tables.c.id == table.id).values(status="finished"))


def best(make: Callable[[], Found]) -> tuple[float, Found]:
    """The shortest time of a few."""
    found = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        made = make()
        found.append((time.perf_counter() - began, made))
    return min(found, key=lambda one: one[0])


def measure(here: House, host: Guest, name: str, table_id: str) -> None:
    """Print times and sizes of one table."""
    here.hub.tables.clear()
    reading, stored = best(lambda: here.hub.storage.table(table_id))
    assert stored is not None
    loading, table = best(lambda: Table.load(stored, here.hub.sources))
    print(f"{name}: {table.number} lines, {table.status}")
    print(f"  load: {1000 * reading:.0f} ms to read, {1000 * loading:.0f} ms to play")
    making, state = best(lambda: table.state(0, 0))
    print(f"  first state of a newcomer: {1000 * making:.1f} ms, {len(state) / 1e6:.2f} MB")
    host.get(f"/api/tables/{table_id}")
    for what in ("replay?seat=0", "replay?seat=0", "record", "record", "reveal", "reveal"):
        began = time.perf_counter()
        answer = host.get(f"/api/tables/{table_id}/{what}")
        took = time.perf_counter() - began
        assert answer.status_code == 200, answer.text
        print(f"  {what}: {1000 * took:.0f} ms, {len(answer.content) / 1e6:.2f} MB")


def main() -> None:
    """Fill two tables and measure both."""
    print(f"{machine()}, commit {commit()}")
    with tempfile.TemporaryDirectory() as folder, house(Path(folder)) as here:
        host = here.guest()
        short = host.create(players=2, bots=["greedy"], start="host")
        long = host.create(**ENDLESS, bots=["greedy"] * 3, start="host")
        for table_id, lines in ((short, lambda _game: taken_back()), (long, endless)):
            table = here.hub.tables[table_id]
            fill(here, table, lines(table.first_game()))
        measure(here, host, "take and undo", short)
        measure(here, host, "a game without an end", long)


if __name__ == "__main__":
    main()
