"""A view or a position read back from the JSON that `View.as_json` gives."""

import json
from typing import Any

from ..errors import CabochonError, PositionError, WrongType, quoted
from ..ruleset import Ruleset
from ..view import Position, Reserved, SeatView, TileOnTable, View
from .position import format_position, parse_position


def view_from_json(data: str | dict[str, Any]) -> View:
    """The View or Position that a JSON text, or what was loaded from one, stands for. It is checked like a position's text."""
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except ValueError as wrong:
            raise PositionError(f"this is no JSON: {wrong}") from wrong
    if not isinstance(data, dict):
        raise WrongType(f"a view is a JSON object, not {quoted(data)}")
    try:
        shown = _view(data)
        text = format_position(shown)
    except CabochonError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as wrong:
        raise PositionError(f"this is not the JSON of a view: {type(wrong).__name__}: {wrong}") from wrong
    checked = parse_position(text)
    if checked != shown:
        raise PositionError("this JSON contradicts itself: bonuses, points and sizes must follow from the cards")
    return checked


def _view(data: dict[str, Any]) -> View:
    fields: dict[str, Any] = dict(data)
    fields["rules"] = Ruleset(**data["rules"])
    for name in ("bank", "deck_sizes"):
        fields[name] = tuple(data[name])
    fields["market"] = tuple(map(tuple, data["market"]))
    fields["tiles"] = tuple(TileOnTable(**tile) for tile in data["tiles"])
    fields["seats"] = tuple(_seat(area) for area in data["seats"])
    if "decks" not in data:
        return View(**fields)
    fields["decks"] = tuple(map(tuple, data["decks"]))
    return Position(**fields)


def _seat(area: dict[str, Any]) -> SeatView:
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in area.items()}
    fields["reserve"] = tuple(Reserved(**held) for held in area["reserve"])
    return SeatView(**fields)
