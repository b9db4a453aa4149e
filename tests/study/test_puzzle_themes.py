"""The themes of a puzzle, by the rules that docs/study.md tells."""

from dataclasses import replace

import pytest

from cabochon import Game
from cabochon.notation.move import parse_move
from cabochon.study.puzzle_themes import THEMES, Story, themes_of
from cabochon.view import Reserved
from tests.support.golden import FOLDER
from tests.support.positions import card, position

FAR = "w5 3w7k"
FIVE_POINTS = {"3a": FAR}


def themes(game: Game, move: str) -> tuple[str, ...]:
    return themes_of(game.view(game.turn), parse_move(move, game.variant))


@pytest.mark.parametrize(
    "game, move, theme",
    [
        (position(market=FIVE_POINTS, tokens="3w7k", points=10), "buy 3a", "win"),
        (position(market=FIVE_POINTS, tokens1="3w7k", points1=10, turn=1), "buy 3a", "win"),
        (position(market={"2a": "w3 6w"}, tokens1="6w"), "reserve 2a", "block"),
        (position(market={"2a": "w2 5r"}, tokens1="5r", points1=13), "reserve 2a", "block"),
        (position(market={"1a": "w 3u"}, bonuses1="2w3u3g", tiles="3w3u3g"), "reserve 1a", "block"),
        (position(market=FIVE_POINTS, tokens1="3w7k", points1=10), "take wug", "race"),
        (position(points1=15), "take wug", "race"),
        (position(market={"1a": "w 3u"}, bonuses="2w3u3g", tiles="3w3u3g"), "buy 1a", "tile"),
        (position(market={"1a": "w 3u"}, bonuses="2w3u3g3k", tiles="3w3u3g, 3w3u3k"), "buy 1a", "tile"),
        (position(stage="claim", bonuses="3w3u3g3r", tiles="3w3u3g, 3u3g3r"), "claim 2", "tile"),
        (position(), "reserve 2?", "reserve"),
        (position("marvel", market={"1a": "Vulture"}, tokens="4r", bonuses="3p3b3r3o", points=12), "buy 1a", "gauntlet"),
        (position("marvel", market={"1a": "Spider-Woman"}, bonuses="7y7p7b7r7o", symbols=2), "buy 1a", "avengers"),
        (position("marvel", market={"1a": "Spider-Woman"}, bonuses="7y7p7b7r7o", symbols=4, avengers=0), "buy 1a", "avengers"),
        (position(reserve=FAR, tokens="3w6k"), "take ugk", "tempo"),
    ],
)
def test_a_move_has_its_theme(game: Game, move: str, theme: str) -> None:
    assert theme in themes(game, move)


@pytest.mark.parametrize(
    "game, move, theme",
    [
        (position(market=FIVE_POINTS, tokens="3w7k", points=9), "buy 3a", "win"),
        (position(market={"2a": "w2 5r"}, tokens1="5r"), "reserve 2a", "block"),  # two points are too few
        (position(market={"2a": "w3 6w"}, tokens1="5w"), "reserve 2a", "block"),  # it cannot be paid
        (position(market=FIVE_POINTS, tokens1="3w7k", points1=9), "take wug", "race"),
        (position("marvel", market={"1a": "Vulture"}, tokens="4r", bonuses="3p3b3r3o", points=2), "buy 1a", "gauntlet"),
        (position("marvel", market={"1a": "Vulture"}, tokens="4r", bonuses="3r", points=14), "buy 1a", "gauntlet"),
        (position("marvel", market={"1a": "Spider-Woman"}, bonuses="7y7p7b7r7o"), "buy 1a", "avengers"),
        (position(reserve="w 3u", tokens="2u"), "take wug", "tempo"),  # a card without points
        (position(reserve=FAR, tokens="3w6k"), "reserve 1?", "tempo"),  # the wild token would do, but it is a reservation
    ],
)
def test_a_move_has_not_a_theme_that_only_looks_like_it(game: Game, move: str, theme: str) -> None:
    assert not THEMES[theme](Story(game.view(game.turn), parse_move(move, game.variant)))


def test_a_card_that_nobody_else_knows_makes_no_race() -> None:
    """The other seat could pay any card, and each of tier 3 would be enough; but nobody knows which one it holds."""
    empty = {f"{tier}{place}": "-" for tier in (2, 3) for place in "abcd"}
    shown = position(market=empty, bonuses1="7w7u7g7r7k", points1=12).view(0)
    other = replace(shown.seats[1], reserve=(Reserved(tier=3, blind=True, card=None),))
    assert "race" not in themes_of(replace(shown, seats=(shown.seats[0], other)), parse_move("take wug"))
    known = replace(shown.seats[1], reserve=(Reserved(tier=3, blind=False, card=card(FAR)),))
    assert "race" in themes_of(replace(shown, seats=(shown.seats[0], known)), parse_move("take wug"))


def test_a_move_without_another_theme_is_about_tempo() -> None:
    assert themes(position(), "take wug") == ("tempo",)


@pytest.mark.parametrize("variant", ["classic", "cities", "marvel"])
def test_a_game_has_the_themes_of_what_it_has(variant: str) -> None:
    """In a whole game every move has a theme, in the order of the list; the Gauntlet and the Avengers only where they are."""
    game = Game.from_record((FOLDER / f"{variant}-2-players.game").read_text())
    again, found = game.beginning(), set[str]()
    for move in game.moves:
        told = themes_of(again.view(again.turn), move)
        assert told == tuple(theme for theme in THEMES if theme in told) != ()
        found |= set(told)
        again.play(move)
    assert found & {"gauntlet", "avengers"} == set() or variant == "marvel"
    assert "win" in found
