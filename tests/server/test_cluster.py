"""Several nodes on one PostgreSQL: each table is the same at all of them, whatever is lost between them."""

import asyncio
import secrets
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from websockets import ConnectionClosed

from cabochon import CabochonError
from cabochon.bots import Budget
from cabochon.server import bot_pool
from cabochon.server.app import create_app
from cabochon.server.commitment import seal_of
from cabochon.server.connection import TOO_MANY
from cabochon.server.nodes import Conflict
from cabochon.server.repository import Repository
from cabochon.server.room import Room
from cabochon.server.service import Service
from cabochon.server.settings import Settings
from tests.server.process import UNLIMITED, Chair, Guest, run, running
from tests.support.postgres import Postgres
from tests.support.push_service import PushService, push_service
from tests.support.valkey import Valkey

QUICK: dict[str, Any] = {**UNLIMITED, "bot_delay": 0.0, "commit_window": 0.0, "tick_seconds": 0.05}
NONCES = ["a" * 64, "b" * 64]


@pytest.fixture(scope="module")
def pushes() -> Iterator[PushService]:
    with push_service() as service:
        yield service


@pytest.fixture(scope="module")
def settings(postgres: Postgres, valkey: Valkey, pushes: PushService) -> Iterator[Settings]:
    with postgres.database() as url:
        yield Settings(database=url, broker=valkey.url, push_services=(pushes.origin,), push_delay=0.0, **QUICK)


@pytest.fixture(scope="module")
def apps(settings: Settings) -> list[Any]:
    return [create_app(settings) for _ in range(2)]


@pytest.fixture(scope="module")
def nodes(apps: list[Any]) -> Iterator[list[str]]:
    with ExitStack() as stack:
        yield [stack.enter_context(running(app)) for app in apps]


@pytest.fixture
def services(apps: list[Any], nodes: list[str]) -> list[Service]:
    """What is inside the nodes."""
    assert nodes
    return [app.state.service for app in apps]


async def until(chair: Chair, is_so: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    """The first state of which something is so."""
    while not is_so(chair.state):
        await chair.next_state()
    return chair.state


async def done(chair: Chair, **message: Any) -> None:
    answer = await chair.ask(**message)
    assert "ack" == answer["type"], answer


@asynccontextmanager
async def two_at(nodes: list[str], **options: Any) -> AsyncIterator[tuple[str, Chair, Chair, Guest, Guest]]:
    """Anna at one node, Ben at the other, and a running game between them that Anna begins."""
    async with Guest(nodes[0], "Anna") as anna, Guest(nodes[1], "Ben") as ben:
        table = await anna.create(**{"variant": "classic", "players": 2, "start": "host", **options})
        async with anna.at(table) as first, ben.at(table) as second:
            await done(second, type="sit", seat=1, name="Ben")
            await until(first, lambda state: state["table"]["seats"][1]["connected"])
            await done(first, type="start")
            await until(first, lambda state: state["view"])
            await until(second, lambda state: state["view"])
            yield table, first, second, anna, ben


def at_node(guest: Guest, url: str) -> Guest:
    """The same guest at another node."""
    other = Guest(url, guest.name)
    other.http.cookies = guest.http.cookies
    return other


def test_two_nodes_serve_one_table(nodes: list[str]) -> None:
    async def play() -> None:
        async with two_at(nodes) as (table, first, second, _, ben):
            for number, (mover, other) in enumerate([(first, second), (second, first)] * 2, 1):
                await until(mover, lambda state: state["choices"])
                await done(mover, type="move", number=number, text=mover.state["choices"]["legal"][0])
                for chair in (mover, other):
                    while chair.state["number"] < number:
                        await chair.next_state()
            assert first.entries == second.entries and 4 == len(first.entries)
            await done(first, type="chat", text="hello")
            while (message := await second.receive())["type"] != "chat":
                pass
            assert "hello" == message["lines"][-1]["text"]
            replay = (await ben.http.get(f"/api/tables/{table}/replay?seat=1")).json()
            assert [entry["number"] for entry in replay["entries"]] == [1, 2, 3, 4]

    run(play())


def test_a_move_that_two_nodes_try_at_once_is_stored_once(nodes: list[str]) -> None:
    async def play() -> None:
        async with two_at(nodes) as (table, first, _, anna, _), at_node(anna, nodes[1]).at(table) as again:
            await until(again, lambda state: state["choices"])
            one, other = again.state["choices"]["legal"][:2]
            answers = await asyncio.gather(
                first.ask(type="move", number=1, text=one), again.ask(type="move", number=1, text=other)
            )
            assert ["ack", "refused"] == sorted(answer["type"] for answer in answers)
            (refused,) = (answer for answer in answers if answer["type"] == "refused")
            assert ("gone_on", {"number": 1}) == (refused["code"], refused["facts"])
            stored = one if answers[0]["type"] == "ack" else other
            for chair in (first, again):
                await until(chair, lambda state: state["number"] == 1)
                assert [stored] == [entry["text"] for entry in chair.entries]
                assert "ack" == (await chair.ask(type="move", number=1, text=stored))["type"], "sent again it is acknowledged"

    run(play())


def test_what_is_done_is_not_done_again_where_the_room_could_not_be_shared(
    nodes: list[str], services: list[Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = services[0].cluster
    assert cluster is not None
    share, conflicts = cluster.share, [Conflict("somebody came meanwhile")]

    async def late(room: Room) -> None:
        if room.table.status == "running" and conflicts:
            raise conflicts.pop()
        await share(room)

    monkeypatch.setattr(cluster, "share", late)

    async def play() -> None:
        async with two_at(nodes) as (_, first, _, _, _):
            assert [] == conflicts
            await done(first, type="move", number=1, text="take wug")

    run(play())


def test_a_question_is_answered_at_another_node(nodes: list[str]) -> None:
    async def play() -> None:
        async with two_at(nodes, takeback="consent", clock={"kind": "total", "seconds": 600}) as (_, first, second, _, _):
            for chair in (first, second):
                await until(chair, lambda state: state["choices"])
                await chair.play(chair.state["choices"]["legal"][0])
            await until(first, lambda state: state["number"] == 2)
            await done(first, type="undo")
            state = await until(second, lambda state: state["asks"])
            assert ("takeback", 0, [1]) == (state["asks"][0]["what"], state["asks"][0]["by"], state["asks"][0]["waiting_for"])
            await done(second, type="answer", ask=state["asks"][0]["ask"], yes=True)
            state = await until(first, lambda state: state["number"] == 4)
            assert [] == state["asks"] and ["undo", "undo"] == [entry["kind"] for entry in first.entries[-2:]]
            left = [(await until(chair, lambda state: state["number"] == 4))["clock"]["left"] for chair in (first, second)]
            assert all(abs(one - other) < 1 for one, other in zip(*left, strict=True))

    run(play())


def test_who_is_here_is_known_at_all_nodes(nodes: list[str]) -> None:
    async def play() -> None:
        async with two_at(nodes) as (table, first, second, _, _):
            async with Guest(nodes[1], "Carl") as carl, carl.at(table):
                await until(first, lambda state: state["table"]["watchers"] == 1)
            await until(first, lambda state: state["table"]["watchers"] == 0)
            await second.connection.close()
            state = await until(first, lambda state: not state["table"]["seats"][1]["connected"])
            assert state["away"][1] is not None

    run(play())


def test_who_is_at_a_node_that_beats_again_is_here_again(
    nodes: list[str], services: list[Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster, other = (service.cluster for service in services)
    assert cluster is not None and other is not None
    beat, silent = cluster._beat, other.node

    def without_the_other() -> Any:
        found, live, *times = beat()
        return found, live - {silent}, *times

    async def play() -> None:
        async with two_at(nodes) as (_, first, _, _, _):
            await until(first, lambda state: state["table"]["seats"][1]["connected"])
            monkeypatch.setattr(cluster, "_beat", without_the_other)
            await until(first, lambda state: not state["table"]["seats"][1]["connected"])
            monkeypatch.setattr(cluster, "_beat", beat)
            await until(first, lambda state: state["table"]["seats"][1]["connected"])

    run(play())


def test_a_deal_with_seals_at_two_nodes(nodes: list[str]) -> None:
    async def play() -> None:
        async with Guest(nodes[0], "Anna") as anna, Guest(nodes[1], "Ben") as ben:
            table = await anna.create(variant="marvel", players=2)
            async with anna.at(table) as first, ben.at(table) as second:
                await done(second, type="sit", seat=1, name="Ben")
                for seat, chair in enumerate((first, second)):
                    await done(chair, type="seal", seal=seal_of(table, seat, NONCES[seat]))
                await until(first, lambda state: all(state["table"]["deal"]["seals"]))
                await done(first, type="start")
                for seat, chair in enumerate((first, second)):
                    await until(chair, lambda state: state["table"]["deal"]["phase"] == "opening")
                    await done(chair, type="nonce", nonce=NONCES[seat])
                for chair in (first, second):
                    state = await until(chair, lambda state: state["view"])
                    assert NONCES == state["table"]["deal"]["nonces"]
                assert first.state["view"]["market"] == second.state["view"]["market"]

    run(play())


def test_nothing_but_speed_is_lost_with_the_broker(nodes: list[str], valkey: Valkey) -> None:
    async def play() -> None:
        async with two_at(nodes) as (_, first, second, _, _):
            await asyncio.to_thread(valkey.kill)
            try:
                for chair in (first, second, first, second):
                    await until(chair, lambda state: state["choices"])
                    await chair.play(chair.state["choices"]["legal"][0])
            finally:
                await asyncio.to_thread(valkey.start)
            await until(first, lambda state: state["number"] >= 4)

    run(play())


# limits


async def is_let_in(guest: Guest, table: str, stack: AsyncExitStack) -> bool:
    """Whether one more socket comes in; it stays until the stack ends."""
    try:
        await stack.enter_async_context(guest.at(table))
    except ConnectionClosed as closed:
        assert closed.rcvd is not None and TOO_MANY == closed.rcvd.code
        return False
    return True


async def nobody_else(services: list[Service]) -> None:
    """Until the sockets of earlier tests are forgotten."""
    while any(service.sockets.open or service.cluster.sockets.untold for service in services if service.cluster):
        await asyncio.sleep(0.05)


def test_sockets_of_an_address_are_counted_at_all_nodes(
    nodes: list[str], services: list[Service], valkey: Valkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    for service in services:
        monkeypatch.setattr(service.sockets, "most", {False: 2, True: 2})

    async def play() -> None:
        await nobody_else(services)
        async with AsyncExitStack() as stack, AsyncExitStack() as first:
            here, there = [await stack.enter_async_context(Guest(url, "Carl")) for url in nodes]
            async with Guest(nodes[0], "Anna") as anna:
                table = await anna.create(variant="classic", players=2, bots=["greedy"])
            assert await is_let_in(here, table, first) and await is_let_in(there, table, stack)
            assert not await is_let_in(there, table, stack) and not await is_let_in(here, table, stack)
            await first.aclose()
            while not await is_let_in(there, table, stack):  # that it has gone is told soon
                await asyncio.sleep(0.1)
            assert not await is_let_in(here, table, stack)
            await asyncio.to_thread(valkey.kill)
            try:
                assert await is_let_in(here, table, stack) and await is_let_in(here, table, stack), "its own limit counts"
                assert not await is_let_in(here, table, stack)
            finally:
                await asyncio.to_thread(valkey.start)

    run(play())


def test_waiting_tables_of_an_address_are_counted_at_all_nodes(
    nodes: list[str], services: list[Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        options = {"variant": "classic", "players": 2, "watch": "anybody"}
        async with Guest(nodes[0], "Anna") as anna, Guest(nodes[1], "Ben") as ben:
            limits: dict[str, Any] = {"max_waiting_tables_per_address": 2, "max_listed_per_address": 1}
            for service in services:
                await until_up(service)
                monkeypatch.setattr(service, "settings", replace(service.settings, **limits))
            first, second = await anna.create(**options), await ben.create(**options)
            for guest in (anna, ben):
                refused = await guest.http.post("/api/tables", json=options)
                assert (409, "too_many_waiting_there") == (refused.status_code, refused.json()["code"])
                assert [second] == [table["id"] for table in (await guest.http.get("/api/tables")).json()["open"]]
            async with at_node(anna, nodes[1]).at(first) as host, ben.at(first) as other:
                await done(other, type="sit", seat=1, name="Ben")
                await done(host, type="start")
            await anna.create(**options)

    run(play())


async def until_up(service: Service) -> None:
    while service.cluster is None or not service.cluster.broker.is_up:
        await asyncio.sleep(0.05)


# what nodes do for somebody at another one


def test_a_guest_is_advised_once_at_a_time_at_whatever_node(
    nodes: list[str], services: list[Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    thinking, go_on = threading.Event(), threading.Event()
    advise = services[0].bots.advise

    async def slowly(view: Any, seed: int) -> Any:
        thinking.set()
        await asyncio.to_thread(go_on.wait)
        return await advise(view, seed)

    monkeypatch.setattr(services[0].bots, "advise", slowly)
    monkeypatch.setattr(bot_pool, "HINT", Budget(nodes=128))

    async def play() -> None:
        for service in services:
            await until_up(service)
            while not service.bots.search_is_warm:
                await asyncio.sleep(0.05)
        async with Guest(nodes[0], "Anna") as anna:
            table = await anna.create(variant="classic", players=2, bots=["greedy"], start="host")
            async with anna.at(table) as first, at_node(anna, nodes[1]).at(table) as again:
                await first.send(id=1, type="hint")
                await asyncio.to_thread(thinking.wait)
                await again.send(id=1, type="hint")
                refused = await of_type(again, "refused")
                go_on.set()
                found = await of_type(first, "hint")
                assert ("hint_coming", 0) == (refused["code"], found["number"]) and found["moves"]
                await again.send(id=2, type="hint")
                assert (await of_type(again, "hint"))["moves"], "the other node thinks too"

    run(play())


async def of_type(chair: Chair, wanted: str) -> dict[str, Any]:
    while (message := await chair.receive())["type"] != wanted:
        pass
    return message


def test_one_node_notifies_whoever_is_away(nodes: list[str], services: list[Service], pushes: PushService) -> None:
    async def play() -> None:
        async with two_at(nodes) as (table, first, second, _, ben), Guest(nodes[1], "Carl") as carl, carl.at(table) as watcher:
            phone = pushes.browser("phone")
            answer = await ben.http.put("/api/push", json=phone.out())
            assert answer.is_success, answer.text
            await second.connection.close()
            await until(first, lambda state: not state["table"]["seats"][1]["connected"])
            await first.play(first.state["choices"]["legal"][0])
            await until(watcher, lambda state: state["number"] == 1)
            posted = await asyncio.to_thread(pushes.next_for, phone)
            assert {"kind": "turn", "table": table, "game": "Splendor", "names": ["Anna"]} == phone.read(posted)
            while any(service.pusher.tasks for service in services):
                await asyncio.sleep(0.02)
            assert 0 == pushes.waiting_for(phone), "once, and not once for each node"

    run(play())


async def to_watch(guest: Guest, table: str) -> list[dict[str, Any]]:
    """This table in the list of games to watch."""
    return [game for game in (await guest.http.get("/api/tables")).json()["watch"] if game["id"] == table]


def test_a_game_at_one_node_can_be_watched_at_another(nodes: list[str]) -> None:
    async def play() -> None:
        async with (
            Guest(nodes[0], "Anna") as anna,
            Guest(nodes[0], "Ben") as ben,
            Guest(nodes[1], "Carl") as carl,
        ):
            table = await anna.create(variant="classic", players=2, watch="anybody", start="host")
            async with anna.at(table) as first, ben.at(table) as second:
                await done(second, type="sit", seat=1, name="Ben")
                await done(first, type="start")
                await until(first, lambda state: state["view"])
                await first.play(first.state["choices"]["legal"][0])
                while not (listed := await to_watch(carl, table)):
                    await asyncio.sleep(0.05)  # who is here is told a moment later
                assert (None, 1) == (listed[0]["seat"], listed[0]["turn"])
            while await to_watch(carl, table):
                await asyncio.sleep(0.05)  # both have gone

    run(play())


def test_a_single_server_and_a_cluster_keep_each_other_out(nodes: list[str], settings: Settings) -> None:
    assert nodes
    with pytest.raises(CabochonError, match="in use by a cluster of servers"):
        create_app(Settings(database=settings.database, **QUICK))


def test_the_form_is_made_once_however_many_nodes_start(postgres_url: str) -> None:
    def start(_: int) -> int | None:
        kept = Repository(postgres_url, is_shared=True)
        kept.open()
        kept.secret_key("guests", secrets.token_urlsafe(8))
        epoch = kept.lease.epoch
        kept.close()
        return epoch

    with ThreadPoolExecutor(6) as threads:
        assert [1] * 6 == list(threads.map(start, range(6)))
    kept = Repository(postgres_url)
    with kept.reading() as connection:
        assert 1 == connection.scalar(sa.text("SELECT count(*) FROM secret_keys"))
    kept.close()


@pytest.mark.sqlite
def test_a_cluster_needs_postgresql(database: str, valkey: Valkey) -> None:
    with pytest.raises(CabochonError, match="several servers need PostgreSQL"):
        create_app(Settings(database=database, broker=valkey.url, **QUICK))


def test_an_address_that_is_none_of_a_broker_is_refused_without_its_password(postgres_url: str) -> None:
    with pytest.raises(CabochonError, match=r"^--broker: .*redis://") as refused:
        create_app(Settings(database=postgres_url, broker="valkey://:open-sesame@games.example.org", **QUICK))
    assert "open-sesame" not in str(refused.value)
