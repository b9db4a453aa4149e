"""A table is the fold of its log: the same entries give the same table, and nothing else does anything to it."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

import cabochon.server.table
from cabochon import Game
from cabochon.errors import CabochonError
from cabochon.notation.move import parse_move
from cabochon.server.clock import Moment
from cabochon.server.commitment import DealInputs
from cabochon.server.errors import Refused
from cabochon.server.messages import MoveClock, TableOptions
from cabochon.server.repository import Stored, entry_row, seat_row
from cabochon.server.table import Entry, Seat, SeatChange, Table, load_table, move_line, read_table
from tests.support.positions import card, position

OPTIONS = TableOptions(clock=MoveClock(kind="move", seconds=60), takeback="free")
NOW = Moment(1000.0, 50.0)


def dealt(options: TableOptions, _inputs: DealInputs) -> Game:
    return Game(options.variant, options.players, seed=7, start=0)


def stored(entries: list[Entry] | None = None, status: str = "running") -> Stored:
    row = {"id": "table", "options": OPTIONS.model_dump_json(), "status": status, "host": 0, "start": 0, "seed": 0, "salt": ""}
    row |= {"secret": "00" * 32, "commitment": "", "created": 1.0, "began": 2.0, "rematch": None, "series": None}
    row |= {"shared": None, "counts": False}
    seats = [Seat(0, "user", "Anna", token="a"), Seat(1, "user", "Ben", token="b")]
    held = [{"table_id": "table", "user_id": user, "seat": seat} for seat, user in enumerate(("anna", "ben"))]
    return Stored(row, [seat_row("table", seat) for seat in seats], held, [entry_row("table", entry) for entry in entries or []])


def played(*texts: str) -> tuple[Table, list[Entry]]:
    """A table at which these moves were played, ten seconds each, and its entries."""
    table, entries, now = load_table(stored(), dealt, NOW), [], NOW
    for text in texts:
        now = Moment(now.day + 10, now.playing + 10)
        seat = table.decides
        assert seat is not None
        move = table.check_move(seat, text)
        entry = table.entry("move", seat, str(move), now)
        table.apply(entry, now.playing, move)
        entries.append(entry)
    return table, entries


def seen(table: Table) -> tuple[object, ...]:
    assert table.game is not None and table.clock is not None
    lines = [(line.entry, line.out(0), line.out(1)) for line in table.log]
    return table.game.position(), table.status, table.clock.left, table.decides, lines, len(table.standing)


def test_the_log_alone_gives_the_same_table() -> None:
    table, entries = played("take wug", "reserve 3?", "take rkw")
    assert seen(table) == seen(load_table(stored(entries), dealt, NOW))
    undone = table.undoing(0, Moment(1040.0, 90.0))
    for entry in undone:
        table.apply(entry, 90.0)
    assert ["undo"] == [entry.kind for entry in undone] and 2 == len(table.standing)
    assert seen(table) == seen(load_table(stored([*entries, *undone]), dealt, NOW))


@pytest.mark.parametrize("open_reserves, shown", [(True, ["g 3r", "r 3w"]), (False, ["g 3r", "k 3g", "r 3w"])])
def test_a_forced_pass_tells_everybody_the_reserved_cards(open_reserves: bool, shown: list[str]) -> None:
    game = position(bank="-", reserve="g 3r?, k 3g, r 3w?", open_reserves=open_reserves)
    before = game.view(0)
    game.play("pass")
    line = move_line(Entry(1, "move", 0, "pass", 1.0), before, game.view(0), game.moves[-1].action, None)
    assert tuple(card(face) for face in shown) == line.out(1)["shown"] == line.out(0)["shown"]
    assert line.facts.reveals, "others are asked before it is taken back"


def test_taking_back_several_moves_is_charged_once() -> None:
    table, _ = played("take wug", "take wug")
    undone = table.undoing(0, Moment(1030.0, 75.0))
    assert [(3, 2, 5.0), (4, 1, 0.0)] == [(entry.number, entry.undoes, entry.spent) for entry in undone]


def test_a_move_is_the_same_with_and_without_its_text_parsed() -> None:
    table, entries = played("take wug")
    again = load_table(stored(), dealt, NOW)
    again.apply(entries[0], NOW.playing + 10, parse_move("take wug"))
    assert seen(table) == seen(again)


def test_an_entry_out_of_order_is_refused() -> None:
    table, entries = played("take wug")
    with pytest.raises(CabochonError, match="entry 1 comes after entry 1"):
        table.apply(entries[0], 0.0)
    with pytest.raises(CabochonError, match="entry 3 comes after entry 1"):
        table.apply(replace(entries[0], number=3), 0.0)


def test_a_full_log_makes_no_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = played("take wug", "take wug")
    monkeypatch.setattr(cabochon.server.table, "MAX_LOG_ENTRIES", 3)
    with pytest.raises(Refused, match="its log may have 3 lines"):
        table.undoing(0, NOW)
    monkeypatch.setattr(cabochon.server.table, "MAX_LOG_ENTRIES", 2)
    with pytest.raises(Refused, match="its log may have 2 lines"):
        table.entry("move", 0, "pass", NOW)


def test_seats_change_before_the_game() -> None:
    table = read_table(stored(status="waiting"))
    table.dealing.seal(1, "ab" * 32)
    table.change_seats(SeatChange([Seat(1, "open", "")], 0, {"ben": None, "eve": 0}, unsealed=[1]))
    assert {"anna": 0, "eve": 0} == table.holders and {} == table.dealing.seals and "open" == table.seats[1].kind


def test_it_knows_neither_tasks_nor_sockets_nor_statements() -> None:
    tree = ast.parse(Path(cabochon.server.table.__file__).read_text(encoding="utf-8"))
    run = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {node.module or "" for node in run if isinstance(node, ast.ImportFrom)}
    names |= {alias.name for node in run if isinstance(node, ast.Import) for alias in node.names}
    assert not names & {"asyncio", "time", "sqlalchemy", "starlette", "repository", "connection", "room", "broadcast", "service"}
