"""A review judges what a seat could know, and its numbers add up."""

from dataclasses import replace

import numpy as np
import pytest

from cabochon import CabochonError, Game
from cabochon.bots import bot
from cabochon.notation.record import Resignation, format_record
from cabochon.rules.variants import VARIANTS
from cabochon.search.budget import Budget
from cabochon.study import Review, as_json, decisions, format_html, format_text, review
from cabochon.study.grades import GRADES, MISTAKES, accuracy, grade
from cabochon.study.review import DEFAULT_BUDGET, budget_of, compare, result_values, samples_of
from cabochon.view import sample

SMALL = Budget(nodes=16)
EXACT = 1e-6


def finished(variant: str, players: int, seed: int) -> Game:
    """A game between greedy bots."""
    game = Game(variant, players, seed=seed)
    while not game.is_over:
        game.play(bot("greedy").choose(game.view(game.turn), Budget(), seed))
    return game


@pytest.fixture(scope="module")
def game() -> Game:
    return finished("classic", 2, 5)


@pytest.fixture(scope="module")
def reviewed(game: Game) -> Review:
    return review(game, SMALL)


def check_sums(found: Review) -> None:
    for seat in found.seats:
        assert abs(seat.result - seat.chance_at_deal - seat.luck - seat.own_errors - seat.others_errors) < EXACT
        assert seat.own_errors <= EXACT
    assert abs(sum(seat.luck for seat in found.seats)) < EXACT


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_result_is_chance_at_the_deal_and_luck_and_errors(variant: str, players: int) -> None:
    check_sums(review(finished(variant, players, 3), Budget(nodes=2)))


def test_every_decision_is_judged_in_order(game: Game, reviewed: Review) -> None:
    assert list(range(len(game.moves))) == [decision.number for decision in reviewed.decisions]
    table = game.beginning()
    for decision, move in zip(reviewed.decisions, game.moves, strict=True):
        assert (table.turn, table.stage, table.round) == (decision.seat, decision.stage, decision.round)
        assert (len(table.legal_moves()) == 1) == decision.is_forced
        assert move == decision.played.move
        assert decision.lost >= 0
        assert abs(sum(decision.before) - 1) < EXACT
        assert abs(sum(decision.after) - 1) < EXACT
        table.play(move)


def test_a_review_can_be_repeated(game: Game, reviewed: Review) -> None:
    assert reviewed == review(game.record(), SMALL)
    assert reviewed != review(game, SMALL, seed=1)


def test_hidden_cards_change_no_verdict_before_they_are_turned_up(game: Game, reviewed: Review) -> None:
    """The same moves on another order of the decks: verdicts are the same until the first card differs."""
    first = game.beginning()
    other = Game.from_states(sample(first.view(first.turn), np.random.default_rng(1)))
    assert first.states.tobytes() != other.states.tobytes()
    same = 0
    table = game.beginning()
    for move in game.moves:
        if other.view(other.turn) != table.view(table.turn):
            break
        other.play(move)
        table.play(move)
        same += 1
    assert 0 < same < len(game.moves)
    assert list(reviewed.decisions[:same]) == list(decisions(other, SMALL))


def test_the_last_move_is_worth_the_result(game: Game) -> None:
    before = game.copy()
    last = before.undo()
    assert [result_values(game)] == compare(before.view(before.turn), [last], SMALL, 0, 0)


def test_an_unfinished_game_is_refused() -> None:
    with pytest.raises(CabochonError, match="not over"):
        review(Game("classic", seed=1))
    goes_on = Game("classic", 3, seed=1).record(resigned=(Resignation(1, 0),))
    with pytest.raises(CabochonError, match="not over"):
        review(replace(goes_on, result="unfinished"))


def part_of(game: Game, moves: int) -> Game:
    """The same game, as far as so many moves."""
    part = game.beginning()
    part.play_all(game.moves[:moves])
    return part


def test_to_resign_loses_what_chance_there_was(game: Game) -> None:
    given_up = part_of(game, 7)
    for seat in (0, 1):
        found = review(given_up.record(resigned=(Resignation(seat, 7),)), SMALL)
        check_sums(found)
        last = found.decisions[-1]
        assert (7, seat, "resign", "resign", "play on") == (
            last.number, last.seat, last.stage, str(last.played.move), str(last.best.move)
        )  # fmt: skip
        assert last.lost == last.before[seat] > 0
        assert [float(other != seat) for other in (0, 1)] == [one.result for one in found.seats] == list(last.after)
        assert (0, 0) == found.luck[-1]


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_seat_that_has_resigned_wins_nothing_and_its_bot_is_not_judged(variant: str) -> None:
    whole = finished(variant, 4, 3)
    assert whole.outcome is not None
    (winner,) = whole.outcome.winners
    found = review(whole.record(resigned=(Resignation(winner, 9), Resignation((winner + 1) % 4, 0))), Budget(nodes=2))
    check_sums(found)
    assert 0 == found.seats[winner].result < max(one.result for one in found.seats)
    later = [one for one in found.decisions[11:] if one.seat == winner]
    assert later
    assert {(0.0, 0.0, True)} == {(one.before[winner], one.lost, one.is_forced) for one in later}


def test_a_game_that_began_at_a_position_is_reviewed(game: Game) -> None:
    later = Game.from_position(part_of(game, 20).position(), game.moves[20:])
    found = review(format_record(later.record()), Budget(nodes=2))
    check_sums(found)
    assert list(game.moves[20:]) == [one.played.move for one in found.decisions]


def test_a_usual_payment_is_the_plain_move(game: Game) -> None:
    """A record that says how a card was paid for is judged like one that does not."""
    table, told = game.beginning(), game.beginning()
    for move in game.moves:
        ways = table.ways_to_pay(move) if str(move).startswith("buy") else []
        told.play(ways[-1] if ways and len(ways) == 1 and ways[0].payment else move)
        table.play(move)
    assert any(move.payment for move in told.moves)
    found = [decision.played.move for decision in decisions(told, Budget(nodes=1))]
    assert list(game.moves) == found


@pytest.mark.parametrize(
    "lost, is_best, expected",
    [(0, True, "best"), (0.01, False, "good"), (0.02, False, "inaccuracy"), (0.05, False, "error"), (0.3, False, "blunder")],
)
def test_grades(lost: float, is_best: bool, expected: str) -> None:
    assert expected == grade(lost, is_best)


def test_accuracy_falls_with_what_is_lost() -> None:
    assert 100 == accuracy([0, 0])
    assert (accuracy([0.1, 0]) or 0) < (accuracy([0.01, 0]) or 0) < 100
    assert accuracy([]) is None


def test_more_nodes_are_spent_on_more_samples() -> None:
    assert samples_of(Budget(nodes=1)) < samples_of(Budget(nodes=1000))
    assert samples_of(Budget(seconds=1)) > 1


def test_the_report_tells_every_decision_and_escapes_names(reviewed: Review) -> None:
    names = ("<Anna>", "Ben")
    text, page = format_text(reviewed, names), format_html(reviewed, names)
    assert "<Anna>" in text
    assert "<Anna>" not in page
    assert "&lt;Anna&gt;" in page
    for decision in reviewed.decisions:
        assert str(decision.played.move) in text
    marked = sum(decision.grade in MISTAKES for decision in reviewed.decisions)
    assert marked == page.count("<circle")


def test_json_has_everything(reviewed: Review) -> None:
    data = as_json(reviewed)
    assert len(reviewed.decisions) == len(data["decisions"])
    assert set(GRADES) == set(data["seats"][0]["grades"])
    assert [decision.grade for decision in reviewed.decisions] == [decision["grade"] for decision in data["decisions"]]


def test_a_budget_without_a_limit_is_the_usual_one() -> None:
    assert budget_of(Budget()) is DEFAULT_BUDGET
    assert budget_of(SMALL) is SMALL
    for wrong in (Budget(nodes=0), Budget(nodes=-3), Budget(seconds=0.0), 5):
        with pytest.raises(CabochonError, match="a budget is"):
            review(finished("classic", 2, 1), wrong)  # type: ignore[arg-type]
