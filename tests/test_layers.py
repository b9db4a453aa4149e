"""Imports point one way: this table says which package or module of `cabochon` may import which others.

Imports inside functions count too. Only imports for type checkers do not: they are gone when the program runs.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "cabochon"
STANDARD_LIBRARY_OF_RULES = {
    *("atexit", "csv", "collections", "dataclasses", "functools", "hashlib", "os", "pathlib", "pickle", "re", "shutil", "stat"),
    *("sys", "tempfile", "time", "tomllib", "types", "typing"),
}

RECORD = {"errors", "rules", "ruleset", "view"}
ENGINE = RECORD | {"events", "notation", "observation", "why_not", "batch", "game"}
ALLOWED: dict[str, set[str]] = {
    "version": set(),
    "errors": set(),
    "tools.provenance": {"version"},
    "rules": set(),
    "ruleset": {"errors", "rules"},
    "view": {"errors", "rules", "ruleset"},
    "observation": {"rules", "ruleset"},
    "events": RECORD,
    "notation": RECORD | {"events"},
    "why_not": RECORD | {"notation"},
    "batch": {"errors", "observation", "rules", "ruleset"},
    "game": ENGINE,
    "advantages": ENGINE,
    "search": ENGINE,
    "bots": ENGINE | {"search", "version"},
    "warming": ENGINE | {"bots"},
    "__init__": ENGINE | {"version", "warming"},
    "arena": ENGINE | {"search", "bots", "version", "tools.provenance"},
    "envs": ENGINE | {"bots"},
    "learn": ENGINE | {"search", "bots", "arena", "tools.provenance", "version"},
    "study": ENGINE | {"search", "bots"},
    "server": ENGINE | {"advantages", "search", "bots", "study", "version", "warming"},
    "terminal": ENGINE | {"advantages", "bots"},
    "tools": ENGINE | {"search", "bots", "tools.provenance"},
    "cli": ENGINE
    | {"arena", "bots", "learn", "search", "server", "study", "terminal", "tools", "tools.provenance", "version", "warming"},
    "command": {"arena", "bots", "cli", "version"},
    "__main__": {"command"},
}
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "static" not in path.parts)


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node, but for the blocks that only a type checker reads."""
    for node in ast.iter_child_nodes(tree):
        if not is_for_types(node):
            yield node
            yield from nodes(node)


def imported(path: Path) -> set[str]:
    """The modules of cabochon that a file imports."""
    package = path.relative_to(PACKAGE).parts[:-1]
    found = set()
    for node in nodes(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            names = [node.module.split(".")] if node.module else [[alias.name] for alias in node.names]
            found |= {".".join([*base, *name]) for name in names}
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = [[node.module or ""]] if isinstance(node, ast.ImportFrom) else [[alias.name] for alias in node.names]
            found |= {name.removeprefix("cabochon.") for [name] in names if name.startswith("cabochon")}
    return found


def place(module: str) -> str:
    """The row of the table that a module belongs to."""
    return module if module in ALLOWED else module.split(".")[0]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    own = place(".".join(path.relative_to(PACKAGE).with_suffix("").parts))
    others = {place(name) for name in imported(path)} - {own}
    assert set() == others - ALLOWED[own]


def test_no_two_packages_import_each_other() -> None:
    below: dict[str, set[str]] = {}
    for name, allowed in ALLOWED.items():  # the table stands in order: what is below comes first
        if name != "tools.provenance":
            assert allowed - {name} <= below.keys() | {"tools.provenance"}, name
        below[name] = allowed


def test_rules_need_numpy_and_numba_only() -> None:
    for path in (PACKAGE / "rules").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            third_party = {name.split(".")[0] for name in names} - {"numpy", "numba", "llvmlite"}
            assert third_party <= STANDARD_LIBRARY_OF_RULES
