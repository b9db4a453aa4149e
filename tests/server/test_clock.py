"""Nobody loses time because a machine slept or somebody set its clock."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cabochon.server.clock import PlayingTime, TableClock
from cabochon.server.messages import DaysClock, MoveClock
from cabochon.server.settings import Sources
from tests.support.postgres import every_database
from tests.support.serving import Clock, House, fixed_sources, house, two_players

MINUTE, DAY = 60.0, 86_400.0


# Playing time


def test_playing_time_leaves_out_what_was_slept() -> None:
    clock = Clock()
    playing = PlayingTime(clock, longest_pause=2)
    started = playing()
    clock.pass_by(100)
    assert started + 100 == playing(), "before the first beat nothing is a pause"
    playing.beat()
    for _ in range(10):
        clock.pass_by(1.5)
        playing.beat()
    assert started + 115 == playing()
    clock.pass_by(3600)
    assert started + 115 == playing() == playing()
    clock.pass_by(1)
    assert started + 116 == playing()
    playing.beat()
    clock.pass_by(3600)
    playing.beat()
    assert started + 116 == playing()


@pytest.mark.parametrize("passed, left", [(0.5, 0.5), (3.0, 0.0), (-5.0, 1.0)])
def test_a_game_of_days_goes_on_while_the_server_is_down(passed: float, left: float) -> None:
    clock = TableClock(DaysClock(kind="days", days=1), 2)
    clock.run(0, 1000.0)
    clock.changed = 1_700_000_000.0
    clock.catch_up(5.0, 1_700_000_000.0 + passed * DAY)
    assert [left * DAY, DAY] == clock.out(5.0)["left"]


def test_another_game_does_not() -> None:
    clock = TableClock(MoveClock(kind="move", seconds=60), 2)
    clock.run(0, 1000.0)
    clock.catch_up(5.0, 1e9)
    assert [MINUTE, MINUTE] == clock.out(5.0)["left"]


# At a table


@contextmanager
def seated(folder: Path, day: Clock, playing: PlayingTime, database: str) -> Iterator[tuple[House, Any, Any]]:
    sources = fixed_sources(day)
    sources.playing = playing
    clock = {"kind": "move", "seconds": 60}
    # An hour between the ticks: the test looks at the clocks itself.
    with house(folder, sources, database=database, tick_seconds=3600.0) as here, two_players(here, clock=clock) as (_, anna, ben):
        yield here, anna, ben


def kinds_after_a_tick(here: House) -> list[str]:
    """Look at the clocks; the kinds of all lines of the one table's log."""
    here.client.portal.call(here.service.tick)  # type: ignore[union-attr]
    (room,) = here.service.rooms.values()
    table = room.table
    return [line.entry.kind for line in table.log]


@pytest.mark.parametrize("jump", [10 * DAY, -10 * DAY])
@every_database
def test_a_clock_that_is_set_harms_nobody(tmp_path: Path, database: str, jump: float) -> None:
    day, playing = Clock(), Clock()
    with seated(tmp_path, day, playing, database) as (here, anna, ben):
        playing.pass_by(10)
        day.pass_by(jump)
        assert [] == kinds_after_a_tick(here)
        assert 1 == anna.play("take wug")
        playing.pass_by(20)
        assert ["move"] == kinds_after_a_tick(here)
        assert 2 == ben.play("take wug")
        assert [60.0, 60.0] == anna.until_number(2)["clock"]["left"]
        stored = [row["spent"] for row in here.service.repository.table(anna.state["table"]["id"]).entries]
        assert [10.0, 20.0] == stored
        assert len(here.guest().get("/api/tables").json()["open"]) == 0
    with house(tmp_path, fixed_sources(day), database=database) as here, here.guest().at(anna.state["table"]["id"]) as watcher:
        assert 2 == watcher.until(lambda state: state["view"])["number"]


@every_database
def test_a_pause_of_the_machine_is_not_charged(tmp_path: Path, database: str) -> None:
    day, monotonic = Clock(), Clock()
    playing = PlayingTime(monotonic, longest_pause=2)
    with seated(tmp_path, day, playing, database) as (here, anna, ben):
        playing.longest_pause = 2
        monotonic.pass_by(1)
        playing.beat()
        for clock in (day, monotonic):
            clock.pass_by(8 * 3600)
        assert [] == kinds_after_a_tick(here)
        assert 1 == anna.play("take wug")
        assert 1.0 == here.service.repository.table(anna.state["table"]["id"]).entries[0]["spent"]
        for clock in (day, monotonic):
            clock.pass_by(8 * 3600)
        assert ["move"] == kinds_after_a_tick(here)
        assert 2 == ben.play("take wug")


def test_the_time_to_be_away_is_playing_time(tmp_path: Path, database: str) -> None:
    day, playing = Clock(), Clock()
    sources = fixed_sources(day)
    sources.playing = playing
    with house(tmp_path, sources, database=database) as here:
        anna, ben = here.guest("Anna"), here.guest("Ben")
        table = anna.create()
        with anna.at(table) as first:
            with ben.at(table) as second:
                second.done("sit", seat=1, name="Ben")
                first.done("start")
            first.until(lambda state: state["view"] and not state["table"]["seats"][1]["connected"])
            day.pass_by(DAY)
            assert "when its player has been away for 30 seconds" in first.refusal("replace", seat=1)
            playing.pass_by(31)
            first.done("replace", seat=1)


def test_the_heart_of_a_server_beats(tmp_path: Path, database: str) -> None:
    sources = Sources()
    with house(tmp_path, sources, database=database) as here:
        first = sources.playing.last_beat
        while sources.playing.last_beat == first:
            here.client.get("/api/health")
        assert 2.0 == sources.playing.longest_pause
