"""The command: every part of it by its output, every wrong input by its one line."""

import io
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from typer.testing import CliRunner, Result

from cabochon import CARDS, Game, __version__, format_position, format_record, parse_record
from cabochon.bots import Budget, bot
from cabochon.cli import app
from cabochon.learn import command
from cabochon.learn.plan import DEFAULTS, Plan
from cabochon.notation.replay import record_of
from cabochon.terminal import Sitting, draw_table, help_text, retell, rules_pages, seat_names, section, sections, spoken, verdict
from cabochon.view import unseen

from .positions import position

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
    assert "cabochon: training needs torch: pip install 'cabochon[learn]', and 'cabochon[gpu]' for a GPU\n" == result.stderr


def test_learning_takes_its_defaults_from_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[Plan] = []
    monkeypatch.setattr(command, "train", lambda plan, *_: plans.append(plan))
    assert 0 == cabochon("learn", "--minutes", "3").exit_code
    assert 0 == cabochon("learn", "--minutes", "3", "--players", "3", "--players", "4", "--rate", "0.001").exit_code
    assert [replace(DEFAULTS, minutes=3), replace(DEFAULTS, minutes=3, players=(3, 4), rate=0.001)] == plans


@pytest.mark.parametrize(
    "words, wrong",
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
        (["terminal", "--house", "goal"], "--house goal: a house rule is said like goal=21 or take_fewer=on"),
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
def test_wrong_input_is_told_in_one_line(words: list[str], wrong: str) -> None:
    result = cabochon(*words)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"cabochon: {wrong}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "content, wrong",
    [
        (b"\xff\xfe\x00", "not a text file"),
        (b"", "record: line 1: a record begins with 'cabochon game 1'"),
        (b"cabochon game 1\n", "record: "),
        (b" " * ((1 << 20) + 1), "too long for a record"),
    ],
)
def test_a_file_that_is_no_record(tmp_path: Path, content: bytes, wrong: str) -> None:
    file = tmp_path / "x.game"
    file.write_bytes(content)
    result = cabochon("replay", str(file))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert result.stderr.startswith(f"cabochon: {file}: {wrong}")


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
    for said in (
        "three different tokens",
        "reserve 1a 1b 1c 1d",
        "Greedy would play: ",
        "Say rules and a part of a heading",
        "save FILE: say where to keep the game",
        "there is no move of yours to take back",
    ):
        assert said in result.stdout
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
    assert f"cabochon: {file} is there already: choose another name\n" == again.stderr


def test_save_writes_its_own_file_again_but_no_other(tmp_path: Path) -> None:
    mine, other = tmp_path / "mine.game", tmp_path / "other.txt"
    other.write_text("precious", encoding="utf-8")
    typed = f"save {mine}\ntake wug\nsave {mine}\nsave {other}\nquit\n"
    result = cabochon("terminal", "--seed", "7", typed=typed)
    assert 2 == result.stdout.count("Kept in")
    assert "is there already" in result.stdout
    assert "precious" == other.read_text(encoding="utf-8")
    assert "take wug" in mine.read_text(encoding="utf-8")


def sit(variant: str, players: int, seat: int, seed: int = 3, width: int = 80, names: str = "greedy") -> Sitting:
    out = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    bots = {other: bot(names) for other in range(players) if other != seat}
    return Sitting(out, Game(variant, players, seed=seed), seat, bots, seed)


def printed(sitting: Sitting) -> str:
    assert isinstance(sitting.out.file, io.StringIO)
    return sitting.out.file.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize(
    "variant, players, seat, names", [("classic", 2, 0, "greedy"), ("marvel", 4, 2, "random"), ("marvel", 2, 1, "greedy")]
)
def test_a_whole_game_shows_only_what_the_seat_may_know(
    monkeypatch: pytest.MonkeyPatch, variant: str, players: int, seat: int, names: str
) -> None:
    sitting = sit(variant, players, seat, names=names)

    def type_greedy_move(_question: str) -> str:
        seen_by_now = printed(sitting)
        hidden = [CARDS[variant][number - 1].name for tier in unseen(sitting.view()) for number in tier]
        assert not [name for name in hidden if name and f" {name} " in seen_by_now.replace("\n", " ")]
        return str(bot("greedy").choose(sitting.view(), NO_LIMIT, 1))

    monkeypatch.setattr("builtins.input", type_greedy_move)
    sitting.run()
    assert sitting.game.is_over
    assert "The game is over" in printed(sitting)
    assert max(len(line) for line in printed(sitting).split("\n") if " left " in line or line.startswith("tiles")) <= 80


def test_undo_goes_back_to_the_previous_own_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit("classic", 3, 1)
    lines = iter(["reserve 1a", "reserve 1b", "undo", "undo", "undo", "quit"])
    monkeypatch.setattr("builtins.input", lambda _question: next(lines))
    sitting.run()
    assert "Taken back: reserve 1b." in printed(sitting)
    assert "Taken back: reserve 1a." in printed(sitting)
    assert "there is no move of yours to take back" in printed(sitting)
    assert 1 == sitting.game.turn
    assert sitting.seat not in sitting.deciders


def ask_at(monkeypatch: pytest.MonkeyPatch, game: Game, *lines: str) -> tuple[str, Game]:
    """What is asked and said when the person types these lines at this position."""
    questions: list[str] = []
    typed = iter([*lines, "quit"])

    def answer(question: str) -> str:
        questions.append(question)
        return next(typed)

    monkeypatch.setattr("builtins.input", answer)
    sitting = sit(game.variant, game.players, game.turn)
    sitting.game = game
    sitting.run()
    return "\n".join([*questions, printed(sitting)]), game


@pytest.mark.parametrize(
    "line, tokens",
    [
        ("r", "wwwwuuggrrk"),
        ("R", "wwwwuuggrrk"),
        ("rk", "wwwwuuggrr"),
        ("return rk", "wwwwuuggrr"),
        ("return r k", "wwwwuuggrr"),
        ("rrr", None),
        ("take wug", None),
        ("z", None),
    ],
)
def test_returning(monkeypatch: pytest.MonkeyPatch, line: str, tokens: str | None) -> None:
    said, game = ask_at(monkeypatch, position(stage="return", tokens="4w2u2g3r1k"), line)
    assert "You hold 12 tokens. Return 2 of w u g r k: " in said
    held = "".join(letter * n for letter, n in zip("wugrk*", game.view(0).seats[0].tokens, strict=True))
    assert (tokens or "wwwwuuggrrrk") == held


@pytest.mark.parametrize("line, points", [("2", 3), ("claim 2", 3), ("3", 0), ("take wug", 0)])
def test_choosing_a_tile(monkeypatch: pytest.MonkeyPatch, line: str, points: int) -> None:
    start = position(stage="claim", bonuses="4w4u4g", tiles="4w4u, 4u4g, 4r4k")
    said, game = ask_at(monkeypatch, start, line)
    assert "You may choose noble 1 (4w4u) or noble 2 (4u4g). Its number: " in said
    assert points == game.points[0]


@pytest.mark.parametrize(
    "stage, said, moves",
    [
        ("main", "take w u g", ["take wug"]),
        ("main", "buy 1a with *u", ["buy 1a with *u"]),
        ("return", "kk", ["return k", "return k"]),
        ("return", "return k", ["return k"]),
        ("return", "take wug", ["take wug"]),
        ("claim", "2", ["claim 2"]),
    ],
)
def test_spoken(stage: str, said: str, moves: list[str]) -> None:
    assert moves == spoken(position(stage=stage).view(0), said)


# sentences


@pytest.mark.parametrize(
    "game, move, told",
    [
        (position(), "take wug", "Anna takes white, blue and green."),
        (position(), "take kk", "Anna takes two black."),
        (position(market={"2c": "r2 1w4u2g"}), "reserve 2c", "Anna reserves 2c, a red card, 2 points, with a gold token."),
        (position(bank="4w"), "reserve 3?", "Anna reserves the top card of deck 3, unseen (no gold is left)."),
        (position(market={"1a": "g 3r"}, tokens="2r1*"), "buy 1a", "Anna buys 1a, a green card, for 2r 1*."),
        (position(market={"1a": "g 3r"}, bonuses="3r"), "buy 1a", "Anna buys 1a, a green card, for nothing."),
        (position(reserve="g 3r?", tokens="3r"), "buy @1", "Anna buys a reserved card, a green card, for 3r."),
        (position(stage="return", tokens="9w2*"), "return *", "Anna returns a gold token."),
        (position(bank="-", hand_limit=0), "pass", "Anna passes."),
        (
            position(bonuses="4w4u", tiles="4w4u"),
            "take wug",
            "Anna takes white, blue and green. Noble 1 (4w4u) comes to Anna: 3 points.",
        ),
        (
            position(stage="claim", bonuses="4w4u4g", tiles="4w4u, 4u4g"),
            "claim 2",
            "Anna chooses noble 2 (4u4g).",
        ),
        (
            position("marvel", market={"3a": "Thor"}, bonuses="3y5p3b3r", symbols=1, tiles="4y4o"),
            "buy 3a",
            "Anna recruits 3a, Thor (red, 3 points), for nothing. A Time token comes with it."
            " The Avengers tile goes to Anna: 3 points.",
        ),
    ],
)
def test_a_move_is_told_as_an_opponent_sees_it(game: Game, move: str, told: str) -> None:
    before = game.view(1)
    game.play(move)
    assert told == retell(before, game.view(1), game.moves[-1], "Anna")


def test_your_own_move_is_told_to_you() -> None:
    game = position(bank="4w", deck3="g4 7u")
    before = game.view(0)
    game.play("reserve 3?")
    told = "You reserve the top card of deck 3: a green card, 4 points (no gold is left)."
    assert told == retell(before, game.view(0), game.moves[-1], "you")


@pytest.mark.parametrize(
    "said, won",
    [
        ({"points": 16, "points1": 14}, "Anna wins with 16 points to 14."),
        ({"tableau": "k 3g", "points": 16, "points1": 16}, "Ben wins on equal points with fewer cards (0 to 1)."),
        ({"points": 16, "points1": 16}, "Anna and Ben share the victory."),
    ],
)
def test_the_end_is_told(said: dict[str, Any], won: str) -> None:
    game = position(turn=1, **said)
    game.play("take wug")
    lines = list(verdict(game, ("Anna", "Ben")))
    assert "The game is over: 15 points were reached, and the round is played out." == lines[0]
    assert won == lines[1]
    assert 2 == sum(line.lstrip()[:2] in ("1.", "2.") for line in lines)


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
    assert "--seat 0: this is what another seat sees" in cabochon("show", seen, "--seat", "0").stderr
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
    wrong = tmp_path / "wrong.game"
    wrong.write_text(record_file.read_text(encoding="utf-8").replace("reason goal", "reason luck"), encoding="utf-8")
    result = cabochon("check", str(wrong), "no-such-file", str(record_file))
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0].startswith(f"{wrong}: record: it says")
    assert "no-such-file: no such file or directory" == lines[1]
    assert f"{record_file}: ok" == lines[2]
    assert cabochon("check", str(record_file)).exit_code == 0


def test_perft() -> None:
    assert "1\n" == cabochon("perft", "--depth", "0").stdout
    assert "30\n" == cabochon("perft", FIRST, "--depth", "1").stdout
    divided = cabochon("perft", "marvel", "3", "--depth", "2", "--divide").stdout.splitlines()
    assert int(divided[-1]) == sum(int(line.split(": ")[1]) for line in divided[:-1])
    assert f"{divided[-1]}\n" == cabochon("perft", "marvel", "3", "--depth", "2").stdout


@pytest.mark.parametrize("words, as_json", [(["bench"], False), (["bench", "--json"], True)])
def test_bench_passes_its_option_on(monkeypatch: pytest.MonkeyPatch, words: list[str], as_json: bool) -> None:
    asked: list[bool] = []
    run: Callable[[bool], None] = asked.append
    monkeypatch.setattr("cabochon.tools.bench.main", run)
    assert cabochon(*words).exit_code == 0
    assert [as_json] == asked


PAGE = (
    "# Game\n\n## Taking\n\nTake three.\n\n```\n# not a heading\n```\n\n### Two alike\n\nPile of four.\n\n## Ending\n\nFifteen.\n"
)


def test_a_page_is_cut_at_its_headings() -> None:
    assert [(1, "Game"), (2, "Taking"), (3, "Two alike"), (2, "Ending")] == [(level, title) for level, title, _ in sections(PAGE)]
    assert section([PAGE], "TAK").endswith("Pile of four.\n")
    assert section([PAGE], "alike").startswith("### Two alike")


def test_rules() -> None:
    assert {"classic", "marvel", "house-rules"} <= set(rules_pages())
    assert "Gauntlet" in cabochon("rules", "gauntlet", "--variant", "marvel").stdout
    assert len(cabochon("rules").stdout) > 1000


# the table


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["classic", "marvel"])
@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits(variant: str, width: int) -> None:
    game = Game(variant, 4, seed=5)
    for played in range(120):
        if not game.is_over:
            drawn = draw_table(game.position(), seat_names(4), width).plain
            assert max(len(line) for line in drawn.split("\n")) <= width
            game.play(bot("greedy").choose(game.view(game.turn), NO_LIMIT, played))


def test_the_table_is_drawn_like_this() -> None:
    game = position(
        market={"1a": "g 3r", "2c": "r2 1w4u2g"}, tokens="3r1*", reserve="k 3g?", bonuses1="2w", tiles="4w4u, 3w3u3g@1", points1=3
    )
    drawn = draw_table(game.view(1), ("Anna", "Ben"), 80).plain.split("\n")
    assert "classic, 2 players, round 1: Anna is to play" == drawn[0]
    assert "tiles    1  4w4u                    2  Ben" == drawn[2]
    assert "+1a g  3r " in drawn[5]
    assert " 2c r2 1w4u2g " in drawn[4]
    assert "> Anna    0 of 15 points, 0 cards, 0 nobles" == drawn[8]
    assert "  tokens  0w 0u 0g 3r 0k 1* (4/10)   bonuses 0w 0u 0g 0r 0k" == drawn[9]
    assert "  reserve  @1 tier 1, unseen" == drawn[10]
    assert "  Ben     3 of 15 points, 0 cards, 1 noble" == drawn[11]


@pytest.mark.parametrize("variant", ["classic", "marvel"])
def test_the_help_fits(variant: str) -> None:
    assert max(len(line) for line in help_text(variant).split("\n")) < 80


def test_a_finished_game_replays_from_its_record(record_file: Path) -> None:
    assert Game.from_record(record_file.read_text(encoding="utf-8")).is_over
