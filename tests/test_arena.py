"""The arena: pairing, figures against known values, resuming, and the same games from the same seed."""

import json
import math
import random
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cabochon import CabochonError, Game, Move, View
from cabochon.arena import Entrant, Match, Played, Sprt, match_of, parse_entrant, play_game, read_results, run_match, tally, tell
from cabochon.arena import __main__ as plain
from cabochon.arena.entrant import usual_name
from cabochon.arena.match import Stopping
from cabochon.arena.pairings import deal_seed, fixtures
from cabochon.arena.ratings import format_ladder, ladder_of, rate
from cabochon.arena.runner import CUT
from cabochon.arena.statistics import count_pairs, expected_share, mean_error, rating, rating_error
from cabochon.arena.summary import whole_deals
from cabochon.bots import BOTS, Budget
from cabochon.bots.ratings import Rating, ratings
from cabochon.cli import app
from cabochon.search.models.net import save_net
from cabochon.search.net import random_net

pytestmark = pytest.mark.slow

GREEDY, RANDOM = Entrant("greedy"), Entrant("random")


def duel(variant: str = "classic", seed: int = 1) -> Match:
    return Match((GREEDY, RANDOM), variant, seed)


def game(deal: int, rotation: int, seats: str, ranks: tuple[int, ...], **said: Any) -> Played:
    """A finished game of bots with one letter each."""
    nothing = (0.0,) * len(seats)
    plain_game = Played(deal, rotation, deal, tuple(seats), ranks, (0,) * len(seats), 50, 50, "goal", "", nothing, nothing)
    return replace(plain_game, **said)


def deals_of(scores: list[float]) -> list[Played]:
    """Two-player deals of a against b in which a scores this share: 0, ¼, ½, ¾ or 1."""
    ranks = {0.0: [(2, 1), (1, 2)], 0.25: [(2, 1), (1, 1)], 0.5: [(1, 2), (1, 2)], 0.75: [(1, 2), (1, 1)], 1.0: [(1, 2), (2, 1)]}
    return [game(i, turn, "ab" if turn == 0 else "ba", ranks[score][turn]) for i, score in enumerate(scores) for turn in (0, 1)]


# who takes part


@pytest.mark.parametrize(
    "text, entrant",
    [
        ("greedy", GREEDY),
        ("greedy@nodes=5", GREEDY),
        ("cmd:python3 a@b.py", Entrant("cmd:python3 a@b.py", Budget(nodes=9))),
        ("cmd:python3 a.py --level=3", Entrant("cmd:python3 a.py --level=3", Budget(nodes=9))),
        ("cmd:a@nodes=1000", Entrant("cmd:a", Budget(nodes=1000))),
        ("cmd:a@seconds=0.1", Entrant("cmd:a", Budget(seconds=0.1))),
        ("cmd:a@nodes=7,seconds=2", Entrant("cmd:a", Budget(nodes=7, seconds=2))),
        ("legend@nets=runs/a,nodes=3", Entrant("legend", Budget(nodes=3), "runs/a")),
        ("legend@nets=runs/a", Entrant("legend", Budget(nodes=9), "runs/a")),
    ],
)
def test_an_entrant_is_a_bot_and_a_budget(text: str, entrant: Entrant) -> None:
    assert entrant == parse_entrant(text, Budget(nodes=9))
    assert entrant == parse_entrant(str(entrant), Budget(nodes=1))


@pytest.mark.parametrize(
    "words, wrong",
    [
        (["greedy"], "a match is between 2, 3 or 4 bots, not 1"),
        (["greedy", "greedy"], "greedy against itself is no match: give one of them another budget"),
        (["greedy", "deep"], "unknown bot 'deep': choose one of random"),
        (["greedy", "cmd:"], "'cmd:': cmd: needs a command"),
        (["greedy", "master@nets=runs"], "master uses no net: nets=runs is for levels that do"),
        (
            ["greedy", "legend@nets=no/such/folder", "--games", "2"],
            "there is no net for classic with 2 players in no/such/folder",
        ),
        (["greedy", "cmd:a@nodes=many"], "a budget is a whole number of nodes and a number of seconds, not many"),
        (["greedy", "random", "--nodes", "0"], "a budget is more than none: nodes=1000, seconds=0.1"),
        (["greedy", "random", "--seconds", "nan"], "a budget is more than none: nodes=1000, seconds=0.1"),
        (["greedy", "random", "--variant", "chess"], "unknown variant 'chess': choose one of classic, marvel"),
        (["greedy", "random", "--games", "0"], "a match has 1 to 1999999 games, not 0"),
        (["greedy", "random", "--seed", "-1"], "the seed of a match is a number from 0 to 1099511627775, not -1"),
        (["greedy", "random", "random", "--sprt", "0", "9"], "--sprt: the sequential test is for two players"),
        (["greedy", "random", "--sprt", "9", "0"], "--sprt 9 0: the second difference must be larger"),
        (["greedy", "random", "--out", "no/such/folder/x"], "no/such/folder/x cannot be written (no such file or directory)"),
        (["greedy", "cmd:no/such/program", "--games", "2"], "no/such/program: cannot be started"),
    ],
)
def test_wrong_input_is_told_in_one_line(words: list[str], wrong: str) -> None:
    result = CliRunner().invoke(app, ["arena", *words])
    assert 2 == result.exit_code
    assert 1 == len(result.stderr.splitlines())
    assert wrong in result.stderr


def test_two_nets_can_meet(tmp_path: Path) -> None:
    save_net(tmp_path / "classic-2.safetensors", random_net(8, 8), {})
    match = match_of(["legend", f"legend@nets={tmp_path}"], "classic", 3, nodes=8)
    shares = {
        standing.entrant: standing.share for standing in tally([play_game(match, one) for one in fixtures(match, 2)]).standings
    }
    assert 1.0 == shares["legend@nodes=8"], "a net of random numbers loses every game"


# who sits where


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


# figures


def test_rating_is_elo() -> None:
    assert 0 == rating(0.5)
    assert 190.85 == pytest.approx(rating(0.75), abs=0.01)
    assert -400 == pytest.approx(rating(1 / 11))
    assert [None, None] == [rating(0.0), rating(1.0)]


@pytest.mark.parametrize("fair", [1 / 2, 1 / 3, 1 / 4, 2 / 4, 3 / 4])
def test_an_equal_has_its_fair_share(fair: float) -> None:
    assert 0 == pytest.approx(rating(fair, fair), abs=1e-9)
    assert fair == pytest.approx(expected_share(0, fair))
    assert 123 == pytest.approx(rating(expected_share(123, fair), fair))


def test_one_against_three_at_double_odds() -> None:
    assert 2 / 5 == pytest.approx(expected_share(400 * math.log10(2), 1 / 4))


def test_error_of_a_mean() -> None:
    assert 1.96 * math.sqrt(1 / 3 / 4) == pytest.approx(mean_error([0.0, 1.0, 1.0, 0.0]))
    assert 3 / 50 == mean_error([1.0] * 50)
    assert 1.0 == mean_error([0.5])


def test_error_of_a_rating() -> None:
    assert 34.9 == pytest.approx(rating_error(0.5, 0.05), abs=0.1)
    assert rating_error(0.97, 0.05) is None


@pytest.mark.parametrize(
    "elo0, elo1, pairs, llr",
    [  # as fishtest published them with Stockfish's commits 58746d9 and 220ef1d
        (-0.5, 1.5, (795, 5276, 10352, 5500, 813), 2.96),
        (0.25, 1.75, (156, 2090, 6658, 2298, 170), 2.94),
        (-0.5, 1.5, (17, 253, 1042, 337, 39), 2.96),
        (0.25, 1.75, (11, 407, 3238, 513, 11), 2.93),
    ],
)
def test_sprt_as_fishtest_does_it(elo0: float, elo1: float, pairs: tuple[int, ...], llr: float) -> None:
    assert llr == pytest.approx(Sprt(elo0, elo1).llr(pairs), abs=0.005)


def test_sprt_bounds_and_verdicts() -> None:
    test = Sprt(0, 50)
    assert (-2.944, 2.944) == pytest.approx(test.bounds, abs=0.001)
    assert "elo1" == test.verdict([0, 0, 10, 0, 60])
    assert "elo0" == test.verdict([60, 0, 10, 0, 0])
    assert "" == test.verdict([0, 0, 0, 0, 0])
    assert test.llr([5, 1, 9, 2, 8]) == pytest.approx(-Sprt(-50, 0).llr([8, 2, 9, 1, 5]))


def test_sprt_errs_seldom() -> None:
    """Of 100 matches between equals, and of 100 with the larger difference, about 5 may be judged wrongly."""
    chance, test = random.Random(1), Sprt(0, 100)
    for truth, wrong in [(0.0, "elo1"), (100.0, "elo0")]:
        verdicts = Counter(judge(test, expected_share(truth), chance) for _ in range(100))
        assert verdicts[wrong] <= 10
        assert 0 == verdicts[""]


def judge(test: Sprt, share: float, chance: random.Random) -> str:
    pairs = [0] * 5
    for number in range(5000):
        pairs[2 * (chance.random() < share) + 2 * (chance.random() < share)] += 1
        if number % 4 == 0 and (verdict := test.verdict(pairs)):
            return verdict
    return ""


def test_a_duel_is_counted_by_deals() -> None:
    scores = [1.0, 1.0, 0.75, 0.5, 0.0, 0.25, 1.0, 0.5]
    assert [1, 1, 2, 1, 3] == count_pairs(scores)
    found = tally(deals_of(scores))
    first, second = found.standings
    assert ("a", 16, 9, 2, 5) == (first.entrant, first.games, first.wins, first.draws, first.losses)
    assert ("b", 5, 2, 9) == (second.entrant, second.wins, second.draws, second.losses)
    assert sum(scores) / 8 == first.share == 1 - second.share
    assert mean_error(scores) == pytest.approx(first.share_error)
    assert first.rating == rating(0.625)


def test_with_four_a_bot_is_counted_with_all_its_seats() -> None:
    games = [game(0, turn, "abbb"[-turn:] + "abbb"[:-turn], (1, 2, 3, 4)) for turn in range(4)]
    one, three = tally(games).standings
    assert (1, 0, 3, 0.25, 0.25) == (one.wins, one.draws, one.losses, one.share, one.fair)
    assert (3, 0, 1, 0.75, 0.75) == (three.wins, three.draws, three.losses, three.share, three.fair)
    assert 0 == pytest.approx(one.rating) == pytest.approx(three.rating)
    shared = tally([replace(played, ranks=(1, 1, 1, 4)) for played in games]).standings
    assert [0.25, 0.75] == pytest.approx([standing.share for standing in shared])
    assert (0, 3, 1) == (shared[0].wins, shared[0].draws, shared[0].losses)


def test_a_deal_that_is_not_whole_does_not_count() -> None:
    games = deals_of([1.0, 0.5])
    assert [2, 2] == [len(deal) for deal in whole_deals(games)]
    assert tally(games[:2]) == tally(games[:3])
    assert "no deal was played in every order" == tell(tally(games[:1]))


def test_the_result_in_words() -> None:
    scores = [1.0, 0.5, 0.75, 0.0, 1.0, 0.5]
    games = deals_of(scores)
    games[2] = replace(games[2], reason=CUT)
    games[3] = replace(games[3], reason="forfeit", why="b: silent")
    assert [
        "12 games on 6 deals, 50.0 moves a game",
        "a  +7 =1 -4  62.5 % ± 30.3 (an equal has 50)  rating difference +89 ± 287  0.0 ms a move, longest 0.00 s",
        "b  +4 =1 -7  37.5 % ± 30.3 (an equal has 50)  rating difference -89 ± 287  0.0 ms a move, longest 0.00 s",
        "1 games were cut and count as draws",
        "forfeit: b: silent",
        "SPRT [0, 10]: not decided; LLR 0.07 (-2.94, 2.94), pairs 1, 0, 2, 1, 2",
    ] == tell(tally(games, Sprt(0, 10))).splitlines()


# matches


@pytest.mark.parametrize("variant", ["classic", "marvel"])
def test_a_match(variant: str) -> None:
    found = run_match(duel(variant), 10, workers=1)
    greedy, other = found.standings
    assert (10, 5) == (found.games, found.deals)
    assert (10, 0) == (greedy.wins, greedy.losses)
    assert ("random", 10) == (other.entrant, other.losses)
    assert 0 < greedy.seconds_per_move <= greedy.slowest


def untimed(games: list[Played]) -> list[Played]:
    ordered = sorted(games, key=lambda played: (played.deal, played.rotation))
    return [replace(played, seconds=(), slowest=()) for played in ordered]


def test_the_same_seed_gives_the_same_games_in_any_number_of_processes(tmp_path: Path) -> None:
    for workers in (1, 2):
        run_match(duel(), 6, workers=workers, file=tmp_path / f"{workers}.jsonl")
    alone, both = (untimed(read_results(tmp_path / f"{workers}.jsonl").games) for workers in (1, 2))
    assert alone == both
    assert 6 == len(alone)
    run_match(duel(seed=2), 6, workers=1, file=tmp_path / "other.jsonl")
    assert alone != untimed(read_results(tmp_path / "other.jsonl").games)


def test_a_stopped_match_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    expected = run_match(duel(), 8, workers=1, file=whole)
    lines = whole.read_text().splitlines(keepends=True)
    part.write_text("".join(lines[:4]) + lines[4][:30])
    played: list[int] = []
    found = run_match(duel(), 8, workers=1, file=part, progress=lambda done, total: played.append(done))
    assert [3, 4, 5, 6, 7, 8] == played
    assert [row.wins for row in expected.standings] == [row.wins for row in found.standings]
    assert untimed(read_results(whole).games) == untimed(read_results(part).games)
    monkeypatch.setattr("cabochon.arena.match._played", None)
    assert found == run_match(duel(), 8, workers=1, file=part)


def test_a_file_of_another_match_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    run_match(duel(), 2, workers=1, file=file)
    kept = file.read_text()
    with pytest.raises(CabochonError, match="records another match \\(seed 1, not 2\\): choose another file"):
        run_match(duel(seed=2), 2, workers=1, file=file)
    with pytest.raises(CabochonError, match="records another match \\(variant classic, not marvel\\)"):
        run_match(duel("marvel"), 2, workers=1, file=file)
    assert kept == file.read_text()
    file.write_text(kept.replace('"format": 1', '"format": 9'))
    with pytest.raises(CabochonError, match="format 9 is not known here"):
        read_results(file)
    file.write_text("a poem\n")
    with pytest.raises(CabochonError, match="not the results of a match"):
        run_match(duel(), 2, workers=1, file=file)


def test_the_record_says_which_match_it_is(tmp_path: Path) -> None:
    file = tmp_path / "match.jsonl"
    run_match(duel(), 2, workers=1, file=file, command=["greedy", "random"])
    header = read_results(file).header
    assert (["greedy", "random"], ["greedy", "random"], "classic", 1) == (
        header["command"],
        header["entrants"],
        header["variant"],
        header["seed"],
    )
    assert header["commit"] and header["machine"]


def test_the_sequential_test_stops_a_match(tmp_path: Path) -> None:
    found = run_match(duel(), 400, workers=1, sprt=Sprt(0, 100), file=tmp_path / "match.jsonl")
    assert found.sprt is not None
    assert "elo1" == found.sprt["verdict"]
    assert found.games < 60
    assert found == run_match(duel(), 400, workers=1, sprt=Sprt(0, 100), file=tmp_path / "match.jsonl")


def test_the_sequential_test_stops_at_the_same_deal_however_games_come_in() -> None:
    games = deals_of([1.0] * 20)
    in_turn = Stopping(Sprt(0, 100), games)
    backwards = Stopping(Sprt(0, 100), reversed(games))
    assert "elo1" == in_turn.verdict == backwards.verdict
    assert in_turn.deals == backwards.deals < 20
    assert 0 == Stopping(Sprt(0, 100), games[2:]).deals


def test_a_game_without_an_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.arena.runner.MOST_TURNS_PER_SEAT", 3)
    played = play_game(duel(), next(iter(fixtures(duel(), 1))))
    assert (CUT, (1, 1), 6) == (played.reason, played.ranks, played.turns)
    assert [0.5, 0.5] == played.shares()


class Broken:
    name = character = "broken"

    def choose(self, view: View, _budget: Budget, _seed: int) -> Move:
        raise ZeroDivisionError


def test_a_bot_of_our_own_that_fails_ends_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a defect and not a loss: the error says in which game it was."""
    monkeypatch.setitem(BOTS, "broken", Broken())
    match = Match((Entrant("broken"), GREEDY))
    with pytest.raises(ZeroDivisionError) as failed:
        play_game(match, next(iter(fixtures(match, 1))))
    assert ["broken was to decide in Game('classic', players=2, seed=1000000, start=0)"] == failed.value.__notes__


# ratings


def matches(results: list[tuple[str, int, int]]) -> list[list[Played]]:
    """Deals of two bots: `ab`, how many the first won, how many the second; two deals of each kind make a fair pair."""
    deals: list[list[Played]] = []
    for pair, won, lost in results:
        for ranks in [(1, 2)] * won + [(2, 1)] * lost:
            deals.append([game(len(deals), 0, pair, ranks), game(len(deals), 1, pair[::-1], ranks[::-1])])
    return deals


def test_ratings_are_as_far_apart_as_results_say() -> None:
    found = rate(matches([("ab", 150, 50), ("bc", 150, 50)]), "c", repeats=50)
    assert ["a", "b", "c"] == list(found)
    assert 1000 == found["c"]["rating"]
    assert 1190 == pytest.approx(found["b"]["rating"], abs=3)
    assert 1380 == pytest.approx(found["a"]["rating"], abs=4)
    assert 0 == found["c"]["error"]
    assert 35 < found["b"]["error"] < 75
    assert [400, 800, 400] == [found[name]["games"] for name in "abc"]


def test_four_players_are_rated_by_wins() -> None:
    deals = [[game(i, 0, "abbb", (1, 2, 2, 2) if i % 5 < 2 else (2, 1, 2, 2))] for i in range(1000)]
    found = rate(deals, "b", repeats=2)
    assert 1000 + 400 * math.log10(2) == pytest.approx(found["a"]["rating"], abs=3)


def test_who_always_wins_has_a_rating_without_error() -> None:
    found = rate(matches([("ab", 50, 0), ("bc", 3, 1)]), "b", repeats=5)
    assert (None, 0) == (found["a"]["error"], found["b"]["error"])
    assert found["c"]["error"] > 0
    assert 1000 + 400 * math.log10(101) == pytest.approx(found["a"]["rating"], abs=1)


def test_who_met_the_others_in_few_deals_is_rated_too() -> None:
    """Such deals are not always among those drawn anew."""
    found = rate(matches([("ab", 60, 40), ("bc", 1, 1), ("cd", 10, 20)]), "a", repeats=30)
    assert {"a", "b", "c", "d"} == set(found)
    assert found["d"]["error"] > 100 > found["b"]["error"]


def test_a_ladder_needs_its_anchor_and_links() -> None:
    with pytest.raises(CabochonError, match="the ladder hangs on greedy, and no game has it"):
        rate(matches([("ab", 1, 1)]))
    with pytest.raises(CabochonError, match="not every bot has met a"):
        rate(matches([("ab", 1, 1), ("cd", 1, 1)]), "a")


def test_the_ladder_file(tmp_path: Path) -> None:
    for name, match in {"two": duel(), "three": match_of(["greedy", "random", "random"], "marvel")}.items():
        run_match(match, 6, workers=1, file=tmp_path / f"{name}.jsonl", command=[name])
    files = [str(tmp_path / f"{name}.jsonl") for name in ("two", "three")]
    out = tmp_path / "ladder.json"
    result = CliRunner().invoke(app, ["ladder", *files, "--out", str(out), "--markdown"])
    assert 0 == result.exit_code
    ladder = json.loads(out.read_text())
    assert ladder == ladder_of([Path(file) for file in files])
    assert ["greedy", "random"] == list(ladder["bots"])
    assert ["classic 2", "marvel 3"] == list(ladder["tables"])
    assert [["two"], ["three"]] == [match["command"] for match in ladder["matches"]]
    assert format_ladder(ladder) + "\n" == result.stdout
    assert "| greedy | 1000 ± 0 | 12 | 1000 ± 0 | 1000 ± 0 |" in result.stdout
    assert Rating(1000, 0, 12) == ratings(out)["greedy"]
    assert {} == ratings(tmp_path / "none.json")


def test_who_is_told_its_usual_budget_is_itself() -> None:
    assert ["master", "virtuoso"] == [usual_name(name) for name in ("master@seconds=1", "virtuoso@nodes=16")]
    for name in ("master", "master@seconds=0.1", "virtuoso@seconds=1", "random", "cmd:python3 a@b.py"):
        assert name == usual_name(name)


def test_bots_are_listed_with_their_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.bots.ratings.ratings", lambda: {"greedy": Rating(1000, 0, 1)})
    lines = CliRunner().invoke(app, ["bots"]).stdout.splitlines()
    assert any(line.split()[:2] == ["greedy", "1000"] for line in lines)
    assert any(line.split()[:3] == ["random", "?", "plays"] for line in lines)


# commands


def test_both_commands_print_the_same(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["greedy", "random", "--games", "2", "--workers", "1", "--json"]
    printed = json.loads(CliRunner().invoke(app, ["arena", *words]).stdout)
    monkeypatch.setattr(sys, "argv", ["arena", *words])
    plain.main()
    assert [without_times(printed)] == [without_times(json.loads(capsys.readouterr().out))]
    assert 2 == printed["standings"][0]["wins"]


def without_times(result: dict[str, Any]) -> dict[str, Any]:
    rows = [{**row, "seconds_per_move": 0, "slowest": 0} for row in result["standings"]]
    return {**result, "standings": rows}


def test_matches_need_numpy_and_numba_only() -> None:
    """Where nothing else is installed, the arena can be imported."""
    blocked = ["typer", "rich", "choix", "scipy", "ray", "fastapi", "pydantic", "sqlalchemy", "orjson"]
    source = f"import sys; sys.modules.update(dict.fromkeys({blocked})); import cabochon.arena.__main__"
    subprocess.run([sys.executable, "-c", source], check=True)


@pytest.mark.slow
def test_a_match_on_a_ray_cluster(tmp_path: Path) -> None:
    run_match(duel(), 4, workers=1, file=tmp_path / "here.jsonl")
    run_match(duel(), 4, file=tmp_path / "there.jsonl", ray="local")
    here, there = (untimed(read_results(tmp_path / name).games) for name in ("here.jsonl", "there.jsonl"))
    assert here == there
