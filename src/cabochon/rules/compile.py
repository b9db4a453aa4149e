"""The one decorator of the compiled rules, and where the compiled code is kept.

Numba's disk cache looks only at the file that defines a function: a change in a function it calls from another file goes
unnoticed. So every module has a cache folder of its own, named after a hash of its import closure: its source, the sources of all
modules of this package that it imports, of those that these import, and so on, and the tables they read. An edit in any of them
is a new folder, so old code can never run; an edit anywhere else compiles nothing anew.
"""

import atexit
import hashlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from numba.core import compiler

from .linking import LinkingDispatcher, Pipeline

PACKAGE = Path(__file__).parent.parent
VARIANTS_FOLDER = PACKAGE / "variants"
# Imports at the top level of a module. What a function imports when it is called cannot be a part of compiled code.
AS = re.compile(r" as \w+|#.*")
IMPORT = re.compile(r"^from ([\w.]+) import (\([^)]*\)|.*)$", re.MULTILINE)
ROOT, PRIVATE = 0, 0o700
WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH

Function = TypeVar("Function", bound=Callable[..., object])


def _file(parts: tuple[str, ...]) -> Path | None:
    """The source of a module of this package, if there is one."""
    path = PACKAGE.parent.joinpath(*parts)
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@cache
def _imports(file: Path) -> frozenset[Path]:
    """The sources of this package that a source imports; of `from .. import batch` only `batch.py`, not its package's file."""
    package = file.relative_to(PACKAGE.parent).parts[:-1] if PACKAGE in file.parents else ()
    found: set[Path | None] = set()
    for origin, imported in IMPORT.findall(file.read_text(encoding="utf-8")):
        module = origin.lstrip(".")
        dots = len(origin) - len(module)
        target = (*package[: len(package) - dots + 1], *filter(None, module.split("."))) if dots else tuple(module.split("."))
        if target[0] == PACKAGE.name:
            submodules = [_file((*target, name)) for name in re.findall(r"\w+", AS.sub("", imported))]
            found.update(submodules if all(submodules) else [*submodules, _file(target)])
    return frozenset(path for path in found if path)


@cache
def import_closure(file: Path) -> tuple[Path, ...]:
    """A source and all sources of this package that it can be compiled from."""
    known, new = {file}, [file]
    while new:
        new = [path for path in {path for source in new for path in _imports(source)} if path not in known]
        known.update(new)
    return tuple(sorted(known))


@cache
def _data_hash() -> bytes:
    """A hash of the tables and numbers that kernels are compiled with."""
    digest = hashlib.sha256()
    for path in sorted(path for path in VARIANTS_FOLDER.glob("*/*") if path.suffix in (".csv", ".toml")):
        digest.update(path.parent.name.encode() + path.name.encode() + path.read_bytes())
    return digest.digest()


@cache
def cache_key(file: Path) -> str:
    """A name for a source with its import closure as they are now."""
    digest = hashlib.sha256(_data_hash())
    for path in import_closure(file):
        digest.update(path.name.encode() + path.read_bytes())
    return f"{file.stem}-{digest.hexdigest()[:12]}"


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


def caches_of_user() -> str:
    """Where this system keeps caches. The engine does without platformdirs, which the server asks."""
    if folder := os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME"):
        return folder
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    return "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"


@cache
def cache_folder(key: str) -> Path:
    """Where compiled functions are kept: the user's cache, else the temporary folder, else only until this process ends."""
    home = caches_of_user()
    user = getattr(os, "getuid", lambda: "user")()
    found = private_folder(home, "cabochon", key) or private_folder(tempfile.gettempdir(), f"cabochon-{user}", key)
    return found or private_folder(_folder_until_exit(), "cabochon", key) or Path(_folder_until_exit())


def key_of(function: Callable[..., object]) -> str:
    """A name for all that the function is compiled from."""
    return cache_key(Path(cast(Any, function).__code__.co_filename).resolve())


def _compiled(function: Function, **settings: Any) -> Any:
    options = {"nopython": True, "nogil": True, "error_model": "numpy", "boundscheck": None, **settings}
    pipeline = compiler.Compiler if settings.get("_nrt", True) else Pipeline
    return LinkingDispatcher(function, {}, options, pipeline)


def _kept(function: Function, **settings: Any) -> Function:
    made = _compiled(function, **settings)
    made.keep(lambda: key_of(function), lambda: cache_folder(key_of(function)))
    return cast(Function, made)


def kernel(function: Function) -> Function:
    """Compile on first use, without the GIL, and keep the result on disk.

    A kernel makes no arrays, so Numba's runtime with its reference counting can be left out (`_nrt`): that took a quarter of the
    time of a search.
    """
    return _kept(function, _nrt=False)


def allocating(function: Function) -> Function:
    """Like `kernel`, for a function that makes arrays of its own."""
    return _kept(function)


def unkept(function: Function) -> Function:
    """Like `allocating`, and not kept on disk: for a function that is made of another one."""
    return cast(Function, _compiled(function))


def inlined(function: Function) -> Function:
    """Like `kernel`, but always part of the kernel that calls it, and kept on disk with that one."""
    return cast(Function, _compiled(function, forceinline=True, _nrt=False))
