"""Which positions can be: what play can reach is read, and what it cannot is refused with its reason."""

from dataclasses import replace
from functools import cache

import pytest

from cabochon import VARIANTS, Game, Position, PositionError, View, format_position, parse_position
from cabochon.view import TileOnTable
from tests.support.golden import FOLDER

LAST_CITY = 13
EVERY = pytest.mark.parametrize("variant", VARIANTS)


@cache
def played(name: str, back: int = 0) -> Position:
    """A golden game without its last so many moves."""
    game = Game.from_record((FOLDER / f"{name}.game").read_text())
    for _ in range(back):
        game.undo()
    return game.position()


def refused(shown: View, reason: str) -> None:
    with pytest.raises(PositionError, match=reason):
        parse_position(format_position(shown))


def accepted(shown: View) -> None:
    assert shown == parse_position(format_position(shown))


@EVERY
def test_after_all_have_passed_the_game_is_over(variant: str) -> None:
    end = played(f"{variant}-stalemate")
    accepted(end)
    accepted(played(f"{variant}-stalemate", back=1))
    refused(replace(end, stage="main", reason=""), f"after {end.rules.players} in a row the game is over")
    refused(replace(end, passes=end.passes - 1), "all . seats pass in a row, here are . passes")


@EVERY
def test_nobody_passes_who_can_take_tokens(variant: str) -> None:
    game = Game(variant, seed=1, start=0, moves="reserve 1a")
    refused(replace(game.position(), passes=1), "passes: 1, though there are tokens in the bank to take")


@EVERY
def test_no_more_passes_than_turns(variant: str) -> None:
    before = played(f"{variant}-stalemate", back=1)
    refused(replace(before, turns=0), f"passes: {before.passes} in a row after 0 turns")


@EVERY
def test_the_goal_ends_a_game_only_if_somebody_has_reached_it(variant: str) -> None:
    game = Game(variant, seed=1, start=0, moves="reserve 1a; reserve 1a")
    refused(replace(game.position(), stage="over", reason="goal"), "reason goal: nobody has reached it")


@EVERY
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_goal_ends_a_game_at_the_end_of_a_round(variant: str, players: int) -> None:
    end = played(f"{variant}-{players}-players")
    assert "goal" == end.reason
    accepted(end)
    turns = end.turns - 1
    refused(replace(end, turns=turns, turn=(end.start + turns) % players), "a game ends by the goal at the end of a round")


@EVERY
@pytest.mark.parametrize("players", [2, 3, 4])
def test_with_the_goal_reached_no_round_begins(variant: str, players: int) -> None:
    end = played(f"{variant}-{players}-players")
    refused(replace(end, stage="main", reason=""), "seat. had reached the goal before this round began: the game is over")
    refused(replace(end, reason="stalemate"), "had reached the goal before this round began|seats pass in a row")


@EVERY
@pytest.mark.parametrize("players", [2, 3, 4])
def test_in_the_last_round_those_may_have_the_goal_who_have_moved(variant: str, players: int) -> None:
    """Every position of a whole game is read, the last round with its returns and choices among them."""
    game = Game.from_record((FOLDER / f"{variant}-{players}-players.game").read_text())
    while game.moves:
        accepted(game.position())
        game.undo()


@EVERY
def test_no_action_brings_more_than_three_tokens_above_the_limit(variant: str) -> None:
    dealt = Game(variant, 4, seed=1, start=0).position()
    for held, fits in ((13, True), (14, False), (21, False)):
        tokens = tuple(min(7, max(0, held - 7 * lane)) for lane in range(len(dealt.bank)))
        bank = tuple(there - own for there, own in zip(dealt.bank, tokens, strict=True))
        seats = (replace(dealt.seats[0], tokens=tokens), *dealt.seats[1:])
        returning = replace(dealt, bank=bank, seats=seats, stage="return")
        if fits:
            accepted(returning)
        else:
            refused(returning, f"seat0: {held} tokens, and no action brings more than 3 to the limit of 10")


def with_reserve(shown: View, seat: int, **fields: object) -> View:
    """The same view with something else said of a seat's first reserved card."""
    area = shown.seats[seat]
    held = replace(area.reserve[0], **fields)  # type: ignore[arg-type]
    seats = [*shown.seats]
    seats[seat] = replace(area, reserve=(held, *area.reserve[1:]))
    return replace(shown, seats=tuple(seats))


@EVERY
@pytest.mark.parametrize("viewer", [1, None])
def test_a_view_shows_no_card_that_was_drawn_unseen(variant: str, viewer: int | None) -> None:
    game = Game(variant, seed=1, start=0, moves="reserve 1?; reserve 1a")
    card = game.position().seats[0].reserve[0].card
    accepted(game.view(viewer))
    refused(with_reserve(game.view(viewer), 0, card=card), f"seat0: card {card} was drawn unseen, and a view cannot show it")


@EVERY
@pytest.mark.parametrize("viewer", [0, None])
def test_a_view_shows_a_card_that_was_reserved_face_up(variant: str, viewer: int | None) -> None:
    game = Game(variant, seed=1, start=0, moves="reserve 1?; reserve 1a")
    refused(with_reserve(game.view(viewer), 1, card=None), "seat1: a card reserved face up is known to all")


@EVERY
@pytest.mark.parametrize("viewer", [0, None])
def test_a_view_shows_no_card_that_lies_face_down(variant: str, viewer: int | None) -> None:
    game = Game(variant, seed=1, start=0, moves="reserve 1?; reserve 1a", open_reserves=False)
    card = game.position().seats[1].reserve[0].card
    accepted(game.view(viewer))
    refused(with_reserve(game.view(viewer), 1, card=card), f"seat1: card {card} lies face down, and a view cannot show it")


# Cities lie with seats that have what they ask for


@cache
def ended() -> Position:
    """Seat 0 has 17 points and the bonuses 3w3u6g3r2k; seat 3 has 14 points and 3w2u2g4r4k."""
    return Game.from_record((FOLDER / "cities-several-owners.game").read_text()).position()


def with_city(city: int, owner: int) -> Position:
    """The same end with another city in the first place, and a third that is not its other face."""
    third = TileOnTable(LAST_CITY if city < LAST_CITY else 11, None)
    return replace(ended(), tiles=(TileOnTable(city, owner), ended().tiles[1], third))


@pytest.mark.parametrize(
    ("city", "owner"),
    [
        (14, 0),  # 17+
        (3, 0),  # 12+ 6 other
        (4, 0),  # 15+ 5 other
        (1, 3),  # 14+ 2w1u1g2r2k
        (12, 3),  # 13+ 4r3k
    ],
)
def test_a_city_lies_with_a_seat_that_has_what_it_asks_for(city: int, owner: int) -> None:
    shown = with_city(city, owner)
    assert shown == parse_position(format_position(shown))


@pytest.mark.parametrize(
    ("city", "owner"),
    [
        (14, 3),  # 17+: points are missing
        (4, 3),  # 15+ 5 other: both are missing
        (3, 3),  # 12+ 6 other: four red and four black are not six of one colour
        (9, 0),  # 14+ 4g 4 other: six green are no four of another colour
        (12, 0),  # 13+ 4r3k: named colours are missing
    ],
)
def test_a_city_does_not_lie_with_another_seat(city: int, owner: int) -> None:
    with pytest.raises(PositionError, match=f"seat{owner} does not meet the demand of tile {city}"):
        parse_position(format_position(with_city(city, owner)))
