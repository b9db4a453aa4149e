"""The line protocol: sessions as text, and searches that are stopped."""

import io
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cabochon import Game, Move, View, format_position
from cabochon.bots import BOTS, NO_LIMIT, Analyst, BaseBot, Budget, bot
from cabochon.bots.engine import Engine, main, run_session
from cabochon.cli import app
from cabochon.search.analysis import Analysis, MoveStats, Signal
from tests.support.pinned import PINNED

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
DEAL = Game("classic", seed=7)


def session(typed: str, name: str = "greedy") -> list[str]:
    """The output of the engine for these lines."""
    output: list[str] = []
    run_session(typed.strip().splitlines(), output.append, name)
    return "\n".join(output).splitlines()


# sessions


def test_a_session() -> None:
    output = session("""
        cabochon
        position deal classic 2 7 moves take wug
        show
        go nodes 1000
        """)
    assert output[:2] == [output[0], "id author the cabochon project"]
    assert output[0].startswith("id name cabochon ")
    assert output[2].startswith("option bot greedy one of random apprentice greedy")
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
    ] == output[3:-2]
    assert re.fullmatch(r"info seconds \d+\.\d{3}", output[-2])
    assert "bestmove take ugk" == output[-1]


def test_the_session_on_the_page() -> None:
    """The session in docs/bots.md is what the engine says."""
    page = (ROOT / "docs/bots.md").read_text()
    shown = page.split("$ cabochon engine --bot greedy\n")[1].split("```")[0].splitlines()
    spoken = ("id ", "option ", "ready", "legal take", "info ", "bestmove ")
    typed = [line for line in shown if not line.startswith((*spoken, "quit"))]
    output = session("\n".join(typed))
    expected = [line for line in shown if line.startswith(spoken)]
    assert len(expected) == len(output)
    for line, answer in zip(expected, output, strict=True):
        assert re.sub(r"[\d.]+", "", line.split("…")[0]).split()[:3] == re.sub(r"[\d.]+", "", answer).split()[:3]


@pytest.mark.parametrize(
    "line, wrong",
    [
        ("castle", "unknown command 'castle': type help"),
        ("position", "'' is not a position: it begins with a variant and the number of players"),
        ("position chess 2", "position: unknown variant 'chess': choose one of classic, marvel"),
        ("position classic 2 start:0", "position: turns is missing"),
        ("position deal classic", "position deal: give the variant, the number of players and the seed"),
        ("position deal classic 9 1", "players: '9' is not a number from 2 to 4"),
        ("position deal classic 2 x", "seed: 'x' is not a number from 0 to 9223372036854775807"),
        ("position deal classic 2 7 moves take xyz", "'take xyz' is not a move: column 6: expected one of the colours wugrk"),
        ("position deal classic 2 7 moves take wug; buy 3a", "buy 3a: the price cannot be paid (7 short of 7u)"),
        (f"position {format_position(DEAL.view(DEAL.turn))} moves take wug", "position: moves cannot be played in a view"),
        ("set", "set: unknown option '': choose bot, seed or threads"),
        ("set bot deep", "unknown bot 'deep': choose one of random, apprentice"),
        ("set seed -1", "seed: '-1' is not a number from 0 to 9223372036854775807"),
        ("set threads 0", "threads: '0' is not a number from 1 to 256"),
        ("go nodes", "go: use 'nodes N' or 'seconds S', not 'nodes'"),
        ("go depth 3", "go: use 'nodes N' or 'seconds S', not 'depth 3'"),
        ("go nodes 3 nodes 4", "go: use 'nodes N' or 'seconds S', not 'nodes 3 nodes 4'"),
        ("go nodes 0", "nodes: '0' is not a number from 1 to 1099511627776"),
        ("go seconds soon", "seconds: 'soon' is not a number above 0"),
        ("go seconds nan", "seconds: 'nan' is not a number above 0"),
    ],
)
def test_wrong_input_is_told_in_one_line_and_nothing_is_lost(line: str, wrong: str) -> None:
    output = session(f"position deal classic 2 7\n{line}\nshow")
    assert output[0].startswith(f"error {wrong}")
    assert "classic, 2 players, round 1" in output[1]


@pytest.mark.parametrize("line", ["show", "legal", "go"])
def test_without_a_position_there_is_nothing_to_do(line: str) -> None:
    assert ["error there is no position: give one, such as 'position deal classic 2 7'"] == session(line)
    assert ["error there is no position: give one, such as 'position deal classic 2 7'"] == session(
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
    assert ["error unknown command '\\x00\\x01': type help"] == session("\x00\x01")


def test_help_names_every_command() -> None:
    listed = {line.split()[0] for line in session("help")}
    assert {*Engine(print).commands, "quit"} == listed


def test_quit_ends_the_session() -> None:
    assert ["ready"] == session("isready\nquit\nisready")


def test_options_are_kept() -> None:
    output = session("set bot random\nset seed 5\nset threads 2\noptions")
    assert ["random", "5", "2"] == [line.split()[2] for line in output]


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
    output = session("bench")
    assert 6 == sum(line.startswith("bestmove") for line in output)
    assert re.fullmatch(r"bench positions 6 seconds [\d.]+ signature [0-9a-f]{8}", output[-1])
    assert PINNED["engine"] == output[-1].split()[-1]


def test_standard_input_and_output() -> None:
    out = io.StringIO()
    main("greedy", io.StringIO("isready\nfoo\n"), out)
    assert "ready\nerror unknown command 'foo': type help\n" == out.getvalue()
    result = CliRunner().invoke(app, ["engine", "--bot", "random"], input="isready\n")
    assert (0, "ready\n") == (result.exit_code, result.stdout)
    assert "unknown bot 'deep'" in CliRunner().invoke(app, ["engine", "--bot", "deep"]).stderr


# searching


@dataclass
class Slow(BaseBot):
    """Searches until it is let go, whatever `stop` says."""

    name: str = "slow"
    character: str = "slow"
    begun: threading.Event = field(default_factory=threading.Event)
    let_go: threading.Event = field(default_factory=threading.Event)

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, stop: Signal | None = None) -> Move:
        self.begun.set()
        assert self.let_go.wait(60)
        return Move.parse("take wug")


class Stoppable(Slow):
    """An analyst that searches until it is stopped."""

    @property
    def analyst(self) -> Analyst:
        return self

    def analyse(
        self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, *, threads: int = 1, stop: Signal | None = None
    ) -> Analysis:
        self.begun.set()
        assert isinstance(stop, threading.Event) and stop.wait(60)
        move, values = Move.parse("take rr"), (0.625, 0.375)
        return Analysis((MoveStats(move, 1.0, 500, values, is_proven=False),), values, (move,), budget.nodes or 0, 1.5 * threads)


class Broken(Slow):
    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, stop: Signal | None = None) -> Move:
        raise ZeroDivisionError("one\ntwo")


def searching(monkeypatch: pytest.MonkeyPatch, player: Slow) -> tuple[Engine, list[str]]:
    """An engine with a search of this bot under way, and its output."""
    monkeypatch.setitem(BOTS, player.name, player)
    output: list[str] = []
    running = Engine(output.append, player.name)
    running.read("position deal classic 2 7")
    running.read("go nodes 500")
    return running, output


def test_stop_gives_the_best_move_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Stoppable()
    running, output = searching(monkeypatch, player)
    assert player.begun.wait(60)
    assert [] == output
    running.read("stop")
    assert ["info nodes 500 seconds 1.500 value 0.625 0.375 line take rr\nbestmove take rr"] == output
    running.read("stop")
    assert 1 == len(output)


def test_a_bot_that_does_not_stop_is_answered_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.bots.engine.STOP_SECONDS", 0.01)
    player = Slow()
    running, output = searching(monkeypatch, player)
    assert player.begun.wait(60)
    running.read("stop")
    assert [f"bestmove {bot('greedy').choose(DEAL.view(DEAL.turn), Budget(), 0)}"] == output
    player.let_go.set()
    running.end(wait=True)
    assert 1 == len(output)


def test_some_lines_are_obeyed_while_it_thinks(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Slow()
    running, output = searching(monkeypatch, player)
    assert player.begun.wait(60)
    running.read("isready")
    running.read("legal")
    assert "ready" == output[0]
    assert output[1].startswith("legal take wug")
    assert not running.read("quit")
    running.end(wait=False)
    player.let_go.set()
    assert 2 == len(output)


def test_other_lines_wait_for_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Slow()
    running, output = searching(monkeypatch, player)
    assert player.begun.wait(60)
    player.let_go.set()
    running.read("set seed 9")
    running.read("options")
    assert ["info", "option bot", "option seed 9"] == [output[0][:4], output[1][:10], output[2][:13]]


def test_the_end_of_the_input_lets_it_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    player = Slow()
    running, output = searching(monkeypatch, player)
    assert player.begun.wait(60)
    player.let_go.set()
    running.end(wait=True)
    assert output[0].endswith("bestmove take wug")


def test_a_bot_that_fails_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    running, output = searching(monkeypatch, Broken())
    running.end(wait=True)
    assert ["error slow: one two"] == output
