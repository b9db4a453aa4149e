"""Pairings: every bot has every seat in every deal."""

from collections import Counter
from itertools import permutations

import pytest

from cabochon import Game
from cabochon.arena import Entrant, Match, play_game
from cabochon.arena.pairings import deal_seed, fixtures

from .results import GREEDY, RANDOM, duel

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "names, deals, times",
    [("ab", 1, 1), ("abc", 2, 1), ("abb", 1, 1), ("abcd", 6, 1), ("abbb", 1, 1), ("aabc", 6, 2), ("abab", 2, None)],
)
def test_every_order_comes_equally_often(names: str, deals: int, times: int | None) -> None:
    match = Match(tuple(Entrant(name) for name in names))
    orders = Counter("".join(entrant.bot for entrant in fixture.seats) for fixture in fixtures(match, deals))
    assert {"".join(order) for order in permutations(names)} == set(orders)
    assert len(names) * deals == orders.total()
    if times:
        assert {times} == set(orders.values())


@pytest.mark.parametrize("names", ["ab", "abc", "abcd", "aabb", "abab"])
def test_every_bot_has_every_seat_in_every_deal(names: str) -> None:
    for deal in range(4):
        played = [fixture.seats for fixture in fixtures(Match(tuple(Entrant(name) for name in names)), 4) if fixture.deal == deal]
        for seat in range(len(names)):
            assert sorted(names) == sorted(seats[seat].bot for seats in played)


def test_games_of_one_deal_have_the_same_cards_and_the_same_start() -> None:
    first, second = list(fixtures(duel(), 1))
    assert (first.seats, second.seats) == ((GREEDY, RANDOM), (RANDOM, GREEDY))
    dealt = Game("classic", 2, seed=deal_seed(duel(), 0), start=0)
    assert 0 == dealt.turn
    assert 1_000_000 == play_game(duel(), first).seed == play_game(duel(), second).seed


def test_matches_of_different_seeds_share_no_deal() -> None:
    assert deal_seed(duel(seed=1), 999_999) < deal_seed(duel(seed=2), 0)


def test_games_are_rounded_up_to_whole_deals() -> None:
    assert [1, 1, 2] == [duel().deals_for(games) for games in (1, 2, 3)]
