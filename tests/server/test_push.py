"""Who is away is told that it is their turn, by Web Push: through a push service of our own, which browsers read."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from py_vapid import Vapid02

from cabochon.server.push_subscriptions import MAX_PER_GUEST
from tests.support.postgres import every_database
from tests.support.push_service import Browser, PushService, push_service
from tests.support.serving import Guest, House, fixed_sources, house

pytestmark = pytest.mark.slow
WAIT_SECONDS = 20


@pytest.fixture
def pushes() -> Iterator[PushService]:
    with push_service() as service:
        yield service


@contextmanager
def home(folder: Path, pushes: PushService, **said: Any) -> Iterator[House]:
    with house(folder, push_services=(pushes.origin,), push_delay=0.0, **said) as here:
        yield here


@pytest.fixture
def here(tmp_path: Path, database: str, pushes: PushService) -> Iterator[House]:
    with home(tmp_path, pushes, database=database) as running:
        yield running


def subscribed(guest: Guest, pushes: PushService, name: str) -> Browser:
    browser = pushes.browser(name)
    answer = guest.put("/api/push", json=browser.out())
    assert 200 == answer.status_code, answer.text
    return browser


def table_of(anna: Guest, ben: Guest, **options: Any) -> str:
    """A running table with Anna, who begins, and Ben, who has gone."""
    table = anna.create(start="host", **options)
    with ben.at(table) as second, anna.at(table) as first:
        second.done("sit", seat=1, name="Ben")
        first.done("start")
        first.until(lambda state: state["view"])
    return table


def play(guest: Guest, table: str) -> None:
    with guest.at(table) as chair:
        chair.play()


def settle(here: House) -> None:
    """Wait until nobody is about to be told."""
    deadline = time.monotonic() + WAIT_SECONDS
    while here.service.pusher.tasks:
        assert time.monotonic() < deadline
        time.sleep(0.005)


@every_database
def test_a_turn_reaches_who_is_away(here: House, pushes: PushService) -> None:
    anna, ben = here.guest("Anna"), here.guest("Ben")
    phone, laptop = subscribed(ben, pushes, "phone"), subscribed(ben, pushes, "laptop")
    table = table_of(anna, ben)
    play(anna, table)
    for browser in (phone, laptop):
        posted = pushes.next_for(browser)
        assert {"kind": "turn", "table": table, "game": "Splendor", "names": ["Anna"]} == browser.read(posted)
        assert ("aes128gcm", table, "high") == tuple(posted.headers[name] for name in ("Content-Encoding", "Topic", "Urgency"))
        assert Vapid02.verify(posted.headers["Authorization"]), "the server says who it is"
    settle(here)
    assert 0 == pushes.waiting_for(phone), "once is enough"


def test_the_end_reaches_who_is_away(here: House, pushes: PushService) -> None:
    guests = here.guest("Anna"), here.guest("Ben")
    browsers = [subscribed(guest, pushes, str(seat)) for seat, guest in enumerate(guests)]
    table = table_of(*guests, house={"goal": 1})
    seat, is_over = 0, False
    while not is_over:
        with guests[seat].at(table) as chair:
            state = chair.until(lambda state: state["choices"])
            legal = state["choices"]["legal"]
            bought = [move for move in legal if move.startswith("buy")]
            here.clock.pass_by(60)  # people take their time, and are told as often as that allows
            chair.done("move", number=state["number"] + 1, text=(bought or legal)[0])
            state = chair.until(lambda state, last=state: state["number"] > last["number"])  # type: ignore[misc]
            is_over, seat = bool(state["outcome"]), state["view"]["turn"]
            mover = chair.state["seat"]
    settle(here)
    away = browsers[1 - mover]
    told = [away.read(pushes.next_for(away))["kind"] for _ in range(pushes.waiting_for(away))]
    assert "over" == told[-1] and "over" not in told[:-1]


def test_a_subscription_that_has_ended_is_deleted(here: House, pushes: PushService) -> None:
    anna, ben = here.guest("Anna"), here.guest("Ben")
    browser = subscribed(ben, pushes, "phone")
    table = table_of(anna, ben)
    pushes.status = 410
    play(anna, table)
    pushes.next_for(browser)
    settle(here)
    play(ben, table)
    play(anna, table)
    settle(here)
    assert 0 == pushes.waiting_for(browser)
    with here.service.repository.reading() as connection:
        assert [] == connection.exec_driver_sql("SELECT id FROM push_subscriptions").all()


def test_a_push_service_that_fails_costs_nothing(here: House, pushes: PushService, caplog: pytest.LogCaptureFixture) -> None:
    anna, ben = here.guest("Anna"), here.guest("Ben")
    browser = subscribed(ben, pushes, "phone")
    table = table_of(anna, ben)
    pushes.status = 500
    play(anna, table)
    pushes.next_for(browser)
    settle(here)
    pushes.status = 201
    play(ben, table)
    play(anna, table)
    assert "turn" == browser.read(pushes.next_for(browser))["kind"]
    assert ["the push service 127.0.0.1 answered 500"] == [record.message for record in caplog.records]


def test_nobody_is_told_more_often_than_is_allowed(tmp_path: Path, pushes: PushService) -> None:
    with home(tmp_path, pushes, max_pushes_per_hour=2) as here:
        anna, ben = here.guest("Anna"), here.guest("Ben")
        browser = subscribed(ben, pushes, "phone")
        table = table_of(anna, ben)
        for _ in range(4):
            play(anna, table)
            settle(here)
            play(ben, table)
            settle(here)
        assert 2 == pushes.waiting_for(browser)


def test_who_comes_by_themselves_is_not_told(tmp_path: Path, pushes: PushService) -> None:
    with house(tmp_path, push_services=(pushes.origin,), push_delay=3600.0) as here:
        anna, ben = here.guest("Anna"), here.guest("Ben")
        browser = subscribed(ben, pushes, "phone")
        table = table_of(anna, ben)
        play(anna, table)
        assert 1 == len(here.service.pusher.tasks), "Ben would be told in an hour"
        play(ben, table)
        settle(here)
        assert 0 == pushes.waiting_for(browser)


# Subscriptions


def test_the_key_and_the_subscriptions_survive_a_restart(tmp_path: Path, pushes: PushService) -> None:
    with home(tmp_path, pushes) as here:
        anna, ben = here.guest("Anna"), here.guest("Ben")
        browser = subscribed(ben, pushes, "phone")
        key = anna.get("/api/push").json()["key"]
        table = table_of(anna, ben)
    with home(tmp_path, pushes) as again:
        assert key == Guest(again, anna.cookie).get("/api/push").json()["key"]
        play(Guest(again, anna.cookie), table)
        assert table == browser.read(pushes.next_for(browser))["table"]


def test_a_turn_of_days_is_not_told_again_after_a_restart(tmp_path: Path, pushes: PushService) -> None:
    days = {"clock": {"kind": "days", "days": 2}}
    with home(tmp_path, pushes) as here:
        clock = here.clock
        anna, ben = here.guest("Anna"), here.guest("Ben")
        browser = subscribed(ben, pushes, "phone")
        table = table_of(anna, ben, **days)
        play(anna, table)
        assert 2 * 86_400 == int(pushes.next_for(browser).headers["TTL"])
    clock.pass_by(3600)
    with home(tmp_path, pushes, sources=fixed_sources(clock)) as again:
        assert table in again.service.rooms or 200 == again.client.get(f"/api/tables/{table}").status_code
        settle(again)
        assert 0 == pushes.waiting_for(browser)


def test_a_browser_belongs_to_the_guest_who_says_so_last(here: House, pushes: PushService) -> None:
    anna, ben = here.guest("Anna"), here.guest("Ben")
    browser = pushes.browser("shared")
    for guest in (ben, anna):
        assert 200 == guest.put("/api/push", json=browser.out()).status_code
    assert 200 == ben.request("DELETE", "/api/push", json={"endpoint": browser.endpoint}).status_code
    assert [anna_id(here, anna)] == subscribers(here), "Ben could not take Anna's away"
    assert 200 == anna.request("DELETE", "/api/push", json={"endpoint": browser.endpoint}).status_code
    assert [] == subscribers(here)


def anna_id(here: House, guest: Guest) -> str:
    signed = guest.cookie.partition("=")[2]
    return str(here.service.guests.signer.loads(signed))


def subscribers(here: House) -> list[str]:
    with here.service.repository.reading() as connection:
        return [row[0] for row in connection.exec_driver_sql("SELECT user_id FROM push_subscriptions")]


def test_a_guest_has_only_so_many_browsers(here: House, pushes: PushService) -> None:
    ben = here.guest("Ben")
    browsers = []
    for number in range(MAX_PER_GUEST + 2):
        here.clock.pass_by(1)
        browsers.append(subscribed(ben, pushes, str(number)))
    with here.service.repository.reading() as connection:
        kept = {row[0] for row in connection.exec_driver_sql("SELECT endpoint FROM push_subscriptions")}
    assert {browser.endpoint for browser in browsers[2:]} == kept


def test_browsers_that_have_not_been_here_for_long_are_forgotten(here: House, pushes: PushService) -> None:
    ben = here.guest("Ben")
    old = subscribed(ben, pushes, "old")
    here.clock.pass_by(89 * 86_400)
    new = subscribed(ben, pushes, "new")
    here.clock.pass_by(2 * 86_400)
    here.client.portal.call(here.service.pusher.forget_old)  # type: ignore[union-attr]
    with here.service.repository.reading() as connection:
        kept = [row[0] for row in connection.exec_driver_sql("SELECT endpoint FROM push_subscriptions")]
    assert [new.endpoint] == kept and old.endpoint != new.endpoint


def test_what_cannot_be_subscribed(here: House, pushes: PushService) -> None:
    browser, guest = pushes.browser("x").out(), here.guest("Anna")
    assert "no_cookie" == Guest(here).put("/api/push", json=browser).json()["code"]
    for endpoint in ("http://127.0.0.1:1/for/x", "https://fcm.googleapis.com/fcm/send/x"):
        answer = guest.put("/api/push", json={**browser, "endpoint": endpoint})
        assert (409, "unknown_push_service") == (answer.status_code, answer.json()["code"])
    for change in ({"p256dh": "short"}, {"auth": "!"}, {"endpoint": ""}, {"more": 1}):
        assert 422 == guest.put("/api/push", json={**browser, **change}).status_code
    assert [] == subscribers(here)


def test_a_server_without_push_services_tells_nobody(tmp_path: Path, pushes: PushService) -> None:
    with house(tmp_path, push_services=()) as here:
        guest = here.guest("Anna")
        assert {"key": None} == guest.get("/api/push").json()
        assert "no_push" == guest.put("/api/push", json=pushes.browser("x").out()).json()["code"]


def test_a_key_that_is_no_point_of_the_curve_harms_nobody(
    here: House, pushes: PushService, caplog: pytest.LogCaptureFixture
) -> None:
    anna, ben = here.guest("Anna"), here.guest("Ben")
    bad, good = pushes.browser("bad"), pushes.browser("good")
    assert 200 == ben.put("/api/push", json={**bad.out(), "p256dh": "B" + "A" * 86}).status_code
    assert 200 == ben.put("/api/push", json=good.out()).status_code
    table = table_of(anna, ben)
    play(anna, table)
    assert "turn" == good.read(pushes.next_for(good))["kind"]
    settle(here)
    assert 0 == pushes.waiting_for(bad)
    assert ["a push service could not be told: ValueError"] == [record.message for record in caplog.records]
