"""Puzzles: the files hold what they promise, and no puzzle has two good answers."""

import json
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest

from cabochon import CabochonError, Game
from cabochon.bots.base import legal_moves
from cabochon.notation.position import format_position
from cabochon.rules.variants import VARIANTS
from cabochon.study import puzzle_maker, puzzles
from cabochon.study.puzzle_maker import (
    DIFFICULTY_BY_MISSES,
    JUDGES,
    MARGIN,
    MIN_CHANCE,
    Effort,
    Job,
    disproof,
    is_decision,
    known_part,
    make_puzzles,
)
from cabochon.study.puzzle_themes import THEMES, themes_of
from cabochon.study.puzzles import (
    DAILY_DIFFICULTIES,
    FOLDER,
    PROVEN,
    SEARCHED,
    Puzzle,
    daily_puzzle,
    format_puzzle,
    mixed,
    parse_puzzle,
    puzzle_id,
    steps,
)
from cabochon.view import Position, sample
from tests.support.positions import position

CHECKED = 10  # puzzles that are searched again here; `make fuzz` takes a fifth of all
QUICK, THOROUGH = Effort(samples=4, nodes=48, seed=98), Effort(samples=16, nodes=200, seed=99)
MAX_BYTES = 1_000_000
ALL = list(puzzles.puzzles().values())


def fixed_choice(count: int) -> list[Puzzle]:
    """The same few puzzles every time, from all games."""
    return mixed(ALL)[:count]


def test_files_are_sorted_and_small() -> None:
    files = sorted(FOLDER.glob("*.jsonl"))
    assert {file.stem for file in files} >= {"classic", "marvel"}
    assert sum(file.stat().st_size for file in files) < MAX_BYTES
    for file in files:
        found = puzzles.read_puzzles(file)
        assert [one.id for one in found] == sorted({one.id for one in found})
        assert {one.variant for one in found} == {file.stem}
        assert file.read_text(encoding="utf-8") == "".join(f"{format_puzzle(one)}\n" for one in found)


def test_a_puzzle_is_what_its_seat_sees() -> None:
    for one in ALL:
        view = one.view
        assert not isinstance(view, Position)
        assert view.seat == view.turn
        assert format_position(view) == one.position
        assert one.id == puzzle_id(one.position)


def test_a_puzzle_has_one_move_that_is_clearly_best() -> None:
    for one in ALL:
        assert one.move in legal_moves(one.view)
        assert one.chances[0][0] == one.best == one.line[0]
        assert [chance for _, chance in one.chances] == sorted((chance for _, chance in one.chances), reverse=True)
        assert one.loss >= MARGIN - 0.001  # chances are written in per mille
        assert one.chances[0][1] >= MIN_CHANCE - 0.001
        assert one.proof in (PROVEN, SEARCHED)


def test_themes_and_difficulty_follow_their_rules() -> None:
    for one in ALL:
        assert one.difficulty == DIFFICULTY_BY_MISSES[len(one.missed)]
        assert set(one.missed) <= {judge.level.name for judge in JUDGES}
    for one in fixed_choice(CHECKED * 4):
        assert one.themes == themes_of(one.view, one.move)


def test_every_theme_and_difficulty_has_puzzles() -> None:
    assert {theme for one in ALL for theme in one.themes} == set(THEMES)
    for variant in {one.variant for one in ALL}:
        assert {one.difficulty for one in ALL if one.variant == variant} == set(DIFFICULTY_BY_MISSES)
    assert Counter(one.variant for one in ALL if "gauntlet" in one.themes).keys() == {
        name for name, row in VARIANTS.items() if row.gauntlet
    }


@pytest.mark.slow
@pytest.mark.parametrize("one", fixed_choice(CHECKED), ids=lambda one: one.id)
def test_no_puzzle_has_two_good_answers(one: Puzzle) -> None:
    assert disproof(one, QUICK, THOROUGH) is None


@pytest.mark.slow
@pytest.mark.parametrize(("proof", "told"), [(SEARCHED, "{} brings"), (PROVEN, "{best} is proven, and not {}")])
def test_a_puzzle_with_another_answer_is_disproven(proof: str, told: str) -> None:
    one = max((one for one in fixed_choice(CHECKED * 4) if one.proof == proof), key=lambda one: one.loss)
    wrong = replace(one, best=one.chances[1][0])
    assert (disproof(wrong, QUICK, THOROUGH) or "").startswith(told.format(wrong.best, best=one.best))
    elsewhere = next(move for move in ("buy @3", "pass") if move not in map(str, legal_moves(one.view)))
    assert disproof(replace(one, best=elsewhere), QUICK, THOROUGH) == f"{elsewhere} is not legal"


def test_what_is_hidden_changes_no_theme() -> None:
    """Themes are told from the view alone: any filling of what it hides gives the same."""
    for one in fixed_choice(CHECKED):
        game = Game.from_states(sample(one.view, np.random.default_rng(5)))
        assert themes_of(game.view(game.turn), one.move) == one.themes


def test_the_puzzle_of_the_day_comes_from_the_date_alone() -> None:
    first = date(2026, 11, 16)
    assert daily_puzzle(first) == daily_puzzle(first)
    wanted = [one for one in ALL if one.difficulty in DAILY_DIFFICULTIES]
    days = [daily_puzzle(first + timedelta(days=i)).id for i in range(len(wanted))]
    assert sorted(days) == sorted(one.id for one in wanted)


def test_a_line_says_who_plays() -> None:
    for one in fixed_choice(CHECKED * 4):
        found = steps(one)
        assert found[0] == (one.view.turn, one.best)
        assert [text for _, text in found] == list(one.line[: len(found)])


def test_a_line_ends_where_a_card_is_not_known() -> None:
    game = Game("classic", seed=1)
    moves = {str(move): move for move in map(game._move, ["reserve 1a", "buy 1a", "take wug", "buy @1", "reserve 2?"])}
    line = [moves["take wug"], moves["reserve 1a"], moves["buy 1a"]]
    assert [str(move) for move in known_part(line)] == ["take wug", "reserve 1a"]
    assert [str(move) for move in known_part([moves["buy @1"], moves["buy @1"]])] == ["buy @1"]
    assert len(list(known_part([moves["take wug"]] * 20))) == puzzle_maker.MAX_LINE


def test_an_answer_may_be_paid_in_any_way() -> None:
    one = next(one for one in ALL if one.move.kind == "buy")
    assert one.is_solved_by(one.move)
    assert one.chance_of(one.move) == one.chances[0][1]
    other = next(move for move in legal_moves(one.view) if move.action != one.move.action)
    assert not one.is_solved_by(other)


@pytest.mark.parametrize(("tokens", "counts"), [("3w3u3g2k", True), ("3w3u3g3k", False)])
def test_two_tokens_to_return_are_no_puzzle(tokens: str, counts: bool) -> None:
    assert is_decision(position(tokens=tokens, stage="return")) is counts


def test_a_forced_choice_is_no_puzzle() -> None:
    assert not is_decision(position(stage="claim", bonuses="3w3u3g3r", tiles="3w3u3g, 3u3g3r"))
    assert is_decision(position())


@pytest.mark.parametrize("line", ["", "{}", "[]", '{"id":1}', "not json"])
def test_a_line_that_is_no_puzzle_is_refused(line: str) -> None:
    with pytest.raises(CabochonError, match="not a puzzle"):
        parse_puzzle(line)


class Counted:
    """In place of playing a game: a puzzle of the file for every second game."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def __call__(self, _job: Job, number: int) -> list[Puzzle]:
        self.numbers.append(number)
        return [ALL[number]] if number % 2 else []


def test_making_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = Counted()
    monkeypatch.setitem(puzzle_maker.MAKERS, SEARCHED, played)
    out, told = tmp_path / "found.jsonl", list[tuple[int, int]]()
    assert make_puzzles(Job("classic", 1), 2, out, progress=lambda done, total: told.append((done, total))) == 2
    assert told[-1] == (2, 2)
    assert make_puzzles(Job("classic", 1), 3, out) == 3
    assert played.numbers == [0, 1, 2, 3, 4, 5]
    assert out.read_text() == "".join(sorted(f"{format_puzzle(ALL[i])}\n" for i in (1, 3, 5)))
    assert make_puzzles(Job("classic", 2), 9, out, minutes=0) == 0
    assert len((tmp_path / "found.jsonl.part").read_text().splitlines()) == len(played.numbers)


@pytest.mark.slow
def test_a_game_of_self_play_gives_puzzles(monkeypatch: pytest.MonkeyPatch) -> None:
    """With small searches: what is found has the right form, and the same game gives the same."""
    tiny = Effort(2, 8, 1)
    for name in ("RANK", "DEEP", "DEEPER"):
        monkeypatch.setattr(puzzle_maker, name, tiny)
    monkeypatch.setattr(puzzle_maker, "JUDGES", JUDGES[:1])
    monkeypatch.setattr(puzzle_maker, "MARGIN", 0.02)
    found = next(found for number in range(20) if (found := puzzle_maker.puzzles_of_game(Job("classic", 3), number)))
    for one in found:
        assert parse_puzzle(format_puzzle(one)) == one
        assert json.loads(format_puzzle(one))["position"] == format_position(one.view)
        assert one.move in legal_moves(one.view)
