"""Nobody loses time because a machine slept or somebody set its clock."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from cabochon.server.app import create_app
from cabochon.server.clock import PlayingTime, TableClock
from cabochon.server.database import migrate, open_engine
from cabochon.server.messages import DaysClock, MoveClock
from cabochon.server.nodes import Time, beat, pulse, say_alive
from cabochon.server.settings import Sources
from cabochon.server.shared_time import STILL_SECONDS, SharedTime
from tests.support.postgres import every_database
from tests.support.serving import Clock, House, fixed_sources, house, settings, two_players
from tests.support.valkey import Valkey

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


# A cluster


def test_the_time_of_a_cluster_leaves_out_its_pauses(postgres_url: str) -> None:
    engine = open_engine(postgres_url)
    with engine.begin() as connection:
        migrate(connection)
        say_alive(connection, "one", "")
        last = beat(connection)
        for hour in (-3600, 3600):  # the last beat was an hour ago; PostgreSQL's clock was set back by an hour
            connection.execute(pulse.update().values(beat=pulse.c.beat + hour))
            assert {"one", "two"} == say_alive(connection, "two", "")
            found = beat(connection)
            assert 0 <= found.playing - (last.playing + hour) < MINUTE, "it goes on where it was at the last beat"
            last = found
    engine.dispose()


def test_a_beat_that_waits_for_another_tells_the_time_after_that(postgres_url: str) -> None:
    """A line may be cut between a beat and its commit: the other nodes wait, and must not tell the time before they waited."""
    engine = open_engine(postgres_url)
    with engine.begin() as connection:
        migrate(connection)
        say_alive(connection, "one", "")
        beat(connection)

    def beat_too() -> Time:
        with engine.begin() as connection:
            say_alive(connection, "two", "")
            return beat(connection)

    waiting = sa.text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
    with ThreadPoolExecutor(1) as thread:
        with engine.begin() as connection:
            say_alive(connection, "one", "")
            beat(connection)
            other = thread.submit(beat_too)
            while not connection.scalar(waiting):
                connection.exec_driver_sql("SELECT pg_stat_clear_snapshot()")
            last = beat(connection)
        found = other.result()
    assert last.day < found.day and 0 < found.playing - last.playing < MINUTE
    assert pytest.approx(found.day - last.day) == found.playing - last.playing, "nobody loses or gains by it"
    engine.dispose()


def test_an_answer_that_took_long_is_asked_for_again(postgres_url: str, valkey: Valkey, tmp_path: Path) -> None:
    service = create_app(settings(tmp_path, database=postgres_url, broker=valkey.url)).state.service
    times = iter([0.0, 2.0, 10.0, 10.1])
    service.cluster.time.monotonic = lambda: next(times)
    _found, _live, asked, answered = service.cluster._beat()
    assert (10.0, 10.1) == (asked, answered)
    service.repository.close()


def test_a_node_that_does_not_hear_the_time_lets_it_stand_still() -> None:
    own = Clock()
    shared = SharedTime(own)
    shared.set(Time(1_000_000.0, 500.0), own(), own() + 0.2)  # half of the time for the answer is over when it arrives
    own.pass_by(0.6)
    assert pytest.approx(1_000_000.5) == shared.day() and pytest.approx(500.5) == shared()
    own.pass_by(3600)
    assert 500 + STILL_SECONDS == shared() and pytest.approx(1_003_600.5) == shared.day()
