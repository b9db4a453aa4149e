"""A position as somebody knows it: moves for every seat, cards that are said or drawn, and nothing that nobody could know."""

from dataclasses import replace

import numpy as np
import pytest

from cabochon import Game
from cabochon.errors import IllegalMove, PositionError
from cabochon.events import event_of, reserve_place
from cabochon.notation.position import format_position
from cabochon.study.known import CardError, as_known, legal_moves, parse_known, play, possible_cards, seen_by_turn
from cabochon.view import View, unseen

GAMES = [("classic", 2), ("classic", 4), ("marvel", 3), ("cities", 2)]


def random_game(variant: str, players: int, seed: int) -> Game:
    rng, game = np.random.default_rng(seed), Game(variant, players, seed=seed)
    while not game.is_over and len(game.moves) < 150:
        moves = game.legal_moves()
        game.play(moves[rng.integers(len(moves))])
    return game


@pytest.mark.parametrize("variant, players", GAMES)
def test_a_game_told_by_its_cards_is_the_game(variant: str, players: int) -> None:
    game = random_game(variant, players, 5)
    table = game.beginning()
    known = as_known(table.position())
    for move in game.moves:
        assert table.legal_moves() == legal_moves(known)
        before = table.position()
        table.play(move)
        made_known = event_of(before, table.position(), move.action).made_known
        step = play(known, move, made_known if possible_cards(known, move) else None)
        known = step.after
        assert as_known(table.position()) == known
        assert known == parse_known(format_position(known)), "and it can be written down"
    assert game.outcome is None or "over" == known.stage


def test_a_card_reserved_from_a_deck_stays_unseen_until_it_is_bought() -> None:
    known = as_known(Game("classic", 2, seed=3, start=0).position())
    after = play(known, "reserve 1?").after
    assert (1, True, None) == (after.seats[0].reserve[0].tier, after.seats[0].reserve[0].blind, after.seats[0].reserve[0].card)
    drawn = play(known, "reserve 1?", draw=True)
    assert drawn.made_known == drawn.after.seats[0].reserve[0].card is not None
    named = play(known, "reserve 1?", unseen(known)[0][3])
    assert unseen(known)[0][3] == named.made_known == named.after.seats[0].reserve[0].card

    rich = with_tokens(replace(after, turns=2, turn=0), (4, 4, 0, 0, 0, 1), (0, 0, 4, 4, 0, 0))
    buy = next(move for move in legal_moves(rich) if reserve_place(move.action) == 0)
    cards = possible_cards(rich, buy)
    assert cards and len(cards) < len(unseen(rich)[0]), "only those that can be paid"
    bought = play(rich, buy, cards[0])
    assert (cards[0],) == bought.after.seats[0].tableau and cards[0] == bought.made_known
    with pytest.raises(IllegalMove):
        play(rich, buy, next(card for card in unseen(rich)[0] if card not in cards))


def with_tokens(shown: View, *tokens: tuple[int, ...]) -> View:
    """The same with other tokens before the seats."""
    seats = tuple(replace(area, tokens=held) for area, held in zip(shown.seats, tokens, strict=True))
    bank = tuple(n - sum(held) for n, held in zip(shown.rules.supply(), zip(*tokens, strict=True), strict=True))
    return replace(shown, seats=seats, bank=bank)


def test_a_card_that_is_in_sight_cannot_be_turned_up() -> None:
    known = as_known(Game("classic", 2, seed=3).position())
    lying = known.market[0][1]
    with pytest.raises(CardError, match=f"card {lying} is not among the unseen cards of tier 1"):
        play(known, "reserve 1a", lying)
    with pytest.raises(CardError, match="tier 1"):
        play(known, "reserve 1a", unseen(known)[1][0])
    with pytest.raises(CardError):
        play(known, "take wug", unseen(known)[0][0])


def test_cards_are_drawn_from_all_that_are_unseen() -> None:
    known = as_known(Game("classic", 2, seed=3).position())
    drawn = {play(known, "reserve 3a", rng=np.random.default_rng(seed)).made_known for seed in range(200)}
    assert set(unseen(known)[2]) == drawn


def test_the_seat_to_decide_does_not_see_what_others_drew_unseen() -> None:
    game = Game("classic", 2, seed=9, start=0, moves="reserve 1?; reserve 2?")
    known = as_known(game.position())
    assert game.view(0) == seen_by_turn(known)
    other = replace(
        known, seats=(known.seats[0], replace(known.seats[1], reserve=(replace(known.seats[1].reserve[0], card=None),)))
    )
    assert seen_by_turn(known) == seen_by_turn(other), "whoever studies the position may know more: the search does not"


def test_a_line_that_cannot_be_is_refused_with_a_code() -> None:
    line = format_position(as_known(Game("classic", 2, seed=3).position()))
    with pytest.raises(PositionError) as wrong:
        parse_known(line.replace("bank:4w", "bank:5w"))
    assert ("tokens_many", {"letter": "w", "there": 5, "wanted": 4}) == (wrong.value.code, wrong.value.facts)
    with pytest.raises(PositionError) as wrong:
        parse_known("rnbqkbnr/pppppppp w KQkq")
    assert "not_a_position" == wrong.value.code


def test_a_full_position_loses_the_order_of_its_decks() -> None:
    game = Game("marvel", 2, seed=3)
    assert as_known(game.position()) == parse_known(format_position(game.position()))
