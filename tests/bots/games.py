"""Games and positions for tests of bots."""

from typing import Any

from cabochon import Game
from cabochon.bots import Bot, Budget, bot
from tests.support.positions import position

VARIANTS = ("classic", "marvel")
TINY = Budget(nodes=30)
MAX_MOVES = 2000


def play_out(game: Game, bots: list[Bot], seed: int) -> Game:
    """The game at its end; an illegal move raises."""
    for played in range(MAX_MOVES):
        if game.is_over:
            break
        game.play(bots[game.turn].choose(game.view(game.turn), TINY, seed + played))
    assert game.is_over, f"not over after {MAX_MOVES} moves: {game!r}"
    return game


def market(cards: dict[str, str], variant: str = "classic", **fields: Any) -> Game:
    """A position with nothing else in the market, and no decks."""
    slots = {f"{tier}{place}": cards.get(f"{tier}{place}", "-") for tier in (1, 2, 3) for place in "abcd"}
    return position(variant, market=slots, deck1="-", deck2="-", deck3="-", **fields)


def choice(game: Game, name: str = "greedy", seed: int = 0) -> str:
    return str(bot(name).choose(game.view(game.turn), TINY, seed))
