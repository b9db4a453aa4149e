"""The deal of a table: commitment, seals, nonces; who is late, what is exchanged, what a restart leaves."""

import hashlib
import logging
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from typer.testing import CliRunner

from cabochon import Game
from cabochon.cli import app as cabochon
from cabochon.rules.deal import ANY_START
from cabochon.server import repository
from cabochon.server.commitment import (
    Reveal2,
    commitment,
    commitment_2,
    committed_text,
    committed_text_2,
    left_out,
    parse_reveal,
    seal_of,
    verify,
)
from cabochon.server.database import MIGRATIONS
from cabochon.server.dealing import Dealing
from cabochon.server.errors import Refused
from cabochon.server.repository import Repository
from tests.server.test_handlers import play_out
from tests.support.postgres import every_database
from tests.support.serving import Chair, Clock, Guest, House, house, true_sources

NONCES = ["0a" * 32, "1b" * 32, "2c" * 32]
SECONDS = 5.0


# The state machine


def dealing(**seals: str) -> Dealing:
    return Dealing("table", "waiting", {int(seat[1:]): seal for seat, seal in seals.items()})


def sealed(seat: int, table: str = "table") -> str:
    return seal_of(table, seat, NONCES[seat])


def test_nobody_takes_part() -> None:
    deal = dealing()
    deal.begin([], now=0, seconds=SECONDS)
    assert deal.is_settled(0)


def test_seals_first_then_nonces() -> None:
    deal = dealing()
    deal.begin([0, 1], now=0, seconds=SECONDS)
    for seat in (0, 1):
        assert "sealing" == deal.phase and not deal.is_settled(4)
        with pytest.raises(Refused, match="nonces are opened while the cards are dealt, not now"):
            deal.open(seat, NONCES[seat])
        assert deal.check_seal(seat, sealed(seat))
        deal.seal(seat, sealed(seat))
        deal.go_on(4, SECONDS)
    assert "opening" == deal.phase and 9 == deal.deadline
    with pytest.raises(Refused, match="the game has begun"):
        deal.check_seal(2, sealed(2))
    deal.open(0, NONCES[0])
    assert not deal.is_settled(5) and [None, None] == deal.out(2)["nonces"], "nonces are shown together"
    deal.open(1, NONCES[1])
    assert deal.is_settled(5)
    deal.finish()
    assert {"phase": "dealt", "seals": [sealed(0), sealed(1)], "opened": [True, True], "nonces": NONCES[:2]} == deal.out(2)


def test_who_is_late_is_left_out() -> None:
    deal = dealing(s0=sealed(0))
    deal.begin([0, 1], now=0, seconds=SECONDS)
    assert not deal.is_late(4.9) and deal.is_late(5)
    deal.go_on(5, SECONDS)
    assert "opening" == deal.phase and not deal.is_late(9.9) and not deal.is_settled(9.9)
    assert deal.is_late(10) and deal.is_settled(10)
    deal.finish()
    assert {"phase": "dealt", "seals": [sealed(0), None], "opened": [False, False], "nonces": [None, None]} == deal.out(2)
    assert not deal.is_late(1000)


def test_a_seat_seals_once() -> None:
    deal = dealing(s0=sealed(0))
    assert not deal.check_seal(0, sealed(0)), "the same again changes nothing"
    with pytest.raises(Refused, match="this seat has sealed a nonce already"):
        deal.check_seal(0, sealed(1))
    deal.vacate(0)
    assert deal.check_seal(0, sealed(1)), "another person sits there"


@pytest.mark.parametrize(
    "seal, reason",
    [
        (seal_of("other", 0, NONCES[0]), "this nonce does not fit the seal of seat 0"),
        (seal_of("table", 1, NONCES[0]), "this nonce does not fit the seal of seat 0"),
        (seal_of("table", 0, NONCES[1]), "this nonce does not fit the seal of seat 0"),
        (None, "seat 0 has sealed no nonce"),
    ],
)
def test_a_seal_binds_table_seat_and_nonce(seal: str | None, reason: str) -> None:
    deal = dealing(**({"s0": seal} if seal else {}), s1=sealed(1))
    deal.begin([], now=0, seconds=SECONDS)
    with pytest.raises(Refused, match=reason):
        deal.open(0, NONCES[0])
    assert {} == deal.nonces


# At a table


class Player:
    """A browser that takes part in deals."""

    def __init__(self, guest: Guest, table: str, seat: int, chair: Chair) -> None:
        self.guest, self.table, self.seat, self.chair = guest, table, seat, chair
        self.nonce = secrets.token_hex(32)
        self.own_seal = seal_of(table, seat, self.nonce)

    def seal(self) -> None:
        self.chair.done("seal", seal=self.own_seal)

    def open(self) -> None:
        self.chair.until(lambda state: state["table"]["deal"]["phase"] == "opening")
        self.chair.done("nonce", nonce=self.nonce)

    def until(self, phase: str) -> dict[str, Any]:
        table: dict[str, Any] = self.chair.until(lambda state: state["table"]["deal"]["phase"] == phase)["table"]
        return table


@contextmanager
def seated(here: House, **options: Any) -> Iterator[tuple[Player, Player]]:
    """Anna, the host, and Ben at a table that waits."""
    anna, ben = here.guest("Anna"), here.guest("Ben")
    table = anna.create(**{"house": {"goal": 2}, **options})
    with anna.at(table) as first, ben.at(table) as second:
        second.done("sit", seat=1, name="Ben")
        yield Player(anna, table, 0, first), Player(ben, table, 1, second)


def both_deal(anna: Player, ben: Player) -> dict[str, Any]:
    for player in (anna, ben):
        player.seal()
    anna.chair.done("start")
    for player in (anna, ben):
        player.open()
    ben.chair.until(lambda state: state["view"])
    table: dict[str, Any] = anna.chair.until(lambda state: state["view"])["table"]
    return table


def reveal_of(guest: Guest, table: str) -> Reveal2:
    reveal = parse_reveal(guest.get(f"/api/tables/{table}/reveal").text)
    assert isinstance(reveal, Reveal2)
    return reveal


def by_turns(anna: Player, ben: Player) -> None:
    """Play to the end, whoever begins."""
    play_out(anna.chair, ben.chair)


def test_a_deal_of_two_people(here: House) -> None:
    with seated(here) as (anna, ben):
        first = anna.chair.until(lambda state: state["seat"] == 0)["table"]
        assert ("waiting", 2, None) == tuple(first["deal"][name] for name in ("phase", "format", "start"))
        table = both_deal(anna, ben)
        assert "running" == table["status"] and [anna.own_seal, ben.own_seal] == table["deal"]["seals"]
        assert [anna.nonce, ben.nonce] == table["deal"]["nonces"] and first["commitment"] == table["commitment"]
        by_turns(anna, ben)
        reveal = reveal_of(anna.guest, anna.table)
        own = {0: anna.nonce, 1: ben.nonce}
        assert [] == verify(reveal, first["commitment"], own) and [] == left_out(reveal)
        assert reveal.commitment == commitment_2(anna.table, "classic", 2, ANY_START, reveal.secret)


@every_database
def test_the_commitment_is_stored_before_anybody_else_sits_down(own: House) -> None:
    table = own.guest().create()
    stored = own.service.repository.table(table)
    assert stored.table["commitment"] == own.guest().get(f"/api/tables/{table}").json()["commitment"]
    text = ["cabochon deal 2", f"table: {table}", "variant: classic", "players: 2", "start: random"]
    lines = "\n".join([*text, f"secret: {stored.table['secret']}", ""])
    assert lines == committed_text_2(table, "classic", 2, ANY_START, stored.table["secret"])
    assert hashlib.sha256(lines.encode()).hexdigest() == stored.table["commitment"]


def test_the_deal_depends_on_every_nonce(here: House) -> None:
    with seated(here) as (anna, ben):
        both_deal(anna, ben)
        table = here.service.rooms[anna.table].table
        decks = {table.game.record().decks}
        for changed in ({0: anna.nonce}, {1: ben.nonce}, {}, {0: ben.nonce, 1: anna.nonce}):
            table.dealing.nonces = changed
            decks.add(table.first_game(here.service.sources.deal).record().decks)
        assert 5 == len(decks)


def test_nonces_are_published_together(here: House) -> None:
    with seated(here) as (anna, ben):
        anna.seal()
        ben.seal()
        anna.chair.done("start")
        assert "dealing" == anna.until("opening")["status"]
        anna.open()
        ben.chair.catch_up()
        deal = ben.chair.state["table"]["deal"]
        assert ([True, False], [None, None]) == (deal["opened"], deal["nonces"]) and ben.chair.state["view"] is None
        assert all(anna.nonce.encode() not in raw for raw in ben.chair.raw)
        ben.open()
        assert [anna.nonce, ben.nonce] == ben.until("dealt")["deal"]["nonces"]


def test_what_is_refused(here: House) -> None:
    with seated(here) as (anna, ben), here.guest().at(anna.table) as stranger:
        assert "you are watching" in stranger.refusal("seal", seal=anna.own_seal)
        assert "nonces are opened while the cards are dealt, not now" == anna.chair.refusal("nonce", nonce=anna.nonce)
        assert "seal: String should match pattern" in anna.chair.refusal("seal", seal="00")
        assert "seal: String should match pattern" in anna.chair.refusal("seal", seal="G" * 64)
        anna.seal()
        anna.seal()
        assert "this seat has sealed a nonce already" == anna.chair.refusal("seal", seal=ben.own_seal)
        anna.chair.done("start")
        assert "the game has begun" == ben.chair.refusal("leave")
        here.clock.pass_by(here.service.settings.deal_seconds)
        anna.until("opening")
        assert "the game has begun" == ben.chair.refusal("seal", seal=ben.own_seal)
        assert "seat 1 has sealed no nonce" == ben.chair.refusal("nonce", nonce=ben.nonce)
        assert "this nonce does not fit the seal of seat 0" == anna.chair.refusal("nonce", nonce=ben.nonce)
        assert "the game has not begun" == anna.chair.refusal("move", number=1, text="take wug")
        anna.open()
        anna.chair.done("nonce", nonce=anna.nonce)
        assert "nonces are opened while the cards are dealt, not now" == anna.chair.refusal("nonce", nonce=ben.nonce)


def test_the_seal_of_somebody_who_sat_down_just_now_is_waited_for(here: House) -> None:
    with seated(here) as (anna, ben):
        anna.seal()
        anna.chair.done("start")
        assert "sealing" == ben.until("sealing")["deal"]["phase"]
        ben.seal()
        anna.open()
        ben.open()
        assert [anna.nonce, ben.nonce] == ben.until("dealt")["deal"]["nonces"]


@every_database
def test_a_seal_goes_with_its_person(own: House) -> None:
    with seated(own, players=3) as (anna, ben):
        ben.seal()
        ben.chair.done("sit", seat=1, name="Benjamin")
        assert ben.own_seal == ben.chair.state["table"]["deal"]["seals"][1], "a new name is no new person"
        ben.chair.done("sit", seat=2, name="Ben")
        assert [None] * 3 == ben.chair.until(lambda state: state["seat"] == 2)["table"]["deal"]["seals"]
        moved = Player(ben.guest, ben.table, 2, ben.chair)
        moved.seal()
        ben.chair.done("leave")
        assert [None] * 3 == ben.chair.until(lambda state: state["seat"] is None)["table"]["deal"]["seals"]
        stored = own.service.repository.table(anna.table)
        assert [] == list(stored.seals)


def test_somebody_who_does_not_open_is_left_out(here: House) -> None:
    with seated(here) as (anna, ben):
        anna.seal()
        ben.seal()
        anna.chair.done("start")
        anna.open()
        assert anna.chair.state["view"] is None
        here.clock.pass_by(SECONDS)
        table = anna.chair.until(lambda state: state["view"])["table"]
        assert ([anna.own_seal, ben.own_seal], [anna.nonce, None]) == (table["deal"]["seals"], table["deal"]["nonces"])
        ben.chair.until(lambda state: state["view"])
        by_turns(anna, ben)
        reveal = reveal_of(anna.guest, anna.table)
        assert [] == verify(reveal) and [1] == left_out(reveal)
        assert ["the nonce of seat 1 is not the one that was noted"] == verify(reveal, None, {1: ben.nonce})


def test_without_seals_the_game_begins_at_once(here: House) -> None:
    with seated(here) as (anna, _ben):
        anna.chair.done("start")
        deal = anna.chair.until(lambda state: state["view"])["table"]["deal"]
        assert ("dealt", [None, None], [None, None]) == (deal["phase"], deal["seals"], deal["nonces"])


def test_against_bots_the_creator_takes_part(here: House) -> None:
    anna = here.guest()
    answer = anna.request("POST", "/api/tables?sealed=true", json={"bots": ["greedy"], "house": {"goal": 2}})
    table = str(answer.json()["id"])
    assert "dealing" == anna.get(f"/api/tables/{table}").json()["status"]
    assert [table] == [shown["id"] for shown in anna.get("/api/tables").json()["running"]]
    assert table not in [shown["id"] for shown in here.guest().get("/api/tables").json()["open"]]
    with anna.at(table) as chair:
        player = Player(anna, table, 0, chair)
        assert "sealing" == player.until("sealing")["deal"]["phase"]
        player.seal()
        player.open()
        assert [player.nonce, None] == player.until("dealt")["deal"]["nonces"]
        play_out(chair)
        assert [] == verify(reveal_of(anna, table), None, {0: player.nonce})


def test_a_creator_who_never_comes_is_not_waited_for(here: House) -> None:
    anna = here.guest()
    table = str(anna.request("POST", "/api/tables?sealed=true", json={"bots": ["greedy"], "start": "host"}).json()["id"])
    here.clock.pass_by(2 * SECONDS)
    with anna.at(table) as chair:
        here.clock.pass_by(SECONDS)
        assert [None, None] == chair.until(lambda state: state["view"])["table"]["deal"]["seals"]
        chair.play("take wug")


def test_the_clock_begins_with_the_game(here: House) -> None:
    with seated(here, clock={"kind": "move", "seconds": 60}, start="host") as (anna, ben):
        anna.seal()
        ben.seal()
        anna.chair.done("start")
        here.clock.pass_by(3)
        anna.open()
        ben.open()
        assert [60.0, 60.0] == anna.chair.until(lambda state: state["view"])["clock"]["left"]


def test_a_rematch_waits_for_those_who_took_part(here: House) -> None:
    with seated(here) as (anna, ben):
        both_deal(anna, ben)
        began = anna.chair.state["view"]["start"]
        by_turns(anna, ben)
        anna.chair.done("rematch")
        ben.chair.done("rematch")
        new = ben.chair.until(lambda state: state["table"]["rematch"])["table"]["rematch"]
        with anna.guest.at(new) as first, ben.guest.at(new) as second:
            again = Player(anna.guest, new, 0, first), Player(ben.guest, new, 1, second)
            table = again[0].until("sealing")
            assert ("dealing", 1 - began) == (table["status"], table["deal"]["start"])
            assert table["commitment"] != anna.chair.state["table"]["commitment"]
            for player in again:
                player.seal()
            for player in again:
                player.open()
            state = first.until(lambda state: state["view"])
            assert 1 - began == state["view"]["start"]
            assert [player.nonce for player in again] == state["table"]["deal"]["nonces"]


# A server that is stopped


@every_database
def test_a_restart_while_nonces_are_opened(tmp_path: Path, database: str) -> None:
    clock = Clock()
    with house(tmp_path, true_sources(clock), database=database) as here, seated(here) as (anna, ben):
        anna.seal()
        ben.seal()
        anna.chair.done("start")
        anna.open()
        before = anna.chair.state["table"]
    with house(tmp_path, true_sources(clock), database=database) as here:
        anna.guest.house = ben.guest.house = here
        with anna.guest.at(anna.table) as first, ben.guest.at(ben.table) as second:
            anna.chair, ben.chair = first, second
            table = anna.until("opening")
            assert before["commitment"] == table["commitment"] and before["deal"]["seals"] == table["deal"]["seals"]
            anna.open()
            ben.open()
            assert [anna.nonce, ben.nonce] == anna.until("dealt")["deal"]["nonces"]
            ben.chair.until(lambda state: state["view"])
            by_turns(anna, ben)
            assert [] == verify(reveal_of(anna.guest, anna.table), before["commitment"], {0: anna.nonce, 1: ben.nonce})


@every_database
def test_a_restart_while_seals_are_waited_for(tmp_path: Path, database: str) -> None:
    clock = Clock()
    with house(tmp_path, true_sources(clock), database=database) as here:
        anna = here.guest()
        table = str(anna.request("POST", "/api/tables?sealed=true", json={"bots": ["greedy"]}).json()["id"])
    with house(tmp_path, true_sources(clock), database=database) as here:
        anna.house = here
        with anna.at(table) as chair:
            player = Player(anna, table, 0, chair)
            player.seal()
            player.open()
            assert [player.nonce, None] == player.until("dealt")["deal"]["nonces"]


@every_database
def test_a_restart_and_nobody_opens(tmp_path: Path, database: str) -> None:
    clock = Clock()
    with house(tmp_path, true_sources(clock), database=database) as here, seated(here) as (anna, ben):
        anna.seal()
        anna.chair.done("start")
    with house(tmp_path, true_sources(clock), database=database) as here:
        ben.guest.house = here
        with ben.guest.at(ben.table) as chair:
            chair.until(lambda state: state["table"]["deal"]["phase"] == "opening")
            clock.pass_by(SECONDS)
            deal = chair.until(lambda state: state["view"])["table"]["deal"]
            assert ([anna.own_seal, None], [None, None]) == (deal["seals"], deal["nonces"])


@every_database
def test_a_running_game_is_the_same_after_a_restart(tmp_path: Path, database: str) -> None:
    clock = Clock()
    with house(tmp_path, true_sources(clock), database=database) as here, seated(here) as (anna, ben):
        table = both_deal(anna, ben)
        view = anna.chair.state["view"]
    with house(tmp_path, true_sources(clock), database=database) as here:
        anna.guest.house = here
        with anna.guest.at(anna.table) as chair:
            again = chair.until(lambda state: state["view"])
            assert view == again["view"] and table["deal"] == again["table"]["deal"]


# What is exchanged in the database


def without_triggers(connection: sa.Connection) -> None:
    for table in ("tables", "seals"):
        place = f" ON {table}" if connection.dialect.name == "postgresql" else ""
        connection.execute(sa.text(f"DROP TRIGGER {table}_deal_is_final{place}"))


@every_database
def test_the_database_refuses_to_change_a_deal(own: House) -> None:
    table = own.guest().create()
    for change in ("secret = 'x'", "commitment = 'x'", "seed = 1", "salt = 'x'", "start = 1"):
        with (
            pytest.raises(sa.exc.DBAPIError, match="the deal of a table is never changed"),
            own.service.repository.engine.begin() as connection,
        ):
            connection.execute(sa.text(f"UPDATE tables SET {change} WHERE id = :id"), {"id": table})


@every_database
def test_the_database_refuses_to_change_a_seal(own: House) -> None:
    with seated(own) as (anna, _ben):
        anna.seal()
        with (
            pytest.raises(sa.exc.DBAPIError, match="the deal of a table is never changed"),
            own.service.repository.engine.begin() as connection,
        ):
            connection.execute(repository.seals.update().values(seal="x"))


OTHER = "ee" * 32
EXCHANGES: dict[str, tuple[str, list[str]]] = {
    "secret": ("UPDATE tables SET secret = :other", ["the commitment is not the hash of this secret"]),
    "secret and commitment": (
        "UPDATE tables SET secret = :other, commitment = :hash",
        ["the commitment is not the one that was noted, but {hash}"],
    ),
    "start": ("UPDATE tables SET start = 1", ["the commitment is not the hash of this secret"]),
    "nonce": ("UPDATE seals SET nonce = :other WHERE seat = 0", ["the nonce of seat 0 does not fit its seal"]),
    "nonce and seal": ("UPDATE seals SET nonce = :other, seal = :seal WHERE seat = 0", []),
}


@every_database
@pytest.mark.parametrize("what", EXCHANGES)
def test_an_exchange_between_restarts_is_caught(tmp_path: Path, database: str, what: str) -> None:
    clock = Clock()
    statement, expected = EXCHANGES[what]
    with house(tmp_path, true_sources(clock), database=database) as here, seated(here) as (anna, ben):
        noted = both_deal(anna, ben)["commitment"]
    told = {"other": OTHER, "seal": seal_of(anna.table, 0, OTHER)}
    told["hash"] = commitment_2(anna.table, "classic", 2, ANY_START, OTHER)
    exchange(database, statement, told)
    with house(tmp_path, true_sources(clock), database=database) as here:
        anna.guest.house = ben.guest.house = here
        with anna.guest.at(anna.table) as first, ben.guest.at(ben.table) as second:
            anna.chair, ben.chair = first, second
            for chair in (first, second):
                chair.until(lambda state: state["view"])
            by_turns(anna, ben)
            said = anna.guest.get(f"/api/tables/{anna.table}/reveal").content
    own = {} if "nonce" not in what else {0: anna.nonce}
    lost = ["the nonce of seat 0 is not the one that was noted"] if own else []
    assert [sentence.format(**told) for sentence in expected] + lost == verify(parse_reveal(said), noted, own)
    options = ["--commitment", noted, *(f"--nonce={seat}={nonce}" for seat, nonce in own.items())]
    result = commanded(tmp_path, said, *options)
    assert 1 == result.exit_code and "ok" not in result.output


def exchange(database: str, statement: str, told: dict[str, str]) -> None:
    kept = Repository(database)
    with kept.engine.begin() as connection:
        without_triggers(connection)
        query = sa.text(statement)
        connection.execute(query, {name: told[name] for name in query.compile().params})
    kept.engine.dispose()


def commanded(folder: Path, reveal: bytes, *options: str) -> Any:
    """`cabochon verify`."""
    file = folder / "reveal.json"
    file.write_bytes(reveal)
    return CliRunner().invoke(cabochon, ["verify", str(file), *options])


@pytest.fixture(scope="module")
def revealed(here: House) -> dict[str, Any]:
    with seated(here, start="host") as (anna, ben):
        both_deal(anna, ben)
        by_turns(anna, ben)
        found: dict[str, Any] = orjson.loads(anna.guest.get(f"/api/tables/{anna.table}/reveal").content)
        return found


def test_the_command_says_what_it_compared_with(revealed: dict[str, Any], tmp_path: Path) -> None:
    said, noted = orjson.dumps(revealed), revealed["commitment"]
    result = commanded(tmp_path, said)
    assert (
        0 == result.exit_code
        and "ok, dealt from the server's secret and the nonces of seats 0, 1 as committed to" in result.output
    )
    assert (
        "compared with the commitment that the server gives today; --commitment HEX compares with one you noted" in result.output
    )
    result = commanded(tmp_path, said, "--commitment", noted.upper(), "--nonce", f"1={revealed['nonces'][1]}")
    assert 0 == result.exit_code and "today" not in result.output
    for options, reason in (
        (["--commitment", "abc"], "--commitment abc: it has 64 digits from 0 to f"),
        (["--nonce", OTHER], "a nonce is written like 0=HEX"),
        (["--nonce", "0=abc"], "--nonce abc: it has 64 digits from 0 to f"),
    ):
        result = commanded(tmp_path, said, *options)
        assert 2 == result.exit_code and reason in result.output


def test_a_nonce_of_a_seat_that_is_not_there_is_found(revealed: dict[str, Any]) -> None:
    """It would be the server's own, chosen when all others were known."""
    told = {
        **revealed,
        "seals": [*revealed["seals"], seal_of(revealed["table"], 2, OTHER)],
        "nonces": [*revealed["nonces"], OTHER],
    }
    wrong = verify(parse_reveal(orjson.dumps(told)))
    assert "there is not one seal and one nonce for each of 2 seats" == wrong[0]


def swapped_deck(reveal: dict[str, Any]) -> str:
    """The record with the last two cards of deck 1 exchanged, which nobody has seen."""
    lines = reveal["record"].split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("deck 1: "))
    cards = lines[at].split(", ")
    lines[at] = ", ".join([*cards[:-2], cards[-1], cards[-2]])
    return "\n".join(lines)


@pytest.mark.parametrize(
    "changed, wrong",
    [
        ({}, []),
        ({"secret": OTHER}, ["the commitment is not the hash of this secret"]),
        ({"table": "other"}, ["the commitment is not the hash of this secret"]),
        ({"start_rule": "random"}, ["the commitment is not the hash of this secret"]),
        ({"nonces": [], "seals": []}, ["there is not one seal and one nonce for each of 2 seats"]),
        ({"nonces": [OTHER, None]}, ["the nonce of seat 0 does not fit its seal"]),
        ({"seals": [OTHER, None]}, [f"the nonce of seat {seat} does not fit its seal" for seat in (0, 1)]),
        ({"record": "cards"}, ["the record's decks differ from what secret and nonces deal"]),
    ],
)
def test_verify(revealed: dict[str, Any], changed: dict[str, Any], wrong: list[str]) -> None:
    told = {**revealed, **changed}
    if told["record"] == "cards":
        told["record"] = swapped_deck(revealed)
    found = verify(parse_reveal(orjson.dumps(told)))
    assert wrong == found[: len(wrong)] and bool(wrong) == bool(found)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("{}", "not the reveal of a table: variant: Field required"),
        ('{"format": 4}', "not the reveal of a table: format 4 is not known here"),
        ('{"format": 2}', "not the reveal of a table: table: Field required"),
        ("[", "not the reveal of a table"),
    ],
)
def test_verify_refuses_what_is_no_reveal(tmp_path: Path, text: str, reason: str) -> None:
    result = commanded(tmp_path, text.encode())
    assert 2 == result.exit_code and reason in result.output


def test_a_failed_write_does_not_log_the_secret(
    here: House, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, secret = here.guest().create(), "5e" * 32
    monkeypatch.setattr(here.service.sources, "secret", lambda: secret)
    monkeypatch.setattr(here.service.sources, "table_id", lambda: table)
    caplog.set_level(logging.WARNING)
    failed = here.guest().request("POST", "/api/tables", json={})
    assert (503, "not_stored") == (failed.status_code, failed.json()["code"])
    assert "could not store" in caplog.text and secret not in caplog.text and secret not in failed.text


# Tables of older servers


SEED, SALT = 5305182598825874727, "81d32cf1a2b3a30e268cd800f1f82599"
OLD_COMMITMENT = commitment("classic", 2, 0, SEED, SALT)


def old_database(database: str, status: str) -> None:
    """A database of the first version with one table, at which a short game is over, runs or has not begun."""
    kept = Repository(database)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    game = Game("classic", 2, seed=SEED, start=0, goal=2)
    moves = [] if status == "waiting" else old_moves(game)
    with kept.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        table = {"options": '{"house": {"goal": 2}}', "status": status, "seed": SEED, "salt": SALT}
        connection.execute(
            sa.text(
                "INSERT INTO tables (id, options, status, host, start, seed, salt, created, began, listed, timed) "
                "VALUES ('old', :options, :status, 0, 0, :seed, :salt, 1000000, 1000000, TRUE, FALSE)"
            ),
            table,
        )
        for seat in (0, 1):
            kind = "open" if status == "waiting" and seat else "user"
            values = {"seat": seat, "kind": kind, "name": "AB"[seat]}
            connection.execute(
                sa.text("INSERT INTO seats (table_id, seat, kind, name) VALUES ('old', :seat, :kind, :name)"), values
            )
        for number, (seat, text) in enumerate(moves, 1):
            connection.execute(
                sa.text("INSERT INTO entries VALUES ('old', :number, 'move', :seat, :text, NULL, 0, 0)"),
                {"number": number, "seat": seat, "text": text},
            )
    kept.engine.dispose()


def old_moves(game: Game) -> list[tuple[int, str]]:
    """Purchases where possible, to the end."""
    moves = []
    while not game.is_over:
        texts = [str(move) for move in game.legal_moves()]
        moves.append((game.turn, next((text for text in texts if text.startswith("buy")), texts[0])))
        game.play(moves[-1][1])
    return moves


@every_database
def test_an_old_game_loads_and_verifies(tmp_path: Path, database: str) -> None:
    old_database(database, "finished")
    with house(tmp_path, true_sources(Clock()), database=database) as here:
        guest = here.guest()
        table = guest.get("/api/tables/old").json()
        assert (1, "dealt", OLD_COMMITMENT) == (table["deal"]["format"], table["deal"]["phase"], table["commitment"])
        assert {"secret": None, "seed": str(SEED), "salt": SALT} == table["reveal"]
        said = guest.get("/api/tables/old/reveal").content
        assert [] == verify(parse_reveal(said), OLD_COMMITMENT)
        result = commanded(tmp_path, said, "--commitment", OLD_COMMITMENT)
        assert 0 == result.exit_code and f"ok, dealt from seed {SEED} as committed to" in result.output
        assert 200 == guest.get("/api/tables/old/replay?seat=1").status_code


def test_a_reveal_of_an_old_server_verifies(tmp_path: Path, database: str) -> None:
    old_database(database, "finished")
    with house(tmp_path, true_sources(Clock()), database=database) as here:
        told = here.guest().get("/api/tables/old/reveal").json()
    del told["format"]
    assert [] == verify(parse_reveal(orjson.dumps(told)))
    wrong = verify(parse_reveal(orjson.dumps({**told, "seed": "8"})))
    assert ["the commitment is not the hash of this seed and salt"] == wrong[:1]
    assert {f"the record's {name} differ from what the seed deals" for name in ("tiles", "decks")} == set(wrong[1:])
    assert ["the commitment is not the hash of this seed and salt"] == verify(parse_reveal(orjson.dumps({**told, "salt": "00"})))


@every_database
def test_an_old_table_that_waited_begins_as_it_was_committed_to(tmp_path: Path, database: str) -> None:
    old_database(database, "waiting")
    with house(tmp_path, true_sources(Clock()), database=database) as here:
        ben = here.guest()
        with ben.at("old") as chair:
            chair.done("sit", seat=1, name="Ben")
            assert "this table was opened by an older server" in chair.refusal("seal", seal=OTHER)
            assert "this table was opened by an older server" in chair.refusal("nonce", nonce=OTHER)
            table = here.service.rooms["old"].table
            assert Game("classic", 2, seed=SEED, start=0, goal=2) == table.first_game(here.service.sources.deal)
            assert OLD_COMMITMENT == table.origin.commitment


@every_database
@pytest.mark.parametrize(
    "statement, wrong",
    [
        ("UPDATE tables SET seed = 7, salt = '00'", "the commitment is not the hash of this seed and salt"),
        (
            "UPDATE tables SET seed = 7, salt = '00', commitment = :hash",
            "the commitment is not the one that was noted, but {hash}",
        ),
    ],
)
def test_an_exchange_of_an_old_seed_is_caught(tmp_path: Path, database: str, statement: str, wrong: str) -> None:
    old_database(database, "waiting")
    told = {"hash": commitment("classic", 2, 0, 7, "00")}
    with house(tmp_path, true_sources(Clock()), database=database):
        pass
    exchange(database, statement, told)
    with house(tmp_path, true_sources(Clock()), database=database) as here:
        anna, ben = here.guest(), here.guest()
        with anna.at("old") as first, ben.at("old") as second:
            second.done("sit", seat=1, name="Ben")
            with here.service.repository.engine.begin() as connection:
                connection.execute(sa.text("UPDATE seats SET token = 'anna' WHERE seat = 0"))
            here.service.rooms["old"].table.seats[0].token = "anna"
            anna.request("POST", "/api/seats/anna", json={})
            first.done("start")
            for chair in (first, second):
                chair.until(lambda state: state["view"])
            play_out(first, second)
        reveal = parse_reveal(anna.get("/api/tables/old/reveal").content)
    assert [wrong.format(**told)] == verify(reveal, OLD_COMMITMENT)


def test_the_commitment_of_format_1_is_the_hash_of_a_text() -> None:
    lines = ["cabochon deal 1", "variant: classic", "players: 2", "start: 0", f"seed: {SEED}", f"salt: {SALT}", ""]
    assert "\n".join(lines) == committed_text("classic", 2, 0, SEED, SALT)
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == OLD_COMMITMENT
