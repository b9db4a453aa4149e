"""The line protocol: sessions as text, stopping, and foreign programs that play well, badly, or not at all."""

import io
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from cabochon import CabochonError, Game, Move, View, format_position
from cabochon.arena import Entrant, Match, play_game, run_match
from cabochon.arena.pairings import fixtures
from cabochon.arena.runner import stop_bots
from cabochon.bots import BOTS, Budget, bot
from cabochon.bots.engine import Engine, serve, talk
from cabochon.bots.external import ForeignBot, Patience, ProgramError, add_bot, add_commands, questions
from cabochon.cli import app
from cabochon.server.bot_pool import BotPool
from cabochon.server.settings import Settings

from .pinned import PINNED
from .server.process import run

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
DEAL = Game("classic", seed=7)


def session(typed: str, name: str = "greedy") -> list[str]:
    """What the engine says to these lines."""
    said: list[str] = []
    serve(typed.strip().splitlines(), said.append, name)
    return "\n".join(said).splitlines()


# sessions


def test_a_session() -> None:
    said = session("""
        cabochon
        position deal classic 2 7 moves take wug
        show
        go nodes 1000
        """)
    assert said[:2] == [said[0], "id author the cabochon project"]
    assert said[0].startswith("id name cabochon ")
    assert said[2].startswith("option bot greedy one of random apprentice greedy")
    assert [
        "option seed 0 a number from 0",
        "option threads 1 a number from 1 to 256",
        "ready",
        "classic, 2 players, round 1: seat 0 to take, reserve or buy",
        "",
        "tiles   1 4g4r           2 4u4g           3 4w4u",
        "3 (16)  a g4 7u          b g3 5w3u3r3k    c r4 3u6g3r      d u4 6w3u3k",
        "2 (26)  a u2 2w1r4k      b k3 6k          c g2 5g          d g2 5u3g",
        "1 (36)  a w  2u2k        b r  1w1u1g1k    c g  1w1u1r2k    d r  2u1g",
        "bank    3w 3u 3g 4r 4k 5*",
        "",
        ">seat 0   0 points   cards 0   tiles 0",
        "        tokens  0w 0u 0g 0r 0k 0*   (0/10)",
        "        bonuses 0w 0u 0g 0r 0k",
        " seat 1   0 points   cards 0   tiles 0",
        "        tokens  1w 1u 1g 0r 0k 0*   (3/10)",
        "        bonuses 0w 0u 0g 0r 0k",
    ] == said[3:-2]
    assert re.fullmatch(r"info seconds \d+\.\d{3}", said[-2])
    assert "bestmove take ugk" == said[-1]


def test_the_session_on_the_page() -> None:
    """The session in docs/bots.md is what the engine says."""
    page = (ROOT / "docs/bots.md").read_text()
    shown = page.split("$ cabochon engine --bot greedy\n")[1].split("```")[0].splitlines()
    spoken = ("id ", "option ", "ready", "legal take", "info ", "bestmove ")
    typed = [line for line in shown if not line.startswith((*spoken, "quit"))]
    said = session("\n".join(typed))
    expected = [line for line in shown if line.startswith(spoken)]
    assert len(expected) == len(said)
    for line, answer in zip(expected, said, strict=True):
        assert re.sub(r"[\d.]+", "", line.split("…")[0]).split()[:3] == re.sub(r"[\d.]+", "", answer).split()[:3]


@pytest.mark.parametrize(
    "line, wrong",
    [
        ("castle", "unknown command 'castle': say help"),
        ("position", "'' is not a position: it begins with a variant and the number of players"),
        ("position chess 2", "position: unknown variant 'chess': choose one of classic, marvel"),
        ("position classic 2 start:0", "position: turns is missing"),
        ("position deal classic", "position deal: say the variant, the number of players and the seed"),
        ("position deal classic 9 1", "players: '9' is not a number from 2 to 4"),
        ("position deal classic 2 x", "seed: 'x' is not a number from 0 to 9223372036854775807"),
        ("position deal classic 2 7 moves take xyz", "'take xyz' is not a move: column 6: expected one of the colours wugrk"),
        ("position deal classic 2 7 moves take wug; buy 3a", "buy 3a: the price cannot be paid (7 short of 7u)"),
        (f"position {format_position(DEAL.view(DEAL.turn))} moves take wug", "position: moves cannot be played in a view"),
        ("set", "set: unknown option '': choose bot, seed or threads"),
        ("set bot deep", "unknown bot 'deep': choose one of random, apprentice"),
        ("set seed -1", "seed: '-1' is not a number from 0 to 9223372036854775807"),
        ("set threads 0", "threads: '0' is not a number from 1 to 256"),
        ("go nodes", "go: say 'nodes N' or 'seconds S', not 'nodes'"),
        ("go depth 3", "go: say 'nodes N' or 'seconds S', not 'depth 3'"),
        ("go nodes 3 nodes 4", "go: say 'nodes N' or 'seconds S', not 'nodes 3 nodes 4'"),
        ("go nodes 0", "nodes: '0' is not a number from 1 to 1099511627776"),
        ("go seconds soon", "seconds: 'soon' is not a number above 0"),
        ("go seconds nan", "seconds: 'nan' is not a number above 0"),
    ],
)
def test_wrong_input_is_told_in_one_line_and_nothing_is_lost(line: str, wrong: str) -> None:
    said = session(f"position deal classic 2 7\n{line}\nshow")
    assert said[0].startswith(f"error {wrong}")
    assert "classic, 2 players, round 1" in said[1]


@pytest.mark.parametrize("line", ["show", "legal", "go"])
def test_without_a_position_there_is_nothing_to_do(line: str) -> None:
    assert ["error there is no position: say one, such as 'position deal classic 2 7'"] == session(line)
    assert ["error there is no position: say one, such as 'position deal classic 2 7'"] == session(
        f"position deal classic 2 7\nnew\n{line}"
    )


def test_a_view_of_another_seat_is_not_enough() -> None:
    other = format_position(DEAL.view(1 - DEAL.turn))
    assert [f"error seat {DEAL.turn} is to decide, and this is not its view"] == session(f"position {other}\ngo")
    assert 1 < len(session(f"position {other}\nshow"))


def test_a_game_that_is_over() -> None:
    game = Game("classic", seed=1)
    while not game.is_over:
        game.play(bot("greedy").choose(game.view(game.turn), Budget(), len(game.moves)))
    assert ["error the game is over: there is nothing to decide"] == session(f"position {format_position(game.position())}\ngo")


def test_legal_moves() -> None:
    (line,) = session("position deal classic 2 7\nlegal\nlegal take wug")
    assert "legal " + "; ".join(str(move) for move in DEAL.legal_moves()) == line


def test_empty_lines_and_odd_characters() -> None:
    assert [] == session("\n  \n\t\n")
    assert ["error unknown command '\\x00\\x01': say help"] == session("\x00\x01")


def test_help_names_every_command() -> None:
    listed = {line.split()[0] for line in session("help")}
    assert {*Engine(print).commands, "quit"} == listed


def test_quit_ends_the_session() -> None:
    assert ["ready"] == session("isready\nquit\nisready")


def test_options_are_kept() -> None:
    said = session("set bot random\nset seed 5\nset threads 2\noptions")
    assert ["random", "5", "2"] == [line.split()[2] for line in said]


def test_the_same_seed_gives_the_same_move() -> None:
    ask = "position deal classic 2 7\nset bot random\nset seed {}\ngo"
    assert session(ask.format(3))[-1] == session(ask.format(3))[-1]
    assert 1 < len({session(ask.format(seed))[-1] for seed in range(5)})


@pytest.mark.parametrize("name", ["pedlar", "cutter"])
def test_a_level_plays_by_lines_as_it_does_here(name: str) -> None:
    expected = bot(name).choose(DEAL.view(DEAL.turn), Budget(nodes=40), 5)
    info, best = session("position deal classic 2 7\nset seed 5\ngo nodes 40", name)
    assert f"bestmove {expected}" == best
    assert re.fullmatch(r"info (nodes 40 )?seconds [\d.]+( value [\d.]+ [\d.]+ line take .*)?", info)
    assert (name == "cutter") == ("value" in info)


def test_bench_has_a_signature() -> None:
    said = session("bench")
    assert 6 == sum(line.startswith("bestmove") for line in said)
    assert re.fullmatch(r"bench positions 6 seconds [\d.]+ signature [0-9a-f]{8}", said[-1])
    assert PINNED["engine"] == said[-1].split()[-1]


def test_standard_input_and_output() -> None:
    out = io.StringIO()
    talk("greedy", io.StringIO("isready\nfoo\n"), out)
    assert "ready\nerror unknown command 'foo': say help\n" == out.getvalue()
    result = CliRunner().invoke(app, ["engine", "--bot", "random"], input="isready\n")
    assert (0, "ready\n") == (result.exit_code, result.stdout)
    assert "unknown bot 'deep'" in CliRunner().invoke(app, ["engine", "--bot", "deep"]).stderr


# thinking


@dataclass
class Slow:
    """Thinks until it is let go; one that searches can be stopped, and then knows a move."""

    name: str = "slow"
    character: str = "slow"
    begun: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)

    def choose(self, view: View, _budget: Budget, _seed: int) -> Move:
        self.begun.set()
        assert self.let_go.wait(60)
        return Move.parse("take wug")


class Searching(Slow):
    def analyse(self, _view: View, budget: Budget, _seed: int, *, threads: int = 1, stop: threading.Event) -> Any:
        self.begun.set()
        assert stop.wait(60)
        move, shares = Move.parse("take rr"), (0.625, 0.375)
        considered = SimpleNamespace(move=move, values=shares)
        return SimpleNamespace(nodes=budget.nodes, seconds=1.5 * threads, moves=[considered], line=[move], best=move)


class Broken(Slow):
    def choose(self, view: View, _budget: Budget, _seed: int) -> Move:
        raise ZeroDivisionError("one\ntwo")


def thinking(monkeypatch: pytest.MonkeyPatch, player: Slow) -> tuple[Engine, list[str]]:
    """An engine in whose head this bot is at work."""
    monkeypatch.setitem(BOTS, player.name, player)
    said: list[str] = []
    engine = Engine(said.append, player.name)
    engine.hear("position deal classic 2 7")
    engine.hear("go nodes 500")
    return engine, said


def test_stop_gives_the_best_move_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Searching()
    engine, said = thinking(monkeypatch, player)
    assert player.begun.wait(60)
    assert [] == said
    engine.hear("stop")
    assert ["info nodes 500 seconds 1.500 value 0.625 0.375 line take rr\nbestmove take rr"] == said
    engine.hear("stop")
    assert 1 == len(said)


def test_a_bot_that_cannot_be_stopped_is_answered_for(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Slow()
    engine, said = thinking(monkeypatch, player)
    assert player.begun.wait(60)
    engine.hear("stop")
    assert ["bestmove take ugk"] == said or said[0].startswith("bestmove ")
    player.let_go.set()
    engine.end(wait=True)
    assert 1 == len(said)


def test_some_lines_are_obeyed_while_it_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Slow()
    engine, said = thinking(monkeypatch, player)
    assert player.begun.wait(60)
    engine.hear("isready")
    engine.hear("legal")
    assert "ready" == said[0]
    assert said[1].startswith("legal take wug")
    assert not engine.hear("quit")
    engine.end(wait=False)
    player.let_go.set()
    assert 2 == len(said)


def test_other_lines_wait_for_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Slow()
    engine, said = thinking(monkeypatch, player)
    assert player.begun.wait(60)
    player.let_go.set()
    engine.hear("set seed 9")
    engine.hear("options")
    assert ["info", "option bot", "option seed 9"] == [said[0][:4], said[1][:10], said[2][:13]]


def test_the_end_of_the_input_lets_it_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Slow()
    engine, said = thinking(monkeypatch, player)
    assert player.begun.wait(60)
    player.let_go.set()
    engine.end(wait=True)
    assert said[0].endswith("bestmove take wug")


def test_a_bot_that_fails_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    engine, said = thinking(monkeypatch, Broken())
    engine.end(wait=True)
    assert ["error slow: one two"] == said


# foreign programs


def program(folder: Path, *answers: str, name: str = "bot.py") -> str:
    """A command whose program is ready at once and does these statements when it is to decide."""
    source = ["import sys", "for line in sys.stdin:", "    word = line.split()[0]"]
    source += ["    if word == 'cabochon': print('ready', flush=True)"]
    source += ["    if word == 'legal': moves = line.strip()[6:].split('; ')", "    if word == 'go':"]
    source += [f"        {statement}" for statement in answers]
    (folder / name).write_text("\n".join(source))
    return f"{sys.executable} {folder / name}"


@pytest.fixture
def closing() -> Iterator[list[ForeignBot]]:
    """Bots whose programs are ended after the test."""
    opened: list[ForeignBot] = []
    yield opened
    for player in opened:
        player.close()


FIRST_LEGAL = "print('bestmove', moves[0], flush=True)"


def test_a_program_is_told_what_its_seat_may_know(tmp_path: Path, closing: list[ForeignBot]) -> None:
    heard = tmp_path / "heard"
    (tmp_path / "bot.py").write_text(
        f"import sys\nout = open({str(heard)!r}, 'w')\nfor line in sys.stdin:\n    out.write(line); out.flush()\n"
        "    if line == 'cabochon\\n': print('id name ear\\noption x\\nready', flush=True)\n"
        "    if line.startswith('go'): print('info hm\\nbestmove take wug', flush=True)\n"
    )
    player = ForeignBot(f"{sys.executable} {tmp_path / 'bot.py'}", "ear")
    closing.append(player)
    game = Game("classic", seed=7)
    player.new()
    assert "take wug" == str(player.choose(game.view(game.turn), Budget(nodes=5, seconds=0.5), 42))
    player.new()
    player.choose(game.view(game.turn), Budget(), 43)
    player.close()
    view = format_position(game.view(game.turn))
    legal = "legal " + "; ".join(str(move) for move in game.legal_moves())
    asked = [f"position {view}", legal]
    assert [
        *("cabochon", "set seed 42", *asked, "go nodes 5 seconds 0.5"),
        *("new", "set seed 43", *asked, "go", "quit"),
    ] == heard.read_text().splitlines()
    assert "36?/26?/16?" in view


def test_hidden_cards_are_never_sent() -> None:
    game = Game("classic", seed=7, start=0, moves="reserve 3?; reserve 2?")
    sent = "\n".join(questions(game.view(0), Budget()))
    hidden = game.position().seats[1].reserve[0].card
    assert "t2?" in sent
    shown = sent.split("market:")[1].split()[0] + sent.split("seat0:")[1].split()[0]
    assert str(hidden) not in re.findall(r"\d+", shown)


@pytest.mark.parametrize(
    "answers, wrong",
    [
        (["sys.exit(3)"], "bad: ended without 'bestmove' (exit status 3)"),
        (["import os; os.close(1); sys.stdin.read()"], "bad: ended without 'bestmove' (its output is closed)"),
        (["sys.stdin.read()"], "bad: no 'bestmove' within 0.2 s"),
        (["while True: print('info', flush=True)"], "bad: no 'bestmove' within 0.2 s"),
        (["print('bestmove', flush=True)"], "bad: bestmove: '' is not a move: column 1: expected one of take"),
        (["print('bestmove xyzzy', flush=True)"], "bad: bestmove: 'xyzzy' is not a move: column 1"),
        (["print('bestmove take ww; take uu', flush=True)"], "bad: bestmove: 'take ww; take uu' is not a move"),
        (["print('bestmove buy 3a', flush=True)"], "bad: bestmove buy 3a: the price cannot be paid (7 short of 7u)"),
        (["print('error I am lost', flush=True)"], "bad: answered 'error I am lost'"),
        (["print(1 / 0)"], "bad: ended without 'bestmove' (exit status 1)"),
    ],
)
def test_a_program_that_gives_no_legal_move(tmp_path: Path, closing: list[ForeignBot], answers: list[str], wrong: str) -> None:
    player = ForeignBot(program(tmp_path, *answers), "bad", Patience(move=0.2) if "within" in wrong else None)
    closing.append(player)
    player.start()
    running = player.program
    assert running is not None
    with pytest.raises(ProgramError, match=re.escape(wrong)):
        player.choose(DEAL.view(DEAL.turn), Budget(), 1)
    assert player.program is None
    assert running.process.poll() is not None
    assert not running.reader.is_alive()


def test_a_program_that_failed_is_started_again(tmp_path: Path, closing: list[ForeignBot]) -> None:
    sick = tmp_path / "sick"
    player = ForeignBot(program(tmp_path, f"import os; os.path.exists({str(sick)!r}) and sys.exit(1)", FIRST_LEGAL), "bad")
    closing.append(player)
    sick.touch()
    with pytest.raises(ProgramError):
        player.choose(DEAL.view(DEAL.turn), Budget(), 1)
    sick.unlink()
    assert DEAL.legal_moves()[0] == player.choose(DEAL.view(DEAL.turn), Budget(), 1)


@pytest.mark.parametrize(
    "command, wrong",
    [
        ("no/such/program", "no/such/program: cannot be started"),
        ("'", "': cannot be started (No closing quotation)"),
        (f"{sys.executable} -c pass", "ended without 'ready' (exit status 0)"),
        (f"{sys.executable} -c 'import sys; sys.stdin.read()'", "no 'ready' within 0.3 s"),
    ],
)
def test_a_program_that_does_not_start(command: str, wrong: str) -> None:
    player = ForeignBot(command, patience=Patience(start=0.3) if "within" in wrong else None)
    with pytest.raises(ProgramError, match=re.escape(wrong)):
        player.start()
    assert player.program is None


def test_the_seconds_of_the_budget_come_before_patience() -> None:
    assert 60 == Patience().for_move(Budget(nodes=5))
    assert 6 == Patience().for_move(Budget(seconds=1))


# foreign programs in the arena and at tables


@pytest.fixture
def magpie(tmp_path: Path) -> str:
    """The command of the bot on the page."""
    (source,) = re.findall(r"^```py\n(.*?)^```$", (ROOT / "docs/bots.md").read_text(), re.MULTILINE | re.DOTALL)
    assert 20 >= len([line for line in source.splitlines() if line.strip()])
    assert {"random", "sys"} == set(re.findall(r"^import (\w+)", source, re.MULTILINE))
    (tmp_path / "magpie.py").write_text(source)
    return f"{sys.executable} -I {tmp_path / 'magpie.py'}"


@pytest.mark.parametrize("variant", ["classic", "marvel"])
def test_the_bot_on_the_page_plays_whole_games(magpie: str, variant: str) -> None:
    found = run_match(Match((Entrant(f"cmd:{magpie}"), Entrant("random")), variant), 4, workers=1)
    assert () == found.forfeits
    assert 0 == found.cut
    assert 4 == found.standings[0].wins


def test_a_program_that_fails_loses_its_game(tmp_path: Path) -> None:
    command = program(tmp_path, "print('bestmove nothing', flush=True)")
    match = Match((Entrant("greedy"), Entrant(f"cmd:{command}"), Entrant("greedy")))
    played = [play_game(match, fixture) for fixture in fixtures(match, 1)]
    stop_bots()
    assert [(1, 3, 1), (1, 1, 3), (3, 1, 1)] == [game.ranks for game in played]
    for game in played:
        assert "forfeit" == game.reason
        assert "bestmove: 'nothing' is not a move: column 1: expected one of take" in game.why


def test_the_engine_as_a_program_plays_as_the_bot_does() -> None:
    """The same seeds reach the bot whether it thinks here or by lines of text."""
    engine = Entrant(f"cmd:{sys.executable} -m cabochon engine --bot random")
    here, there = Match((Entrant("random"), Entrant("greedy"))), Match((engine, Entrant("greedy")))
    games = [play_game(match, next(iter(fixtures(match, 1)))) for match in (here, there)]
    stop_bots()
    assert games[0].points == games[1].points
    assert games[0].moves == games[1].moves
    assert "goal" == games[1].reason


def test_programs_are_bots_by_name(magpie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.bots.BOTS", dict(BOTS))
    monkeypatch.setattr("cabochon.bots.BOTS", names := dict(BOTS))
    add_commands([f"magpie={magpie}"])
    add_commands([f"magpie={magpie}"])
    assert ("magpie", "a program of its own") == (names["magpie"].name, names["magpie"].character)
    add_bot("other", lambda: Slow())
    assert "other" in names


@pytest.mark.parametrize(
    "said, wrong",
    [
        ("magpie", "bot 'magpie': a program is said as NAME=COMMAND"),
        ("magpie= ", "bot 'magpie= ': a program is said as NAME=COMMAND"),
        ("Mag Pie=x", "bot 'Mag Pie': a bot's name is small letters"),
        ("greedy=x", "bot 'greedy': there is a bot of this name already"),
    ],
)
def test_names_of_programs(said: str, wrong: str) -> None:
    with pytest.raises(CabochonError, match=re.escape(wrong)):
        add_commands([said])
    result = CliRunner().invoke(app, ["play", "--bot", said])
    assert (2, f"cabochon: {wrong}"[:30]) == (result.exit_code, result.stderr[:30])


def test_programs_are_set_by_the_environment() -> None:
    found = Settings.from_environment({"CABOCHON_BOTS": "anna=python3 a.py, ben=./b"})
    assert ("anna=python3 a.py", "ben=./b") == found.bots


@pytest.mark.slow
def test_workers_of_the_server_know_the_programs(magpie: str, monkeypatch: pytest.MonkeyPatch) -> None:

    monkeypatch.setattr("cabochon.bots.BOTS", names := dict(BOTS))
    settings = Settings(bots=(f"magpie={magpie}",), bot_workers=1, bot_deadline=60)

    async def ask() -> tuple[str, int]:
        bots = BotPool(settings, lambda done, total: None)
        await bots.warm()
        try:
            return (await bots.choose("magpie", DEAL.view(DEAL.turn), 1)).text, bots.replaced
        finally:
            await bots.stop()

    move, replaced = run(ask())
    assert "magpie" in names
    assert 0 == replaced
    assert DEAL.why_not(move) is None


def test_a_program_ends_with_its_host(tmp_path: Path) -> None:
    """A host that is killed leaves nothing behind: the end of the input is the end of the program."""
    source = (
        "import sys\nfrom cabochon.bots.external import ForeignBot\n"
        f"player = ForeignBot({program(tmp_path, FIRST_LEGAL)!r})\nplayer.start()\n"
        "print(player.program.process.pid, flush=True)\nsys.stdin.read()\n"
    )
    host = subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None and host.stdin is not None
    import psutil

    child = psutil.Process(int(host.stdout.readline()))
    host.kill()
    host.wait()
    child.wait(30)
    host.stdout.close()
    host.stdin.close()
