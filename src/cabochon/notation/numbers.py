"""Whole numbers as text: the digits 0 to 9 and nothing else."""

MAX_DIGITS = 10  # more than any number in a position or record has; Python reads no more than some thousands


def parse_whole(text: str) -> int | None:
    """The number a text says; None if it says none, or one that is too long. Digits of other scripts are none of ours."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS else None


def number_or_text(text: str) -> int | str:
    """The number a text says, or else the text itself: the ruleset refuses it by name."""
    number = parse_whole(text)
    return text if number is None else number
