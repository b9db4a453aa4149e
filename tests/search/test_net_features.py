"""The net's input: what its seat may know and nothing else."""

from typing import Any

import numpy as np
import pytest

from cabochon.batch import deal
from cabochon.rules.cards import CARD_START, NONE, TILE_START
from cabochon.rules.gems import pack
from cabochon.rules.variants import CARDS, TILES, VARIANTS
from cabochon.search.linear_features import COLOURS_MISSING, DISTANCES, IN_MARKET, LINEAR_FEATURES, TILE_USES
from cabochon.search.net_features import (
    CARD_DISTANCES,
    CITY_AWAY,
    CITY_POINTS,
    MAX_NEED,
    MAX_NET_ACTIVE,
    NEAR_POINTS,
    NEED,
    NET_FEATURES,
    POLICY_SIZE,
    TILE_AWAY,
    TILE_LEVELS,
    WINNING_CARD,
)
from tests.envs.games import reserving_games, with_other_hidden_cards
from tests.support.net_inputs import net_features, policy_indices, positions

from .games import ALL_GAMES

CITIES = VARIANTS["cities"]


@pytest.mark.parametrize("house", [{}, {"open_reserves": False}], ids=["open", "closed"])
@pytest.mark.parametrize("variant, players", ALL_GAMES)
def test_nothing_hidden_is_seen(variant: str, players: int, house: dict[str, bool]) -> None:
    rng, differing = np.random.default_rng(7), 0
    states = positions(variant, players, **house)
    for seat in range(players):
        own = states[states["turn"] == seat]
        for state, twin in zip(own, with_other_hidden_cards(own, seat, rng), strict=True):
            differing += state["reserve"].tobytes() != twin["reserve"].tobytes()
            assert net_features(state) == net_features(twin)
            assert policy_indices(state) == policy_indices(twin)
    assert differing > 5, "cards that others hold unseen are among what was dealt anew"


@pytest.mark.parametrize("variant, players", ALL_GAMES)
def test_features_stay_in_their_table(variant: str, players: int) -> None:
    for state in positions(variant, players):
        for features in net_features(state):
            assert len(features) < MAX_NET_ACTIVE
            assert 0 <= features[0] <= features[-1] < NET_FEATURES


@pytest.mark.parametrize("variant, players", ALL_GAMES)
def test_every_legal_action_has_its_own_policy_index(variant: str, players: int) -> None:
    for state in positions(variant, players):
        indices = policy_indices(state)
        assert len(indices) == len(set(indices))
        assert all(0 <= index < POLICY_SIZE for index in indices)


def test_a_card_in_the_market_and_one_in_the_reserve_are_not_the_same() -> None:
    states = reserving_games("classic", 2, 40, 25)
    state = next(state for state in states if state["reserved"][state["turn"]] and state["stage"] == 0)
    other, turn = state.copy(), int(state["turn"])
    slot = int(np.flatnonzero(state["market"] != NONE)[0])
    other["market"][slot], other["reserve"][turn, 0] = state["reserve"][turn, 0], state["market"][slot]
    assert net_features(state) != net_features(other)


def test_a_seat_knows_which_colours_a_card_still_wants() -> None:
    state = deal("classic", 2, np.array([1]))[0]
    state["turn"], state["market"] = 0, NONE
    card = next(card for card in CARDS["classic"] if card.points == 3 and tuple(card.cost[:5]).count(3) == 3)
    state["market"][4] = CARD_START[VARIANTS["classic"].index] + card.number - 1
    first, second, third, _ = np.flatnonzero(card.cost[:5]).tolist()
    bonuses, tokens = [0] * 5, [0] * 7
    bonuses[first], bonuses[second], tokens[second], tokens[5] = card.cost[first], 1, 1, 2
    state["bonuses"][0], state["tokens"][0] = pack(bonuses), pack(tokens)
    needs = {colour: card.cost[colour] for colour in range(5) if card.cost[colour] and colour != first}
    needs[second] -= 2
    distance = min(sum(needs.values()) - 2, CARD_DISTANCES - 1)
    wanted = [
        NEED + ((card.points * 5 + colour) * MAX_NEED + min(need, MAX_NEED) - 1) * CARD_DISTANCES + distance
        for colour, need in needs.items()
        if need
    ]
    assert third in needs
    assert sorted(wanted) == [feature for feature in net_features(state)[0] if feature >= NEED]


def face(demand: tuple[int, ...], prestige: int, other: int = 0) -> int:
    """The index of the city that asks for this."""
    return next(
        tile.number - 1 for tile in TILES["cities"] if (*tile.demand[:5], tile.prestige, tile.other) == (*demand, prestige, other)
    )


def at_city(city: int, bonuses: tuple[int, ...], points: int) -> Any:
    """A game with one city, an empty market, and this for seat 0, which is to decide."""
    state = deal("cities", 2, np.array([1]))[0]
    state["turn"] = 0
    state["market"], state["tiles"] = NONE, NONE
    state["tiles"][0] = TILE_START[CITIES.index] + city
    state["bonuses"][0], state["points"][0] = pack(bonuses), points
    return state


def city_features(state: Any) -> list[int]:
    """The features of seat 0 that only Cities has."""
    return [feature for feature in net_features(state)[0] if COLOURS_MISSING <= feature < LINEAR_FEATURES]


@pytest.mark.parametrize(
    "bonuses, points, missing, points_missing",
    [((0, 0, 0, 0, 0), 0, 8, 14), ((3, 0, 3, 0, 0), 12, 2, 2), ((2, 1, 3, 0, 0), 12, 3, 2), ((0, 0, 9, 0, 4), 20, 0, 0)],
)
def test_a_city_tells_what_a_seat_lacks(bonuses: tuple[int, ...], points: int, missing: int, points_missing: int) -> None:
    city = face((0, 0, 4, 0, 0), 14, 4)
    state = at_city(city, bonuses, points)
    away = min(missing, 5) * (NEAR_POINTS + 1) + min(points_missing, NEAR_POINTS)
    assert [CITY_POINTS + points_missing, CITY_AWAY + away] == city_features(state)
    assert TILE_AWAY + city * TILE_LEVELS + min(missing, TILE_LEVELS - 1) in net_features(state)[0]


def test_a_card_that_brings_a_city_is_seen_with_its_distance() -> None:
    state = at_city(face((4, 0, 0, 3, 0), 13), (3, 0, 0, 3, 0), 12)
    card = next(card for card in CARDS["cities"] if card.bonus == "w" and card.points == 1)
    state["market"][0] = CARD_START[CITIES.index] + card.number - 1
    distance = sum(max(0, cost - held) for cost, held in zip(card.cost, (3, 0, 0, 3, 0), strict=False))
    assert WINNING_CARD + distance in city_features(state)
    state["points"][0] = 11
    assert WINNING_CARD + distance not in city_features(state)
    state["points"][0], state["tile_owner"][0] = 12, 1
    assert [] == city_features(state)


def test_a_colour_that_a_city_does_not_name_is_of_use_if_the_seat_has_most_of_it() -> None:
    def uses(colour: str) -> int:
        card = next(card for card in CARDS["cities"] if card.bonus == colour and card.points == 0)
        state = at_city(face((0, 0, 4, 0, 0), 14, 4), (2, 1, 4, 0, 2), 3)
        state["market"][0] = CARD_START[CITIES.index] + card.number - 1
        (feature,) = [one for one in net_features(state)[0] if IN_MARKET <= one < IN_MARKET + DISTANCES * TILE_USES]
        return (feature - IN_MARKET) % TILE_USES

    assert {"w": 1, "u": 0, "g": 0, "r": 0, "k": 1} == {colour: uses(colour) for colour in "wugrk"}
