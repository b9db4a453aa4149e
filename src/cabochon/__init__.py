"""cabochon: Splendor, Splendor: Marvel and Cities of Splendor, exact and fast.

Names are imported when they are first asked for: the command's help and `cabochon.__version__` need not wait for Numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import CabochonError, IllegalMove, MoveSyntaxError, PositionError, RecordError, RulesetError, WrongType
from .version import __version__

if TYPE_CHECKING:
    from .batch import (
        NO_ACTION,
        bank,
        bonuses,
        choose,
        deal,
        is_over,
        legal,
        legal_table,
        observe,
        play,
        points,
        ranks,
        tokens,
        winners,
    )
    from .game import Game, Outcome
    from .notation.move import Move
    from .notation.position import format_position, parse_position
    from .notation.record import Record, format_record, parse_record
    from .notation.view_json import view_from_json
    from .rules.actions import ACTION_COUNT, FIRST_ACTION
    from .rules.variants import CARDS, TILES, VARIANTS, Card, Tile
    from .ruleset import Ruleset
    from .view import Position, View, sample, state_of
    from .warming import warm_up
    from .why_not import Reason

__all__ = [
    "ACTION_COUNT", "CARDS", "FIRST_ACTION", "NO_ACTION", "TILES", "VARIANTS",
    "CabochonError", "Card", "Game", "IllegalMove", "Move", "MoveSyntaxError", "Outcome", "Position", "PositionError", "Reason",
    "Record", "RecordError", "Ruleset", "RulesetError", "Tile", "View", "WrongType", "__version__",
    "bank", "bonuses", "choose", "deal", "format_position", "format_record", "is_over", "legal", "legal_table", "observe",
    "parse_position", "parse_record", "play", "points", "ranks", "sample", "state_of", "tokens",
    "view_from_json", "warm_up", "winners",
]  # fmt: skip

# The same as above, for Python itself: where each name is. A test compares them.
_NAMES = {
    "batch": "NO_ACTION bank bonuses choose deal is_over legal legal_table observe play points ranks tokens winners",
    "game": "Game Outcome",
    "notation.move": "Move",
    "notation.position": "format_position parse_position",
    "notation.record": "Record format_record parse_record",
    "notation.view_json": "view_from_json",
    "rules.actions": "ACTION_COUNT FIRST_ACTION",
    "rules.variants": "CARDS TILES VARIANTS Card Tile",
    "ruleset": "Ruleset",
    "view": "Position View sample state_of",
    "warming": "warm_up",
    "why_not": "Reason",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:  # or a type checker would believe that every name exists

    def __getattr__(name: str) -> Any:
        """A name of the list, or a module such as `cabochon.batch`."""
        if name.startswith("_"):
            raise _unknown(name)
        path = f"{__name__}.{_HOMES.get(name, name)}"
        try:
            module = import_module(path)
        except ModuleNotFoundError as missing:
            raise missing if missing.name != path else _unknown(name) from None
        if name not in _HOMES:
            return module
        globals()[name] = found = getattr(module, name)
        return found


def _unknown(name: str) -> AttributeError:
    return AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
