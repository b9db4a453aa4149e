"""The one decorator of the compiled rules.

Numba's disk cache looks only at the file that defines a function: a change in a function it calls from another file goes
unnoticed. So the cache folder is named after a hash of every source that a kernel can be made of.
"""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

PACKAGE = Path(__file__).parent.parent
KERNEL_FOLDERS = ("rules", "data")
KERNEL_FILES = ("bots/greedy.py", "envs/observation.py", "envs/episode.py")  # others hold kernels that nobody else calls

Function = TypeVar("Function", bound=Callable[..., object])


def source_hash() -> str:
    """A short name for the sources as they are now."""
    digest = hashlib.sha256()
    for folder in KERNEL_FOLDERS:
        for path in sorted((PACKAGE / folder).rglob("*")):
            if path.suffix in (".py", ".csv"):
                digest.update(path.name.encode() + path.read_bytes())
    for file in KERNEL_FILES:
        digest.update(file.encode() + (PACKAGE / file).read_bytes())
    return digest.hexdigest()[:12]


def cache_folder() -> Path:
    """A folder that can be written: the user's cache, or a temporary one where there is none."""
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    for parent in (Path(home) / "cabochon", Path(tempfile.gettempdir()) / f"cabochon-{os.getuid()}"):
        folder = parent / f"kernel-{source_hash()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="cabochon-"))


CACHE_FOLDER = cache_folder()


def kernel(function: Function) -> Function:
    """Compile on first use, without the GIL, and keep the result on disk."""
    settings: Any = numba.config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(CACHE_FOLDER)
    try:
        return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy")(function))
    finally:
        settings.CACHE_DIR = before
