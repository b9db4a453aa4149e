"""cabochon: Splendor and Splendor: Marvel, exact and fast."""

from .batch import NO_ACTION, choose, deal, legal, legal_table, play
from .errors import CabochonError, IllegalMove, MoveSyntaxError, PositionError, RecordError, RulesetError, WrongType
from .game import Game, Outcome
from .notation.move import Move
from .notation.position import format_position, parse_position
from .notation.record import Record, format_record, parse_record
from .rules.actions import ACTION_COUNT, FIRST_ACTION
from .rules.variants import CARDS, TILES, VARIANTS, Card, Tile
from .ruleset import Ruleset
from .version import __version__
from .view import Position, View, sample, state_of
from .why_not import Reason

__all__ = [
    "ACTION_COUNT", "CARDS", "FIRST_ACTION", "NO_ACTION", "TILES", "VARIANTS",
    "CabochonError", "Card", "Game", "IllegalMove", "Move", "MoveSyntaxError", "Outcome", "Position", "PositionError", "Reason",
    "Record", "RecordError", "Ruleset", "RulesetError", "Tile", "View", "WrongType", "__version__",
    "choose", "deal", "format_position", "format_record", "legal", "legal_table", "parse_position", "parse_record", "play",
    "sample", "state_of",
]  # fmt: skip
