"""Windows and macOS, as far as they can be faked here: without what only POSIX has, in a process of its own."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from cabochon.bots.external import split_command
from cabochon.rules import compile as compiling
from cabochon.server import run

# The libraries are loaded before anything is removed: on Windows they have ways of their own.
WITHOUT_POSIX = """
import asyncio, multiprocessing, os, pathlib, signal, socket, subprocess, sys, tempfile
import fastapi.testclient, filelock, numba, platformdirs, sqlalchemy, uvicorn
for name in ("getuid", "geteuid", "killpg", "getpgid", "setsid", "sched_getaffinity", "fork"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGHUP", "SIGUSR1", "SIGALRM"):
    delattr(signal, name)
for name in ("fcntl", "pwd", "resource", "readline", "termios", "uvloop"):
    sys.modules[name] = None
import cabochon
from cabochon.arena.workers import default_workers
from cabochon.bots import Budget, bot
game = cabochon.Game(seed=1)
game.play(bot("greedy").choose(game.view(game.turn), Budget(), 1))
assert default_workers() >= 1
from cabochon.bots.external import Program
program = Program(f'"{sys.executable}" -c "import time; time.sleep(60)"')
subprocess.Popen.kill = subprocess.Popen.terminate  # as it is on Windows; here it is SIGKILL
program.kill()
from cabochon.server.app import create_app
from cabochon.server.run import bound_socket, config, open_files
from cabochon.server.settings import Settings
settings = Settings(database=f"sqlite:///{sys.argv[1]}/games.db", bot_workers=0)
app = create_app(settings)
config(app, settings)
with bound_socket("127.0.0.1", None) as listener:
    assert listener.getsockname()[1] > 0
with fastapi.testclient.TestClient(app) as page:
    assert page.get("/api/health").status_code == 200, page.get("/api/health").text
print("played and served")
"""


@pytest.mark.slow
def test_a_game_a_bot_and_a_server_without_what_only_posix_has(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", WITHOUT_POSIX, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ("played and served", "") == (done.stdout.strip(), done.stderr.strip()[-1000:])


@pytest.mark.parametrize(
    ("system", "command", "words"),
    [
        ("posix", "./bot 'a b'", ["./bot", "a b"]),
        ("nt", r"C:\bots\mine.exe --fast", [r"C:\bots\mine.exe", "--fast"]),
        ("nt", r'"C:\Program Files\bot.exe" 7', [r"C:\Program Files\bot.exe", "7"]),
    ],
)
def test_a_command_is_split_as_its_system_writes_paths(
    system: str, command: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "name", system)
    assert words == split_command(command)


def test_two_servers_cannot_share_a_port_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """There SO_REUSEADDR means that the second one takes the port over."""
    asked: list[int] = []
    monkeypatch.setattr(os, "name", "nt")
    monkeypatch.setattr(socket, "SO_EXCLUSIVEADDRUSE", -5, raising=False)
    monkeypatch.setattr(socket.socket, "setsockopt", lambda _socket, _level, option, _value: asked.append(option))
    run._bound("127.0.0.1", 0).close()
    assert [-5] == asked


@pytest.mark.parametrize(
    ("system", "settings", "expected"),
    [
        ("linux", {}, "~/.cache"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x"),
        ("darwin", {}, "~/Library/Caches"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local"),
        ("win32", {"NUMBA_CACHE_DIR": "/n"}, "/n"),
    ],
)
def test_compiled_code_is_kept_where_the_system_keeps_caches(
    system: str, settings: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", system)
    assert expected == compiling.caches_of_user()
