"""Where compiled functions are kept: by the sources they are made of, and where nobody else can write.

Whoever could write there could run programs as this user.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cabochon.rules import compile as compiling
from cabochon.rules.compile import cache_key, import_closure, private_folder

PRINT_FOLDER = "from cabochon.rules.compile import cache_folder; print(cache_folder('kernel-1'))"
PACKAGE = compiling.PACKAGE
CACHED = (compiling._imports, compiling._data_hash, import_closure, cache_key)


def kernel_modules() -> list[str]:
    """Every module that defines a kernel."""
    sources = [path for path in PACKAGE.rglob("*.py") if "static" not in path.parts]
    return sorted(str(path.relative_to(PACKAGE)) for path in sources if "\n@kernel" in path.read_text())


def forget_sources() -> None:
    for function in CACHED:
        function.cache_clear()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the package that may be edited."""
    copy = tmp_path / "src" / PACKAGE.name
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("static", "__pycache__", "*.safetensors", "*.npz"))
    monkeypatch.setattr(compiling, "PACKAGE", copy)
    monkeypatch.setattr(compiling, "VARIANTS_FOLDER", copy / VARIANTS)
    forget_sources()
    yield copy
    forget_sources()


VARIANTS = "variants"


def edit(path: Path) -> None:
    path.write_text(path.read_text() + "\n# edited\n")
    forget_sources()


@pytest.mark.slow
@pytest.mark.parametrize("module", kernel_modules())
def test_the_key_notices_an_edit_in_any_source_of_the_import_closure(package: Path, module: str) -> None:
    before = cache_key(package / module)
    for path in import_closure(package / module):
        edit(path)
        assert before != cache_key(package / module), path
        before = cache_key(package / module)


def test_the_key_notices_an_edit_in_a_table(package: Path) -> None:
    before = cache_key(package / "rules/play.py")
    edit(next((package / VARIANTS).rglob("cards.csv")))
    assert before != cache_key(package / "rules/play.py")


def test_an_edit_elsewhere_compiles_nothing_anew(package: Path) -> None:
    before = cache_key(package / "rules/play.py")
    edit(package / "search/tree.py")
    edit(package / "batch.py")
    assert before == cache_key(package / "rules/play.py")


def test_a_closure_holds_what_is_imported_by_what_is_imported() -> None:
    found = {str(path.relative_to(PACKAGE)) for path in import_closure(PACKAGE / "batch.py")}
    assert {"batch.py", "rules/play.py", "rules/gems.py"} <= found
    assert not {path for path in found if path.startswith(("search/", "bots/"))} | {"__init__.py"} & found


@pytest.mark.slow
def test_after_an_edit_in_another_file_the_new_code_runs(package: Path, tmp_path: Path) -> None:
    """`total` is called by a kernel in another file, whose compiled code was kept."""
    asked = "from cabochon.rules.returning import over_limit; from cabochon import Game; print(over_limit(Game(seed=1).state))"
    environment = os.environ | {"PYTHONPATH": str(package.parent), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def answer() -> str:
        done = subprocess.run([sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert ("False", "False") == (answer(), answer())
    gems = package / "rules/gems.py"
    gems.write_text(gems.read_text().replace("(LANE_COUNT - 1)) & LANE", "(LANE_COUNT - 1)) & LANE | 64"))
    assert "True" == answer()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir(0o700)
    return folder


def folder_in(home: Path) -> Path | None:
    return private_folder(str(home), "cabochon", "kernel-1")


def test_a_missing_folder_is_made_for_this_user_alone(home: Path) -> None:
    before = os.umask(0)
    try:
        assert home / "new" / "cabochon" / "kernel-1" == folder_in(home / "new")
    finally:
        os.umask(before)
    modes = [(home / "new" / part).stat().st_mode & 0o777 for part in ("", "cabochon", "cabochon/kernel-1")]
    assert [0o700] * 3 == modes


def test_a_folder_that_is_there_is_used_again(home: Path) -> None:
    first = folder_in(home)
    assert first == folder_in(home) == home / "cabochon" / "kernel-1"


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
@pytest.mark.parametrize("name", ["cabochon", "cabochon/kernel-1"])
def test_a_folder_that_others_may_write_is_refused(home: Path, name: str, mode: int) -> None:
    folder_in(home)
    (home / name).chmod(mode)
    assert folder_in(home) is None


@pytest.mark.parametrize("name", ["cabochon", "cabochon/kernel-1"])
def test_a_link_is_refused(home: Path, name: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "kernel-1").mkdir(0o700, parents=True)
    if "/" in name:
        (home / "cabochon").mkdir(0o700)
    (home / name).symlink_to(elsewhere)
    assert folder_in(home) is None


@pytest.mark.parametrize("name", ["cabochon", "kernel-1"])
def test_a_folder_of_another_user_is_refused(home: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder_in(home)
    lstat = Path.lstat

    def made_by_another(path: Path) -> os.stat_result:
        found = list(lstat(path))
        found[4] += path.name == name  # st_uid
        return os.stat_result(found)

    monkeypatch.setattr(Path, "lstat", made_by_another)
    assert folder_in(home) is None


@pytest.mark.parametrize("mode, is_used", [(0o755, True), (0o1777, True), (0o775, False), (0o777, False)])
def test_a_folder_that_others_may_rename_is_refused(home: Path, mode: int, is_used: bool) -> None:
    """They may if they can write its parent, such as ~/.cache, unless that is sticky, as /tmp is."""
    folder_in(home)
    home.chmod(mode)
    assert is_used == (folder_in(home) is not None)


def test_a_file_in_the_place_of_the_folder_is_refused(home: Path) -> None:
    (home / "cabochon").write_text("")
    assert folder_in(home) is None


def test_a_system_without_owners_and_modes_is_taken_as_it_is(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows: `os.getuid` is missing, and every folder seems open to all."""
    folder_in(home)
    (home / "cabochon").chmod(0o777)
    monkeypatch.delattr(os, "getuid")
    assert home / "cabochon" / "kernel-1" == folder_in(home)


def test_without_a_private_folder_there_is_one_until_the_process_ends(home: Path) -> None:
    """Both usual places were taken by somebody else first."""
    for planted in (home / "cabochon", home / f"cabochon-{os.getuid()}"):
        planted.mkdir()
        planted.chmod(0o777)
    environment = os.environ | {"XDG_CACHE_HOME": str(home), "TMPDIR": str(home), "NUMBA_CACHE_DIR": ""}
    done = subprocess.run([sys.executable, "-c", PRINT_FOLDER], env=environment, capture_output=True, text=True, check=True)
    folder = Path(done.stdout.strip())
    assert folder.is_relative_to(home) and not folder.is_relative_to(home / "cabochon")
    assert not folder.exists()
    assert {"cabochon", f"cabochon-{os.getuid()}"} == {path.name for path in home.iterdir()}
