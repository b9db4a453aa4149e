"""Hidden cards cannot leak between nodes either: what a viewer at another node is sent is the same, byte for byte.

The games are those of `tests/server/test_leak.py`. Who comes and goes is told when it is noticed, so for each line the first
state is compared, and all pages after the last.
"""

from contextlib import AsyncExitStack, ExitStack

import pytest

from cabochon import Game
from cabochon.server.app import create_app
from cabochon.server.settings import Settings
from tests.server.process import Guest, run, running
from tests.server.test_leak import SETTINGS, alike_for_one, compare, decisions, fixed_sources, other_game
from tests.support.postgres import Postgres
from tests.support.valkey import Valkey

GAMES = 6


@pytest.fixture(autouse=True)
def nobody_seems_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is: who is connected is told to everybody, and would differ."""
    monkeypatch.setattr("cabochon.server.nodes.DEAD_SECONDS", 3600.0)


async def sent_by(urls: list[str], viewer: int | None, game: Game) -> list[str]:
    """The first state of each line that a viewer is sent at the second node, where nobody else is, and its pages."""
    async with AsyncExitStack() as stack:
        places = [*range(game.players), None]
        guests = [await stack.enter_async_context(Guest(urls[place == viewer], f"Guest {place}")) for place in places]
        house = {"open_reserves": game.rules.open_reserves}
        table = await guests[0].create(variant=game.variant, players=game.players, house=house, takeback="never")
        chairs = [await stack.enter_async_context(guest.at(table)) for guest in guests]
        for seat in range(1, game.players):
            assert "ack" == (await chairs[seat].ask(type="sit", seat=seat, name=f"Guest {seat}"))["type"]
        for chair in chairs:
            while not all(seat["connected"] for seat in chair.state["table"]["seats"]) or chair.state["table"]["watchers"] != 1:
                await chair.next_state()
        assert "ack" == (await chairs[0].ask(type="start"))["type"]
        watched, watcher = chairs[places.index(viewer)], guests[places.index(viewer)]
        for chair in chairs:
            while chair.state["view"] is None:
                await chair.next_state()
        firsts = [watched.received[-1]]
        for number, (seat, text) in enumerate(decisions(game), 1):
            assert "ack" == (await chairs[seat].play(text))["type"]
            for chair in chairs:
                while chair.state["number"] < number:
                    await chair.next_state()
            firsts.append(next(one for one in watched.received if f'"number":{number},"view":' in one))
        pages = [f"/api/tables/{table}/replay", f"/api/tables/{table}"]
        return firsts + [(await watcher.http.get(page)).text for page in pages]


def sent_to(viewer: int | None, game: Game, postgres: Postgres, valkey: Valkey) -> list[str]:
    with ExitStack() as stack:
        url = stack.enter_context(postgres.database())
        urls = []
        for node in range(2):
            sources = fixed_sources(game.beginning(), f"node{node}-")
            app = create_app(Settings(database=url, broker=valkey.url, **SETTINGS), sources)  # type: ignore[arg-type]
            app.state.service.sources.clock = lambda: 1_000_000.0
            urls.append(stack.enter_context(running(app)))
        return run(sent_by(urls, viewer, game))


@pytest.mark.parametrize("seed", range(GAMES))
def test_hidden_cards_do_not_change_a_byte_at_another_node(seed: int, postgres: Postgres, valkey: Valkey) -> None:
    game, other, viewer = alike_for_one(seed)
    first, second = sent_to(viewer, game, postgres, valkey), sent_to(viewer, other, postgres, valkey)
    compare(game, first, second)


def test_the_comparison_of_nodes_can_fail(postgres: Postgres, valkey: Valkey) -> None:
    """The owner of a blind card does see the difference at the other node; the other player does not."""
    game = Game("classic", seed=1, start=0, moves="reserve 3?; take wug")
    other = next(found for k in range(50) if (found := other_game(game, 1, k)) and found.view(0) != game.view(0))
    assert sent_to(1, game, postgres, valkey) == sent_to(1, other, postgres, valkey)
    assert sent_to(0, game, postgres, valkey) != sent_to(0, other, postgres, valkey)
