"""What every bot shares: legal moves from a view, and the defaults of BaseBot."""

import pytest

from cabochon import Game, Move, View, WrongType
from cabochon.bots import NO_LIMIT, BaseBot, Budget, bot, legal_moves
from cabochon.search.analysis import Signal

from .games import VARIANTS, choice


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_legal_moves_of_a_view_are_those_of_the_game(variant: str) -> None:
    game = Game(variant, 3, seed=6)
    for played in range(60):
        assert game.legal_moves() == legal_moves(game.view(game.turn))
        game.play(choice(game, "random", played))


class Passive(BaseBot):
    name = character = "passive"

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, stop: Signal | None = None) -> Move:
        return Move.parse("pass")


def test_a_bot_that_only_chooses_has_defaults_for_the_rest() -> None:
    player = Passive()
    game = Game("classic", seed=1)
    thought = player.think(game.view(game.turn), Budget(), 0)
    assert ("pass", None) == (str(thought.move), thought.nodes)
    assert thought.seconds >= 0
    assert (Budget(), None) == (player.default_budget, player.analyst)
    player.new_game()
    player.close()


@pytest.mark.parametrize("name", ["random", "greedy", "cutter", "legend"])
def test_what_is_no_view_or_no_seed_is_refused(name: str) -> None:
    game = Game("classic", seed=1)
    for wrong in (5, game, None):
        with pytest.raises(WrongType, match="a bot needs a View, such as"):
            bot(name).choose(wrong, Budget(nodes=1), 1)  # type: ignore[arg-type]
    for seed in ("x", 1.5, True):
        with pytest.raises(WrongType, match="the seed of a bot is a whole number"):
            bot(name).choose(game.view(game.turn), Budget(nodes=1), seed)  # type: ignore[arg-type]
