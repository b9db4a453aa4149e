"""A view as JSON and back."""

import json

import pytest

from cabochon import CabochonError, Game, PositionError, WrongType, view_from_json
from tests.envs.games import random_game


@pytest.mark.parametrize("variant", ["classic", "marvel", "cities"])
@pytest.mark.parametrize("players", [2, 4])
def test_what_is_written_is_read_back(variant: str, players: int) -> None:
    game = random_game(variant, players, seed=players, decisions=70)
    for shown in (game.view(0), game.view(None), game.position(), Game(variant, players, seed=1).view(1)):
        text = json.dumps(shown.as_json())
        assert shown == view_from_json(text) == view_from_json(shown.as_json())
        assert type(shown) is type(view_from_json(text))


def test_json_has_no_deck_that_the_seat_does_not_know() -> None:
    game = Game("classic", seed=1, start=0, moves="reserve 3?")
    assert "decks" in game.position().as_json()
    assert "decks" not in game.view(1).as_json()
    assert {"tier": 3, "blind": True, "card": None} == game.view(1).as_json()["seats"][0]["reserve"][0]


def test_wrong_json_is_refused_with_a_sentence() -> None:
    good = Game("classic", seed=1).view(0).as_json()
    with pytest.raises(PositionError, match="this is no JSON"):
        view_from_json("{")
    with pytest.raises(WrongType, match="a view is a JSON object, not"):
        view_from_json("[]")
    with pytest.raises(PositionError, match="'bank' is missing"):
        view_from_json({name: value for name, value in good.items() if name != "bank"})
    with pytest.raises(CabochonError, match="unknown variant 'deluxe'"):
        view_from_json(good | {"rules": good["rules"] | {"variant": "deluxe"}})
    richer = [good["seats"][0] | {"points": 9}, good["seats"][1]]
    with pytest.raises(PositionError, match="contradicts itself"):
        view_from_json(good | {"seats": richer})


def test_what_is_wrong_in_the_json_is_named() -> None:
    good = Game("classic", seed=1).view(0).as_json()
    for wrong, message in (
        ({}, "'rules' is missing"),
        (good | {"weather": 1}, "'weather' is unknown"),
        (good | {"turn": 1 - good["turn"]}, "contradicts itself: turn must follow"),
    ):
        with pytest.raises(PositionError, match=message):
            view_from_json(wrong)
