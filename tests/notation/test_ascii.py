"""Tiles drawn as text."""

import pytest

from cabochon import TILES, VARIANTS
from cabochon.notation.ascii import CELL, draw_tile
from tests.support.positions import position


@pytest.mark.parametrize(
    ("drawn", "variant", "number"),
    [
        ("4w4u", "classic", 1),
        ("14+ 2w1u1g2r2k", "cities", 1),
        ("12+ 6 other", "cities", 3),
        ("13+ 4w3r", "cities", 5),
        ("14+ 4g 4 other", "cities", 9),
        ("17+", "cities", 14),
    ],
)
def test_a_tile_is_drawn_by_what_it_asks_for(drawn: str, variant: str, number: int) -> None:
    assert drawn == draw_tile(variant, number)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_tile_has_a_drawing_of_its_own_that_fits(variant: str) -> None:
    drawn = {draw_tile(variant, tile.number) for tile in TILES[variant]}
    assert len(TILES[variant]) == len(drawn)
    assert CELL > max(len(f"1 {text}") for text in drawn), "a space is left before the next"


def test_cities_on_the_table() -> None:
    lines = str(position("cities", tiles="14+ 4g 4 other, 13+ 4w3r@1, 17+")).splitlines()
    assert "tiles   1 14+ 4g 4 other 2 seat 1         3 17+" == lines[2]
