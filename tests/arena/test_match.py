"""Whole matches."""

from pathlib import Path

import pytest

from cabochon.arena import Sprt, parse_match, play_game, run_match, summarise
from cabochon.arena.match import SprtStop
from cabochon.arena.pairings import fixtures
from cabochon.search.models.net import save_net
from cabochon.search.net import random_net

from .results import deals_of, duel

pytestmark = pytest.mark.slow


def test_two_nets_can_meet(tmp_path: Path) -> None:
    save_net(tmp_path / "classic-2.safetensors", random_net(8, 8), {})
    match = parse_match(["legend", f"legend@nets={tmp_path}"], "classic", 3, nodes=8)
    summary = summarise([play_game(match, one) for one in fixtures(match, 2)])
    shares = {standing.entrant: standing.share for standing in summary.standings}
    assert 1.0 == shares["legend@nodes=8"], "a net of random numbers loses every game"


@pytest.mark.parametrize("variant", ["classic", "marvel"])
def test_a_match(variant: str) -> None:
    found = run_match(duel(variant), 10, workers=1)
    greedy, other = found.standings
    assert (10, 5) == (found.games, found.deals)
    assert (10, 0) == (greedy.wins, greedy.losses)
    assert ("random", 10) == (other.entrant, other.losses)
    assert 0 < greedy.seconds_per_move <= greedy.slowest


def test_the_sequential_test_stops_a_match(tmp_path: Path) -> None:
    found = run_match(duel(), 400, workers=1, sprt=Sprt(0, 100), file=tmp_path / "match.jsonl")
    assert found.sprt is not None
    assert "elo1" == found.sprt["verdict"]
    assert found.games < 60
    assert found == run_match(duel(), 400, workers=1, sprt=Sprt(0, 100), file=tmp_path / "match.jsonl")


def test_the_sequential_test_stops_at_the_same_deal_however_games_come_in() -> None:
    games = deals_of([1.0] * 20)
    in_turn = SprtStop(Sprt(0, 100), games)
    backwards = SprtStop(Sprt(0, 100), reversed(games))
    assert "elo1" == in_turn.verdict == backwards.verdict
    assert in_turn.deals == backwards.deals < 20
    assert 0 == SprtStop(Sprt(0, 100), games[2:]).deals
