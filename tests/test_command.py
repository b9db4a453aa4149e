"""The command `cabochon` where its libraries are missing: it says which extra brings them, and does what needs none."""

import subprocess
import sys

import pytest

from cabochon import command
from cabochon.cli import EXTRAS, missing_extra
from cabochon.tools.provenance import own_checkout
from cabochon.version import __version__


@pytest.mark.parametrize("library", ["typer", "rich"])
def test_what_is_missing_is_said_with_its_extra(
    library: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "cabochon.cli", None)
    monkeypatch.setattr(sys, "argv", ["cabochon", "play"])
    assert 2 == command._run_plain(["play"], library)
    assert f"cabochon: the command needs {library}: pip install 'cabochon-game[play]'" == capsys.readouterr().err.splitlines()[0]


def test_the_version_needs_no_library(capsys: pytest.CaptureFixture[str]) -> None:
    assert (0, f"{__version__}\n") == (command._run_plain(["--version"], "typer"), capsys.readouterr().out)


@pytest.mark.parametrize(
    ("library", "extra"),
    [("fastapi", "play"), ("choix", "arena"), ("matplotlib.pyplot", "study"), ("torch", "learn"), ("redis.asyncio", "cluster")],
)
def test_a_missing_library_is_named_with_its_extra(library: str, extra: str) -> None:
    named = library.partition(".")[0]
    assert f"this needs {named}: pip install 'cabochon-game[{extra}]'" == missing_extra(ModuleNotFoundError(name=library))


def test_a_missing_module_of_our_own_is_a_defect() -> None:
    with pytest.raises(ModuleNotFoundError):
        missing_extra(ModuleNotFoundError(name="cabochon.nowhere"))


def test_every_extra_of_the_table_is_in_the_package() -> None:
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    assert EXTRAS.keys() <= project["optional-dependencies"].keys()
    assert ["numba", "numpy", "safetensors"] == [line.partition(">")[0] for line in project["dependencies"]]


def test_engine_bots_and_arena_need_numpy_numba_and_safetensors_only() -> None:
    blocked = [
        "typer",
        "rich",
        "fastapi",
        "uvicorn",
        "pydantic",
        "sqlalchemy",
        "platformdirs",
        "filelock",
        "orjson",
        "choix",
        "scipy",
    ]
    source = f"""
import sys
sys.modules.update(dict.fromkeys({blocked!r}))
import cabochon, cabochon.bots.engine, cabochon.arena.__main__, cabochon.study, cabochon.search
"""
    subprocess.run([sys.executable, "-c", source], check=True)


def test_git_is_asked_in_our_own_checkout_only(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A package in a folder of another checkout is not that checkout's: its commit says nothing about us."""
    theirs = tmp_path_factory.mktemp("theirs")
    (theirs / ".git").mkdir()
    ours = theirs / "lib" / "site-packages" / "cabochon" / "tools" / "provenance.py"
    assert own_checkout() is not None
    assert own_checkout(ours) is None
    assert own_checkout(theirs / "cabochon" / "tools" / "provenance.py") is None
