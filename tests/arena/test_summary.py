"""Summaries of matches."""

from dataclasses import replace

import pytest

from cabochon.arena import format_report, summarise
from cabochon.arena.statistics import count_pairs, mean_error, rating
from cabochon.arena.summary import whole_deals

from .results import deals_of, game

pytestmark = pytest.mark.slow


def test_a_duel_is_counted_by_deals() -> None:
    scores = [1.0, 1.0, 0.75, 0.5, 0.0, 0.25, 1.0, 0.5]
    assert [1, 1, 2, 1, 3] == count_pairs(scores)
    found = summarise(deals_of(scores))
    first, second = found.standings
    assert ("a", 16, 9, 2, 5) == (first.entrant, first.games, first.wins, first.draws, first.losses)
    assert ("b", 5, 2, 9) == (second.entrant, second.wins, second.draws, second.losses)
    assert sum(scores) / 8 == first.share == 1 - second.share
    assert mean_error(scores) == pytest.approx(first.share_error)
    assert first.rating == rating(0.625)


def test_with_four_a_bot_is_counted_with_all_its_seats() -> None:
    games = [game(0, turn, "abbb"[-turn:] + "abbb"[:-turn], (1, 2, 3, 4)) for turn in range(4)]
    one, three = summarise(games).standings
    assert (1, 0, 3, 0.25, 0.25) == (one.wins, one.draws, one.losses, one.share, one.fair)
    assert (3, 0, 1, 0.75, 0.75) == (three.wins, three.draws, three.losses, three.share, three.fair)
    assert 0 == pytest.approx(one.rating) == pytest.approx(three.rating)
    shared = summarise([replace(played, ranks=(1, 1, 1, 4)) for played in games]).standings
    assert [0.25, 0.75] == pytest.approx([standing.share for standing in shared])
    assert (0, 3, 1) == (shared[0].wins, shared[0].draws, shared[0].losses)


def test_a_deal_that_is_not_whole_does_not_count() -> None:
    games = deals_of([1.0, 0.5])
    assert [2, 2] == [len(deal) for deal in whole_deals(games)]
    assert summarise(games[:2]) == summarise(games[:3])
    assert "no deal was played in every order" == format_report(summarise(games[:1]))
