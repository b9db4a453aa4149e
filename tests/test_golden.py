"""Golden games are replayed line by line; perft counts are counted again."""

from itertools import zip_longest

import pytest

from cabochon import Game, format_record, parse_record
from cabochon.tools.perft import divide, perft
from tests.support.comparing import as_referee_says, referee_for
from tests.support.golden import FOLDER, GOLDEN, Golden, playthrough
from tests.support.hunting import EVENTS, events_of
from tests.support.perft import named_game, referee_at, referee_perft, rows


def golden_game(golden: Golden) -> Game:
    return Game.from_record((FOLDER / f"{golden.name}.game").read_text())


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_golden_game(golden: Golden) -> None:
    game = golden_game(golden)
    expected = (FOLDER / f"{golden.name}.txt").read_text().splitlines()
    for line, (want, got) in enumerate(zip_longest(expected, playthrough(game)), 1):
        assert want == got, f"line {line}"


@pytest.mark.slow
@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_golden_game_by_the_referee(golden: Golden) -> None:
    game = golden_game(golden)
    again, referee = game.beginning(), referee_for(game)
    for move in game.moves:
        referee.play(str(move))
        again.play(move)
        assert as_referee_says(again.position()) == referee.state()


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)
def test_golden_record_round_trips(golden: Golden) -> None:
    text = (FOLDER / f"{golden.name}.game").read_text()
    assert text == format_record(parse_record(text)) == format_record(golden_game(golden).record())


@pytest.mark.parametrize("golden", [g for g in GOLDEN if not g.name.endswith("players")], ids=lambda golden: golden.name)
def test_golden_game_shows_its_rare_case(golden: Golden) -> None:
    assert golden.name.partition("-")[2] in events_of(golden_game(golden))


def test_every_rare_case_has_a_golden_game() -> None:
    assert set(EVENTS) <= {golden.name.partition("-")[2] for golden in GOLDEN}


@pytest.mark.slow
@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row['game']}-{row['decisions']}")
def test_perft(row: dict[str, str]) -> None:
    game = named_game(row)
    assert [int(row[f"depth {depth}"]) for depth in (1, 2, 3, 4)] == [perft(game, depth) for depth in (1, 2, 3, 4)]
    assert [int(row[f"depth {depth}"]) for depth in (1, 2)] == [referee_perft(referee_at(game), depth) for depth in (1, 2)]
    assert int(row["depth 3"]) == sum(divide(game, 3).values())
