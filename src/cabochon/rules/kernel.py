"""The one decorator of the compiled rules.

Numba's disk cache looks only at the file that defines a function: a change in a function it calls from another file goes
unnoticed. So the cache folder is named after a hash of every source that a kernel can be made of.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

PACKAGE = Path(__file__).parent.parent
KERNEL_FOLDERS = ("rules", "data")
KERNEL_FILES = ("bots/greedy.py", "envs/observation.py", "envs/episode.py")  # others hold kernels that nobody else calls
LATER_FOLDERS = ("search", "learn")  # each calls what stands before it and is never called from there: it has a cache of its own

Function = TypeVar("Function", bound=Callable[..., object])


def _sources(folder: str) -> list[Path]:
    return [path for path in sorted((PACKAGE / folder).rglob("*")) if path.suffix in (".py", ".csv")]


@cache
def source_hash(*later: str) -> str:
    """A short name for the sources as they are now, those of some later folders included."""
    digest = hashlib.sha256()
    for folder in (*KERNEL_FOLDERS, *later):
        for path in _sources(folder):
            digest.update(path.name.encode() + path.read_bytes())
    for file in KERNEL_FILES:
        digest.update(file.encode() + (PACKAGE / file).read_bytes())
    return digest.hexdigest()[:12]


@cache
def cache_folder(*later: str) -> Path:
    """A folder that can be written: the user's cache, or a temporary one where there is none."""
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    for parent in (Path(home) / "cabochon", Path(tempfile.gettempdir()) / f"cabochon-{os.getuid()}"):
        folder = parent / f"kernel-{source_hash(*later)}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="cabochon-"))


def folder_for(function: Callable[..., object]) -> Path:
    """Where the compiled function is kept; one outside the package, or of a module that is run, may call anything."""
    package, *own = function.__module__.split(".")[:2]
    if package != PACKAGE.name:
        return cache_folder(*LATER_FOLDERS)
    return cache_folder(*LATER_FOLDERS[: LATER_FOLDERS.index(own[0]) + 1] if own and own[0] in LATER_FOLDERS else ())


def _compiled(function: Function, **settings: Any) -> Function:
    return cast(Function, numba.njit(nogil=True, error_model="numpy", **settings)(function))


def _kept(function: Function, **settings: Any) -> Function:
    config: Any = numba.config
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder_for(function))
    try:
        return _compiled(function, cache=True, **settings)
    finally:
        config.CACHE_DIR = before


def kernel(function: Function) -> Function:
    """Compile on first use, without the GIL, and keep the result on disk.

    A kernel makes no arrays: then Numba need not count who holds one, which took a quarter of a search (`_nrt` is that counting).
    """
    return _kept(function, _nrt=False)


def allocating(function: Function) -> Function:
    """Like `kernel`, for a function that makes arrays of its own."""
    return _kept(function)


def inlined(function: Function) -> Function:
    """Like `kernel`, but always part of the kernel that calls it, and kept on disk with that one."""
    return _compiled(function, forceinline=True, _nrt=False)
