"""The words of the terminal: names, numbers and sentences."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

TILE_WORD = {"classic": "noble", "marvel": "location"}
WILD_WORD = {"classic": "gold", "marvel": "S.H.I.E.L.D."}
BUY_WORD = {"classic": "buy", "marvel": "recruit"}
TO_DO = {"main": "play", "return": "return tokens", "claim": "choose a tile"}
NUMBERS = ("no", "one", "two", "three")
YOU = "you"


def console() -> Console:
    """Standard output, with nothing made up: no markup, no highlighting, no emoji."""
    return Console(highlight=False, markup=False, emoji=False)


def say(out: Console, text: str | Text = "") -> None:
    """Print a sentence, between words on as many lines as a terminal needs; a drawing, or a line for a file, stays whole."""
    out.print(text, soft_wrap=isinstance(text, Text) or not out.is_terminal)


def plural(count: int, word: str) -> str:
    """`1 card`, `2 cards`."""
    return f"{count} {word}" + ("" if count == 1 else "s")


def printable(text: str) -> str:
    """The text without characters that a terminal would obey."""
    return "".join(letter for letter in text if letter.isprintable())


def seat_names(players: int, names: Sequence[str] = ()) -> tuple[str, ...]:
    """What the seats are called: by the names given, or `seat 0`."""
    given = [printable(name) for name in names]
    return tuple(name or f"seat {seat}" for seat, name in zip(range(players), [*given, *[""] * players], strict=False))


def sentence(text: str) -> str:
    """The text with a capital at its beginning."""
    return text[0].upper() + text[1:]


def does(name: str, verb: str) -> str:
    """`you take`, `Anna takes`."""
    if name == YOU:
        return f"{name} {verb}"
    return f"{name} {verb}{'es' if verb.endswith('ss') else 's'}"


def listed(words: Sequence[str]) -> str:
    """`white, blue and green`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else "nothing"
