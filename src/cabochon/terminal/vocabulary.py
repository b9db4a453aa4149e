"""The words of the terminal, and small functions that build English text."""

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

TASKS = {"main": "play", "return": "return tokens", "claim": "choose a tile"}
NUMBERS = ("no", "one", "two", "three")
YOU = "you"


def console() -> Console:
    """Standard output without markup, highlighting and emoji: names of players are printed as they are."""
    return Console(highlight=False, markup=False, emoji=False)


def print_text(out: Console, text: str | Text = "") -> None:
    """Print a text. On a terminal a sentence is wrapped between words; drawings and lines for a file are not."""
    out.print(text, soft_wrap=isinstance(text, Text) or not out.is_terminal)


def plural(count: int, word: str) -> str:
    """`1 card`, `2 cards`."""
    return f"{count} {word}" + ("" if count == 1 else "s")


def printable(text: str) -> str:
    """The text without control characters, which a terminal would carry out."""
    return "".join(letter for letter in text if letter.isprintable())


def seat_names(players: int, names: Sequence[str] = ()) -> tuple[str, ...]:
    """The names of the seats: those given, else `seat 0` and so on."""
    given = [printable(name) for name in names]
    return tuple(name or f"seat {seat}" for seat, name in zip(range(players), [*given, *[""] * players], strict=False))


def capitalise(text: str) -> str:
    """The text with a capital first letter; `str.capitalize` would change the others too."""
    return text[0].upper() + text[1:]


def conjugate(name: str, verb: str) -> str:
    """`you take`, `Anna takes`."""
    if name == YOU:
        return f"{name} {verb}"
    return f"{name} {verb}{'es' if verb.endswith('ss') else 's'}"


def join_words(words: Sequence[str]) -> str:
    """`white, blue and green`."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]])) if words else "nothing"
