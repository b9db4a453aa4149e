"""The systemd unit in docs/hosting.md starts a server, for a user without a home who may write only where the unit says."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import cabochon
from cabochon.rules.compile import cache_folder, cache_key
from tests.server.process import ServerProcess
from tests.test_docs import ROOT, blocks

NOBODY = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--bounding-set=-all", "--inh-caps=-all"]
NO_HOME = "/nonexistent"
COMMAND = "/srv/cabochon/.venv/bin/cabochon"
SOURCES = Path(cabochon.__file__).parent.parent


def unit(folder: Path) -> dict[str, list[str]]:
    """The settings of the unit, its specifiers replaced as systemd does it, with folders of ours."""
    (text,) = blocks(ROOT / "docs/hosting.md", "ini")
    settings: dict[str, list[str]] = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE):
        settings.setdefault(name, []).append(value.replace("%S", str(folder / "state")).replace("%C", str(folder / "cache")))
    return settings


def as_nobody() -> list[str]:
    """How to be somebody else: possible as root, where others can reach this Python."""
    if os.getuid() != 0 or not shutil.which("setpriv"):
        return []
    can_run = subprocess.run([*NOBODY, sys.executable, "-c", "import cabochon"], capture_output=True, check=False, cwd=SOURCES)
    return NOBODY if can_run.returncode == 0 else []


PRINT_FOLDER = "from cabochon.rules.compile import cache_folder; print(cache_folder('any'))"


class Service(ServerProcess):
    """A server started by the line of the unit."""

    def __init__(self, folder: Path, started: Path) -> None:
        super().__init__(folder)
        self.unit, self.user = unit(started), as_nobody()
        said = dict(line.split("=", 1) for line in self.unit["Environment"])
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": NO_HOME,
            "PYTHONPATH": str(SOURCES),
            "CABOCHON_BOT_WORKERS": "0",
            **said,
        }
        for name in ("State", "Cache"):
            (owned,) = self.unit[f"{name}Directory"]
            place = started / name.lower() / owned
            place.mkdir(int(self.unit[f"{name}DirectoryMode"][0], 8), parents=True)
        self.compiled = started / "cache/cabochon/cabochon"
        for source in (SOURCES / "cabochon").rglob("*.py"):  # else it would compile for a minute
            if "\n@kernel" in source.read_text(encoding="utf-8"):
                kept = cache_folder(cache_key(source))
                shutil.copytree(kept, self.compiled / kept.name)
        if self.user:
            for place in started.rglob("*"):
                shutil.chown(place, "nobody", "nogroup")

    def asked(self, code: str) -> str:
        """What a line of Python prints in the place of the server."""
        command = [*self.user, sys.executable, "-c", code]
        return subprocess.run(command, env=self.environment, cwd="/", capture_output=True, text=True, check=True).stdout.strip()

    def launch(self) -> "subprocess.Popen[bytes]":
        (line,) = self.unit["ExecStart"]
        words = shlex.split(line.replace("--port 8765", f"--port {self.port}"))
        assert COMMAND == words[0]
        command = [*self.user, sys.executable, "-m", "cabochon", *words[1:]]
        return subprocess.Popen(command, env=self.environment, cwd="/", stdout=self.log, stderr=self.log)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that others may enter; pytest's own are closed."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.slow
def test_the_systemd_unit_starts_a_server(tmp_path: Path, open_folder: Path) -> None:
    server = Service(tmp_path, open_folder)
    server.start()
    try:
        created = httpx.post(f"{server.url}/api/tables", json={"bots": ["greedy"]}, timeout=30)
        assert 200 == created.status_code
    finally:
        server.stop()
    assert (open_folder / "state/cabochon/games.db").stat().st_size
    assert str(server.compiled / "any") == server.asked(PRINT_FOLDER)
    assert not Path(NO_HOME).exists()
