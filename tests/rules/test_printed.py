"""What is printed is looked up in one place, as the tables have it."""

import ast
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import cabochon
from cabochon.rules import cards, printed
from cabochon.rules.cards import NONE

PACKAGE = Path(cabochon.__file__).parent
ARRAYS = {name: value for name, value in vars(cards).items() if isinstance(value, np.ndarray) and name.isupper()}
TABLES = {name for name, array in ARRAYS.items() if array.shape == (NONE + 1,)}
CONSTANT_MEMORY = 1 << 16  # bytes, of an NVIDIA GPU
SPARE = CONSTANT_MEMORY // 4  # a function that is compiled for two types of arguments carries its tables twice
LOOKUPS = {
    "BONUS": printed.bonus_of,
    "COST": printed.cost_of,
    "DEMAND": printed.demand_of,
    "OTHER": printed.other_of,
    "POINTS": printed.points_of,
    "PRESTIGE": printed.prestige_of,
    "SYMBOLS": printed.symbols_of,
    "TIER": printed.tier_of,
    "TILE_POINTS": printed.tile_points_of,
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_a_lookup_brings_what_the_table_has(name: str) -> None:
    assert vars(cards)[name].tolist() == [LOOKUPS[name](i) for i in range(NONE + 1)]


def is_compiled(function: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id in ("kernel", "inlined") for mark in function.decorator_list)


def test_each_table_is_looked_up_in_one_kernel() -> None:
    """On a GPU every kernel that names a table has a copy in constant memory: with a few more, nothing compiles there."""
    found = defaultdict(set)
    for path in PACKAGE.glob("*/*.py"):
        for function in ast.parse(path.read_text()).body:
            if isinstance(function, ast.FunctionDef) and is_compiled(function):
                for node in ast.walk(function):
                    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
                        found[node.value.id.removesuffix("_BYTES")].add(function.name)
    several = {table: kernels for table, kernels in found.items() if table in TABLES and len(kernels) > 1}
    assert {"COST": {"cost_of", "price", "purchases"}} == several
    assert TABLES <= found.keys()


def test_the_tables_fit_into_the_constant_memory_of_a_gpu() -> None:
    """Every mention of a table in compiled code is a copy of it there."""
    tables = {name: array.nbytes for name, array in {**ARRAYS, **vars(printed)}.items() if isinstance(array, np.ndarray)}
    sources = [path for folder in ("rules", "search") for path in (PACKAGE / folder).glob("*.py")]
    functions = [node for path in sources for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
    lookups = [node.value for function in functions for node in ast.walk(function) if isinstance(node, ast.Subscript)]
    found = [node.id for node in lookups if isinstance(node, ast.Name) and node.id in tables]
    assert set(found) >= {"COST", "BONUS", "DEMAND", "PRESTIGE_BYTES"}
    assert sum(tables[name] for name in found) <= CONSTANT_MEMORY - SPARE
