"""Programs to play against: for tests."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
FIRST_LEGAL = "print('bestmove', moves[0], flush=True)"


def program(folder: Path, *answers: str, name: str = "bot.py") -> str:
    """A command whose program is ready at once and does these statements when it is to decide."""
    source = ["import sys", "for line in sys.stdin:", "    word = line.split()[0]"]
    source += ["    if word == 'cabochon': print('ready', flush=True)"]
    source += ["    if word == 'legal': moves = line.strip()[6:].split('; ')", "    if word == 'go':"]
    source += [f"        {statement}" for statement in answers]
    (folder / name).write_text("\n".join(source))
    return f"{sys.executable} {folder / name}"


def magpie_command(folder: Path) -> str:
    """The command of the bot in docs/bots.md: it has no more than twenty lines and needs no library."""
    blocks = re.findall(r"^```py\n(.*?)^```$", (ROOT / "docs/bots.md").read_text(), re.MULTILINE | re.DOTALL)
    (source,) = [block for block in blocks if "import sys" in block]
    assert 20 >= len([line for line in source.splitlines() if line.strip()])
    assert {"random", "sys"} == set(re.findall(r"^import (\w+)", source, re.MULTILINE))
    (folder / "magpie.py").write_text(source)
    return f"{sys.executable} -I {folder / 'magpie.py'}"
