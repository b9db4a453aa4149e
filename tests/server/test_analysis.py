"""The analysis board: positions and moves over HTTP, what the engine finds over a socket, tables that begin at a position."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest

from cabochon import Game
from cabochon.notation.position import format_position
from cabochon.notation.record import format_record
from cabochon.notation.replay import record_of
from cabochon.rules.variants import CARDS
from cabochon.server import analysis_routes
from cabochon.server.analysis import MAX_MOVES_SHOWN
from cabochon.server.analysis_messages import PROBLEMS, AnalysisOut, FoundOut, GameLineOut, NotFoundOut
from cabochon.server.study_pieces import search
from cabochon.study.known import as_known, parse_known, seen_by_turn
from tests.support.serving import Clock, Guest, House, house, true_sources, two_players

PATIENT: dict[str, Any] = {"bot_deadline": 300.0, "bot_delay": 0.0}  # the search may have to be compiled
SHALLOW = (32, 64)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setattr(analysis_routes, "DEPTHS", SHALLOW)
    with house(tmp_path, true_sources(Clock()), **PATIENT) as running:
        yield running


def line_of(game: Game) -> str:
    return format_position(as_known(game.position()))


def post(guest: Guest, path: str, **body: Any) -> Any:
    return guest.request("POST", path, json=body)


def analysed(guest: Guest, game: Game | str, *moves: dict[str, Any]) -> dict[str, Any]:
    position = game if isinstance(game, str) else line_of(game)
    response = post(guest, "/api/analysis", position=position, moves=list(moves))
    assert 200 == response.status_code, response.text
    AnalysisOut.model_validate_json(response.text)
    return dict(response.json())


def test_a_position_has_a_board(here: House) -> None:
    game = Game("marvel", 3, seed=5, start=1)
    found = analysed(here.guest(), game)
    board = found["board"]
    assert None is found["problem"] and line_of(game) == board["position"]
    assert [str(move) for move in game.legal_moves()] == board["choices"]["legal"]
    assert 1 == board["view"]["seat"] == board["view"]["turn"]
    assert {"reserve 1a": 1, "reserve 3?": 3}.items() <= board["reveals"].items()
    assert ["reserve 1?", "reserve 2?", "reserve 3?"] == board["stays_unseen"]
    assert [36, 26, 16] == [len(cards) for cards in board["unseen"]]


def test_moves_are_played_with_the_cards_that_are_said(here: House) -> None:
    game = Game("classic", 2, seed=5, start=0)
    card = parse_known(line_of(game)) and analysed(here.guest(), game)["board"]["unseen"][1][4]
    found = analysed(here.guest(), game, {"text": "take wug"}, {"text": "reserve 2b", "card": card}, {"text": "reserve 1?"})
    first, second, third = found["played"]
    assert [0, 1, 0] == [one["entry"]["seat"] for one in found["played"]]
    assert card == second["card"] == second["entry"]["turned_up"]
    assert None is third["card"] and "t1?" in third["position"]
    assert found["board"]["position"] == third["position"]
    assert None is first["card"]


def test_a_move_that_is_not_legal_is_explained_and_the_rest_stands(here: House) -> None:
    found = analysed(here.guest(), Game("classic", 2, seed=5), {"text": "take ww"}, {"text": "take ww"}, {"text": "take u"})
    assert (1, "rule", "pile_for_two") == (found["problem"]["step"], found["problem"]["code"], found["problem"]["rule"]["code"])
    assert 1 == len(found["played"]) and found["board"]["position"] == found["played"][0]["position"]
    assert "not_a_move" == analysed(here.guest(), Game(seed=5), {"text": "e4"})["problem"]["rule"]["code"]


def test_a_card_that_cannot_come_is_refused(here: House) -> None:
    game = Game("classic", 2, seed=5)
    lying = game.position().market[0][0]
    assert "card" == analysed(here.guest(), game, {"text": "reserve 1b", "card": lying})["problem"]["code"]


@pytest.mark.parametrize(
    "position", ["", "rnbqkbnr/pppppppp/8 w KQkq - 0 1", "classic 9", "x" * 2000, "classic 2 start:0", "žluťoučký 2"]
)
def test_foreign_positions_are_refused(here: House, position: str) -> None:
    found = analysed(here.guest(), position)
    assert None is found["board"] and "not_a_position" == found["problem"]["code"] and found["problem"]["sentence"]


def test_bodies_that_are_too_long_are_refused(here: House) -> None:
    guest = here.guest()
    assert 422 == post(guest, "/api/analysis", position="x" * 2001).status_code
    assert 422 == post(guest, "/api/analysis", position="classic 2", moves=[{"text": "pass"}] * 41).status_code
    assert 413 == post(guest, "/api/analysis", position="x" * 5000).status_code


# the editor


def draft(players: int = 2, variant: str = "classic", **changed: Any) -> dict[str, Any]:
    seats = [{"tokens": [0] * 6, "tableau": [], "reserve": []} for _ in range(players)]
    return {"variant": variant, "players": players, "market": [[None] * 4] * 3, "seats": seats, **changed}


def drafted(guest: Guest, **wanted: Any) -> dict[str, Any]:
    response = post(guest, "/api/analysis/draft", **wanted)
    assert 200 == response.status_code, response.text
    return dict(response.json())


@pytest.mark.parametrize("variant, players", [("classic", 2), ("classic", 4), ("marvel", 3), ("cities", 3)])
def test_an_empty_draft_is_filled(here: House, variant: str, players: int) -> None:
    guest = here.guest()
    empty = drafted(guest, **draft(players, variant))
    assert "market_gap" == empty["problem"]["code"] and None is empty["board"]
    board = drafted(guest, **draft(players, variant, fill=True))["board"]
    view = board["view"]
    assert all(card for row in view["market"] for card in row)
    assert Game(variant, players).position().bank == tuple(view["bank"])
    assert len(Game(variant, players).position().tiles) == len(view["tiles"])


def test_what_follows_is_filled_in(here: House) -> None:
    guest = here.guest()
    seats = [
        {"tokens": [3, 3, 3, 2, 0, 1], "tableau": [71, 72, 73], "reserve": [{"tier": 2, "blind": True}, {"tier": 1, "card": 9}]},
        {"tokens": [0] * 6},
    ]
    view = drafted(guest, **draft(variant="marvel", seats=seats, turn=0, round=9, fill=True))["board"]["view"]
    assert "return" == view["stage"], "thirteen tokens with the Time token"
    assert 1 == view["areas"][0]["tokens"][6] and 1 == view["bank"][6]
    assert (0, 16, 0) == (view["start"], view["turns"], view["turn"])
    assert [40 - 4 - 1, 30 - 4 - 1, 20 - 4 - 3] == view["deck_sizes"]
    symbols = view["areas"][0]["symbols"]
    assert view["avengers"] == (0 if symbols >= 3 else None)


@pytest.mark.parametrize(
    "changed, code",
    [
        ({"seats": [{"tokens": [5, 0, 0, 0, 0, 0]}, {"tokens": [0] * 6}]}, "tokens_many"),
        ({"seats": [{"tokens": [0] * 6}, {"tokens": [3, 3, 3, 3, 0, 0]}]}, "token_limit"),
        ({"seats": [{"tokens": [4, 4, 4, 4, 0, 0]}, {"tokens": [0] * 6}]}, "far_over"),
        ({"seats": [{"tokens": [0] * 6, "tableau": [1, 1]}, {"tokens": [0] * 6}]}, "card_twice"),
        ({"seats": [{"tokens": [0] * 6, "reserve": [{"tier": 1}] * 4}, {"tokens": [0] * 6}]}, "hand_limit"),
        ({"market": [[41, None, None, None], [None] * 4, [None] * 4]}, "wrong_tier"),
        ({"tiles": [{"number": 1, "owner": 1}]}, "tile_demand"),
        ({"tiles": [{"number": 1}, {"number": 1}]}, "tile_twice"),
        ({"tiles": [{"number": n} for n in (1, 2, 3, 4, 5)]}, "tile_count"),
        ({"seats": [{"tokens": [0] * 6}]}, "not_understood"),
        ({"turn": 3}, "not_a_position"),
    ],
)
def test_what_cannot_be_is_said_as_one_edits(here: House, changed: dict[str, Any], code: str) -> None:
    response = post(here.guest(), "/api/analysis/draft", **draft(fill=True, **changed))
    problem = response.json() if response.status_code == 422 else response.json()["problem"]
    assert code == problem["code"], problem
    assert 422 == response.status_code or problem["code"] in PROBLEMS


# the engine


class Board:
    """The socket of an analysis board."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    def think(self, position: str, number: int = 1) -> None:
        self.socket.send_text(orjson.dumps({"kind": "think", "id": number, "position": position}).decode())

    def hear(self) -> dict[str, Any]:
        text = self.socket.receive_text()
        message: dict[str, Any] = orjson.loads(text)
        (FoundOut if message["kind"] == "found" else NotFoundOut).model_validate_json(text)
        return message


@contextmanager
def board(here: House) -> Iterator[Board]:
    guest = here.guest()
    here.client.cookies.clear()
    with here.client.websocket_connect("/api/analysis/socket", headers={"cookie": guest.cookie}) as socket:
        yield Board(socket)


@pytest.mark.parametrize("variant, players", [("classic", 2), ("marvel", 4)])
def test_the_engine_tells_the_best_moves_deeper_and_deeper(here: House, variant: str, players: int) -> None:
    game = Game(variant, players, seed=7, start=0)
    with board(here) as open_board:
        open_board.think(line_of(game))
        found = [open_board.hear() for _ in SHALLOW]
    assert [False, True] == [one["done"] for one in found] and found[0]["nodes"] < found[1]["nodes"]
    moves = found[1]["moves"]
    assert 1 <= len(moves) <= 5 and {one["text"] for one in moves} <= {str(move) for move in game.legal_moves()}
    for one in moves:
        assert players == len(one["chances"]) and pytest.approx(1.0, abs=0.01) == sum(one["chances"])
        assert one["text"] == one["line"][0]["text"] and 0 == one["line"][0]["seat"]


def test_another_position_takes_the_place_of_the_one_before(here: House) -> None:
    with board(here) as open_board:
        open_board.think(line_of(Game(seed=1)), 1)
        open_board.think(line_of(Game(seed=2)), 2)
        numbers: list[tuple[int, bool]] = []
        while not numbers or numbers[-1] != (2, True):
            message = open_board.hear()
            numbers.append((message["id"], message["done"]))
    assert numbers == sorted(numbers)


def test_what_cannot_be_thought_about_is_said(here: House) -> None:
    over = Game.from_record((Path(__file__).parent.parent / "golden" / "classic-two-tiles-at-once.game").read_text())
    with board(here) as open_board:
        open_board.think("nonsense")
        assert "not_a_position" == open_board.hear()["problem"]["code"]
        open_board.think(line_of(over))
        assert "over" == open_board.hear()["code"]
        for _ in range(here.service.settings.max_bad - 1):
            open_board.socket.send_text("{")
        open_board.think(line_of(Game(seed=1)), 3)
        assert 3 == open_board.hear()["id"], "it goes on after what was not understood"


def test_a_page_that_has_gone_is_not_thought_for(here: House) -> None:
    with board(here) as open_board:
        open_board.think(line_of(Game(seed=1)))
        open_board.hear()
    assert here.client.portal
    here.client.portal.call(gone, here)


async def gone(here: House) -> None:
    """The server has seen that the socket is closed, and nothing is thought about any more."""
    async with asyncio.timeout(20):
        while here.service.sockets.open or here.service.bots.background.job_count:
            await asyncio.sleep(0.01)


def test_the_search_sees_only_what_the_seat_to_move_knows() -> None:
    """Cards of others that whoever studies may know, and the order of the decks, change nothing."""
    game = Game("classic", 2, seed=9, start=0, moves="reserve 1?; reserve 2?; take wug; reserve 3?")
    known = as_known(game.position())
    assert game.view(0) == seen_by_turn(known)

    class Never:
        def is_set(self) -> bool:
            return False

    there = search(seen_by_turn(known), 64, 5, MAX_MOVES_SHOWN, Never())
    assert there.moves == search(game.view(0), 64, 5, MAX_MOVES_SHOWN, Never()).moves


# games and tables


def finished_table(here: House) -> tuple[str, Guest]:
    guest = here.guest()
    table = guest.create(bots=["greedy"], start="host")
    with guest.at(table) as chair:
        while chair.until(lambda state: state["choices"] or state["outcome"])["outcome"] is None:
            chair.play(chair.state["choices"]["legal"][-1])
    return table, guest


def test_a_finished_game_is_analysed_from_any_moment(here: House) -> None:
    table, guest = finished_table(here)
    response = here.guest().get(f"/api/tables/{table}/analysis")
    GameLineOut.model_validate_json(response.text)
    line = response.json()
    moves = [line.entry.text for line in here.service.rooms[table].table.standing]
    assert moves == [one["text"] for one in line["moves"]]
    position = line["position"]
    for first in range(0, len(moves), 40):
        steps = [{"text": one["text"], "card": one["card"]} for one in line["moves"][first : first + 40]]
        found = analysed(guest, position, *steps)
        assert None is found["problem"]
        position = found["board"]["position"]
    assert line_of(here.service.rooms[table].table.game) == position and found["board"]["end"]


def test_nobody_is_advised_while_another_person_plays(here: House) -> None:
    with two_players(here) as (table, _anna, _ben):
        pass
    guest = here.guest()
    assert "watching" == guest.get(f"/api/tables/{table}/analysis").json()["code"]
    anna = next(user for user, seat in here.service.rooms[table].table.holders.items() if seat == 0)
    with pytest.raises(Exception, match="another person sits at this table"):
        analysis_routes._viewer(here.service.rooms[table].table, anna, None)


def test_a_running_game_against_bots_shows_only_what_its_player_sees(here: House) -> None:
    guest = here.guest()
    table = guest.create(bots=["greedy"], start="host")
    with guest.at(table) as chair:
        chair.until(lambda state: state["choices"])
        chair.play("reserve 1?")
        chair.until(lambda state: state["choices"])
    line = guest.get(f"/api/tables/{table}/analysis").json()
    own = here.service.rooms[table].table.game.view(0).seats[0].reserve[0].card
    assert own == line["moves"][0]["card"], "one's own card is known"


def test_a_table_begins_at_a_position(here: House) -> None:
    game = Game("classic", 3, seed=4, start=1, moves="take wug; reserve 1?; take wuk")
    hidden = as_known(game.position())
    guest = here.guest()
    response = post(guest, "/api/analysis/table", position=format_position(hidden), seat=2, bot="greedy")
    assert 200 == response.status_code, response.text
    table = here.service.rooms[response.json()["id"]].table
    first = table.first_game(here.service.sources.deal)
    assert (first.position().seats[1:], first.position().market) == (game.position().seats[:2], game.position().market)
    assert game.position().seats[2] == first.position().seats[0], "whoever opens it has seat 0"
    with guest.at(table.id) as chair:
        chair.until(lambda state: state["choices"])
        chair.play(chair.state["choices"]["legal"][0])
        chair.until(lambda state: state["choices"] or state["outcome"])
    kept = line_of(table.game)
    here.service.rooms.clear()
    assert 200 == guest.get(f"/api/tables/{table.id}/replay").status_code, "it is read again from its log"
    assert kept == line_of(here.service.rooms[table.id].table.game)
    with guest.at(table.id) as chair:
        chair.done("resign")
        chair.until(lambda state: state["outcome"])
    record = guest.get(f"/api/tables/{table.id}/record").text
    assert (kept, first) == (line_of(Game.from_record(record)), Game.from_record(record).beginning())
    assert "won by 1 2; reason resigned;" in record
    assert "from_position" == guest.request("GET", f"/api/tables/{table.id}/reveal").json()["code"], "there is no deal to check"
    assert 200 == post(guest, "/api/reviews", table=table.id).status_code


def test_unseen_cards_are_dealt_and_the_others_lie_where_they_lay(here: House) -> None:
    game = Game("classic", 2, seed=4, start=0, moves="take wug; reserve 1?")
    line = format_position(game.view(0))
    ids = [post(here.guest(), "/api/analysis/table", position=line, seat=0, bot="greedy").json()["id"] for _ in range(4)]
    games = [here.service.rooms[table].table.first_game(here.service.sources.deal) for table in ids]
    assert all(game.view(0) == found.view(0) for found in games)
    assert len({found.position().decks for found in games}) > 1


@pytest.mark.parametrize(
    "body, code",
    [
        ({"position": "nonsense", "seat": 0, "bot": "greedy"}, "impossible"),
        ({"position": line_of(Game(seed=1)), "seat": 3, "bot": "greedy"}, "no_seat"),
        ({"position": line_of(Game(seed=1)), "seat": 0, "bot": "nobody"}, "unknown_bot"),
    ],
)
def test_a_table_that_cannot_be_is_refused(here: House, body: dict[str, Any], code: str) -> None:
    assert code == post(here.guest(), "/api/analysis/table", **body).json()["code"]


def test_a_position_of_another_game_is_refused_for_a_table(here: House) -> None:
    options = {"variant": "marvel", "players": 2, "bots": ["greedy"], "position": line_of(Game("classic", 2, seed=1))}
    assert "impossible" == post(here.guest(), "/api/tables", **options).json()["code"]


def test_a_line_from_the_deal_is_saved_as_a_record(here: House) -> None:
    game = Game("classic", 2, seed=5, start=0)
    guest = here.guest()
    found = analysed(guest, game, {"text": "reserve 2b"}, {"text": "reserve 1?"}, {"text": "take wug"})
    moves = [{"text": one["entry"]["text"], "card": one["card"], "note": "a } in\na note"} for one in found["played"]]
    record = post(guest, "/api/analysis/record", position=line_of(game), moves=moves, names=["Anna", "Ben"]).json()["record"]
    replayed = Game.from_record(record)
    assert ["reserve 2b", "reserve 1?", "take wug"] == [str(move) for move in replayed.moves]
    assert game.position().market[0] == replayed.beginning().position().market[0]
    later = found["board"]["position"]
    assert "no_deal" == post(guest, "/api/analysis/record", position=later, moves=[]).json()["code"]


def opened(guest: Guest, record: str) -> dict[str, Any]:
    response = post(guest, "/api/analysis/game", record=record)
    assert 200 == response.status_code, response.text
    return GameLineOut.model_validate_json(response.text).model_dump()


def test_a_record_is_opened_with_its_moves_cards_and_comments(here: House) -> None:
    game = Game("marvel", 2, seed=5, start=0, moves="reserve 2b; reserve 1?; take ypb")
    record = format_record(record_of(game, ("Anna", "Ben"), comments=("a plan", "", "")))
    found = opened(here.guest(), record)
    assert (["Anna", "Ben"], ["a plan", "", ""]) == (found["names"], [move["note"] for move in found["moves"]])
    assert format_position(as_known(game.beginning().position())) == found["position"]
    drawn = game.position().seats[1].reserve[0].card
    assert [game.position().market[1][1], drawn, None] == [move["card"] for move in found["moves"]]


def test_a_record_of_a_real_table_hides_what_nobody_saw(here: House) -> None:
    game = Game("classic", 2, seed=5, start=0)
    moves = [{"text": "reserve 1?"}, {"text": "reserve 2b", "card": 55}]
    record = post(here.guest(), "/api/analysis/record", position=line_of(game), moves=moves, names=[]).json()["record"]
    assert [None, 55] == [move["card"] for move in opened(here.guest(), record)["moves"]]


def test_a_record_that_cannot_be_read_is_refused_with_its_line(here: House) -> None:
    text = format_record(Game(seed=1, moves="reserve 1a").record())
    for wrong, status, code in (
        ("[Event 'chess']", 409, "bad_record"),
        (text.replace("reserve 1a", "reserve 9z"), 409, "bad_record"),
        (text + 61_000 * " ", 422, "not_understood"),
        (text + 70_000 * " ", 413, "too_large"),
    ):
        response = post(here.guest(), "/api/analysis/game", record=wrong)
        assert (status, code) == (response.status_code, response.json()["code"])


def test_the_editor_knows_house_rules_a_choice_of_tiles_and_the_end(here: House) -> None:
    guest = here.guest()
    board = drafted(guest, **draft(fill=True, house={"goal": 9, "token_limit": 12, "hand_limit": 1, "take_fewer": True}))["board"]
    assert (9, 12, 1, True) == tuple(board["house"][name] for name in ("goal", "token_limit", "hand_limit", "take_fewer"))
    assert "claim" == drafted(guest, **draft(fill=True, stage="claim"))["problem"]["code"]
    assert "passes" == drafted(guest, **draft(fill=True, stage="over"))["problem"]["code"], "there are tokens to take"
    rich = [{"tokens": [0] * 6, "tableau": [71, 75, 79, 83, 87]}, {"tokens": [0] * 6}]
    board = drafted(guest, **draft(fill=True, stage="over", round=20, turn=1, seats=rich))["board"]
    assert ([0], "goal", 20) == (board["end"]["winners"], board["end"]["reason"], board["view"]["round"])
    four_of_each = [card.number for bonus in "wugrk" for card in [one for one in CARDS["classic"] if one.bonus == bonus][:4]]
    seats = [{"tokens": [0] * 6, "tableau": four_of_each}, {"tokens": [0] * 6}]
    wanted = draft(fill=True, stage="claim", seats=seats, tiles=[{"number": number} for number in (1, 2, 3)], house={"goal": 100})
    found = drafted(guest, **wanted)
    board = found["board"]
    assert None is found["problem"]
    assert ("claim", ["claim 1", "claim 2", "claim 3"]) == (board["view"]["stage"], board["choices"]["legal"])
