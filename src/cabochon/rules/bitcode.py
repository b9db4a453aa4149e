"""Code that the build of the package made: Numba's own part of a first use is done already, and only LLVM is left to run.

Three quarters of the time of a first use are type inference and lowering, in Python. Their result depends on the sources and
on the versions of Python, NumPy, Numba and LLVM, but not on the processor. So the wheel has that result, LLVM's bitcode, for the
functions that Python calls and the Python that built it. Here it is optimised and made machine code for this processor.

A file is found by its name, which has the versions and a hash of all sources and tables it was made of. Where none fits, all is
compiled as if there were no files.
"""

import hashlib
import pickle
import sys
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from numba.core import config, serialize

FOLDER = Path(__file__).parent.parent / "bitcode"
SUFFIX = ".bc"
is_recording = False  # whether what is compiled is written there; scripts/bitcode.py says so


@cache
def versions() -> str:
    """Everything besides the sources that the code depends on."""
    python = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
    numpy = ".".join(np.__version__.split(".")[:2])
    return f"{python}-numba-{numba.__version__}-llvmlite-{llvmlite.__version__}-numpy-{numpy}-{llvm.get_process_triple()}"


def is_usual() -> bool:
    """Whether Numba's settings are those of the build: these two change what is compiled."""
    return not (config.BOUNDSCHECK or config.DEBUGINFO_DEFAULT)


def file_of(key: str, name: str, args: tuple[Any, ...]) -> Path:
    """Where the code of a function is: by the hash of its sources, its name and the types it is called with."""
    types = hashlib.sha256(repr(args).encode()).hexdigest()[:12]
    return FOLDER / versions() / f"{key}-{name}-{types}{SUFFIX}"


def write(path: Path, parts: tuple[Any, ...]) -> None:
    """With a checksum, so that a damaged file is not taken for code."""
    content = serialize.dumps(parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(hashlib.sha256(content).digest() + content)


def read(path: Path) -> tuple[Any, ...] | None:
    """What was written; None if there is no such file, or if it is damaged."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    size = hashlib.sha256().digest_size
    is_whole = hashlib.sha256(data[size:]).digest() == data[:size]
    return pickle.loads(data[size:]) if is_whole else None
