"""The command: every part of it by its output, every error input by its one line."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from cabochon import Game, __version__, format_position, format_record, parse_record
from cabochon.bots import Budget, bot
from cabochon.cli import app
from cabochon.learn import command
from cabochon.learn.plan import DEFAULTS, Plan
from cabochon.notation.replay import record_of
from cabochon.terminal import rules_pages

NO_LIMIT = Budget()
FIRST = format_position(Game("classic", seed=7, start=0).position())


def cabochon(*words: str, typed: str = "") -> Result:
    """Run the command as a shell would."""
    return CliRunner().invoke(app, list(words), input=typed)


def finished(variant: str = "classic", players: int = 2, seed: int = 1) -> Game:
    """A game that greedy plays against itself to the end."""
    game = Game(variant, players, seed=seed)
    while not game.is_over:
        game.play(bot("greedy").choose(game.view(game.turn), NO_LIMIT, len(game.moves)))
    return game


@pytest.fixture
def record_file(tmp_path: Path) -> Path:
    file = tmp_path / "anna.game"
    file.write_text(format_record(record_of(finished(), ("Anna", "Ben"))), encoding="utf-8")
    return file


def test_learning_without_torch_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    result = cabochon("learn", "--minutes", "1")
    assert 2 == result.exit_code
    assert "cabochon: training needs torch: pip install 'cabochon-game[learn]', with [gpu] for a GPU\n" == result.stderr


def test_learning_takes_its_defaults_from_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[Plan] = []
    monkeypatch.setattr(command, "train", lambda plan, *_: plans.append(plan))
    assert 0 == cabochon("learn", "--minutes", "3").exit_code
    assert 0 == cabochon("learn", "--minutes", "3", "--players", "3", "--players", "4", "--rate", "0.001").exit_code
    assert [replace(DEFAULTS, minutes=3), replace(DEFAULTS, minutes=3, players=(3, 4), rate=0.001)] == plans


@pytest.mark.parametrize(
    "words, error",
    [
        (["learn", "--minutes", "1", "--variant", "chess"], "unknown variant 'chess': choose one of classic, marvel"),
        (["learn", "--minutes", "1", "--players", "7"], "players must be 2, 3 or 4, not 7"),
        (["learn", "--minutes", "1", "--device", "tpu"], "unknown device 'tpu': choose cuda or cpu"),
        (["learn"], "Missing option '--minutes'"),
        (["terminal", "--variant", "chess"], "unknown variant 'chess': choose one of classic, marvel"),
        (["terminal", "--players", "7"], "players must be 2, 3 or 4, not 7"),
        (["terminal", "--players", "two"], "Invalid value for '--players'"),
        (["terminal", "--bot", "deep"], "unknown bot 'deep': choose one of random, apprentice"),
        (["terminal", "--bot", "random", "--bot", "greedy"], "2 bots are too many: 2 players leave 1 for bots"),
        (["terminal", "--seat", "2"], "--seat 2: seats are 0 to 1"),
        (["terminal", "--seat", "-1"], "--seat -1: seats are 0 to 1"),
        (["terminal", "--house", "goal"], "--house goal: a house rule is written like goal=21 or take_fewer=on"),
        (["terminal", "--house", "gaol=3"], "unknown house rule 'gaol'"),
        (["terminal", "--house", "goal=many"], "goal must be a number from 1 to 100, not 'many'"),
        (["terminal", "--seed", "99999999999999999999"], "seed must be a whole number that fits 64 bits"),
        (["terminal", "--record", "no/such/folder/x.game"], "no/such/folder/x.game cannot be written"),
        (["show", "no-such-file"], "no-such-file: no such file or directory"),
        (["show", "."], ".: is a directory"),
        (["show", "classic", "2"], "position: start is missing"),
        (["show", "classic 2 start:9"], "position: start: '9' is not a number from 0 to 1"),
        (["show", FIRST, "--seat", "2"], "--seat 2: seats are 0 to 1"),
        (["show"], "Missing argument"),
        (["replay", "no-such-file"], "no-such-file: no such file or directory"),
        (["perft", "chess"], "chess: no such file or directory"),
        (["perft", "classic", "9"], "players must be 2, 3 or 4, not 9"),
        (["perft", "--depth", "99"], "--depth 99: choose a depth from 0 to 12"),
        (["perft", "--depth", "0", "--divide"], "--depth 0: choose a depth from 1 to 12"),
        (["rules", "--variant", "chess"], "no page 'chess': choose one of"),
        (["rules", "castling"], "no section 'castling': choose from"),
        (["castle"], "No such command 'castle'"),
        (["--castle"], "No such option"),
    ],
)
def test_invalid_input_gives_one_line(words: list[str], error: str) -> None:
    result = cabochon(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"cabochon: {error}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "content, error",
    [
        (b"\xff\xfe\x00", "not a text file"),
        (b"", "record: line 1: a record begins with 'cabochon game 1'"),
        (b"cabochon game 1\n", "record: "),
        (b" " * ((1 << 20) + 1), "too long for a record"),
    ],
)
def test_a_file_that_is_no_record(tmp_path: Path, content: bytes, error: str) -> None:
    file = tmp_path / "x.game"
    file.write_bytes(content)
    result = cabochon("replay", str(file))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith(f"cabochon: {file}: {error}")


def test_version() -> None:
    assert cabochon("version").stdout == f"{__version__}\n"


def test_without_a_command_the_help_is_shown() -> None:
    result = cabochon()
    assert result.exit_code == 0
    assert all(
        command in result.stdout
        for command in ("play", "terminal", "show", "replay", "check", "verify", "perft", "bench", "rules", "version")
    )


# terminal


def test_terminal_asks_again_until_the_move_is_legal() -> None:
    result = cabochon("terminal", "--seed", "7", "--seat", "1", typed="castle\ntake kwk\nbuy 3a\nTAKE w U g\nquit\n")
    assert result.exit_code == 0
    assert "Classic with greedy; you have seat 1. Seed 7." in result.stdout
    assert "'castle' is not a move: column 1" in result.stdout
    assert "'take kwk' is not a move: column 6" in result.stdout
    assert "buy 3a: the price cannot be paid (7 short of 7u)" in result.stdout
    assert "You take white, blue and green." in result.stdout
    assert result.stdout.endswith("You leave the table. Until next time!\n")


def test_terminal_commands() -> None:
    typed = "help\nmoves\nhint\nrules\nrules pass\nsave\nundo\n\nshow\nquit\n"
    result = cabochon("terminal", "--seed", "7", typed=typed)
    for text in (
        "three different tokens",
        "reserve 1a 1b 1c 1d",
        "Greedy would play: ",
        "Type rules and a part of a heading",
        "save FILE: the name of a file is missing",
        "there is no move of yours to take back",
    ):
        assert text in result.stdout
    assert result.stdout.count("you are to play") == 3


def test_moves_can_be_shortened() -> None:
    result = cabochon("terminal", "--seed", "7", "--seat", "1", typed="t wug\nr 3?\nundo\nb 3a\np\nq\n")
    assert "You take white, blue and green." in result.stdout
    assert "Taken back: reserve 3?." in result.stdout
    assert "buy 3a: the price cannot be paid" in result.stdout
    assert "pass: passing is allowed only when nothing else is" in result.stdout


def test_the_end_of_the_input_ends_the_game_politely() -> None:
    result = cabochon("terminal", "--seed", "7", typed="")
    assert result.exit_code == 0
    assert result.stdout.endswith("You leave the table. Until next time!\n")


def test_ctrl_c_ends_the_game_politely(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_question: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    result = cabochon("terminal", "--seed", "7")
    assert result.exit_code == 0
    assert result.stdout.endswith("You leave the table. Until next time!\n")


def test_terminal_keeps_a_record(tmp_path: Path) -> None:
    file = tmp_path / "x.game"
    result = cabochon("terminal", "--seed", "7", "--house", "goal=21", "--record", str(file), typed="take wug\nquit\n")
    assert result.exit_code == 0
    record = parse_record(file.read_text(encoding="utf-8"))
    assert ("you", "greedy") == record.names
    assert 21 == record.rules.goal
    assert "take wug" in [str(recorded.move) for recorded in record.moves]
    again = cabochon("terminal", "--record", str(file))
    assert f"cabochon: {file} exists already: choose another name\n" == again.stderr


def test_save_writes_its_own_file_again_but_no_other(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine.game", tmp_path / "other.txt"
    other.write_text("precious", encoding="utf-8")
    typed = f"save {mine}\ntake wug\nsave {mine}\nsave {other}\nquit\n"
    result = cabochon("terminal", "--seed", "7", typed=typed)
    assert 2 == result.stdout.count("Saved in")
    assert "exists already" in result.stdout
    assert "precious" == other.read_text(encoding="utf-8")
    assert "take wug" in mine.read_text(encoding="utf-8")


# show, replay, check, perft, bench, rules


def test_show_draws_a_position_with_its_moves() -> None:
    for words in ([FIRST], FIRST.split()):
        result = cabochon("show", *words, "--moves")
        assert result.exit_code == 0
        assert "classic, 2 players, round 1: seat 0 is to play" in result.stdout
        assert "take    wug" in result.stdout


def test_show_as_a_seat_sees_it(tmp_path: Path) -> None:
    game = Game("marvel", seed=7, start=0, moves="reserve 2?")
    file = tmp_path / "position.txt"
    file.write_text(format_position(game.position()) + "\n", encoding="utf-8")
    held = game.position().seats[0].reserve[0].card
    assert held is not None
    assert "tier 2, unseen" in cabochon("show", str(file), "--seat", "1").stdout
    assert "unseen" not in cabochon("show", str(file), "--seat", "0").stdout


def test_a_view_shows_only_its_own_seat() -> None:
    seen = format_position(Game("classic", seed=7, start=0, moves="reserve 1?").view(1))
    assert "unseen" in cabochon("show", seen, "--moves").stdout
    assert "--seat 0: this is the view of another seat" in cabochon("show", seen, "--seat", "0").stderr
    other = format_position(Game("classic", seed=7, start=0).view(1))
    assert "cabochon: --moves: only seat 0 knows its own moves\n" == cabochon("show", other, "--moves").stderr
    assert "a view does not say what is hidden" in cabochon("perft", other).stderr


def test_show_draws_the_end_of_a_record(record_file: Path) -> None:
    result = cabochon("show", str(record_file))
    assert "classic, 2 players: over" in result.stdout
    assert "Anna" in result.stdout


def test_replay_tells_the_game(record_file: Path) -> None:
    result = cabochon("replay", str(record_file))
    moves = parse_record(record_file.read_text(encoding="utf-8")).moves
    assert result.exit_code == 0
    assert len(moves) == len(re.findall(r"^ *\d+  (Anna|Ben) ", result.stdout, re.MULTILINE))
    assert "The game is over" in result.stdout


def test_replay_stops_where_it_is_told(record_file: Path) -> None:
    assert "round 1: " in cabochon("replay", str(record_file), "--at", "0").stdout
    stopped = cabochon("replay", str(record_file), "--at", "3").stdout
    assert "   3  " in stopped and "   4  " not in stopped
    assert "round 2: " in stopped
    assert 3 == cabochon("replay", str(record_file), "--at", "3", "--positions").stdout.count("bank ")
    assert "--at 999: the record has" in cabochon("replay", str(record_file), "--at", "999").stderr


def test_replay_shows_comments_but_obeys_no_control_characters(record_file: Path) -> None:
    text = record_file.read_text(encoding="utf-8").replace("seat 0: Anna", "seat 0: An\x1b[2Jna")
    first = str(parse_record(text).moves[0].move)
    record_file.write_text(text.replace(f"\n{first}\n", f"\n{first} {{[bold]good\x1b[31m}}\n", 1), encoding="utf-8")
    result = cabochon("replay", str(record_file))
    assert "{[bold]good[31m}" in result.stdout
    assert "\x1b" not in result.stdout


def test_check_looks_at_every_file(record_file: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.game"
    broken.write_text(record_file.read_text(encoding="utf-8").replace("reason goal", "reason luck"), encoding="utf-8")
    result = cabochon("check", str(broken), "no-such-file", str(record_file))
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{broken}: record: it says")
    assert "no-such-file: no such file or directory" == lines[1]
    assert f"{record_file}: ok" == lines[2]
    assert cabochon("check", str(record_file)).exit_code == 0


def test_perft() -> None:
    assert "1\n" == cabochon("perft", "--depth", "0").stdout
    assert "30\n" == cabochon("perft", FIRST, "--depth", "1").stdout
    divided = cabochon("perft", "marvel", "3", "--depth", "2", "--divide").stdout.splitlines()
    assert int(divided[-1]) == sum(int(line.split(": ")[1]) for line in divided[:-1])
    assert f"{divided[-1]}\n" == cabochon("perft", "marvel", "3", "--depth", "2").stdout


def test_review_as_text_json_and_html(record_file: Path) -> None:
    moves = parse_record(record_file.read_text(encoding="utf-8")).moves
    result = cabochon("review", str(record_file), "--nodes", "1")
    assert result.exit_code == 0
    assert len(moves) == len(re.findall(r"^ *\d+  (Anna|Ben) ", result.stdout, re.MULTILINE))
    assert len(moves) == len(json.loads(cabochon("review", str(record_file), "--nodes", "1", "--json").stdout)["decisions"])
    assert "<svg" in cabochon("review", str(record_file), "--nodes", "1", "--html").stdout


def test_review_refuses_what_it_cannot_judge(record_file: Path) -> None:
    assert "cabochon: --json and --html: choose one\n" == cabochon("review", str(record_file), "--json", "--html").stderr
    assert "cabochon: no-such-file: no such file or directory\n" == cabochon("review", "no-such-file").stderr
    unfinished = format_record(Game("classic", seed=7, moves="take wug").record())
    record_file.write_text(unfinished, encoding="utf-8")
    assert "only a finished game can be reviewed" in cabochon("review", str(record_file)).stderr


def test_puzzles_are_made_until_time_is_up(tmp_path: Path) -> None:
    out = tmp_path / "found.jsonl"
    result = cabochon("puzzles", "make", "--variant", "marvel", "--minutes", "0", "--out", str(out))
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{out}: 0 puzzles; commit ")
    assert out.read_text(encoding="utf-8") == ""
    assert "unknown variant 'chess'" in cabochon("puzzles", "make", "--variant", "chess", "--out", str(out)).stderr
    nowhere = out.parent / "nowhere" / "p.jsonl"
    assert "p.jsonl cannot be written (no such file or directory)" in cabochon("puzzles", "make", "--out", str(nowhere)).stderr


@pytest.mark.parametrize("words, as_json", [(["bench"], False), (["bench", "--json"], True)])
def test_bench_passes_its_option_on(monkeypatch: pytest.MonkeyPatch, words: list[str], as_json: bool) -> None:
    asked: list[bool] = []
    run: Callable[[bool], None] = asked.append
    monkeypatch.setattr("cabochon.tools.bench.main", run)
    assert cabochon(*words).exit_code == 0
    assert [as_json] == asked


def test_rules() -> None:
    assert {"classic", "marvel", "house-rules"} <= set(rules_pages())
    assert "Gauntlet" in cabochon("rules", "gauntlet", "--variant", "marvel").stdout
    assert len(cabochon("rules").stdout) > 1000


def test_a_finished_game_replays_from_its_record(record_file: Path) -> None:
    assert Game.from_record(record_file.read_text(encoding="utf-8")).is_over
