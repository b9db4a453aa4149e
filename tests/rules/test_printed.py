"""What is printed on cards and tiles, as compiled code looks it up."""

import ast
from pathlib import Path

import numpy as np

import cabochon
from cabochon.rules import cards, printed

SOURCES = [path for folder in ("rules", "search") for path in Path(cabochon.__file__).parent.joinpath(folder).glob("*.py")]
TABLES = {name: table.nbytes for name, table in {**vars(cards), **vars(printed)}.items() if isinstance(table, np.ndarray)}
CONSTANT_MEMORY = 1 << 16  # bytes, of an NVIDIA GPU
SPARE = CONSTANT_MEMORY // 4  # a function that is compiled for two types of arguments carries its tables twice


def mentions(source: Path) -> list[str]:
    """The tables that the functions of a module look up, each as often as it is mentioned."""
    functions = [node for node in ast.parse(source.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)]
    lookups = [node.value for function in functions for node in ast.walk(function) if isinstance(node, ast.Subscript)]
    return [node.id for node in lookups if isinstance(node, ast.Name) and node.id in TABLES]


def test_the_tables_fit_into_the_constant_memory_of_a_gpu() -> None:
    found = [name for source in SOURCES for name in mentions(source)]
    assert set(found) >= {"COST", "BONUS", "DEMAND", "PRESTIGE", "COLOUR"}
    assert sum(TABLES[name] for name in found) <= CONSTANT_MEMORY - SPARE
