"""External programs as bots: they play well, badly or not at all; in the arena and at tables."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from cabochon import Game, format_position
from cabochon.arena import Entrant, Match, play_game, run_match
from cabochon.arena.pairings import fixtures
from cabochon.arena.runner import stop_bots
from cabochon.bots import BOTS, Budget
from cabochon.bots.external import ExternalBot, ProgramError, Timeouts, request
from cabochon.server.bot_pool import BotPool
from cabochon.server.settings import Settings
from tests.server.process import run

from .programs import FIRST_LEGAL, magpie_command, program

pytestmark = pytest.mark.slow

DEAL = Game("classic", seed=7)


@pytest.fixture
def magpie(tmp_path: Path) -> str:
    return magpie_command(tmp_path)


@pytest.fixture
def closing() -> Iterator[list[ExternalBot]]:
    """Bots whose programs are ended after the test."""
    opened: list[ExternalBot] = []
    yield opened
    for player in opened:
        player.close()


def test_a_program_is_told_what_its_seat_may_know(tmp_path: Path, closing: list[ExternalBot]) -> None:
    heard = tmp_path / "heard"
    (tmp_path / "bot.py").write_text(
        f"import sys\nout = open({str(heard)!r}, 'w')\nfor line in sys.stdin:\n    out.write(line); out.flush()\n"
        "    if line == 'cabochon\\n': print('id name ear\\noption x\\nready', flush=True)\n"
        "    if line.startswith('go'): print('info hm\\nbestmove take wug', flush=True)\n"
    )
    player = ExternalBot(f"{sys.executable} {tmp_path / 'bot.py'}", "ear")
    closing.append(player)
    game = Game("classic", seed=7)
    player.new_game()
    assert "take wug" == str(player.choose(game.view(game.turn), Budget(nodes=5, seconds=0.5), 42))
    player.new_game()
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
    sent = "\n".join(request(game.view(0), Budget()))
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
def test_a_program_that_gives_no_legal_move(tmp_path: Path, closing: list[ExternalBot], answers: list[str], wrong: str) -> None:
    player = ExternalBot(program(tmp_path, *answers), "bad", Timeouts(move=0.2) if "within" in wrong else None)
    closing.append(player)
    player.start()
    running = player.program
    assert running is not None
    with pytest.raises(ProgramError, match=re.escape(wrong)):
        player.choose(DEAL.view(DEAL.turn), Budget(), 1)
    assert player.program is None
    assert running.process.poll() is not None
    assert not running.reader.is_alive()


def test_a_program_that_failed_is_started_again(tmp_path: Path, closing: list[ExternalBot]) -> None:
    sick = tmp_path / "sick"
    player = ExternalBot(program(tmp_path, f"import os; os.path.exists({str(sick)!r}) and sys.exit(1)", FIRST_LEGAL), "bad")
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
    player = ExternalBot(command, timeouts=Timeouts(start=0.3) if "within" in wrong else None)
    with pytest.raises(ProgramError, match=re.escape(wrong)):
        player.start()
    assert player.program is None


def test_the_seconds_of_the_budget_set_the_timeout() -> None:
    assert 60 == Timeouts().for_move(Budget(nodes=5))
    assert 6 == Timeouts().for_move(Budget(seconds=1))


# programs in the arena and at tables


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


def test_programs_are_set_by_the_environment() -> None:
    found = Settings.from_environment({"CABOCHON_BOTS": "anna=python3 a.py, ben=./b"})
    assert ("anna=python3 a.py", "ben=./b") == found.bots


def test_workers_of_the_server_know_the_programs(magpie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.bots.registry.BOTS", names := dict(BOTS))
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
        "import sys\nfrom cabochon.bots.external import ExternalBot\n"
        f"player = ExternalBot({program(tmp_path, FIRST_LEGAL)!r})\nplayer.start()\n"
        "print(player.program.process.pid, flush=True)\nsys.stdin.read()\n"
    )
    host = subprocess.Popen([sys.executable, "-c", source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert host.stdout is not None and host.stdin is not None
    child = psutil.Process(int(host.stdout.readline()))
    host.kill()
    host.wait()
    child.wait(30)
    host.stdout.close()
    host.stdin.close()
