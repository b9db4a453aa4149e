"""The server: tables, moves, undo, clocks, bots."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cabochon import Game, parse_record
from cabochon.rules.variants import VARIANTS
from cabochon.ruleset import Ruleset
from cabochon.server.commitment import Reveal2, parse_reveal, verify
from cabochon.server.messages import GameDataOut, ReplayOut, TableOut, VariantOut
from tests.support.postgres import every_database
from tests.support.serving import Chair, Clock, Guest, House, house, true_sources, two_players


@pytest.fixture
def here(tmp_path: Path, database: str) -> Iterator[House]:
    with house(tmp_path, database=database) as running:
        yield running


def play_out(*chairs: Chair) -> dict[str, Any]:
    """Let every chair play its first purchase, or else another legal move each time (no cycle), to the end of the game."""
    while not chairs[0].state["outcome"]:
        chair = chairs[chairs[0].state["view"]["turn"] % len(chairs)] if len(chairs) > 1 else chairs[0]
        state = chair.until(lambda state: state["choices"] or state["outcome"])
        if state["choices"]:
            legal = state["choices"]["legal"]
            text = next((text for text in legal if text.startswith("buy")), legal[state["number"] % len(legal)])
            number = chair.done("move", number=state["number"] + 1, text=text)
            for other in chairs:
                other.until_number(number)
    return chairs[0].state


# Guests and tables


@every_database
def test_a_guest_has_a_name_and_can_change_it(here: House) -> None:
    guest = here.guest()
    first = guest.get("/api/me").json()["name"]
    assert first and first == guest.get("/api/me").json()["name"]
    assert {"name": "Żaneta"} == guest.put("/api/me", json={"name": "  Żaneta "}).json()
    assert {"name": "Żaneta"} == guest.get("/api/me").json()


def test_the_cookie_is_not_for_scripts_or_other_sites(here: House) -> None:
    header = here.client.get("/api/me").headers["set-cookie"]
    assert "HttpOnly" in header and "SameSite=lax" in header


@pytest.mark.parametrize("name", ["", "   ", "a\nb", "a\x00b", "a\u202eb", "\u200b", "x" * 25, "\ud83d"])
def test_a_name_that_is_refused(here: House, name: str) -> None:
    content = b'{"name": "\\ud83d"}' if name == "\ud83d" else None
    guest = here.guest()
    answer = guest.put("/api/me", **({"content": content} if content else {"json": {"name": name}}))
    assert answer.status_code in (409, 422) and isinstance(answer.json()["detail"], str)


def test_script_in_a_name_stays_text(here: House) -> None:
    name = "<script>alert(1)"
    guest = here.guest(name)
    table = guest.create()
    answer = guest.get(f"/api/tables/{table}")
    assert name == answer.json()["seats"][0]["name"]
    assert "application/json" == answer.headers["content-type"] and "nosniff" == answer.headers["x-content-type-options"]


def test_a_table_against_a_bot_begins_at_once(here: House) -> None:
    anna = here.guest("Anna")
    table = anna.create(players=3, bots=["random", "greedy"])
    out = TableOut.model_validate(anna.get(f"/api/tables/{table}").json())
    assert "running" == out.status and 0 == out.host
    assert [("user", "Anna", None), ("bot", "random", "random"), ("bot", "greedy", "greedy")] == [
        (seat.kind, seat.name, seat.bot) for seat in out.seats
    ]


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"bots": ["deep"]}, "unknown bot 'deep': choose one of"),
        ({"bots": ["greedy", "greedy"]}, "2 bots are too many: 2 players leave 1 for bots"),
        ({"players": 5}, "players: Input should be less than or equal to 4"),
        ({"clock": {"kind": "sand"}}, "clock: Input tag 'sand' found"),
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
    ],
)
def test_options_that_are_refused(here: House, options: dict[str, Any], reason: str) -> None:
    answer = here.guest().request("POST", "/api/tables", json=options)
    assert answer.status_code in (409, 422)
    assert reason in answer.json()["detail"]


@every_database
def test_lobby(here: House) -> None:
    anna, ben = here.guest("Anna"), here.guest("Ben")
    shown, hidden = anna.create(watch="anybody"), anna.create()
    alone = anna.create(bots=["greedy"])
    assert [shown] == [table["id"] for table in ben.get("/api/tables").json()["open"]]
    assert {shown, hidden, alone} == {table["id"] for table in anna.get("/api/tables").json()["running"]}
    assert [] == ben.get("/api/tables").json()["running"]


def test_bots_and_cards_are_listed(here: House) -> None:
    guest = here.guest()
    assert {"random", "greedy"} <= {bot["name"] for bot in guest.get("/api/bots").json()}
    data = guest.get("/api/data/marvel").json()
    assert ("ypbro*t", 90) == (data["letters"], len(data["cards"]))


def test_every_variant_is_listed_and_says_how_it_is_drawn(here: House) -> None:
    guest = here.guest()
    listed = [VariantOut.model_validate(variant) for variant in guest.get("/api/variants").json()]
    assert [(variant.name, variant.title, variant.theme) for variant in VARIANTS.values()] == [
        (variant.name, variant.title, variant.theme) for variant in listed
    ]
    for row in VARIANTS.values():
        data = GameDataOut.model_validate(guest.get(f"/api/data/{row.name}").json())
        for players in (2, 3, 4):
            bank = Game(row.name, players, seed=1).view(None).bank
            place = players - 2
            supply = [data.supply.each_colour[place]] * 5 + [data.supply.wild] + [data.supply.time[place]] * data.has_time
            assert supply == list(bank)
            assert data.tiles_dealt[place] == len(Game(row.name, players, seed=1).view(None).tiles)
        rules = Ruleset(row.name, 2)
        assert (rules.goal, rules.token_limit, rules.hand_limit) == (data.goal, data.token_limit, data.hand_limit)
        assert (row.tile_kind, row.goal_kind, row.faces) == (data.tile_kind, data.goal_kind, data.tile_faces)
        assert data.has_symbols == data.has_avengers == any(card.symbols for card in data.cards)


def test_a_variant_that_is_not_there_is_refused_with_those_that_are(here: House) -> None:
    sentence = "variant: unknown variant 'chess': choose one of " + ", ".join(VARIANTS)
    for answer in (here.guest().get("/api/data/chess"), here.guest().request("POST", "/api/tables", json={"variant": "chess"})):
        assert (422, "not_understood", sentence) == (answer.status_code, answer.json()["code"], answer.json()["detail"])


# Sitting down


@every_database
def test_sitting_leaving_and_the_host(here: House) -> None:
    anna, ben = here.guest(), here.guest()
    table = anna.create(players=3)
    with anna.at(table) as first, ben.at(table) as second:
        assert "this seat is taken" == second.refusal("sit", seat=0, name="Ben")
        assert "there is no seat 3: seats are 0 to 2" == second.refusal("sit", seat=3, name="Ben")
        second.done("sit", seat=2, name="Ben")
        assert "only the host can do this" == second.refusal("start")
        second.done("sit", seat=1, name="Ben B")
        first.until(lambda state: state["table"]["seats"][1]["name"] == "Ben B")
        assert ["user", "user", "open"] == [seat["kind"] for seat in first.state["table"]["seats"]]
        first.done("set_bot", seat=2, bot="random")
        assert "unknown bot 'deep': choose one of" in first.refusal("set_bot", seat=2, bot="deep")
        assert "somebody sits there" == first.refusal("set_bot", seat=1, bot="random")
        first.done("set_bot", seat=2, bot=None)
        first.done("leave")
        assert 1 == second.until(lambda state: state["table"]["seats"][0]["kind"] == "open")["table"]["host"]
        second.done("start")
        seats = second.until(lambda state: state["view"])["table"]["seats"]
        assert ["bot", "user", "bot"] == [seat["kind"] for seat in seats]
        assert "the game has begun" == second.refusal("leave")


@every_database
def test_a_private_link_gives_another_device_the_seat(here: House) -> None:
    anna, phone, stranger = here.guest("Anna"), Guest(here), here.guest()
    table = anna.create(bots=["greedy"])
    link = anna.get(f"/api/tables/{table}/link").json()["seat_link"]
    assert 403 == stranger.get(f"/api/tables/{table}/link").status_code
    answer = phone.request("POST", f"/api/seats/{link.removeprefix('/s/')}", json={})
    assert (200, table, 0) == (answer.status_code, answer.json()["id"], answer.json()["seat"])
    with phone.at(table) as chair:
        assert 0 == chair.receive()["view"]["seat"]
        chair.play("take wug")
    assert 404 == phone.request("POST", "/api/seats/nonsense", json={}).status_code


@every_database
@pytest.mark.parametrize("path", ["/api/tables/%00", "/api/tables/a%00b/replay", "/api/seats/%00"])
def test_a_name_that_no_database_can_hold(here: House, path: str) -> None:
    assert 404 == here.guest().get(path).status_code


# Moves


def test_a_move_is_acknowledged_and_shown_to_everybody(here: House) -> None:
    with two_players(here) as (_, anna, ben):
        assert 0 == anna.state["view"]["turn"] and anna.state["choices"] and not ben.state["choices"]
        assert 1 == anna.play("take wug")
        state, line = ben.until_number(1), ben.entry(1)
        assert [1, 1, 1, 0, 0, 0] == state["view"]["areas"][0]["tokens"] == line["gems"]
        assert ("take wug", 0, "move") == tuple(line[name] for name in ("text", "seat", "kind"))
        assert "take rr" in state["choices"]["legal"]


@pytest.mark.parametrize(
    "text, reason, code, facts",
    [
        ("buy @1", "buy @1: there is no such card in the own reserve", "not_in_the_reserve", {"place": 1, "held": 0}),
        ("take kwk", "'take kwk' is not a move: column 6", "not_a_move", {"text": "take kwk"}),
        ("castle", "'castle' is not a move: column 1", "not_a_move", {"text": "castle"}),
        ("return w", "return w: tokens are returned only above the limit", "return_above_the_limit", {"held": 0, "limit": 10}),
    ],
)
def test_an_illegal_move_is_refused_with_the_rule(here: House, text: str, reason: str, code: str, facts: dict[str, Any]) -> None:
    with two_players(here) as (_, anna, _ben):
        for answer in (anna.ask("move", number=1, text=text), anna.ask("why_not", text=text)):
            assert reason in answer["reason"]
            assert ("refused", "rule", {"code": code, "facts": facts}) == (answer["type"], answer["code"], answer["rule"])
        assert "price_too_high" == anna.ask("why_not", text="buy 3a")["rule"]["code"]
        assert None is anna.ask("answer", ask=1, yes=True)["rule"], "what is no rule names none"
        assert 0 == anna.done("why_not", text="take wug")
        assert 1 == anna.play("take wug")


def test_a_move_out_of_turn_is_refused(here: House) -> None:
    with two_players(here) as (table, anna, ben):
        assert "it is not your turn: seat 0 is to decide" == ben.refusal("move", number=1, text="take wug")
        with here.guest().at(table) as watcher:
            assert "you are watching" in watcher.refusal("move", number=1, text="take wug")
        assert 1 == anna.play()


@every_database
def test_a_move_sent_twice_is_played_once(here: House) -> None:
    with two_players(here) as (_, anna, ben):
        assert 1 == anna.done("move", number=1, text="take wug")
        assert 1 == anna.done("move", number=1, text="take wug")
        assert 1 == anna.done("move", number=1, text="  take   gwu")
        assert "entry 1 is another one already" in anna.refusal("move", number=1, text="take wur")
        assert "entry 1 is another one already" in ben.refusal("move", number=1, text="take wug")
        assert "the next entry is number 2, not 5" == ben.refusal("move", number=5, text="take wug")
        assert 1 == ben.state["number"]


@every_database
def test_a_whole_game_its_outcome_record_and_deal(tmp_path: Path, database: str) -> None:
    with (
        house(tmp_path, true_sources(Clock()), database=database) as here,
        two_players(here, variant="marvel", house={"goal": 4}) as (table, anna, ben),
    ):
        guest = here.guest()
        assert 409 == guest.get(f"/api/tables/{table}/record").status_code == guest.get(f"/api/tables/{table}/reveal").status_code
        commitment = anna.state["table"]["commitment"]
        outcome = play_out(anna, ben)["outcome"]
        assert anna.state["table"]["status"] == "finished" and anna.state["can_undo"] == "no"
        record = parse_record(guest.get(f"/api/tables/{table}/record").text)
        game = Game.from_record(record)
        assert game.outcome and list(game.outcome.ranks) == outcome["ranks"] and ("Anna", "Ben") == record.names
        assert list(game.points) == [sum(source.values()) for source in outcome["points"]]
        reveal = parse_reveal(guest.get(f"/api/tables/{table}/reveal").text)
        assert isinstance(reveal, Reveal2) and commitment == reveal.commitment and [] == verify(reveal, commitment)
        assert reveal.secret == anna.state["table"]["reveal"]["secret"]


def test_a_payment_can_be_chosen(here: House) -> None:
    with two_players(here, takeback="free") as (_, anna, ben):
        for _ in range(80):
            for chair in (anna, ben):
                state = chair.until(lambda state: state["choices"] or state["outcome"])
                payments = {text: ways for text, ways in state["choices"]["payments"].items() if len(ways) > 1}
                if payments:
                    text, ways = next(iter(payments.items()))
                    assert text in state["choices"]["legal"]
                    number = chair.done("move", number=state["number"] + 1, text=ways[-1])
                    entry = chair.entry(number)
                    assert entry["text"] == ways[-1] and sum(entry["gems"]) == len(ways[-1].split()[-1])
                    return
                legal = state["choices"]["legal"]
                wanted = [text for text in legal if text.startswith(("reserve 1", "return w", "return u"))] or legal
                number = chair.done("move", number=state["number"] + 1, text=wanted[0])
                for other in (anna, ben):
                    other.until_number(number)
    raise AssertionError("nobody could ever choose how to pay")


def test_prices_are_costs_less_bonuses(here: House) -> None:
    with two_players(here) as (_, anna, _ben):
        cards = here.guest().get("/api/data/classic").json()["cards"]
        market = anna.state["view"]["market"]
        assert cards[market[1][2] - 1]["cost"] == anna.state["prices"]["2c"]
        anna.play("reserve 2c")
        assert cards[market[1][2] - 1]["cost"] == anna.until_number(1)["prices"]["@1"]


# Watching


def test_spectators_see_public_things_only(here: House) -> None:
    with two_players(here) as (table, anna, ben), here.guest().at(table) as watcher:
        anna.play("reserve 3?")
        seen, own, other = (chair.until_number(1) for chair in (watcher, anna, ben))
        assert None is seen["view"]["areas"][0]["reserve"][0]["card"] is other["view"]["areas"][0]["reserve"][0]["card"]
        assert own["view"]["areas"][0]["reserve"][0]["card"] == anna.entry(1)["card"] is not None
        assert None is watcher.entry(1)["card"] is ben.entry(1)["card"]
        assert (None, None, {}) == (seen["view"]["seat"], seen["choices"], seen["prices"])
        assert 1 == seen["table"]["watchers"]


def test_who_may_watch(here: House) -> None:
    with two_players(here, watch="nobody") as (table, anna, _ben):
        stranger = here.guest()
        with stranger.at(table) as chair:
            assert (4403, "at this table nobody may watch") == closing(chair)
        assert 403 == stranger.get(f"/api/tables/{table}/replay").status_code
        anna.play()


def test_a_table_without_watchers_shows_them_out_when_it_begins(here: House) -> None:
    anna, stranger = here.guest(), here.guest()
    table = anna.create(watch="nobody")
    with anna.at(table) as chair, stranger.at(table) as watcher:
        assert None is watcher.receive()["view"]
        chair.done("start")
        assert (4403, "at this table nobody may watch") == closing(watcher)


def closing(chair: Chair) -> tuple[int, str]:
    """How a socket was closed."""
    while (message := chair.socket.receive())["type"] != "websocket.close":
        pass
    return message["code"], message["reason"]


def test_replay(here: House) -> None:
    with two_players(here, house={"goal": 3}) as (table, anna, ben):
        anna.play("reserve 3?")
        guest = here.guest()
        assert 403 == guest.get(f"/api/tables/{table}/replay?seat=0").status_code
        shown = ReplayOut.model_validate(guest.get(f"/api/tables/{table}/replay").json())
        assert (1, 2, None) == (len(shown.entries), len(shown.views), shown.entries[0].card)
        ben.until(lambda state: state["choices"])
        anna.until_number(1)
        play_out(anna, ben)
        shown = ReplayOut.model_validate(guest.get(f"/api/tables/{table}/replay?seat=0").json())
        assert len(shown.entries) + 1 == len(shown.views) and shown.outcome
        assert shown.entries[0].card == shown.views[1].areas[0].reserve[0].card is not None


def test_a_running_game_cannot_be_replayed_where_reserves_lie_face_down(here: House) -> None:
    anna, ben, stranger = here.guest("Anna"), here.guest("Ben"), here.guest()
    table = anna.create(house={"goal": 3, "open_reserves": False})
    with anna.at(table) as first, ben.at(table) as second:
        second.done("sit", seat=1, name="Ben")
        first.done("start")
        first.until(lambda state: state["view"])
        first.play("reserve 1a")
        lines = [chair.entry(1) for chair in (first, second)]
        assert [None, None] == [line["turned_up"] for line in lines], "it would tell later which card left this place"
        assert (True, None) == (lines[0]["card"] is not None, lines[1]["card"])
        for guest, eyes in ((anna, "?seat=0"), (ben, "?seat=1"), (anna, ""), (stranger, "")):
            answer = guest.get(f"/api/tables/{table}/replay{eyes}")
            assert (403, "face_down") == (answer.status_code, answer.json()["code"])
        play_out(first, second)
        shown = ReplayOut.model_validate(stranger.get(f"/api/tables/{table}/replay?seat=1").json())
        assert len(shown.entries) + 1 == len(shown.views) and shown.outcome


# Taking back


def test_a_decision_is_free_to_take_back_until_something_is_revealed(here: House) -> None:
    with two_players(here) as (_, anna, ben):
        assert "there is nothing to take back" == anna.refusal("undo")
        before = anna.state["view"]
        anna.play("take wug")
        assert "free" == anna.until_number(1)["can_undo"]
        anna.done("undo")
        state = anna.until_number(2)
        assert ("undo", 1, 0) == tuple(anna.entry(2)[name] for name in ("kind", "undoes", "seat"))
        assert before == state["view"] and state["choices"]
        anna.play("reserve 1a")
        assert "ask" == anna.until_number(3)["can_undo"]
        ben.play("take wug")
        assert "ask" == anna.until_number(4)["can_undo"] and "free" == ben.until_number(4)["can_undo"]


@every_database
def test_taking_back_by_consent(here: House) -> None:
    with two_players(here) as (_, anna, ben):
        anna.play("reserve 1a")
        ben.play("take wug")
        anna.until_number(2)
        anna.done("undo")
        ask = ben.until(lambda state: state["asks"])["asks"][0]
        assert ("takeback", 0, [1]) == (ask["what"], ask["by"], ask["waiting_for"])
        assert "nobody is waiting for your answer to this" == anna.refusal("answer", ask=ask["ask"], yes=True)
        assert "the others have been asked already" == anna.refusal("undo")
        ben.done("answer", ask=ask["ask"], yes=False)
        assert 2 == anna.until(lambda state: not state["asks"])["number"]
        anna.done("undo")
        ask = ben.until(lambda state: state["asks"])["asks"][0]
        ben.done("answer", ask=ask["ask"], yes=True)
        state = anna.until_number(4)
        assert [2, 1] == [entry["undoes"] for entry in anna.lines[-2:]] and 0 == state["view"]["turns"]
        assert state["choices"] and not ben.until_number(4)["choices"]


def test_a_question_is_over_when_the_game_goes_on(here: House) -> None:
    with two_players(here) as (_, anna, ben):
        anna.play("reserve 1a")
        anna.done("undo")
        ask = ben.until(lambda state: state["asks"])["asks"][0]["ask"]
        ben.play("take wug")
        assert [] == anna.until_number(2)["asks"]
        assert "nobody is waiting for your answer to this" == ben.refusal("answer", ask=ask, yes=True)


@pytest.mark.parametrize("policy, expected", [("never", "no"), ("free", "free")])
def test_takeback_policies(here: House, policy: str, expected: str) -> None:
    with two_players(here, takeback=policy) as (_, anna, ben):
        anna.play("reserve 1a")
        ben.play("take wug")
        assert expected == anna.until_number(2)["can_undo"]
        if policy == "never":
            assert "at this table nothing is taken back" == anna.refusal("undo")
        else:
            anna.done("undo")
            assert 4 == anna.until_number(4)["number"]


def test_against_bots_everything_can_be_taken_back(here: House) -> None:
    anna = here.guest()
    table = anna.create(players=3, bots=["greedy", "greedy"], start="host")
    with anna.at(table) as chair:
        chair.play("reserve 1a")
        assert "free" == chair.until(lambda state: state["choices"] and state["number"] >= 3)["can_undo"]
        chair.done("undo")
        state = chair.until(lambda state: state["choices"] and state["number"] >= 6)
        assert 0 == state["view"]["turns"] and [3, 2, 1] == [entry["undoes"] for entry in chair.lines[3:]]


# Clocks


@pytest.mark.parametrize(
    "clock, left",
    [
        ({"kind": "move", "seconds": 60}, [60, 60]),
        ({"kind": "total", "seconds": 100, "increment": 10}, [60, 100]),
        ({"kind": "days", "days": 2}, [172800, 172800]),
    ],
)
def test_a_clock_takes_time_and_gives_it(here: House, clock: dict[str, Any], left: list[float]) -> None:
    with two_players(here, clock=clock) as (_, anna, _ben):
        assert 0 == anna.state["clock"]["running"]
        here.clock.pass_by(50)
        anna.play("take wug")
        assert {"kind": clock["kind"], "left": left, "running": 1} == anna.until_number(1)["clock"]


@every_database
def test_when_time_is_up_a_bot_plays_until_the_player_is_back(here: House) -> None:
    with two_players(here, clock={"kind": "move", "seconds": 30}) as (_, anna, ben):
        here.clock.pass_by(30)
        state = ben.until(lambda state: state["choices"])
        assert ["timeout", "move"] == [line["kind"] for line in ben.lines]
        assert ("user", "greedy") == (state["table"]["seats"][0]["kind"], state["table"]["seats"][0]["bot"])
        assert "a bot plays for this seat: take it back first" == anna.refusal("move", number=3, text="take wug")
        ben.play()
        ben.until(lambda state: state["choices"] and state["number"] >= 4)
        anna.done("back")
        assert None is anna.until_number(5)["table"]["seats"][0]["bot"]
        ben.play()
        assert 0 == anna.until(lambda state: state["choices"])["clock"]["running"]


def test_taking_back_does_not_wind_the_clock(here: House) -> None:
    with two_players(here, clock={"kind": "move", "seconds": 60}) as (_, anna, _ben):
        here.clock.pass_by(50)
        anna.play("take wug")
        here.clock.pass_by(5)
        anna.until_number(1)
        anna.done("undo")
        assert {"kind": "move", "left": [10.0, 60.0], "running": 0} == anna.until_number(2)["clock"]


# Replacing


@every_database
def test_a_player_who_is_away_is_replaced_by_agreement(here: House) -> None:
    anna, ben, cleo = here.guest(), here.guest(), here.guest()
    table = anna.create(players=3, start="host")
    with ben.at(table) as second, cleo.at(table) as third:
        second.done("sit", seat=1, name="Ben")
        third.done("sit", seat=2, name="Cleo")
        with anna.at(table) as first:
            first.done("start")
            assert "when its player has been away for 30 seconds" in second.refusal("replace", seat=0)
        second.until(lambda state: not state["table"]["seats"][0]["connected"])
        assert "when its player has been away for 30 seconds" in second.refusal("replace", seat=0)
        here.clock.pass_by(31)
        second.done("replace", seat=0)
        ask = third.until(lambda state: state["asks"])["asks"][0]
        assert ("replace", 1, 0, [2]) == (ask["what"], ask["by"], ask["seat"], ask["waiting_for"])
        third.done("answer", ask=ask["ask"], yes=True)
        second.until_number(2)
        assert ["replace", "move"] == [line["kind"] for line in second.lines]
        assert "a bot plays there already" == second.refusal("replace", seat=0)
        with anna.at(table) as first:
            first.until(lambda state: state["view"])
            first.done("back")
            assert None is first.until_number(3)["table"]["seats"][0]["bot"]
            assert "no bot plays for you" == first.refusal("back")


def test_a_question_about_a_seat_is_over_when_its_player_is_here(here: House) -> None:
    anna, ben, cleo = here.guest(), here.guest(), here.guest()
    table = anna.create(players=3, start="host")
    with anna.at(table) as first, cleo.at(table) as third:
        third.done("sit", seat=2, name="Cleo")
        with ben.at(table) as second:
            second.done("sit", seat=1, name="Ben")
            first.done("start")
        first.until(lambda state: state["view"] and not state["table"]["seats"][1]["connected"])
        here.clock.pass_by(31)
        first.done("replace", seat=1)
        first.until(lambda state: state["asks"])
        with ben.at(table):
            assert [] == first.until(lambda state: state["table"]["seats"][1]["connected"])["asks"]


# Rematch


@every_database
def test_rematch(here: House) -> None:
    with two_players(here, house={"goal": 2}) as (table, anna, ben):
        assert "a rematch comes after the end" == anna.refusal("rematch")
        play_out(anna, ben)
        anna.done("rematch")
        assert None is anna.until(lambda state: state["table"]["seats"][0]["rematch"])["table"]["rematch"]
        ben.done("rematch")
        new = ben.until(lambda state: state["table"]["rematch"])["table"]["rematch"]
        ben.done("rematch")
        assert new == ben.state["table"]["rematch"] != table
        again = here.guest().get(f"/api/tables/{new}").json()
        assert "running" == again["status"] and ["Anna", "Ben"] == [seat["name"] for seat in again["seats"]]
        assert 1 == here.guest().get(f"/api/tables/{new}/replay").json()["views"][0]["start"]


# Pages


def test_pages_headers_and_health(here: House) -> None:
    page = here.client.get("/t/whatever")
    assert 200 == page.status_code and "text/html" in page.headers["content-type"]
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    assert 404 == here.client.get("/missing.js").status_code == here.client.get("/api/nothing").status_code
    assert ("ok", "ok") == tuple(here.client.get("/api/health").json()[name] for name in ("status", "database"))
    assert "POST /api/tables" in here.client.get("/api/docs").text
    assert "/api/tables" in here.client.get("/api/openapi.json").json()["paths"]


def test_qr_code(here: House) -> None:
    guest = here.guest()
    table = guest.create()
    answer = guest.get(f"/api/tables/{table}/qr.svg")
    assert "image/svg+xml" == answer.headers["content-type"] and answer.text.startswith("<svg")
