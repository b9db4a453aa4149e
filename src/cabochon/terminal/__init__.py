"""The game in a terminal: the table drawn in colour, moves as sentences, and play line by line."""

from .rules_pages import rules_pages, section, sections, show_rules
from .sentences import describe_move, describe_outcome
from .session import Session, help_text, move_lines, parse_line
from .table import draw_table
from .vocabulary import console, join_words, print_text, printable, seat_names

__all__ = [
    "Session", "console", "describe_move", "describe_outcome", "draw_table", "help_text", "join_words", "move_lines",
    "parse_line", "print_text", "printable", "rules_pages", "seat_names", "section", "sections", "show_rules",
]  # fmt: skip
