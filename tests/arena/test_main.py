"""The two commands of the arena, and what they need."""

import json
import subprocess
import sys
from typing import Any

import pytest
from typer.testing import CliRunner

from cabochon.arena import __main__ as plain
from cabochon.cli import app

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "words, error",
    [
        (["greedy"], "a match is between 2, 3 or 4 bots, not 1"),
        (["greedy", "greedy"], "greedy against itself is no match: give one of them another budget"),
        (["greedy", "deep"], "unknown bot 'deep': choose one of random"),
        (["greedy", "cmd:"], "'cmd:': cmd: needs a command"),
        (["greedy", "master@nets=runs"], "master uses no net: nets=runs is for levels that do"),
        (
            ["greedy", "legend@nets=no/such/folder", "--games", "2"],
            "there is no net for classic with 2 players in no/such/folder",
        ),
        (["greedy", "cmd:a@nodes=many"], "a budget is a whole number of nodes and a number of seconds, not many"),
        (["greedy", "random", "--nodes", "0"], "a budget must be above 0: nodes=1000, seconds=0.1"),
        (["greedy", "random", "--seconds", "nan"], "a budget must be above 0: nodes=1000, seconds=0.1"),
        (["greedy", "random", "--variant", "chess"], "unknown variant 'chess': choose one of classic, marvel"),
        (["greedy", "random", "--games", "0"], "a match has 1 to 1999999 games, not 0"),
        (["greedy", "random", "--seed", "-1"], "the seed of a match is a number from 0 to 1099511627775, not -1"),
        (["greedy", "random", "random", "--sprt", "0", "9"], "--sprt: the sequential test is for two players"),
        (["greedy", "random", "--sprt", "9", "0"], "--sprt 9 0: the second difference must be larger"),
        (["greedy", "random", "--out", "no/such/folder/x"], "no/such/folder/x cannot be written (no such file or directory)"),
        (["greedy", "cmd:no/such/program", "--games", "2"], "no/such/program: cannot be started"),
    ],
)
def test_wrong_input_is_told_in_one_line(words: list[str], error: str) -> None:
    result = CliRunner().invoke(app, ["arena", *words])
    assert 2 == result.exit_code
    assert 1 == len(result.stderr.splitlines())
    assert error in result.stderr


def test_both_commands_print_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["greedy", "random", "--games", "2", "--workers", "1", "--json"]
    printed = json.loads(CliRunner().invoke(app, ["arena", *words]).stdout)
    assert 0 == plain.run(words)
    assert [without_times(printed)] == [without_times(json.loads(capsys.readouterr().out))]
    assert 2 == printed["standings"][0]["wins"]


def without_times(result: dict[str, Any]) -> dict[str, Any]:
    rows = [{**row, "seconds_per_move": 0, "slowest": 0} for row in result["standings"]]
    return {**result, "standings": rows}


ONLY_THESE = """
import sys
from importlib.abc import MetaPathFinder

allowed = {*sys.stdlib_module_names, "cabochon", "numpy", "numba", "llvmlite", "safetensors"}

class Blocked(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] not in allowed:
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Blocked())
sys.argv = ["arena", "greedy", "cutter", "--games", "2", "--nodes", "8", "--workers", "1"]
import runpy
runpy.run_module("cabochon.arena", run_name="__main__")
"""


def test_a_match_needs_numpy_numba_and_safetensors_only() -> None:
    """Every other third-party package is blocked (llvmlite is a part of Numba), and a match is played."""
    result = subprocess.run([sys.executable, "-c", ONLY_THESE], check=True, capture_output=True, text=True)
    assert result.stdout.startswith("2 games on 1 deals")
