"""What is installed with the package may be used with it: the licence of every library is one that somebody has looked at.

The licences of the npm packages in the client are checked, and their texts collected, when it is built (web/vite.config.mjs).
"""

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
OURS = PROJECT["name"]
# What `make test` installs of what users install; torch and matplotlib have an environment of their own.
EXTRAS = ("play", "arena", "envs", "openspiel", "postgres", "cluster")
# Permissive ones, and two that ask only that changes of the library itself are shared (MPL, LGPL): we use them unchanged.
ALLOWED = {
    "0BSD", "Apache Software License", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD License", "BSD-2-Clause",
    "BSD-3-Clause", "CC0-1.0", "ISC License (ISCL)", "LGPL-3.0-only", "MIT", "MIT License", "MIT-0", "MIT-CMU", "MPL-2.0",
    "PSF-2.0", "Zlib",
}  # fmt: skip
READ_BY_US = {"resvg-py": "MIT"}  # its package does not name it; the text in it is that of MIT


def required(line: str, extra: str = "") -> Iterator[tuple[str, str]]:
    """The libraries that a requirement brings on this system, each with an extra of its own or none."""
    found = Requirement(line)
    if found.marker is None or found.marker.evaluate({"extra": extra}):
        yield from ((re.sub(r"[-_.]+", "-", found.name).lower(), one) for one in ("", *found.extras))


def all_required() -> set[str]:
    """Every library that comes with the package and these extras, and those that come with them."""
    lines = [*PROJECT["dependencies"], *(line for extra in EXTRAS for line in PROJECT["optional-dependencies"][extra])]
    new, known = {one for line in lines for one in required(line)}, set[tuple[str, str]]()
    while new:
        known |= new
        new = {one for name, extra in new for line in distribution(name).requires or () for one in required(line, extra)} - known
    return {name for name, _ in known}


def licences(library: Distribution) -> set[str]:
    """As its package tells: an expression, else classifiers, else a line of text. "A OR B" is taken as "A AND B"."""
    if expression := library.metadata["License-Expression"]:
        return set(re.split(r" (?:AND|OR) ", re.sub(r"[()]", "", expression)))
    classifiers = [line for line in library.metadata.get_all("Classifier") or () if line.startswith("License ::")]
    return {line.rpartition(" :: ")[2] for line in classifiers} or {library.metadata["License"] or ""}


@pytest.mark.parametrize("name", sorted(all_required()))
def test_the_licence_of_a_library_is_one_that_we_know(name: str) -> None:
    found = {READ_BY_US[name]} if name in READ_BY_US else licences(distribution(name))
    assert found <= ALLOWED, f"{name}: read its licence, then add it to ALLOWED or look for another library"


def test_the_libraries_are_found_through_others() -> None:
    assert {"llvmlite", "numpy", "starlette", "psycopg-binary"} <= all_required()
    assert OURS not in all_required()
