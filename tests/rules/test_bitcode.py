"""Code that comes with the package is used where all fits that it was made of, and nowhere else; it computes the same."""

import importlib
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from numba.core import config

from cabochon.rules import bitcode
from cabochon.rules import compile as compiling

PROJECT = Path(__file__).parent.parent.parent / "pyproject.toml"
NAME = "sample_kernels"
SOURCE = """
from cabochon.rules.compile import kernel

@kernel
def squared(number):
    if number > 1000:
        raise ValueError("too large")
    return number * number

@kernel
def sum_of_squares(numbers):
    total = 0
    for number in numbers:
        total += squared(number)
    return total
"""
NUMBERS = np.arange(5)
Load = Callable[[], Any]


def fresh(name: str) -> ModuleType:
    """The module as a new process would have it."""
    sys.modules.pop(name, None)
    importlib.invalidate_caches()
    return importlib.import_module(name)


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Writes the bitcode of a module of two kernels; then loads it anew, with an empty cache each time."""
    (tmp_path / f"{NAME}.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, NAME, ModuleType(NAME))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(bitcode, "FOLDER", tmp_path / "bitcode")
    caches = iter(tmp_path / f"cache-{i}" for i in range(9))

    def start() -> Any:
        for function in (compiling.cache_key, compiling.import_closure, compiling._imports):
            function.cache_clear()
        folder = next(caches)
        folder.mkdir()
        monkeypatch.setattr(compiling, "cache_folder", lambda key: folder)
        return fresh(NAME)

    with monkeypatch.context() as recording:
        recording.setattr(bitcode, "is_recording", True)
        assert 30 == start().sum_of_squares(NUMBERS)
    return start


def was_compiled(module: Any) -> bool:
    """Whether Numba has made the function that the other one calls."""
    return bool(module.squared._parts)


def files() -> list[Path]:
    return list(bitcode.FOLDER.rglob(f"*{bitcode.SUFFIX}"))


def test_where_all_fits_numba_compiles_nothing(load: Load) -> None:
    module = load()
    assert 30 == module.sum_of_squares(NUMBERS)
    assert not was_compiled(module)
    assert 1 == len(files())  # that of the function which was called


def test_errors_are_raised_as_from_compiled_code(load: Load) -> None:
    module = load()
    with pytest.raises(ValueError, match="too large"):
        module.sum_of_squares(NUMBERS + 1000)
    assert not was_compiled(module)


def test_the_machine_code_is_kept_as_that_of_compiled_code_is(load: Load, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 30 == load().sum_of_squares(NUMBERS)
    monkeypatch.setattr(bitcode, "read", lambda path: pytest.fail("asked for bitcode"))
    module = fresh(NAME)  # with the same cache
    assert 30 == module.sum_of_squares(NUMBERS)
    assert not was_compiled(module)


def change_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path(sys.path[0]) / f"{NAME}.py"
    file.write_text(SOURCE.replace("return number * number", "return number * number + 0"))


def change_the_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    before = bitcode.versions()
    monkeypatch.setattr(bitcode, "versions", lambda: before.replace("numba-", "numba-1"))


def check_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "BOUNDSCHECK", 1)


def damage_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = files()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def cut_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = files()
    file.write_bytes(file.read_bytes()[:10])


def take_it_away(monkeypatch: pytest.MonkeyPatch) -> None:
    (file,) = files()
    file.unlink()


CHANGES = (change_the_source, change_the_versions, check_bounds, damage_the_file, cut_the_file, take_it_away)


@pytest.mark.parametrize("change", CHANGES)
def test_where_something_differs_all_is_compiled(
    load: Load, change: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    change(monkeypatch)
    module = load()
    assert 30 == module.sum_of_squares(NUMBERS)
    assert was_compiled(module)


def test_other_types_are_compiled(load: Load) -> None:
    module = load()
    assert 30.0 == module.sum_of_squares(NUMBERS.astype(np.float64))
    assert was_compiled(module)


def test_the_build_has_what_the_engine_needs() -> None:
    project = tomllib.loads(PROJECT.read_text())
    assert set(project["project"]["dependencies"]) <= set(project["build-system"]["requires"])
