"""Which positions can be, as far as cities are concerned: each lies with a seat that has what it asks for."""

from dataclasses import replace
from functools import cache

import pytest

from cabochon import Game, Position, PositionError, format_position, parse_position
from cabochon.view import TileOnTable
from tests.support.golden import FOLDER

LAST_CITY = 13


@cache
def ended() -> Position:
    """Seat 0 has 17 points and the bonuses 3w3u6g3r2k; seat 3 has 14 points and 3w2u2g4r4k."""
    return Game.from_record((FOLDER / "cities-several-owners.game").read_text()).position()


def with_city(city: int, owner: int) -> Position:
    """The same end with another city in the first place, and a third that is not its other face."""
    third = TileOnTable(LAST_CITY if city < LAST_CITY else 11, None)
    return replace(ended(), tiles=(TileOnTable(city, owner), ended().tiles[1], third))


@pytest.mark.parametrize(
    ("city", "owner"),
    [
        (14, 0),  # 17+
        (3, 0),  # 12+ 6 other
        (4, 0),  # 15+ 5 other
        (1, 3),  # 14+ 2w1u1g2r2k
        (12, 3),  # 13+ 4r3k
    ],
)
def test_a_city_lies_with_a_seat_that_has_what_it_asks_for(city: int, owner: int) -> None:
    shown = with_city(city, owner)
    assert shown == parse_position(format_position(shown))


@pytest.mark.parametrize(
    ("city", "owner"),
    [
        (14, 3),  # 17+: points are missing
        (4, 3),  # 15+ 5 other: both are missing
        (3, 3),  # 12+ 6 other: four red and four black are not six of one colour
        (9, 0),  # 14+ 4g 4 other: six green are no four of another colour
        (12, 0),  # 13+ 4r3k: named colours are missing
    ],
)
def test_a_city_does_not_lie_with_another_seat(city: int, owner: int) -> None:
    with pytest.raises(PositionError, match=f"seat{owner} does not meet the demand of tile {city}"):
        parse_position(format_position(with_city(city, owner)))
