"""The pages of the environments say what the code says, under the same headings, and the examples run."""

import re
import runpy
import sys
from pathlib import Path

import pytest

from . import pages

EXAMPLES = Path(__file__).parents[2] / "examples"
EACH = pytest.mark.parametrize("page", pages.PAGES, ids=lambda page: page.stem)


def test_there_is_a_page_for_each_environment() -> None:
    assert ["gpu", "gymnasium", "openspiel", "pettingzoo", "vector"] == [page.stem for page in pages.PAGES]


@EACH
def test_the_tables_are_those_of_the_code(page: Path) -> None:
    text = page.read_text()
    assert pages.with_tables(text) == text
    assert all(f"<!-- {name} -->" in text for name in ("actions", "observation"))


@EACH
def test_the_headings_are_the_same(page: Path) -> None:
    assert pages.HEADINGS == re.findall(r"^## (.*)$", page.read_text(), re.MULTILINE)


def test_random_against_greedy_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["random_against_greedy.py", "--games", "6"])
    runpy.run_path(str(EXAMPLES / "random_against_greedy.py"), run_name="__main__")
    assert re.search(r"greedy wins [56] of 6 games of classic for 2", capsys.readouterr().out)


def test_there_are_three_examples() -> None:
    assert {"random_against_greedy", "learn_with_ppo", "gpu_throughput"} == {path.stem for path in EXAMPLES.glob("*.py")}
