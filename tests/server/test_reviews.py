"""Reviews over HTTP: asked for, made once, stored, shared; and what is refused."""

import asyncio
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from orjson import dumps

from cabochon import Game
from cabochon.bots import Budget, bot
from cabochon.notation.record import Resignation, format_record
from cabochon.server import review_store, reviews, study_pieces
from cabochon.server.review_messages import ReviewedGameOut, ReviewOut, TriedOut
from cabochon.server.reviews import id_of, reviewed_game_out
from cabochon.study import review
from tests.support.serving import Guest, House, house

SMALL = Budget(nodes=2)
PATIENT: dict[str, Any] = {"bot_deadline": 300.0}


def finished(variant: str = "classic", players: int = 2, seed: int = 5) -> Game:
    game = Game(variant, players, seed=seed)
    while not game.is_over:
        game.play(bot("greedy").choose(game.view(game.turn), Budget(), seed))
    return game


def record(game: Game, *names: str) -> str:
    return format_record(game.record(names))


GAME = finished()
RECORD = record(GAME, "Anna", "greedy")


@pytest.fixture(autouse=True)
def _a_quick_review(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_pieces, "BUDGET", SMALL)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path, **PATIENT) as running:
        yield running


def ask(guest: Guest, status: int = 200, **wanted: Any) -> Any:
    answer = guest.request("POST", "/api/reviews", json=wanted)
    assert status == answer.status_code, answer.text
    return answer.json()


def look(guest: Guest, review_id: str, since: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = guest.get(f"/api/reviews/{review_id}?since={since}").json()
    ReviewOut.model_validate(found)
    return found


def whole(guest: Guest, review_id: str) -> dict[str, Any]:
    """A review when it is done; on the way each answer continues the one before."""
    decisions: list[Any] = []
    while True:
        found = look(guest, review_id, len(decisions))
        assert len(decisions) == found["since"]
        decisions += found["decisions"]
        if found["is_done"]:
            return {**found, "decisions": decisions}


def played_out(here: House, guest: Guest) -> str:
    """A table where the guest has lost, or won, against a bot."""
    table = guest.create(variant="classic", players=2, bots=["greedy"], start="host", house={"goal": 1})
    with guest.at(table) as chair:
        while True:
            state = chair.until(lambda state: state["choices"] or state["outcome"])
            if state["outcome"]:
                return table
            legal = state["choices"]["legal"]
            chair.play(next((move for move in legal if move.startswith("buy")), legal[0]))


def test_a_record_is_reviewed_as_the_library_does_it(here: House) -> None:
    guest = here.guest()
    found = whole(guest, ask(guest, record=RECORD)["id"])
    expected = review(RECORD, SMALL)
    assert len(GAME.moves) == found["total"] == len(found["decisions"])
    assert [one.grade for one in expected.decisions] == [one["grade"] for one in found["decisions"]]
    assert [list(one.before) for one in expected.decisions] == [one["best"]["values"] for one in found["decisions"]]
    assert [list(one) for one in expected.luck] == found["luck"]
    assert [one.luck for one in expected.seats] == [one["luck"] for one in found["seats"]]
    assert (None, None) == (found["table"], found["seat"])


def test_a_second_visit_searches_nothing_and_a_restart_forgets_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with house(tmp_path, **PATIENT) as here:
        guest = here.guest()
        review_id = ask(guest, record=RECORD)["id"]
        first = whole(guest, review_id)
    monkeypatch.setattr(study_pieces, "judge_decision", None)  # nothing can be judged any more
    with house(tmp_path, **PATIENT) as here:
        stranger = here.guest()
        assert review_id == ask(stranger, record=RECORD)["id"]
        assert {**first, "since": 0} == look(stranger, review_id)
        assert {} == here.service.reviews.jobs


def test_a_review_that_a_restart_has_interrupted_is_made_again(tmp_path: Path) -> None:
    with house(tmp_path, **PATIENT) as here:
        guest = here.guest()
        review_id = ask(guest, record=RECORD)["id"]
        assert review_id in here.service.reviews.jobs
    with house(tmp_path, **PATIENT) as here:
        assert whole(here.guest(), review_id)["is_done"]


def test_a_finished_table_is_reviewed_for_its_player_and_for_whoever_has_the_link(here: House) -> None:
    guest = here.guest("Anna")
    table = played_out(here, guest)
    review_id = ask(guest, table=table)["id"]
    found = whole(guest, review_id)
    assert (table, 0) == (found["table"], found["seat"])
    stranger = whole(here.guest(), review_id)
    assert (table, None) == (stranger["table"], stranger["seat"])
    names = [seat["name"] for seat in guest.get(f"/api/reviews/{review_id}/game").json()["seats"]]
    assert ["Anna", "greedy"] == names


def test_a_game_that_was_given_up_is_reviewed_and_told_as_it_was(here: House) -> None:
    guest = here.guest("Anna")
    table = guest.create(variant="classic", players=3, bots=["greedy", "greedy"], start="host")
    with guest.at(table) as chair:
        chair.until(lambda state: state["choices"])
        chair.play()
        chair.until(lambda state: state["choices"])
        chair.done("resign")
    review_id = ask(guest, table=table)["id"]
    found = whole(guest, review_id)
    assert found["total"] == 4
    last = found["decisions"][-1]
    assert ("resign", 0, "play on", True) == (last["played"]["move"], last["seat"], last["best"]["move"], last["lost"] > 0)
    assert [0, 0.5, 0.5] == [seat["result"] for seat in found["seats"]]
    game = guest.get(f"/api/reviews/{review_id}/game").json()
    assert ["move", "move", "move", "resign"] == [entry["kind"] for entry in game["entries"]]
    assert (5, [1, 2]) == (len(game["moments"]), game["winners"])
    wanted = {"number": 3, "move": "pass"}
    assert "not_asked_here" == guest.request("POST", f"/api/reviews/{review_id}/try", json=wanted).json()["code"]
    record = guest.get(f"/api/tables/{table}/record").text
    assert review_id == ask(here.guest(), record=record)["id"], "its record is reviewed alike"


def test_a_game_that_is_not_over_is_refused_and_nothing_of_it_is_told(here: House) -> None:
    guest = here.guest()
    table = guest.create(variant="classic", players=2, bots=["greedy"], start="host")
    refusal = ask(guest, 409, table=table)
    assert ("not_over", {}) == (refusal["code"], refusal["facts"])
    assert {} == here.service.reviews.jobs


def test_where_nobody_may_watch_a_stranger_gets_no_review(here: House) -> None:
    guest = here.guest()
    table = guest.create(variant="classic", players=2, bots=["greedy"], watch="nobody")
    assert "nobody_watches" == ask(here.guest(), 403, table=table)["code"]


@pytest.mark.parametrize(
    "wrong, status, code, line",
    [
        ("", 409, "bad_record", 1),
        ("[Event 'chess']\n1. e4 e5", 409, "bad_record", 1),
        (RECORD.replace("cabochon game 1", "cabochon game 9"), 409, "bad_record", 1),
        (RECORD.replace("take", "steal", 1), 409, "bad_record", RECORD[: RECORD.index("take")].count("\n") + 1),
        (RECORD.replace("players: 2", "players: 7"), 409, "bad_record", 1),
        ("\x00\ud7ff", 409, "bad_record", 1),
        (record(GAME.beginning()), 409, "record_not_over", None),
    ],
)
def test_a_broken_or_foreign_record_is_refused_in_a_sentence(
    here: House, wrong: str, status: int, code: str, line: int | None
) -> None:
    refusal = ask(here.guest(), status, record=wrong)
    assert (code, line) == (refusal["code"], refusal["facts"].get("line"))
    assert len(refusal["detail"]) > 20


def test_line_ends_of_another_system_and_a_mark_at_the_beginning_are_no_matter(here: House) -> None:
    guest = here.guest()
    assert ask(guest, record=RECORD)["id"] == ask(guest, record="\ufeff" + RECORD.replace("\n", "\r\n"))["id"]


def test_a_record_that_is_too_large_is_refused(here: House) -> None:
    assert "too_large" == ask(here.guest(), 413, record=RECORD + 80_000 * " ")["code"]
    assert "not_understood" == ask(here.guest(), 422, record=RECORD + 62_000 * " ")["code"]


def test_a_game_of_too_many_decisions_is_refused(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    reviews.read_record.cache_clear()
    monkeypatch.setattr(reviews, "MAX_DECISIONS", 10)
    assert "record_too_long" == ask(here.guest(), 409, record=RECORD)["code"]


def test_either_a_table_or_a_record_is_wanted(here: House) -> None:
    assert "bad_record" == ask(here.guest(), 409)["code"]


def test_a_review_that_nobody_asked_for_is_not_there(here: House) -> None:
    guest = here.guest()
    for path in ("none", "none/game", "%00"):
        assert 404 == guest.request("GET", f"/api/reviews/{path}").status_code


# Very many


async def settled(service: reviews.Reviews) -> None:
    """Wait for the jobs: a review can be read a moment before its job has stored it."""
    await asyncio.gather(*(job.task for job in service.jobs.values() if job.task))


def test_of_ten_thousand_reviews_asked_at_once_as_many_are_made_as_may_be_and_the_others_are_refused(tmp_path: Path) -> None:
    records = [record(finished(seed=seed)) for seed in range(6)]
    with house(tmp_path, max_studies=3, max_studies_per_guest=2, **PATIENT) as here:
        service = here.service.reviews

        async def scenario() -> list[Any]:
            asked = (service.ask(records[i % 6], None, f"guest {i}", f"address {i}") for i in range(10_000))
            return list(await asyncio.gather(*asked, return_exceptions=True))

        found = here.client.portal.call(scenario)  # type: ignore[union-attr]
        begun = {one for one in found if isinstance(one, str)}
        assert 3 == len(begun) >= here.service.bots.background.job_count
        assert {"too_many_studies"} == {one.code for one in found if not isinstance(one, str)}
        guest = here.guest()
        assert all(whole(guest, one)["is_done"] for one in begun)
        here.client.portal.call(settled, service)  # type: ignore[union-attr]
        assert (0, {}) == (here.service.bots.background.job_count, service.jobs)
        ask(guest, record=next(text for text in records if id_of(text) not in begun))


def test_only_so_many_reviews_are_stored(here: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review_store, "MAX_STORED", 1)
    guest, service = here.guest(), here.service
    ids = []
    for seed in range(2):
        ids.append(ask(guest, record=record(finished(seed=seed)))["id"])
        whole(guest, ids[-1])
        here.clock.pass_by(60)
    here.client.portal.call(service.reviews.forget_old)  # type: ignore[union-attr]
    service.reviews.done.clear()
    assert [404, 200] == [guest.request("GET", f"/api/reviews/{one}").status_code for one in ids]


# The game, and trying another move


def test_every_moment_is_shown_as_the_seat_saw_it_that_decided() -> None:
    game = finished("marvel", 3)
    found = ReviewedGameOut.model_validate_json(dumps(reviewed_game_out(record(game))))
    assert len(game.moves) + 1 == len(found.moments)
    table = game.beginning()
    for move, shown in zip(game.moves, found.moments, strict=False):
        assert table.turn == shown.view.seat == shown.view.turn
        assert [str(one) for one in table.legal_moves()] == shown.legal
        table.play(move)
    assert (None, "over") == (found.moments[-1].view.seat, found.moments[-1].view.stage)


def with_other_hidden_cards(game: Game, drawn: int) -> Game:
    """The same moves, where the card that seat 0 drew unseen was another one, and the decks have another order."""
    first = game.beginning().position()
    decks = [list(deck) for deck in first.decks]
    for deck in decks:
        deck[drawn:] = reversed(deck[drawn:])
    decks[2][0], decks[2][1] = decks[2][1], decks[2][0]
    return Game.from_position(replace(first, decks=tuple(tuple(deck) for deck in decks)), game.moves)


def test_hidden_cards_change_no_verdict_and_nothing_that_is_shown_before_they_are_turned_up(here: House) -> None:
    """Seat 0 draws a card unseen; from then on seat 1 decides without knowing it. Byte for byte the same, whatever it was."""
    game = Game("classic", 2, seed=5, start=0, moves="reserve 3?")
    for _ in range(9):
        game.play(next(move for move in game.legal_moves() if str(move).startswith(("take", "return"))))
    other = with_other_hidden_cards(game, drawn=1)
    assert game.position().seats[0].reserve != other.position().seats[0].reserve
    assert game.position().decks != other.position().decks
    guest, given_up = here.guest(), (Resignation(1, len(game.moves)),)
    told = []
    for one in (game, other):
        review_id = ask(guest, record=format_record(one.record(resigned=given_up)))["id"]
        decisions = whole(guest, review_id)["decisions"]
        moments = guest.get(f"/api/reviews/{review_id}/game").json()["moments"]
        told.append(list(zip(decisions, moments, strict=False)))
    blind = [number for number, (decision, _) in enumerate(told[0]) if decision["seat"] == 1 or number == 0]
    assert len(blind) > 4
    assert [dumps(told[0][number]) for number in blind] == [dumps(told[1][number]) for number in blind]
    assert dumps(told[0]) != dumps(told[1]), "seat 0 knows its own card"


def test_another_move_is_judged_like_the_one_that_was_played(here: House) -> None:
    guest = here.guest()
    review_id = ask(guest, record=RECORD)["id"]
    found = whole(guest, review_id)
    decision = found["decisions"][0]

    def tried(move: str, status: int = 200) -> dict[str, Any]:
        answer = guest.request("POST", f"/api/reviews/{review_id}/try", json={"number": 0, "move": move})
        assert status == answer.status_code, answer.text
        return dict(answer.json())

    best, played = tried(decision["best"]["move"]), tried(decision["played"]["move"])
    assert (0, "best") == (best["lost"], best["grade"])
    assert (decision["lost"], decision["grade"]) == (played["lost"], played["grade"])
    known = {decision["best"]["move"], decision["played"]["move"], *(one["move"] for one in decision["alternatives"])}
    other = next(str(move) for move in GAME.beginning().legal_moves() if str(move) not in known)
    assert TriedOut.model_validate(tried(other)).lost >= 0
    assert tried(other) == tried(other)
    assert "not_asked_here" == tried("buy @3", 409)["code"]
    assert 0 == here.service.bots.background.job_count


def test_a_move_of_a_decision_that_is_not_there_cannot_be_tried(here: House) -> None:
    guest = here.guest()
    review_id = ask(guest, record=RECORD)["id"]
    whole(guest, review_id)
    wanted = {"number": 9_999, "move": "pass"}
    assert 404 == guest.request("POST", f"/api/reviews/{review_id}/try", json=wanted).status_code


def test_a_piece_can_be_sent_to_a_worker() -> None:
    pickle.loads(pickle.dumps(partial(study_pieces.judge_decision, RECORD, 0)))
    decision = review(RECORD, SMALL).decisions[0]
    assert decision == pickle.loads(pickle.dumps(decision))


def test_a_worker_does_not_load_the_server_for_a_review() -> None:
    loaded = "import sys; print(*sorted({'fastapi', 'sqlalchemy', 'pydantic'} & set(sys.modules)))"
    program = f"import cabochon.server.bot_pool, cabochon.server.study_pieces; {loaded}"
    assert "" == subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.strip()
