"""What `import cabochon` gives: every name of the list, each imported when it is asked for."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import cabochon

IMPORT_ALONE = "import sys, cabochon; cabochon.__version__; print(*sorted({'numba', 'numpy'} & set(sys.modules)))"


def imports_for_types() -> dict[str, str]:
    """Which module a type checker finds each name in."""
    tree = ast.parse(Path(str(cabochon.__file__)).read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name))
    return {alias.name: str(node.module) for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_a_name_is_where_the_type_checker_finds_it() -> None:
    assert imports_for_types() == cabochon._HOMES


def test_every_name_of_the_list_is_there() -> None:
    assert not [name for name in cabochon.__all__ if not hasattr(cabochon, name)]
    assert set(cabochon.__all__) <= set(dir(cabochon))
    assert set(cabochon._HOMES) <= set(cabochon.__all__)


def test_modules_are_attributes_too() -> None:
    assert cabochon.batch.cores.__module__ == "cabochon.batch"


@pytest.mark.parametrize("name", ["gmae", "_secret", "__wrapped__"])
def test_an_unknown_name_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"module 'cabochon' has no attribute '{name}'"):
        getattr(cabochon, name)


def test_the_import_waits_for_neither_numba_nor_numpy() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORT_ALONE], capture_output=True, text=True, check=True)
    assert "" == done.stdout.strip()
