"""Resigning: a line of the log that ends the game when nobody is left to play against, and costs the seat its place else."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from cabochon import Game
from cabochon.server.commitment import Reveal2, parse_reveal, verify
from tests.server.test_handlers import play_out
from tests.support.postgres import every_database
from tests.support.serving import Chair, Clock, Guest, House, house, true_sources, two_players


@pytest.fixture
def here(tmp_path: Path, database: str) -> Iterator[House]:
    with house(tmp_path, database=database) as running:
        yield running


@contextmanager
def three_players(here: House, **options: Any) -> Iterator[tuple[str, list[Chair]]]:
    guests = [here.guest(name) for name in ("Anna", "Ben", "Cleo")]
    table = guests[0].create(players=3, start="host", **options)
    with ExitStack() as stack:
        chairs = [stack.enter_context(guest.at(table)) for guest in guests]
        for seat in (1, 2):
            chairs[seat].done("sit", seat=seat, name=guests[seat].get("/api/me").json()["name"])
        chairs[0].done("start")
        for chair in chairs:
            chair.until(lambda state: state["view"])
        yield table, chairs


@every_database
def test_with_two_players_the_other_has_won(tmp_path: Path, database: str) -> None:
    with (
        house(tmp_path, true_sources(Clock()), database=database) as here,
        two_players(here, start="host") as (table, anna, ben),
    ):
        anna.play()
        ben.until_number(1)
        anna.done("resign")
        state = ben.until_number(2)
        outcome = state["outcome"]
        assert ("resigned", [2, 1], [1], [0]) == tuple(outcome[name] for name in ("reason", "ranks", "winners", "resigned"))
        assert ("finished", None, "no") == (state["table"]["status"], state["choices"], state["can_undo"])
        assert ("resign", 0) == (ben.lines[-1]["kind"], ben.lines[-1]["seat"])
        assert "the game is over" == ben.refusal("move", number=3, text="take wug")
        guest = here.guest()
        reveal = parse_reveal(guest.get(f"/api/tables/{table}/reveal").text)
        assert isinstance(reveal, Reveal2) and [] == verify(reveal, state["table"]["commitment"])
        assert 1 == len(Game.from_record(guest.get(f"/api/tables/{table}/record").text).moves)
        assert outcome == guest.get(f"/api/tables/{table}/replay?seat=0").json()["outcome"]
    with house(tmp_path, true_sources(Clock()), database=database) as again, Guest(again).at(table) as watcher:
        watcher.receive()
        assert (outcome, "finished") == (watcher.state["outcome"], watcher.state["table"]["status"])


def test_with_more_players_a_bot_plays_on_and_the_seat_comes_last(here: House) -> None:
    with three_players(here, house={"goal": 1}) as (_, (anna, ben, cleo)):
        ben.done("resign")
        state = anna.until_number(1)
        assert (True, "greedy", "running") == (
            *(state["table"]["seats"][1][name] for name in ("resigned", "bot")),
            state["table"]["status"],
        )
        assert "you have resigned" in ben.refusal("back") and "you have resigned" in ben.refusal("resign")
        assert "you have resigned" in ben.refusal("move", number=2, text="take wug")
        while not anna.state["outcome"]:
            for chair in (anna, cleo):
                state = chair.until(lambda state: state["choices"] or state["outcome"])
                if state["choices"]:
                    number = chair.done("move", number=state["number"] + 1, text=state["choices"]["legal"][-1])
                    chair.until_number(number)
        outcome = anna.state["outcome"]
        assert ("goal", [1], 3) == (outcome["reason"], outcome["resigned"], outcome["ranks"][1])
        assert 1 == min(outcome["ranks"]) and {outcome["ranks"][0], outcome["ranks"][2]} <= {1, 2}
        assert outcome["winners"] == [seat for seat in (0, 2) if outcome["ranks"][seat] == 1]


def test_the_last_who_has_not_resigned_has_won(here: House) -> None:
    with three_players(here) as (_, (anna, ben, cleo)):
        ben.done("resign")
        cleo.done("resign")
        outcome = anna.until(lambda state: state["outcome"])["outcome"]
        assert ("resigned", [0], [1, 2, 2]) == tuple(outcome[name] for name in ("reason", "winners", "ranks"))


def test_bots_do_not_play_on_among_themselves(here: House) -> None:
    anna = here.guest()
    table = anna.create(players=3, bots=["greedy", "random"], start="host")
    with anna.at(table) as chair:
        chair.until(lambda state: state["choices"])
        chair.done("resign")
        outcome = chair.until(lambda state: state["outcome"])["outcome"]
        assert ("resigned", [1, 2], [3, 1, 1]) == tuple(outcome[name] for name in ("reason", "winners", "ranks"))
        assert None is here.service.rooms[table].thinking


def test_who_has_resigned_is_asked_nothing(here: House) -> None:
    with three_players(here) as (_, (anna, ben, cleo)):
        cleo.done("resign")
        anna.play("reserve 1a")
        anna.done("undo")
        assert [1] == ben.until(lambda state: state["asks"])["asks"][0]["waiting_for"]


def test_only_in_a_running_game_and_only_by_a_player(here: House) -> None:
    anna, ben = here.guest(), here.guest()
    table = anna.create()
    with anna.at(table) as chair, ben.at(table) as watcher:
        assert "the game has not begun" == chair.refusal("resign")
        chair.done("start")
        chair.until(lambda state: state["view"])
        assert "you are watching" in watcher.refusal("resign")
        chair.done("resign")
        assert "the game is over" == chair.refusal("resign")


@every_database
def test_a_game_that_was_played_out_is_as_it_was(here: House) -> None:
    with two_players(here, house={"goal": 2}) as (_, anna, ben):
        outcome = play_out(anna, ben)["outcome"]
        assert ("goal", []) == (outcome["reason"], outcome["resigned"]) and 1 in outcome["ranks"]
