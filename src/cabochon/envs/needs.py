"""Libraries that an extra of the package brings."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import CabochonError


class MissingLibrary(CabochonError, ModuleNotFoundError):
    """A library that is not installed; the sentence says which extra brings it."""


@contextmanager
def needs_extra(name: str) -> Iterator[None]:
    """Around imports of libraries that this extra brings."""
    try:
        yield
    except ModuleNotFoundError as missing:
        library = (missing.name or "").partition(".")[0]
        raise MissingLibrary(f"this needs {library}: pip install 'cabochon-game[{name}]'") from missing
