"""Hidden cards cannot leak: games that differ only in what a viewer cannot know send it the same bytes, message by message."""

import itertools
import random
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cabochon import VARIANTS, CabochonError, Game, Position, View, sample
from cabochon.server.app import create_app
from cabochon.server.settings import Settings, Sources
from cabochon.view import position, view
from tests.server.process import Guest, run, running
from tests.support.postgres import own_database

GAMES = 24
MOST_MOVES = 60
SETTINGS = {"bot_workers": 0, "bot_delay": 0.0, "requests_per_second": 10_000.0, "tables_per_minute": 10_000.0}


def game_so_far(variant: str, players: int, seed: int, open_reserves: bool) -> Game:
    """A random game that likes to reserve unseen cards."""
    game, rng = Game(variant, players, seed=seed, start=0, open_reserves=open_reserves), random.Random(seed)
    for _ in range(rng.randint(10, MOST_MOVES)):
        if game.is_over:
            break
        moves = [str(move) for move in game.legal_moves()]
        blind = [move for move in moves if move.endswith("?")]
        game.play(rng.choice(blind if blind and rng.random() < 0.3 else moves))
    return game


def first_deal(game: Game, full: Position) -> Position:
    """The deal from which the same draws lead to this full position."""
    first = game.beginning().position()
    now = game.position()
    reserves = [zip(old.reserve, new.reserve, strict=True) for old, new in zip(now.seats, full.seats, strict=True)]
    swapped = {old.card: new.card for pairs in reserves for old, new in pairs}
    decks = []
    for tier, deck in enumerate(first.decks):
        drawn = len(deck) - len(now.decks[tier])
        decks.append((*(swapped.get(card, card) or card for card in deck[:drawn]), *full.decks[tier]))
    return Position(**{name: getattr(first, name) for name in View.__slots__}, decks=tuple(decks))


def other_game(game: Game, viewer: int | None, seed: int) -> Game | None:
    """The same moves from a deal that differs only in what the viewer cannot know; None if they are not possible there.

    A card that lay face up before it was reserved has been seen, also where reserves are not shown.
    """
    remembered = game.states.copy()
    remembered["open_reserves"] = True
    full = position(sample(view(remembered[0], viewer), np.random.default_rng(seed))[0])
    full = replace(full, rules=game.rules)
    other = Game.from_position(first_deal(game, full))
    try:
        other.play_all(game.moves)
    except CabochonError:
        return None
    assert other.position() == full
    return other


def fixed_sources(deal: Game, node: str = "") -> Sources:
    """Time and chance that are the same every time; the deal is the one given."""
    names = itertools.count()

    def named(prefix: str) -> Callable[[], str]:
        return lambda: f"{node}{prefix}{next(names)}"

    return Sources(
        clock=lambda: 1_000_000.0,
        secret=lambda: "00" * 32,
        table_id=named("table"),
        token=named("token"),
        user_id=named("user"),
        bot_seed=lambda: 1,
        deal=lambda _options, _inputs: deal.copy(),
    )


async def everything_sent(url: str, viewer: int | None, game: Game) -> list[str]:
    """Everything a viewer is sent while a game is played at a table, from the first view on."""
    async with AsyncExitStack() as stack:
        guests = [await stack.enter_async_context(Guest(url, f"Guest {i}")) for i in range(game.players + 1)]
        house = {"open_reserves": game.rules.open_reserves}
        table = await guests[0].create(variant=game.variant, players=game.players, house=house, takeback="never")
        chairs = [await stack.enter_async_context(guest.at(table)) for guest in guests]
        for seat in range(1, game.players):
            assert "ack" == (await chairs[seat].ask(type="sit", seat=seat, name=f"Guest {seat}"))["type"]
        assert "ack" == (await chairs[0].ask(type="start"))["type"]
        for chair in chairs:
            while chair.state["view"] is None:
                await chair.next_state()
        watched, watcher = chairs[-1 if viewer is None else viewer], guests[-1 if viewer is None else viewer]
        for number, (seat, text) in enumerate(decisions(game), 1):
            assert "ack" == (await chairs[seat].play(text))["type"]
            for chair in chairs:
                while chair.state["number"] < number:
                    await chair.next_state()
        pages = [f"/api/tables/{table}/replay", f"/api/tables/{table}", "/api/tables"]
        states = [text for text in watched.received if '"view":{' in text]
        return states + [(await watcher.http.get(page)).text for page in pages]


def sent_to(viewer: int | None, game: Game, folder: Path) -> list[str]:
    """The same, at a server of its own."""
    folder.mkdir()
    settings = Settings(database=own_database(folder / "tables.db"), **SETTINGS)  # type: ignore[arg-type]
    with running(create_app(settings, fixed_sources(game.beginning()))) as url:
        return run(everything_sent(url, viewer, game))


def decisions(game: Game) -> list[tuple[int, str]]:
    """Who decided what."""
    again, said = game.beginning(), []
    for move in game.moves:
        said.append((again.turn, str(move)))
        again.play(move)
    return said


def alike_for_one(seed: int) -> tuple[Game, Game, int | None]:
    """Two games that differ only in what one viewer cannot see, and that viewer."""
    rng = random.Random(seed)
    variant, players = rng.choice(list(VARIANTS)), rng.choice([2, 2, 3])
    game = game_so_far(variant, players, seed, open_reserves=seed % 4 != 0)
    viewer = rng.choice([None, *range(players)])
    other = next(found for k in range(50) if (found := other_game(game, viewer, k)))
    assert game.states.tobytes() != other.states.tobytes()
    return game, other, viewer


def compare(game: Game, first: list[str], second: list[str]) -> None:
    """Both were sent the same, to the byte, and all of the game."""
    assert len(first) > len(game.moves)
    for message, (one, two) in enumerate(zip(first, second, strict=True)):
        assert one == two, f"message {message}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(GAMES))
def test_hidden_cards_do_not_change_a_byte(seed: int, tmp_path: Path) -> None:
    game, other, viewer = alike_for_one(seed)
    first, second = sent_to(viewer, game, tmp_path / "a"), sent_to(viewer, other, tmp_path / "b")
    compare(game, first, second)


@pytest.mark.slow
def test_the_comparison_can_fail(tmp_path: Path) -> None:
    """The owner of a blind card does see the difference."""
    game = Game("classic", seed=1, start=0, moves="reserve 3?; take wug")
    other = next(found for k in range(50) if (found := other_game(game, 1, k)) and found.view(0) != game.view(0))
    assert sent_to(1, game, tmp_path / "a") == sent_to(1, other, tmp_path / "b")
    assert sent_to(0, game, tmp_path / "c") != sent_to(0, other, tmp_path / "d")
