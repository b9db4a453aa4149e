"""The bots by name: they know only a view, play legally, finish their games; and users' own bots."""

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from cabochon import CabochonError, Game, Move, View, WrongType, sample
from cabochon.bots import BOTS, Budget, FunctionBot, Greedy, add_bot, bot, legal_moves
from cabochon.bots.registry import add_commands
from cabochon.cli import app

from .games import TINY, VARIANTS, choice, play_out
from .programs import magpie_command


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("names", [["greedy"], ["greedy", "random"], ["random"]], ids="-".join)
def test_every_move_is_legal_and_the_game_ends(variant: str, players: int, names: list[str]) -> None:
    bots = [bot(names[seat % len(names)]) for seat in range(players)]
    play_out(Game(variant, players, seed=11), bots, 11)


@pytest.mark.parametrize("name", BOTS)
def test_the_same_seed_gives_the_same_move(name: str) -> None:
    game = Game("classic", seed=3)
    assert choice(game, name, seed=8) == choice(game, name, seed=8)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", BOTS)
def test_what_is_hidden_does_not_change_the_move(variant: str, name: str) -> None:
    game = Game(variant, seed=4)
    rng = np.random.default_rng(1)
    for played in range(40):
        shown = game.view(game.turn)
        other = Game.from_states(sample(shown, rng))
        assert choice(game, name, played) == choice(other, name, played)
        game.play(choice(game, name, played))


def test_an_unknown_bot_is_refused_with_the_names() -> None:
    with pytest.raises(CabochonError, match="unknown bot 'deep': choose one of random, apprentice"):
        bot("deep")


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_decides_only_from_the_view_of_the_seat_to_decide(name: str) -> None:
    game = Game("classic", seed=1, start=0)
    for shown in (game.view(1), game.view(None), game.position()):
        with pytest.raises(CabochonError, match="seat 0 is to decide"):
            bot(name).choose(shown, TINY, 0)


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_has_nothing_to_choose_when_the_game_is_over(name: str) -> None:
    game = play_out(Game("classic", seed=2), [bot("greedy")] * 2, 2)
    with pytest.raises(CabochonError, match="the game is over"):
        bot(name).choose(game.view(0), TINY, 0)


def test_every_bot_has_a_name_and_a_line_about_itself() -> None:
    for name, player in BOTS.items():
        assert name == player.name
        assert player.character and "\n" not in player.character


# users' own bots


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """The bots by name, for one test."""
    found = dict[str, object](BOTS)
    monkeypatch.setattr("cabochon.bots.registry.BOTS", found)
    return found


def first_move(view: View, _budget: Budget, _seed: int) -> Move:
    return legal_moves(view)[0]


class First:
    """An object with nothing but `choose`."""

    def choose(self, view: View, budget: Budget, seed: int) -> Move:
        return first_move(view, budget, seed)


@pytest.mark.parametrize("player", [first_move, First()], ids=["a function", "an object"])
def test_a_function_or_a_plain_object_becomes_a_whole_bot(names: dict[str, object], player: object) -> None:
    add_bot("first", player)  # type: ignore[arg-type]
    game = Game("classic", seed=7)
    found = bot("first")
    assert isinstance(found, FunctionBot)
    assert ("first", "a bot written in Python") == (found.name, found.character)
    assert game.legal_moves()[0] == found.choose(game.view(game.turn), Budget(), 1, stop=None)
    assert game.legal_moves()[0] == found.think(game.view(game.turn), Budget(), 1).move
    assert found.analyst is None


def test_a_bot_that_knows_the_protocol_is_added_as_it_is(names: dict[str, object]) -> None:
    player = Greedy(name="miser")
    add_bot("miser", player)
    assert player is bot("miser")


def test_programs_are_bots_by_name(names: dict[str, object], tmp_path: Path) -> None:
    command = f"magpie={magpie_command(tmp_path)}"
    add_commands([command])
    add_commands([command])
    assert ("magpie", "a program of its own") == (bot("magpie").name, bot("magpie").character)


@pytest.mark.parametrize(
    "said, wrong",
    [
        ("magpie", "bot 'magpie': a program is given as NAME=COMMAND"),
        ("magpie= ", "bot 'magpie= ': a program is given as NAME=COMMAND"),
        ("Mag Pie=x", "bot 'Mag Pie': a bot's name is small letters"),
        ("greedy=x", "bot 'greedy': there is a bot of this name already"),
    ],
)
def test_names_of_programs(said: str, wrong: str) -> None:
    with pytest.raises(CabochonError, match=re.escape(wrong)):
        add_commands([said])
    result = CliRunner().invoke(app, ["play", "--bot", said])
    assert (2, f"cabochon: {wrong}"[:30]) == (result.exit_code, result.stderr[:30])


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(WrongType, match="the name of a bot is a text"):
        bot(["greedy"])  # type: ignore[arg-type]
    with pytest.raises(CabochonError, match="bot 5: a bot's name is small letters"):
        add_bot(5, legal_moves)  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [None, 1.5, [3], np.array([1, 2])])
def test_an_answer_that_is_no_move_names_the_bot(answer: object) -> None:
    game = Game("classic", seed=1)
    with pytest.raises(WrongType, match="mute: a bot answers with a Move, the text of one, or an action number, not"):
        FunctionBot("mute", lambda _view, _budget, _seed: answer).choose(game.view(game.turn))  # type: ignore[arg-type, return-value]
