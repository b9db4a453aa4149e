"""What a client sends can neither learn what is hidden nor harm a table."""

import asyncio
import json
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st
from itsdangerous import URLSafeSerializer
from starlette.websockets import WebSocketDisconnect

from cabochon import Game, Position
from cabochon.server.app import create_app
from cabochon.server.identity import COOKIE
from cabochon.server.messages import TableOptions
from cabochon.server.rate_limit import MAX_MESSAGE_BYTES, Bucket, Buckets
from cabochon.server.socket_reader import Malformed, parse_message
from tests.server.process import running
from tests.server.test_handlers import closing
from tests.support.serving import Chair, Clock, Guest, House, fixed_sources, house, settings, two_players

pytestmark = pytest.mark.slow


@pytest.fixture
def here(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as running:
        yield running


# Cookies and origins


def test_a_forged_cookie_holds_no_seat(here: House) -> None:
    anna = here.guest()
    table = anna.create(bots=["greedy"])
    user = json.loads(anna_user(anna))
    forged = [
        f"{COOKIE}={URLSafeSerializer('guessed', salt='guest').dumps(user)}",
        f"{COOKIE}={anna.cookie.split('=', 1)[1][:-2]}xx",
        f"{COOKIE}=nonsense",
        f"{COOKIE}={'x' * 3000}",
    ]
    for cookie in forged:
        with Guest(here, cookie).at(table) as chair:
            assert None is chair.receive()["view"]["seat"]
            assert "you are watching" in chair.refusal("move", number=1, text="take wug")
        assert 403 == Guest(here, cookie).get(f"/api/tables/{table}/link").status_code


def anna_user(guest: Guest) -> str:
    import base64

    payload = guest.cookie.split("=", 1)[1].split(".")[0]
    return base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode()


@pytest.mark.parametrize(
    "origin, allowed",
    [
        ("http://testserver", True),
        ("https://testserver", True),
        ("http://friend.example", True),
        ("http://evil.example", False),
        ("http://testserver.evil.example", False),
        ("null", False),
        ("http://[", False),
    ],
)
def test_other_sites_are_refused(tmp_path: Path, origin: str, allowed: bool) -> None:
    with house(tmp_path, origins=("http://friend.example/",)) as here:
        guest = here.guest()
        answer = guest.request("POST", "/api/tables", json={}, headers={"origin": origin})
        assert (200 if allowed else 403) == answer.status_code
        table = guest.create()
        if allowed:
            with guest.at(table, origin=origin) as chair:
                assert "state" == chair.receive()["type"]
        else:
            with pytest.raises(WebSocketDisconnect), guest.at(table, origin=origin):
                pass


# Sizes, nonsense, rates


def test_too_large_a_message_ends_the_socket_and_not_the_table(here: House) -> None:
    with two_players(here) as (_, anna, ben):
        ben.socket.send_text(json.dumps({"type": "ping", "x": "x" * MAX_MESSAGE_BYTES}))
        assert 1009 == closing(ben)[0]
        anna.play()


def test_too_large_a_body_is_refused(here: House) -> None:
    guest = here.guest()
    assert 413 == guest.put("/api/me", json={"name": "x" * MAX_MESSAGE_BYTES}).status_code
    parts = (b'{"name": "' + b"x" * 1000 for _ in range(6))
    assert 413 == guest.put("/api/me", content=parts, headers={"content-type": "application/json"}).status_code


NONSENSE = [
    "",
    "{",
    "[]",
    "null",
    '"move"',
    "{}",
    '{"type": "castle", "id": 1}',
    '{"type": "move", "id": 1}',
    '{"type": "move", "id": -1, "number": 1, "text": "pass"}',
    '{"type": "move", "id": 1, "number": 1e400, "text": "pass"}',
    '{"type": "move", "id": 1, "number": 1, "text": 5}',
    '{"type": "move", "id": 1, "number": 1, "text": "pass", "seat": 0}',
    '{"type": "sit", "id": 1, "seat": 9, "name": "x"}',
    '{"type": "sit", "id": 1, "seat": 0, "name": "\\ud800"}',
    "[" * 2000,
]


@pytest.mark.parametrize("text", NONSENSE)
def test_nonsense_is_refused_in_a_sentence(here: House, text: str) -> None:
    with two_players(here) as (_, anna, ben):
        ben.socket.send_text(text)
        answer = ben.receive()
        while answer["type"] == "state":
            answer = ben.receive()
        assert "refused" == answer["type"] and answer["reason"]
        assert (1 if '"id": 1' in text else None) == answer["id"]
        anna.play()


def test_bytes_are_read_as_text(here: House) -> None:
    with two_players(here) as (_, anna, _ben):
        anna.socket.send_bytes(b'{"type": "ping"}')
        while anna.receive()["type"] != "pong":
            pass
        anna.socket.send_bytes(b"\xff\xfe")
        assert "refused" == anna.receive()["type"]


def test_whoever_sends_too_much_nonsense_is_shown_out(here: House) -> None:
    with two_players(here) as (_, anna, ben):
        for _ in range(20):
            ben.socket.send_text("?")
        assert (4400, "too many messages that could not be understood") == closing(ben)
        anna.play()


def test_too_many_messages_are_refused(tmp_path: Path) -> None:
    with house(tmp_path, requests_per_second=2, max_bad=3) as here:
        guest = here.guest()
        with guest.at(guest.create()) as chair:
            for _ in range(40):
                chair.socket.send_text('{"type": "ping"}')
            assert (4400, "too many messages that could not be understood") == closing(chair)


def test_too_many_tables_from_one_address(tmp_path: Path) -> None:
    with house(tmp_path, tables_per_minute=3) as here:
        guest = here.guest()
        statuses = [guest.request("POST", "/api/tables", json={}).status_code for _ in range(5)]
        assert [200, 200, 200, 429, 429] == statuses


def test_buckets() -> None:
    bucket = Bucket(per_second=2, burst=3, now=0)
    assert [True, True, True, False] == [bucket.take(0) for _ in range(4)]
    assert [True, False] == [bucket.take(0.5) for _ in range(2)]
    buckets = Buckets(1, 1)
    assert [True, False, True] == [buckets.take(address, 0) for address in ("a", "a", "b")]


def test_a_request_that_outlasts_the_server_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.run.SHUTDOWN_SECONDS", 0)
    app, has_come = create_app(settings(tmp_path)), threading.Event()

    async def never(_table: str) -> None:
        has_come.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(app.state.service, "room", never)
    with ThreadPoolExecutor() as pool:
        with running(app) as url:
            answer = pool.submit(httpx.get, f"{url}/api/tables/any", timeout=60)
            assert has_come.wait(60)
        assert (503, "stopping") == (answer.result().status_code, answer.result().json()["code"])


def test_no_such_table(here: House) -> None:
    with here.guest().at("nowhere") as chair:
        assert (4404, "there is no such table") == closing(chair)
    assert 404 == here.guest().get("/api/tables/nowhere").status_code


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
BEFORE_THE_GAME = ["sit", "leave", "kick", "swap", "set_options", "set_bot", "start", "seal", "nonce"]
AT_THE_TABLE = ["move", "why_not", "undo", "replace", "answer", "withdraw", "resign", "back", "chat", "react"]
kinds = st.sampled_from([*AT_THE_TABLE, *BEFORE_THE_GAME, "rematch", "ping"])
fields = st.fixed_dictionaries(
    {"type": kinds | st.text(max_size=5)},
    optional={
        "id": st.integers(-2, 1 << 32) | json_values,
        "number": st.integers(-2, 30) | json_values,
        "text": st.sampled_from(["take wug", "reserve 3?", "buy @1", "pass", "return w"]) | json_values,
        "seat": st.integers(-1, 4) | json_values,
        "name": st.text(max_size=30) | json_values,
        "other": st.integers(-1, 4) | json_values,
        "options": st.fixed_dictionaries({"takeback": st.sampled_from(["free", "never", "often"])}) | json_values,
        "reaction": st.sampled_from(["hello", "yawn"]) | json_values,
        "agree": st.booleans() | json_values,
        "bot": st.sampled_from(["greedy", "deep"]) | json_values,
        "ask": st.integers() | json_values,
        "seal": st.text("0123456789abcdef", min_size=64, max_size=64) | json_values,
        "nonce": st.text("0123456789abcdef", min_size=64, max_size=64) | json_values,
        "yes": st.booleans() | json_values,
    },
)


@given(text=st.text(max_size=60) | json_values.map(json.dumps) | fields.map(json.dumps))
@effort(max_examples=300, deadline=None)
def test_every_text_is_a_message_or_malformed(text: str) -> None:
    try:
        parse_message(text)
    except Malformed as wrong:
        assert str(wrong)


@given(texts=st.lists(fields.map(json.dumps), min_size=20, max_size=20))
@effort(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_requests_leave_the_table_unharmed(crowded: tuple[House, str, Guest], texts: list[str]) -> None:
    here, table, guest = crowded
    with guest.at(table) as chair, here.guest().at(table) as stranger:
        for text in texts:
            if len(text.encode()) <= MAX_MESSAGE_BYTES:
                chair.socket.send_text(text)
                stranger.socket.send_text(text)
        for each in (chair, stranger):
            each.catch_up()
            assert table == each.state["table"]["id"]


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, str, Guest]]:
    with house(tmp_path_factory.mktemp("crowded"), max_bad=1000) as here:
        guest = here.guest()
        yield here, guest.create(players=3, bots=["greedy"]), guest


# Secrets


def shuffled_below(game: Game, keep: int, seed: int) -> Game:
    """The same table with other cards in the decks, below so many."""
    position = game.position()
    decks = []
    for deck in position.decks:
        rest = list(deck[keep:])
        random.Random(seed).shuffle(rest)
        decks.append((*deck[:keep], *rest))
    return Game.from_position(replace(position, decks=tuple(decks)))


def blind_swapped(game: Game) -> Game:
    """The same table with another card on top of deck 3."""
    position = game.position()
    decks = list(position.decks)
    decks[2] = (decks[2][5], *decks[2][1:5], decks[2][0], *decks[2][6:])
    return Game.from_position(replace(position, decks=tuple(decks)))


def received(folder: Path, dealt: Game, moves: list[str]) -> list[list[bytes]]:
    """What seat 0, seat 1 and a spectator are sent while these moves are played."""
    sources = fixed_sources(Clock())
    sources.deal = lambda _options, _inputs: dealt.copy()
    sources.secret, sources.table_id = (lambda: "00" * 32), (lambda: "table")
    chairs: list[Chair] = []
    with house(folder, sources) as here, two_players(here) as (table, anna, ben), here.guest().at(table) as watcher:
        chairs = [anna, ben, watcher]
        for chair in chairs:
            chair.until(lambda state: state["table"]["watchers"] == 1)
            chair.raw.clear()
        for number, text in enumerate(moves):
            seat = chairs[number % 2]
            seat.done("move", number=number + 1, text=text)
            for chair in chairs:
                chair.catch_up()
        return [list(chair.raw) for chair in chairs]


MOVES = ["take wug", "reserve 3?", "reserve 3?", "take rr", "reserve 1a", "take wuk", "take wgr"]


def test_games_that_differ_in_unseen_cards_look_the_same(tmp_path: Path) -> None:
    dealt = Game("classic", 2, seed=7, start=0)
    other = shuffled_below(dealt, keep=3, seed=4)
    assert isinstance(dealt.position(), Position) and dealt.position() != other.position()
    first, second = (received(tmp_path / name, game, MOVES) for name, game in (("a", dealt), ("b", other)))
    assert first == second


def test_a_blind_card_is_known_to_its_seat_alone(tmp_path: Path) -> None:
    dealt = Game("classic", 2, seed=7, start=0)
    anna, ben, watcher = received(tmp_path / "a", dealt, ["take wug", "reserve 3?", "take rr"])
    anna_too, ben_too, watcher_too = received(tmp_path / "b", blind_swapped(dealt), ["take wug", "reserve 3?", "take rr"])
    assert anna == anna_too and watcher == watcher_too
    assert ben != ben_too and [len(text) for text in ben] == [len(text) for text in ben_too]


def test_nothing_of_the_deal_is_sent_before_the_end(here: House) -> None:
    with two_players(here) as (table, anna, ben):
        anna.play("reserve 3?")
        ben.catch_up()
        hidden = here.service.rooms[table].table
        sent: Any = b"".join([*ben.raw, here.guest().get(f"/api/tables/{table}").content])
        assert hidden.origin.secret and hidden.origin.secret.encode() not in sent and b'"reveal":null' in sent
        assert TableOptions.model_validate(anna.state["table"]["options"])
