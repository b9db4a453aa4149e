"""The picture shows the view: it is well-formed, changes with the position, and hides what is hidden."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from cabochon import TILES, Game, sample
from cabochon.notation.svg import CUTS, pixels, svg
from cabochon.rules.variants import VARIANTS
from tests.envs.games import random_game


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_position_can_be_drawn(variant: str, players: int) -> None:
    for seed in range(4):
        game = random_game(variant, players, seed, 50 * seed)
        for seat in (None, *range(players)):
            drawing = ElementTree.fromstring(svg(game.view(seat)))
            assert "960" == drawing.get("width")


def test_a_move_changes_the_pixels() -> None:
    game = Game("marvel", 2, seed=1)
    before = pixels(game.view(0))
    game.play("take ypb")
    after = pixels(game.view(0))
    assert (640, 960, 3) == before.shape and np.uint8 == before.dtype
    assert (before != after).any()


def test_a_hidden_card_is_drawn_by_its_tier() -> None:
    game = Game("classic", 2, seed=1, start=0, moves="reserve 2?")
    twins = [Game.from_states(sample(game.view(1), np.random.default_rng(seed))) for seed in range(9)]
    assert 1 == len({svg(twin.view(1)) for twin in twins})
    assert 1 < len({svg(twin.view(0)) for twin in twins})


def test_every_face_of_a_tile_has_its_own_picture() -> None:
    for variant, tiles in TILES.items():
        view, pictures = Game(variant, 2, seed=1).view(0), set()
        for tile in tiles:
            pictures.add(svg(replace(view, tiles=(replace(view.tiles[0], number=tile.number), *view.tiles[1:]))))
        assert len({tile[1:3] + tile[4:] for tile in tiles}) == len(pictures)


def test_every_token_has_its_own_cut() -> None:
    for variant in VARIANTS.values():
        assert set(variant.letters) == set(CUTS[variant.theme])
        assert len(variant.letters) == len(set(CUTS[variant.theme].values()))
