"""Imports point one way: a module may import only what stands before it."""

import ast
from pathlib import Path

import pytest

from cabochon.rules.kernel import cache_folder, folder_for

PACKAGE = Path(__file__).parent.parent / "src" / "cabochon"
LAYERS = [
    "version", "errors", "machine", "rules", "ruleset", "view", "notation", "drawing", "why_not", "batch", "replay", "game",
    "perft", "search", "bots", "arena", "bench", "envs", "learn", "server", "terminal", "cli", "__main__",
]  # fmt: skip
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def layer(module: str) -> int:
    return LAYERS.index(module.split(".")[0])


def imported(path: Path) -> set[str]:
    """The cabochon modules a file imports when it is loaded (not those a function imports, nor those for types only)."""
    package = ["cabochon", *path.relative_to(PACKAGE).parts[:-1]]
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1]
            names = [[*node.module.split(".")]] if node.module else [[alias.name] for alias in node.names]
            found |= {".".join([*base, *name]) for name in names}
    return {name.removeprefix("cabochon.") for name in found}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    above = {name for name in imported(path) if layer(name) > layer(own)}
    assert set() == above


@pytest.mark.parametrize(
    "module, later",
    [
        ("cabochon.rules.play", ()),
        ("cabochon.bots.greedy", ()),
        ("cabochon.search.tree", ("search",)),
        ("cabochon.learn.tuning", ("search", "learn")),
        ("tests.test_search", ("search", "learn")),
        ("__main__", ("search", "learn")),
    ],
)
def test_a_compiled_function_is_kept_by_all_sources_it_may_call(module: str, later: tuple[str, ...]) -> None:
    def function() -> None: ...

    function.__module__ = module
    assert cache_folder(*later) == folder_for(function)


def test_rules_need_numpy_and_numba_only() -> None:
    for path in (PACKAGE / "rules").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            third_party = {name.split(".")[0] for name in names} - {"numpy", "numba"}
            assert third_party <= {
                "atexit",
                "csv",
                "collections",
                "dataclasses",
                "functools",
                "hashlib",
                "os",
                "pathlib",
                "shutil",
                "stat",
                "tempfile",
                "typing",
            }
