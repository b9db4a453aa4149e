"""All that anybody was told while a cluster was harmed, and the checker that compares it with the logs (in Jepsen's manner)."""

import bisect
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from cabochon.server import repository
from cabochon.server.clock import Moment
from cabochon.server.repository import Repository
from cabochon.server.settings import deal
from cabochon.server.table import load_table, read_entry

CLOCK_SECONDS = 1.0
LINE = ("number", "kind", "seat", "text", "undoes", "at")
# What may be refused although nobody did anything wrong: the outcome is not known, or another device of the seat was quicker.
HARMLESS = {"not_stored", "no_database", "gone_on", "starting", "stopping", "not_your_turn", "over", "wrong_number", "stand_in"}


@dataclass
class Told:
    """One state, as a viewer was sent it."""

    table: str
    number: int
    lines: list[dict[str, Any]]
    clock: dict[str, Any] | None
    at: float


@dataclass
class History:
    """What was tried and what was told."""

    tried: dict[tuple[str, int], set[tuple[int, str]]] = field(default_factory=lambda: defaultdict(set))
    acknowledged: list[tuple[str, int, int, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)  # what no answer may say
    refused: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    told: dict[str, list[Told]] = field(default_factory=lambda: defaultdict(list))  # by viewer
    pulses: list[tuple[float, float]] = field(default_factory=list)  # the time, and how long the cluster had paused

    def tell(self, viewer: str, table: str, state: dict[str, Any]) -> None:
        lines = [{name: entry[name] for name in LINE} for entry in state["entries"]]
        self.told[viewer].append(Told(table, state["number"], lines, state["clock"], time.time()))


def logs(url: str, tables: list[str]) -> dict[str, Any]:
    """The stored tables."""
    kept = Repository(url)
    try:
        return {table: kept.snapshot(table) for table in tables}
    finally:
        kept.close()


def pulse(url: str) -> tuple[float, float]:
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        row = connection.execute(sa.text("SELECT beat, paused FROM pulse")).one()
    engine.dispose()
    return row[0], row[1]


def check(history: History, url: str) -> dict[str, int]:
    """Compare everything with the logs; how much there was to compare."""
    seen = {told.table for states in history.told.values() for told in states}
    tables = sorted(seen | {table for table, *_ in history.acknowledged})
    stored = logs(url, tables)
    counts = {"tables": len(tables), "lines": 0, "acknowledged": len(history.acknowledged), "told": 0, "clocks": 0}
    by_number = {}
    for table, found in stored.items():
        assert found is not None, f"table {table} was told and is not stored"
        numbers = [row["number"] for row in found.entries]
        assert numbers == list(range(1, len(numbers) + 1)), f"table {table}: every number once, in order: {numbers}"
        by_number[table] = {row["number"]: row for row in found.entries}
        counts["lines"] += len(numbers)
        _check_game(found)
        _check_invented(history, found)
    for table, number, seat, text in history.acknowledged:
        row = by_number[table].get(number)
        assert row is not None, f"table {table}: move {number} ({text}) was acknowledged and is lost"
        assert (row["kind"], row["seat"], row["text"]) == ("move", seat, text), f"table {table}: {number} was {text}, is {row}"
    for viewer, states in history.told.items():
        counts["told"] += len(states)
        _check_told(viewer, states, by_number)
    for table, found in stored.items():
        if found.table["timed"]:
            counts["clocks"] += _check_clock(history, table, found)
    assert not history.wrong, history.wrong
    assert set(history.refused) <= HARMLESS, f"refused: {dict(history.refused)}"
    return counts


def _check_game(stored: Any) -> None:
    """The log is a legal game from its deal: else this raises."""
    load_table(stored, deal, Moment(0.0, 0.0))


def _check_invented(history: History, stored: Any) -> None:
    """Every move of a person is one that somebody tried to make at that number."""
    people = {row["seat"] for row in stored.seats if row["kind"] == "user"}
    away: set[int] = set()
    for row in stored.entries:
        if row["kind"] in ("timeout", "replace"):
            away.add(row["seat"])
        elif row["kind"] == "back":
            away.discard(row["seat"])
        elif row["kind"] == "move" and row["seat"] in people - away:
            tried = history.tried[stored.table["id"], row["number"]]
            assert (row["seat"], row["text"]) in tried, f"{stored.table['id']}: nobody made move {row['number']}: {dict(row)}"


def _check_told(viewer: str, states: list[Told], by_number: dict[str, Any]) -> None:
    """No viewer was told a line that is another one now, and none was led back."""
    last: dict[str, int] = defaultdict(int)
    for told in states:
        assert told.number >= last[told.table], f"{viewer} was at {last[told.table]} of {told.table}, then at {told.number}"
        last[told.table] = told.number
        for line in told.lines:
            row = by_number[told.table].get(line["number"])
            assert row is not None, f"{viewer} was told {line} of {told.table}, which is lost"
            assert line == {name: row[name] for name in LINE}, f"{viewer} was told {line}, and the log has {dict(row)}"


def _check_clock(history: History, table: str, stored: Any) -> int:
    """Every told clock, by the log: never more than was left at its line, never a second less than was left when it arrived."""
    fold = load_table(_without_log(stored), deal, Moment(0.0, 0.0))
    assert fold.clock is not None
    left = {0: (list(fold.clock.left), fold.clock.running, None)}
    before: float | None = None
    for row in stored.entries:
        running = fold.clock.running
        fold.apply(read_entry(row), row["playing"])
        left[row["number"]] = (list(fold.clock.left), fold.clock.running, row["playing"])
        if before is not None and running is not None:
            assert abs(row["spent"] - (row["playing"] - before)) < CLOCK_SECONDS, f"{table}: {dict(row)} after {before}"
        before = row["playing"]
    checked = 0
    for viewer, states in history.told.items():
        for told in states:
            if told.table == table and told.clock and told.number and told.clock["running"] is not None:
                known, running, since = left[told.number]
                assert running is not None and running == told.clock["running"], (
                    f"{viewer}: the clock of {running} runs, not {told.clock}"
                )
                shown = told.clock["left"][running]
                elapsed = _playing(history, told.at) - (since or 0.0)
                assert shown <= known[running] + CLOCK_SECONDS, f"{viewer} was told {shown}, of {known[running]} at {told.number}"
                least = max(0.0, known[running] - max(0.0, elapsed))
                assert shown >= least - CLOCK_SECONDS, f"{viewer} of {table} was told {shown} at {told.number}: {least} were left"
                checked += 1
    return checked


def _without_log(stored: Any) -> Any:
    return repository.Stored(stored.table, stored.seats, stored.holders, (), stored.seals, stored.kicked)


def _playing(history: History, at: float) -> float:
    """The cluster's playing time at a time of day, at least: during a pause it stood still where it was before."""
    after = bisect.bisect_right(history.pulses, (at, float("inf")))
    pulses = history.pulses
    before = pulses[max(0, after - 1)]
    return max(before[0] - before[1], at - pulses[min(after, len(pulses) - 1)][1])
