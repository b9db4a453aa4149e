"""Hints: what a net advises whoever plays against bots alone."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cabochon import CabochonError, Game, sample
from cabochon.bots import Budget
from cabochon.server import bot_pool
from cabochon.server.settings import Settings
from tests.server.process import run
from tests.support.golden import FOLDER, game_at
from tests.support.serving import Chair, Clock, House, fixed_sources, house, two_players

PATIENT: dict[str, Any] = {"bot_deadline": 300.0}  # the search may have to be compiled
OTHERS = "hints are given only where everybody else is a bot: another person sits at this table"


@pytest.fixture(autouse=True)
def _the_same_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_pool, "HINT", Budget(nodes=128))


@pytest.fixture
def here(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path, **PATIENT) as running:
        yield running


@contextmanager
def alone(here: House, variant: str = "classic", players: int = 2) -> Iterator[Chair]:
    """A table with bots at all seats but the first, which begins."""
    guest = here.guest()
    table = guest.create(variant=variant, players=players, bots=["greedy"] * (players - 1), start="host")
    with guest.at(table) as chair:
        chair.until(lambda state: state["view"])
        yield chair


@contextmanager
def alone_at(folder: Path, game: Game) -> Iterator[Chair]:
    """The same at a position of our choice."""
    sources = fixed_sources(Clock())
    sources.deal = lambda _options, _inputs: game.copy()
    with house(folder, sources, **PATIENT) as here, alone(here, game.variant, game.players) as chair:
        yield chair


def golden_at(stage: str) -> Game:
    """A position of a golden game in which seat 0 is to decide in this stage."""
    game = Game.from_record((FOLDER / "classic-two-tiles-at-once.game").read_text())
    positions = (game_at(game, n) for n in range(len(game.moves) + 1))
    return next(Game.from_position(at.position()) for at in positions if at.stage == stage and (at.turn == 0 or at.is_over))


def hint(chair: Chair) -> dict[str, Any]:
    """A hint as soon as there is something to decide."""
    chair.until(lambda state: state["choices"])
    answer = chair.ask("hint")
    assert "hint" == answer["type"], answer
    return answer


@pytest.mark.parametrize("variant, players", [("classic", 2), ("classic", 3), ("marvel", 2), ("marvel", 4)])
def test_a_hint_has_legal_moves_and_chances(here: House, variant: str, players: int) -> None:
    with alone(here, variant, players) as chair:
        found = hint(chair)
        texts, chances = [move["text"] for move in found["moves"]], [move["chance"] for move in found["moves"]]
        assert 1 <= len(texts) <= 3 and set(texts) <= set(chair.state["choices"]["legal"])
        assert sorted(chances, reverse=True) == chances and found["chances"][0] == chances[0]
        assert players == len(found["chances"]) and pytest.approx(1.0, abs=1e-4) == sum(found["chances"])
        assert 0 == found["number"] == chair.state["number"], "asking changes nothing"
        chair.play(texts[0])
        assert 0 < hint(chair)["number"]


@pytest.mark.parametrize("stage", ["return", "claim"])
def test_a_hint_in_the_other_stages(tmp_path: Path, stage: str) -> None:
    with alone_at(tmp_path, golden_at(stage)) as chair:
        assert {stage} == {move["text"].split()[0] for move in hint(chair)["moves"]}


def test_hidden_cards_make_no_difference(tmp_path: Path) -> None:
    game = Game("classic", 2, seed=7, start=0, moves="take wug; reserve 3?; take rr; reserve 2?")
    first, second = (Game.from_states(sample(game.view(0), np.random.default_rng(seed))) for seed in (1, 2))
    assert first.view(0) == second.view(0) and first.view(1) != second.view(1)
    with alone_at(tmp_path / "a", first) as one, alone_at(tmp_path / "b", second) as two:
        assert hint(one) == hint(two)


def test_no_hint_for_those_who_watch(here: House) -> None:
    with alone(here) as chair, here.guest().at(chair.state["table"]["id"]) as watcher:
        assert "you are watching: only players at the table can do this" == watcher.refusal("hint")


def test_no_hint_out_of_turn(tmp_path: Path) -> None:
    with house(tmp_path, bot_delay=60.0) as here, alone(here) as chair:
        chair.play("take wug")
        assert "it is not your turn: seat 1 is to decide" == chair.refusal("hint")


def test_no_hint_before_the_game_nor_after_it(tmp_path: Path) -> None:
    with alone_at(tmp_path / "over", golden_at("over")) as chair:
        assert "the game is over" == chair.refusal("hint")
    with house(tmp_path) as here, (anna := here.guest()).at(anna.create()) as chair:
        assert "the game has not begun" == chair.refusal("hint")


def test_no_hint_where_another_person_sits(here: House) -> None:
    with two_players(here) as (table, anna, ben):
        assert [OTHERS, OTHERS] == [anna.refusal("hint"), ben.refusal("hint")]
        here.service.rooms[table].table.seats[1].stand_in = "greedy"
        assert OTHERS == anna.refusal("hint"), "Ben may come back"


def test_no_hint_before_the_search_is_ready(here: House) -> None:
    here.service.bots.search_is_warm = False
    with alone(here) as chair:
        assert "the server is starting" == chair.refusal("hint")


def test_one_hint_at_a_time_while_the_table_goes_on(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    with alone(here) as chair:
        hint(chair)
        monkeypatch.setattr(bot_pool, "HINT", Budget(seconds=0.5))
        first, second = chair.post("hint"), chair.post("hint")
        assert "one hint at a time: the one you asked for is on its way" == chair.answer_to(second)["reason"]
        assert "ack" == chair.ask("move", number=1, text="take wug")["type"]
        assert 0 == chair.answer_to(first)["number"]
        assert 2 == hint(chair)["number"]


def test_a_failed_hint_is_refused(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise CabochonError("no net, no search")

    monkeypatch.setattr(bot_pool, "advise", fail)
    with alone(here) as chair:
        assert "the server could not do this" == chair.refusal("hint")
        assert {} == here.service.hints


@pytest.mark.slow
def test_a_hint_and_a_bot_share_a_worker() -> None:
    async def think() -> None:
        shared = bot_pool.BotPool(Settings(bot_workers=1, bot_seconds=1.0, bot_deadline=300.0), lambda done, total: None)
        await shared.warm()
        game = Game("marvel", 3, seed=7, start=0)
        started = time.monotonic()
        move, found = await asyncio.gather(shared.choose("master", game.view(0), 5), shared.advise(game.view(0), 5))
        assert time.monotonic() - started < 2, "neither waits for the whole thought of the other"
        assert game.why_not(move.text) is None and game.why_not(found.best) is None
        assert 0 == shared.replaced
        await shared.stop()

    run(think())
