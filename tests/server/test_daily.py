"""The deal of the day and duels: the same for everybody, one try that counts, and nothing of the other's before the own end."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from cabochon import Game
from cabochon.bots import BOTS, Level
from cabochon.rules.variants import VARIANTS
from cabochon.server.commitment import DealInputs, Reveal3, commitment_3, day_secret, origin, parse_reveal, verify
from cabochon.server.daily import better_side, rank_of, results_out, score_out
from cabochon.server.shared_deals import BOTS_BY_WEEKDAY, choose_alike, deal_of_day, exact_bots
from cabochon.server.shuffle import order_of
from tests.server.process import run
from tests.server.test_handlers import play_out
from tests.support.postgres import every_database
from tests.support.serving import Chair, Clock, Guest, House, house, true_sources

DAY = 86_400.0


def begin(guest: Guest, variant: str = "classic", **wanted: Any) -> str:
    answer = guest.request("POST", f"/api/daily/{variant}", json=wanted)
    assert 200 == answer.status_code, answer.text
    return str(answer.json()["id"])


def day(guest: Guest, variant: str = "classic", date: str = "") -> dict[str, Any]:
    answer = guest.get(f"/api/daily/{variant}" + (f"?date={date}" if date else ""))
    assert 200 == answer.status_code, answer.text
    return dict(answer.json())


def refusal(answer: Any) -> str:
    assert answer.status_code >= 400, answer.text
    return str(answer.json()["code"])


def finish(guest: Guest, table: str) -> list[dict[str, Any]]:
    """Play a table to its end in a way that follows from the position alone; its log."""
    with guest.at(table) as chair:
        chair.until(lambda state: state["view"])
        play_out(chair)
        return [{name: line[name] for name in ("seat", "text")} for line in chair.lines]


def give_up(guest: Guest, table: str) -> None:
    with guest.at(table) as chair:
        chair.until(lambda state: state["view"])
        chair.done("resign")


# The deal


def test_the_deal_follows_from_date_and_game_alone() -> None:
    one = deal_of_day(date(2026, 11, 16), "classic")
    assert (one.name, one.secret) == ("day 2026-11-16", day_secret("day 2026-11-16", "classic"))
    assert "9c6665da0454" == one.secret[:12]
    orders = {
        (day, variant): order_of(DealInputs("any table", found.secret, shared=found.name).key, variant, 2)
        for day in (date(2026, 11, 16), date(2026, 11, 17))
        for variant in VARIANTS
        for found in [deal_of_day(day, variant)]
    }
    assert len(orders) == len(set(orders.values()))
    again = order_of(DealInputs("another table", one.secret, shared=one.name).key, "classic", 2)
    assert again == orders[date(2026, 11, 16), "classic"]


def test_the_bots_of_every_day_search_a_fixed_number_of_positions() -> None:
    for name in {name for names in BOTS_BY_WEEKDAY for name in names}:
        level = BOTS[name]
        assert isinstance(level, Level) and level.default_budget.nodes and not level.default_budget.seconds
        assert name in exact_bots()
    assert {"legend", "master", "greedy"}.isdisjoint(exact_bots())


def test_same_moves_give_the_same_game_on_every_server(tmp_path: Path) -> None:
    logs, commitments = [], []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        with house(folder, true_sources(Clock())) as server:
            guest = server.guest()
            table = begin(guest, "marvel")
            logs.append(finish(guest, table))
            commitments.append(guest.get(f"/api/tables/{table}").json()["commitment"])
    assert logs[0] == logs[1] and len({line["seat"] for line in logs[0]}) == 2
    assert commitments[0] == commitments[1]


def test_another_move_is_answered_from_another_seed(here: House) -> None:
    guest = here.guest()
    table = here.service.rooms[begin(guest, "cities")].table
    first = table.bot_seed(0), table.bot_seed(1)
    assert None not in first and first[0] != first[1]
    game = table.first_game(here.service.sources.deal)
    game.play(game.legal_moves()[0])
    assert table.bot_seed(0) == first[0]


def test_a_bot_is_waited_for_rather_than_replaced(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.server.shared_deals.RETRY_SECONDS", 0.0)
    game, pool = Game("classic", 2, seed=1), here.service.bots
    tries = iter([pool.stand_in("merchant", game.view(game.turn), 1, "late")])
    choose = pool.choose

    async def late_once(name: str, view: Any, seed: int) -> Any:
        return next(tries, None) or await choose(name, view, seed)

    monkeypatch.setattr(pool, "choose", late_once)
    chosen = run(choose_alike(pool, "merchant", game.view(game.turn), 7))
    assert ("merchant", None) == (chosen.bot, chosen.instead_of)


def test_the_deal_is_said_to_follow_from_the_date_and_can_be_checked(here: House) -> None:
    guest = here.guest()
    shown = day(guest, "cities")
    table = begin(guest, "cities")
    told = guest.get(f"/api/tables/{table}").json()
    assert {"kind": "day", "name": shown["date"], "counts": True} == told["shared"] and 3 == told["deal"]["format"]
    assert shown["commitment"] == told["commitment"]
    give_up(guest, table)
    text = guest.get(f"/api/tables/{table}/reveal").text
    reveal = parse_reveal(text)
    assert isinstance(reveal, Reveal3) and [] == verify(reveal, told["commitment"])
    assert f"the date {shown['date']} and the game alone" == origin(reveal)
    other = {**json.loads(text), "secret": "ee" * 32}
    other["commitment"] = commitment_3(reveal.deal, reveal.variant, reveal.players, -1, other["secret"])
    assert "the secret does not follow from the date and the game" in verify(parse_reveal(json.dumps(other)))


# One try counts


@every_database
def test_one_try_counts_and_then_comes_practice(own: House) -> None:
    guest = own.guest("Anna")
    assert (None, None) == (day(guest)["own"], day(guest)["results"])
    assert "tried" == refusal(guest.request("POST", "/api/daily/classic", json={"practice": True}))
    table = begin(guest)
    assert "tried" == refusal(guest.request("POST", "/api/daily/classic", json={}))
    assert "tried" == refusal(guest.request("POST", "/api/daily/classic", json={"practice": True}))
    assert {"table": table, "score": None} == day(guest)["own"] and day(guest)["results"] is None
    finish(guest, table)
    shown = day(guest)
    score = shown["own"]["score"]
    assert score["result"] in ("won", "lost", "shared") and score["rounds"] > 10
    assert 1 == shown["results"]["finished"] == len(shown["results"]["best"])
    assert "tried" == refusal(guest.request("POST", "/api/daily/classic", json={}))
    again = begin(guest, practice=True)
    give_up(guest, again)
    assert shown["results"] == day(guest)["results"]


def test_nobody_helps_in_a_try_that_counts_and_practice_is_free(here: House) -> None:
    guest = here.guest()
    table = begin(guest, "marvel")
    with guest.at(table) as chair:
        chair.until(lambda state: state["choices"])
        assert "this game counts" in chair.refusal("hint")
        assert "this game counts" in chair.refusal("replace", seat=0)
        chair.play()
        chair.until(lambda state: state["choices"])
        assert "nothing is taken back" in chair.refusal("undo")
        chair.done("resign")
    assert "resigned" == day(guest, "marvel")["own"]["score"]["result"]
    practice = begin(guest, "marvel", practice=True)
    with guest.at(practice) as chair:
        chair.until(lambda state: state["choices"])
        assert "hint" == chair.ask("hint")["type"]
        before = [line["text"] for line in chair.lines]
        chair.play()
        played = chair.until(lambda state: state["choices"] and state["number"] > len(before) + 1)["number"]
        answered = [line["text"] for line in chair.lines[len(before) : played]]
        chair.done("undo")
        chair.until(lambda state: state["choices"] and state["number"] > played)
        mine = len(chair.lines)
        chair.play(answered[0])
        chair.until(lambda state: state["choices"] and state["number"] >= mine + len(answered))
        assert answered == [line["text"] for line in chair.lines[mine:]][: len(answered)]


def test_the_table_of_the_day_shows_everybody_after_the_own_try(tmp_path: Path) -> None:
    with house(tmp_path, true_sources(Clock())) as server:
        anna, ben = server.guest("Anna"), server.guest("Ben")
        finish(anna, begin(anna))
        assert day(ben)["results"] is None
        give_up(ben, begin(ben))
        shown = day(ben)["results"]
        assert 2 == shown["finished"] == sum(bar["won"] + bar["lost"] for bar in shown["bars"])
        assert [("Anna", False), ("Ben", True)] == [(line["name"], line["you"]) for line in shown["best"]]
        assert [1, 2] == [line["place"] for line in shown["best"]]


def test_yesterday_is_for_practice_and_tomorrow_for_tomorrow(tmp_path: Path) -> None:
    with house(tmp_path, true_sources(Clock())) as server:
        guest = server.guest()
        today = day(guest)
        server.clock.pass_by(DAY)
        assert today["date"] == day(guest)["previous"] != day(guest)["date"]
        past = day(guest, date=today["date"])
        assert not past["today"] and 0 == past["results"]["finished"]
        table = begin(guest, date=today["date"])
        assert not guest.get(f"/api/tables/{table}").json()["shared"]["counts"]
        assert day(guest, date=today["date"])["own"] is None and day(guest)["own"] is None
        for wrong in ("1970-01-14", "1969-12-01", "2026-02-30", "tomorrow"):
            assert "nothing_there" == refusal(guest.get(f"/api/daily/classic?date={wrong}"))


def test_scores_are_compared_by_result_then_lead_then_rounds() -> None:
    def score(points: list[int], winners: list[int], rounds: int = 30, reason: str = "goal") -> dict[str, Any]:
        return score_out({"points": points, "winners": winners, "reason": reason, "rounds": rounds})

    in_order = [
        score([16, 9], [0]),
        score([16, 14], [0], 25),
        score([16, 14], [0], 26),
        score([15, 15], [0, 1]),
        score([14, 15], [1]),
        score([0, 15], [1]),
        score([3, 3], [1], 4, "resigned"),
    ]
    ranks = [rank_of(one) for one in in_order]
    assert ranks == sorted(ranks, reverse=True) and len(set(ranks)) == len(ranks)
    assert (0, 1, -1, None) == (
        better_side(in_order[:2]),
        better_side(in_order[1::-1]),
        better_side([in_order[0]] * 2),
        better_side([in_order[0], None]),
    )
    assert 0 == results_out([], None)["finished"]


# Duels


def make_duel(guest: Guest, **wanted: Any) -> str:
    answer = guest.request("POST", "/api/duels", json={"variant": "classic", "bots": ["merchant"], **wanted})
    assert 200 == answer.status_code, answer.text
    return str(answer.json()["id"])


def duel(guest: Guest, name: str) -> dict[str, Any]:
    return dict(guest.get(f"/api/duels/{name}").json())


def play_duel(guest: Guest, name: str) -> str:
    answer = guest.request("POST", f"/api/duels/{name}")
    assert 200 == answer.status_code, answer.text
    return str(answer.json()["id"])


@contextmanager
def seated(guest: Guest, table: str) -> Iterator[Chair]:
    with guest.at(table) as chair:
        chair.until(lambda state: state["view"])
        yield chair


@every_database
def test_a_duel_is_the_same_deal_for_two(own: House) -> None:
    anna, ben, carl = own.guest("Anna"), own.guest("Ben"), own.guest("Carl")
    name = make_duel(anna)
    assert duel(anna, name)["may_play"] and duel(ben, name)["may_play"]
    first, second = play_duel(ben, name), play_duel(anna, name)
    assert "duel_full" == refusal(carl.request("POST", f"/api/duels/{name}")) and not duel(carl, name)["may_play"]
    assert "tried" == refusal(ben.request("POST", f"/api/duels/{name}"))
    tables = [ben.get(f"/api/tables/{first}").json(), anna.get(f"/api/tables/{second}").json()]
    assert tables[0]["commitment"] == tables[1]["commitment"] == duel(carl, name)["commitment"]
    assert finish(ben, first) == finish(anna, second)
    assert -1 == duel(anna, name)["better"] == duel(ben, name)["better"]
    assert ["Anna", "Ben"] == [side["name"] for side in duel(carl, name)["sides"]]
    reveal = parse_reveal(anna.get(f"/api/tables/{second}/reveal").text)
    assert [] == verify(reveal, tables[0]["commitment"]) and "shared by all tables" in origin(reveal)


def test_nothing_of_the_other_is_told_before_the_own_end(here: House) -> None:
    anna, ben, carl = here.guest("Anna"), here.guest("Ben"), here.guest("Carl")
    name = make_duel(anna, variant="marvel")
    mine, other = play_duel(anna, name), play_duel(ben, name)
    give_up(ben, other)
    for guest in (anna, carl):
        shown = duel(guest, name)
        assert [None, None, None] == [shown["better"], *(side["score"] for side in shown["sides"])]
        assert [None, None] == [side["table"] for side in shown["sides"]]
        for what in ("record", "reveal", "replay"):
            assert "nobody_watches" == refusal(guest.get(f"/api/tables/{other}/{what}"))
    assert "resigned" == duel(ben, name)["own"]["score"]["result"] and duel(ben, name)["better"] is None
    assert [None, "resigned"] == [side["score"] and side["score"]["result"] for side in duel(ben, name)["sides"]]
    finish(anna, mine)
    assert 0 == duel(anna, name)["better"] == duel(ben, name)["better"]
    assert duel(carl, name)["better"] is None
    assert [mine, other] == [side["table"] for side in duel(ben, name)["sides"]], "now each may look at the other's game"
    assert [None, None] == [side["table"] for side in duel(carl, name)["sides"]]
    for what in ("record", "replay?seat=0", "analysis"):
        assert 200 == anna.get(f"/api/tables/{other}/{what}").status_code == ben.get(f"/api/tables/{mine}/{what}").status_code
        assert "nobody_watches" == refusal(carl.get(f"/api/tables/{other}/{what}"))


def test_what_is_no_duel(here: House) -> None:
    guest = here.guest()
    assert "nothing_there" == refusal(guest.get("/api/duels/nothing")) == refusal(guest.request("POST", "/api/duels/a%00b"))
    made = guest.request("POST", "/api/duels", json={"variant": "classic", "bots": ["legend"]})
    assert "unknown_bot" == refusal(made)
    names = [bot["name"] for bot in guest.get("/api/duels").json()]
    assert "jeweller" in names and "legend" not in names
