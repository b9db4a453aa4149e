"""What a client is told about the choices of a position."""

import pytest

from cabochon import Game
from cabochon.server.serialise import Choices
from tests.support.positions import position


@pytest.mark.parametrize(
    "game, expected",
    [
        (position(market={"1a": "g 3r"}, tokens="2r1*"), ["buy 1a with *rr"]),
        (position(market={"1a": "g 3r"}, tokens="3r2*"), ["buy 1a with rrr", "buy 1a with *rr", "buy 1a with **r"]),
        (position(market={"1a": "g 3r"}, bonuses="3r", tokens="1*"), ["buy 1a"]),
        (position("marvel", market={"1a": "Baron Zemo"}, tokens="2r1*"), ["buy 1a with *rr"]),
    ],
)
def test_a_seat_with_wild_tokens_is_told_what_it_will_pay(game: Game, expected: list[str]) -> None:
    """First the payment that keeps most of them."""
    choices = Choices(game)
    assert expected == [*choices.payments["buy 1a"]]
    assert {text for text in choices.legal if text.startswith("buy ")} == set(choices.payments)


def test_without_wild_tokens_the_price_is_paid() -> None:
    choices = Choices(position(market={"1a": "g 3r"}, tokens="3r"))
    assert "buy 1a" in choices.legal and {} == choices.payments


def test_a_move_that_says_nothing_pays_the_first_way() -> None:
    game = position(market={"1a": "g 3r"}, tokens="3r2*")
    first, said = game.copy(), game.copy()
    first.play("buy 1a")
    said.play(Choices(game).payments["buy 1a"][0])
    assert first == said


def test_a_payment_is_a_choice() -> None:
    choices = Choices(position(market={"1a": "g 3r"}, tokens="3r1*"))
    assert "buy 1a" in choices and "buy 1a with *rr" in choices
    assert "buy 1a with rrrr" not in choices and "buy 3a" not in choices
