"""The game in a terminal: the table drawn in colour, moves told in sentences, and play line by line."""

from .rules_pages import rules_pages, section, sections, show_rules
from .sentences import retell, verdict
from .session import Sitting, help_text, move_lines, spoken
from .table import draw_table
from .vocabulary import console, listed, printable, say, seat_names

__all__ = [
    "Sitting", "console", "draw_table", "help_text", "listed", "move_lines", "printable", "retell", "rules_pages", "say",
    "seat_names", "section", "sections", "show_rules", "spoken", "verdict",
]  # fmt: skip
