"""How the code is built, in numbers: `python bench/code.py [ROOT]`. Functions, constants, and lines that name a variant."""

import ast
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

MAX_PARAMETERS = 5
CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+")
NAMES_A_VARIANT = re.compile(r"""["'](classic|marvel|cities)["']""")
COMPARES_A_VARIANT = re.compile(r"""variant\s*(===?|!==?|in)\s*[("'{\[]|["']\s*(===?|==)\s*variant|\.variant\s*==""")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def sources(root: Path) -> list[Path]:
    return [path for path in sorted((root / "src/cabochon").rglob("*.py")) if "static" not in path.parts]


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def length(function: Function) -> int:
    """Lines of code without the docstring."""
    docstring = ast.get_docstring(function, clean=False)
    skipped = len(docstring.splitlines()) if docstring is not None else 0
    return (function.end_lineno or 0) - function.lineno + 1 - skipped


def parameters(function: Function) -> int:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return sum(argument.arg not in ("self", "cls") for argument in every)


def constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The constants a module defines, each with what it is set to."""
    for node in tree.body:
        name = ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else ""
        if isinstance(node, ast.Assign) and CONSTANT.fullmatch(name):
            yield name, ast.unparse(node.value)


def variant_lines(root: Path) -> int:
    """Lines of code outside `variants` that name a game or compare with one; pages and messages do not count."""
    client = [
        path for path in (root / "web/src").rglob("*") if path.suffix in (".ts", ".svelte") and "paraglide" not in path.parts
    ]
    lines = [line for path in [*sources(root), *client] for line in path.read_text(encoding="utf-8").splitlines()]
    return sum(bool(NAMES_A_VARIANT.search(line) or COMPARES_A_VARIANT.search(line)) for line in lines)


def main(root: Path) -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sources(root)]
    found = [function for tree in trees for function in functions(tree)]
    lengths = sorted(length(function) for function in found)
    meanings = defaultdict(set)
    for tree in trees:
        for name, value in constants(tree):
            meanings[name].add(value)
    print(f"functions                       {len(found)}")
    print(f"lines: median                   {statistics.median(lengths):g}")
    print(f"lines: 90th percentile          {lengths[len(lengths) * 9 // 10]}")
    print(f"lines: longest                  {lengths[-1]}")
    print(f"more than {MAX_PARAMETERS} parameters          {sum(parameters(function) > MAX_PARAMETERS for function in found)}")
    print(f"constants                       {len(meanings)}")
    print(f"constants with several meanings {sum(len(values) > 1 for values in meanings.values())}")
    print(f"lines that name a variant       {variant_lines(root)}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
