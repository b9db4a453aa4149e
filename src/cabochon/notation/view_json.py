"""A view or a position read back from the JSON that `View.as_json` gives."""

import json
from dataclasses import fields
from typing import Any

from ..errors import CabochonError, PositionError, WrongType, quoted
from ..ruleset import Ruleset
from ..view import Position, Reserved, SeatView, TileOnTable, View
from .position import format_position, parse_position

FIELDS = frozenset(field.name for field in fields(Position))


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
    except KeyError as missing:
        raise PositionError(f"this is not the JSON of a view: {missing} is missing") from missing
    except (TypeError, ValueError, IndexError, AttributeError) as wrong:
        raise PositionError(f"this is not the JSON of a view: {wrong}") from wrong
    checked = parse_position(text)
    if checked != shown:
        differing = [one.name for one in fields(shown) if getattr(checked, one.name, None) != getattr(shown, one.name)]
        raise PositionError(f"this JSON contradicts itself: {', '.join(differing)} must follow from the cards and turns")
    return checked


def _view(data: dict[str, Any]) -> View:
    for name in data:
        if name not in FIELDS:
            raise PositionError(f"this is not the JSON of a view: {name!r} is unknown")
    read: dict[str, Any] = dict(data)
    read["rules"] = Ruleset(**data["rules"])
    for name in ("bank", "deck_sizes"):
        read[name] = tuple(data[name])
    read["market"] = tuple(map(tuple, data["market"]))
    read["tiles"] = tuple(TileOnTable(**tile) for tile in data["tiles"])
    read["seats"] = tuple(_seat(area) for area in data["seats"])
    if "decks" not in data:
        return View(**read)
    read["decks"] = tuple(map(tuple, data["decks"]))
    return Position(**read)


def _seat(area: dict[str, Any]) -> SeatView:
    read: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in area.items()}
    read["reserve"] = tuple(Reserved(**held) for held in area["reserve"])
    return SeatView(**read)
