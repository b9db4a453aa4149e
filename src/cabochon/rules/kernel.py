"""The one decorator of the compiled rules.

Numba's disk cache looks only at the file that defines a function: a change in a function it calls from another file goes
unnoticed. So the cache folder is named after a hash of every source that a kernel can be made of.
"""

import atexit
import hashlib
import os
import shutil
import stat
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
ROOT, PRIVATE = 0, 0o700
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH

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


def _is_ours(found: os.stat_result) -> bool:
    """Whether a folder is this user's and nobody else may write in it. Windows has no such owners and modes."""
    own = getattr(os, "getuid", None)
    return own is None or (found.st_uid == own() and not found.st_mode & WRITABLE_BY_OTHERS)


def _is_safe_parent(found: os.stat_result) -> bool:
    """Whether nobody else can rename our folder there. Others may write in a sticky folder such as /tmp, but not rename."""
    own = getattr(os, "getuid", None)
    is_closed = found.st_mode & stat.S_ISVTX or not found.st_mode & WRITABLE_BY_OTHERS
    return own is None or (found.st_uid in (own(), ROOT) and bool(is_closed))


def private_folder(parent: str, *names: str) -> Path | None:
    """A folder under `parent`, made if it is missing; None if it cannot be used or if somebody else could write in it.

    A compiled function is a program, so whoever can write one here can run anything as this user. Each folder must be a real one
    (no link), our own, and closed to others.
    """
    try:
        folder = Path(parent).expanduser()
        folder.mkdir(PRIVATE, parents=True, exist_ok=True)
        if not _is_safe_parent(folder.stat()):
            return None
        for name in names:
            folder /= name
            folder.mkdir(PRIVATE, exist_ok=True)
            found = folder.lstat()
            if not (stat.S_ISDIR(found.st_mode) and _is_ours(found)):
                return None
    except (OSError, RuntimeError):
        return None
    return folder if os.access(folder, os.W_OK) else None


@cache
def _folder_until_exit() -> str:
    """A folder for this process and its children, removed at the end. The next start has to compile everything again."""
    folder = tempfile.mkdtemp(prefix="cabochon-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["NUMBA_CACHE_DIR"] = folder  # for the processes in which bots think
    return folder


@cache
def cache_folder(*later: str) -> Path:
    """Where compiled functions are kept: the user's cache, else the temporary folder, else only until this process ends."""
    name = f"kernel-{source_hash(*later)}"
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    user = getattr(os, "getuid", lambda: "user")()
    found = private_folder(home, "cabochon", name) or private_folder(tempfile.gettempdir(), f"cabochon-{user}", name)
    return found or private_folder(_folder_until_exit(), "cabochon", name) or Path(_folder_until_exit())


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
