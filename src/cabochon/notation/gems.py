"""Gems as text: `2w1*`, `wug`, `-` for none."""

from collections.abc import Callable

from ..errors import CabochonError, quoted
from .numbers import parse_whole

NOTHING = "-"
WILD_FIRST = (5, 0, 1, 2, 3, 4, 6)


def format_counts(counts: tuple[int, ...], letters: str) -> str:
    """Counts before letters: `4w4u5*`."""
    return "".join(f"{count}{letter}" for count, letter in zip(counts, letters, strict=False) if count) or NOTHING


def format_run(counts: tuple[int, ...], letters: str) -> str:
    """A letter a gem, wild first: `*uu`, as it is said in a move."""
    lanes = min(len(letters), len(counts))
    return "".join([letters[lane] * counts[lane] for lane in WILD_FIRST if lane < lanes])


def parse_counts(text: str, letters: str, error: Callable[[str], CabochonError]) -> tuple[int, ...]:
    """Either form back to counts by lane; a letter without a number before it counts once."""
    counts = [0] * len(letters)
    number = ""
    for letter in "" if text == NOTHING else text:
        if letter.isdecimal() and letter.isascii():
            number += letter
        elif letter in letters:
            count = parse_whole(number or "1")
            if count is None:
                raise error(f"{quoted(text)}: no pile is as large as this")
            counts[letters.index(letter)] += count
            number = ""
        else:
            raise error(f"{quoted(text)}: {letter!r} is none of the gems {letters}")
    if number or not text:
        raise error(f"{quoted(text)}: expected gems like 2{letters[0]}1{letters[1]}, or {NOTHING} for none")
    return tuple(counts)
