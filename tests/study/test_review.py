"""A review judges what a seat could know, and its numbers add up."""

import numpy as np
import pytest

from cabochon import CabochonError, Game
from cabochon.bots import bot
from cabochon.rules.variants import VARIANTS
from cabochon.search.budget import Budget
from cabochon.study import Review, as_json, decisions, format_html, format_text, review
from cabochon.study.grades import GRADES, MISTAKES, accuracy, grade
from cabochon.study.review import compare, result_values, samples_of
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
        assert move.action == decision.played.move.action
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
    assert game.outcome is not None
    assert [result_values(game.outcome, 2)] == compare(before.view(before.turn), [last], SMALL, 0, 0)


def test_an_unfinished_game_is_refused() -> None:
    with pytest.raises(CabochonError, match="not over"):
        review(Game("classic", seed=1))


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
