"""What is said at a table: who reads it, what is refused, and that it is stored with the game."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from cabochon.server import chat as chat_module
from cabochon.server import expiry, repository
from cabochon.server.chat import PLACES, Chat, ChatLine, author_of, clean_line
from cabochon.server.errors import Refused
from cabochon.server.rate_limit import Buckets
from tests.support.postgres import every_database
from tests.support.serving import Chair, Guest, House, house, two_players


@pytest.fixture
def here(tmp_path: Path, database: str) -> Iterator[House]:
    with house(tmp_path, database=database) as running:
        yield running


def texts(chair: Chair, room: str = "table") -> list[str]:
    """What a chair has been sent of a room."""
    chair.catch_up()
    return [line["text"] for line in chair.chat if line["room"] == room]


@every_database
def test_what_is_said_reaches_everybody_and_is_stored(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database) as here:
        anna, ben = here.guest("Anna"), here.guest("Ben")
        table = anna.create()
        with anna.at(table) as first, ben.at(table) as second:
            second.done("chat", text="may I sit?")
            second.done("sit", seat=1, name="Ben")
            first.done("start")
            first.until(lambda state: state["view"])
            first.done("chat", text="  <b>good</b>\n  luck ")
            second.done("react", reaction="hello")
            said = ["may I sit?", "<b>good</b> luck", "hello"]
            assert said == texts(first) == texts(second)
            fields = [(line["seat"], line["name"], line["kind"], line["number"]) for line in first.chat]
            assert [(None, "Ben", "text", 1), (0, "Anna", "text", 2), (1, "Ben", "reaction", 3)] == fields
            assert 0 == first.state["number"], "it is no line of the log"
            authors = [line["author"] for line in first.chat]
            assert authors[0] == authors[2] != authors[1]
    with house(tmp_path, database=database) as again, Guest(again, anna.cookie).at(table) as first:
        assert said == texts(first)
        assert authors == [line["author"] for line in first.chat]


@every_database
def test_players_do_not_hear_the_spectators_before_the_end(here: House) -> None:
    """Not a line, not a number, not that anything is said: what they are sent is the same as if nothing was."""
    with two_players(here, watch="link", start="host") as (table, anna, ben), ExitStack() as stack:
        eve, fay = (stack.enter_context(here.guest(name).at(table)) for name in ("Eve", "Fay"))
        for chair in (anna, ben, eve, fay):
            chair.until(lambda state: state["table"]["watchers"] == 2)
        before = [list(chair.raw) for chair in (anna, ben)]
        eve.done("chat", text="seat 0 should take the ruby")
        fay.done("react", reaction="wow")
        for chair, sent in zip((anna, ben), before, strict=True):
            chair.catch_up()
            assert [b'{"type":"pong"}'] == chair.raw[len(sent) :]
        assert ["seat 0 should take the ruby", "wow"] == texts(eve, "watch") == texts(fay, "watch")
        anna.done("chat", text="hm")
        assert ["hm"] == texts(ben) == texts(eve) and 1 == ben.chat[0]["number"], "the players' lines are counted by themselves"
        with Guest(here, cookie_of(here, table, 1)).at(table, heard="&watch=0") as phone:
            assert ["hm"] == texts(phone) and [] == texts(phone, "watch"), "nor when they come anew"
        anna.done("resign")
        for chair in (anna, ben):
            chair.until(lambda state: state["outcome"])
            assert ["seat 0 should take the ruby", "wow"] == texts(chair, "watch")
        eve.done("chat", text="good game")
        assert ["hm", "good game"] == texts(anna), "after the end there is one room"


def cookie_of(here: House, table: str, seat: int) -> str:
    """The cookie of whoever holds a seat."""
    user = next(user for user, held in here.service.rooms[table].table.holders.items() if held == seat)
    return f"cabochon_guest={here.service.guests.signer.dumps(user)}"


def test_a_second_browser_of_a_player_is_a_player(here: House) -> None:
    with two_players(here, start="host") as (table, _anna, ben), Guest(here, cookie_of(here, table, 0)).at(table) as phone:
        phone.done("chat", text="from my phone")
        assert ["from my phone"] == texts(ben) and 0 == ben.chat[0]["seat"]


def test_nothing_is_said_to_those_who_may_not_watch(here: House) -> None:
    anna, eve = here.guest(), here.guest()
    table = anna.create(watch="nobody")
    with anna.at(table) as chair, eve.at(table) as watcher:
        chair.done("start")
        chair.done("chat", text="a secret")
        while watcher.socket.receive()["type"] != "websocket.close":
            pass
        assert b"a secret" not in b"".join(watcher.raw)


def test_who_comes_later_is_sent_it_in_parts(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_module, "MAX_LINES_AT_ONCE", 4)
    with two_players(here, start="host") as (table, anna, _ben):
        for number in range(10):
            anna.done("chat", text=str(number))
        with here.guest().at(table) as watcher:
            while len(watcher.chat) < 10:
                watcher.receive()
            assert [str(number) for number in range(10)] == texts(watcher)
            parts = [text for text in watcher.raw if text.startswith(b'{"type":"chat"')]
            assert 3 == len(parts)
        with here.guest().at(table, heard="&table=7") as back:
            assert ["7", "8", "9"] == texts(back)
        for odd in ("&table=11", "&table=-1"):
            with here.guest().at(table, heard=odd) as back:
                while len(back.chat) < 10:
                    back.receive()
                assert 10 == len(texts(back)), "what cannot be is taken for nothing"


def test_a_chat_has_an_end(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_module, "MAX_LINES", {"table": 3, "watch": 2})
    with two_players(here, start="host") as (table, anna, ben), here.guest().at(table) as eve:
        for _ in range(2):
            eve.done("react", reaction="wow")
        assert "enough was said at this table: 2 lines are kept" == eve.refusal("chat", text="!")
        for chair in (anna, ben, anna):
            chair.done("chat", text="!")
        assert "enough was said at this table: 3 lines are kept" == ben.refusal("react", reaction="oops")
        anna.play()


def test_a_guest_and_an_address_say_only_so_much(tmp_path: Path) -> None:
    with (
        house(tmp_path, max_chat_per_minute=6, max_chat_per_minute_per_address=12) as here,
        two_players(here, start="host") as (table, anna, ben),
        here.guest().at(table) as eve,
    ):
        for _ in range(3):
            anna.done("chat", text="!")
        assert "too much was said in a short time" in anna.refusal("react", reaction="hello")
        for _ in range(3):
            ben.done("chat", text="!")
        assert "too much was said in a short time" in eve.refusal("chat", text="a third guest from there")
        here.service.chats_from = Buckets(1, 10)
        eve.done("chat", text="!")
        anna.play()


@pytest.mark.parametrize("text", ["", "x" * 201])
def test_a_line_of_the_wrong_length_is_no_message(here: House, text: str) -> None:
    with two_players(here) as (_, anna, _ben):
        answer = anna.ask("chat", text=text)
        assert ("refused", "not_understood") == (answer["type"], answer["code"])
        assert "not_understood" == anna.ask("react", reaction="yawn")["code"]


@pytest.mark.parametrize(
    "text, line",
    [
        ("hello", "hello"),
        ("  two\n\n words\t", "two words"),
        ("a\u202eb\u200bc", "abc"),
        ("\x00\x07", None),
        (" \u200d ", None),
        ("\U0001f469\u200d\U0001f52c", "\U0001f469\u200d\U0001f52c"),
        ("<img src=x onerror=alert(1)>", "<img src=x onerror=alert(1)>"),
    ],
)
def test_a_line_is_cleaned(text: str, line: str | None) -> None:
    if line is None:
        with pytest.raises(Refused, match="nothing to say"):
            clean_line(text)
    else:
        assert line == clean_line(text)


def test_somebody_without_a_cookie_only_reads(here: House) -> None:
    with two_players(here, start="host") as (table, anna, _ben), Guest(here).at(table) as nobody:
        assert "your browser has no cookie from here" in nobody.refusal("chat", text="hello")
        anna.done("chat", text="hello")
        assert ["hello"] == texts(nobody)


def test_an_author_is_known_at_one_table_only() -> None:
    assert author_of("one", "anna") == author_of("one", "anna") != author_of("one", "ben")
    assert author_of("one", "anna") != author_of("two", "anna")


def test_parts_are_taken_from_both_rooms() -> None:
    chat = Chat()
    for number in (1, 2):
        for room in PLACES:
            chat.add(ChatLine(room, number, None, "a", "Anna", "text", "!", 0.0))
    sent: dict[Any, int] = {"table": 1, "watch": 0}
    assert chat.has_more(("table",), sent) and 1 == len(chat.part(("table",), sent))
    assert not chat.has_more(("table",), sent) and chat.has_more(("table", "watch"), sent)
    assert 2 == len(chat.part(("table", "watch"), sent)) and {"table": 2, "watch": 2} == sent


@every_database
def test_the_chat_goes_with_the_game(tmp_path: Path, database: str) -> None:
    with house(tmp_path, database=database, keep_finished_seconds=60.0) as here:
        with two_players(here, start="host") as (table, anna, _ben):
            anna.done("chat", text="bye")
            anna.done("resign")
            anna.until(lambda state: state["outcome"])
        here.clock.pass_by(61)
        assert 1 == here.client.portal.call(expiry.expire, here.service)  # type: ignore[union-attr]
        with here.service.repository.engine.connect() as connection:
            for part in (repository.chat, repository.kicked, repository.tables):
                assert 0 == connection.scalar(sa.select(sa.func.count()).select_from(part))
        assert 404 == here.guest().get(f"/api/tables/{table}").status_code
