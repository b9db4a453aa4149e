"""OpenSpiel: its own tests, playthroughs that replay, and that players know what they may know."""

from pathlib import Path
from typing import Any

import numpy as np
import pyspiel  # type: ignore[import-not-found]
import pytest
from absl import flags
from open_spiel.python.algorithms import generate_playthrough, ismcts  # type: ignore[import-untyped]
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator  # type: ignore[import-untyped]
from open_spiel.python.observation import make_observation  # type: ignore[import-untyped]

from cabochon import TILES, VARIANTS, Game, Move, RulesetError, observe
from cabochon.envs import openspiel
from cabochon.envs.names import openspiel_name
from cabochon.observation import fields
from cabochon.rules.cards import NUMBER, TILE_START

from . import playthroughs
from .games import with_other_hidden_cards

pytestmark = pytest.mark.slow

NAMES = {openspiel_name(variant): variant.name for variant in VARIANTS.values()}
FILES = sorted(playthroughs.FOLDER.glob("*.txt"))
EACH = pytest.mark.parametrize("name", NAMES)
PLAYERS = pytest.mark.parametrize("players", [2, 3, 4])


flags.FLAGS.mark_as_parsed()  # the playthroughs ask for one


def random_state(name: str, players: int, seed: int, decisions: int) -> Any:
    """A state after this many random decisions."""
    state, rng = pyspiel.load_game(f"{name}(players={players})").new_initial_state(), np.random.default_rng(seed)
    while not state.is_terminal() and decisions:
        if state.is_chance_node():
            cards, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(cards, p=chances)))
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
            decisions -= 1
    return state


@EACH
@PLAYERS
@pytest.mark.parametrize("serialize", [False, True])
def test_random_sim(name: str, players: int, serialize: bool) -> None:
    game = pyspiel.load_game(f"{name}(players={players},turn_limit=60)")
    pyspiel.random_sim_test(game, num_sims=1, serialize=serialize, verbose=False)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_playthrough(path: Path) -> None:
    original, again = generate_playthrough.replay(str(path))
    assert original.splitlines() == again.splitlines()


def test_there_is_a_playthrough_of_each_game() -> None:
    assert set(playthroughs.GAMES) == {path.stem for path in FILES}
    assert set(NAMES) == {pyspiel.load_game(game).get_type().short_name for game in playthroughs.GAMES.values()}


def test_every_variant_has_its_game() -> None:
    assert {"python_splendor": "classic", "python_splendor_marvel": "marvel", "python_splendor_cities": "cities"} == NAMES
    assert set(NAMES) <= set(pyspiel.registered_names())


@EACH
@PLAYERS
def test_it_plays_by_the_rules(name: str, players: int) -> None:
    """The same moves on a record dealt like this one: legal moves, decisions and the outcome agree."""
    state = random_state(name, players, players, 0)
    rng, game = np.random.default_rng(players), None
    while not state.is_terminal():
        if state.is_chance_node():
            cards, _ = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(cards)))
            continue
        game = Game.from_states(state.states)
        assert [move.action for move in game.legal_moves()] == state.legal_actions()
        assert game.turn == state.current_player()
        action = int(rng.choice(state.legal_actions()))
        state.apply_action(action)
    assert game is not None
    outcome = Game.from_states(state.states).outcome
    assert outcome is not None
    assert [1.0] == [state.returns()[seat] for seat in outcome.winners] or len(outcome.winners) > 1
    assert 0 == pytest.approx(sum(state.returns()))


def test_every_card_of_a_deck_is_drawn_with_the_same_chance() -> None:
    state = random_state("python_splendor", 2, 1, 20)
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    state.apply_action(42)
    outcomes, left = dict(state.chance_outcomes()), Game.from_states(state.states).position().decks[0]
    assert sorted(left) == [card + 1 for card in outcomes]
    assert {1 / len(left)} == set(outcomes.values())


@EACH
@PLAYERS
def test_tiles_are_dealt_with_the_same_chance_and_have_one_face_each(name: str, players: int) -> None:
    """Before each tile every face of a tile that is not yet dealt is as likely as any other."""
    variant, rng = VARIANTS[NAMES[name]], np.random.default_rng(players)
    count, faces = variant.tiles[players - 2], len(TILES[variant.name])
    for _ in range(10):
        state, dealt = pyspiel.load_game(f"{name}(players={players})").new_initial_state(), set[int]()
        for i in range(count):
            outcomes, left = dict(state.chance_outcomes()), faces - i * variant.faces
            assert set(outcomes) == {90 + face for face in range(faces) if face // variant.faces not in dealt}
            assert {1 / left} == set(outcomes.values())
            outcome = int(rng.choice(list(outcomes)))
            dealt.add((outcome - 90) // variant.faces)
            state.apply_action(outcome)
        tiles = [tile - int(TILE_START[variant.index]) for tile in state.states["tiles"][0].tolist() if tile != 255]
        assert dealt == {face // variant.faces for face in tiles} and count == len(tiles) == len(dealt)
        assert all(outcome < 40 for outcome, _ in state.chance_outcomes())


@EACH
@PLAYERS
def test_the_observation_tensor_is_the_observation(name: str, players: int) -> None:
    state = random_state(name, players, 3, 40)
    for player in range(players):
        row = observe(state.states, player)[0]
        np.testing.assert_array_equal(row, np.array(state.observation_tensor(player))[players:])
        observer = make_observation(state.get_game())
        observer.set_from(state, player)
        assert ["player", *(field.name for field in fields(players, NAMES[name]))] == list(observer.dict)
        assert (12, 16) == observer.dict["market"].shape


@EACH
@PLAYERS
def test_resampling_changes_only_what_the_player_cannot_know(name: str, players: int) -> None:
    rng, changed = np.random.default_rng(1), 0
    for seed in range(4):
        state = random_state(name, players, seed, 30)
        while not state.is_terminal() and state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        for player in range(players):
            twin = state.resample_from_infostate(player, rng.random)
            assert state.information_state_string(player) == twin.information_state_string(player)
            assert state.information_state_tensor(player) == twin.information_state_tensor(player)
            assert state.observation_string(player) == twin.observation_string(player)
            assert (state.current_player(), len(state.history())) == (twin.current_player(), len(twin.history()))
            changed += state.states.tobytes() != twin.states.tobytes()
    assert changed > 0


@EACH
@PLAYERS
def test_a_player_is_told_nothing_of_hidden_cards(name: str, players: int) -> None:
    rng = np.random.default_rng(players)
    for seed in range(4):
        state = random_state(name, players, seed, 30)
        for player in range(players):
            twin = state.clone()
            twin.states = with_other_hidden_cards(state.states, player, rng)
            assert state.observation_tensor(player) == twin.observation_tensor(player)
            assert state.information_state_tensor(player) == twin.information_state_tensor(player)
            assert state.observation_string(player) == twin.observation_string(player)


@EACH
def test_a_card_drawn_unseen_is_told_to_one_player_only(name: str) -> None:
    state = random_state(name, 2, 1, 0)
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[-1][0])
    state.apply_action(42)
    card = state.chance_outcomes()[5][0]
    state.apply_action(card)
    word = openspiel.EVENT_TEXTS[NAMES[name]][openspiel.FIRST_CARD + card]
    assert word in state.information_state_string(0)
    assert word not in state.information_state_string(1)
    assert state.information_state_string(1).endswith("reserve 1?; a card of tier 1")
    assert "tier 1 ?" in state.observation_string(1)


@EACH
def test_cards_drawn_unseen_are_told_to_all_by_a_forced_pass(name: str) -> None:
    state = random_state(name, 2, 1, 0)
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[-1][0])
    for move in ("reserve 1?", "reserve 2a", "reserve 3?", "reserve 2a", "reserve 2a", "reserve 2a"):
        state.apply_action(Move.parse(move).action)
        state.apply_action(state.chance_outcomes()[0][0])
    state.states["bank"] = state.states["tokens"] = 0  # so that nothing is left to do
    first, second, _ = (openspiel.FIRST_CARD + int(card) - 1 for card in NUMBER[state.states["reserve"][0, 0]])
    words = [openspiel.EVENT_TEXTS[state.variant][card] for card in (first, second)]
    before = state.information_state_string(1)
    assert not any(word in before for word in words) and "?" in state.observation_string(1)
    state.apply_action(60)
    assert f"{before}; pass; {words[0]}; {words[1]}" == state.information_state_string(1)
    assert len(state.events) <= state.get_game().max_events()
    assert "tier 1 ?" not in state.observation_string(1) and "tier 3 ?" not in state.observation_string(1)


@EACH
def test_public_and_private_parts(name: str) -> None:
    state = random_state(name, 2, 1, 0)
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[-1][0])
    state.apply_action(42)
    state.apply_action(state.chance_outcomes()[5][0])
    none, single = pyspiel.PrivateInfoType.NONE, pyspiel.PrivateInfoType.SINGLE_PLAYER
    public = make_observation(state.get_game(), pyspiel.IIGObservationType(perfect_recall=False, private_info=none))
    private = make_observation(
        state.get_game(), pyspiel.IIGObservationType(public_info=False, perfect_recall=False, private_info=single)
    )
    public.set_from(state, 0)
    private.set_from(state, 0)
    own = public.dict["seats"][0][24:40]
    assert [0.0] * 13 + [1.0, 0.0, 0.0] == own.tolist()
    assert private.dict["unseen_reserve"][0].any() and not private.dict["unseen_reserve"][1:].any()
    assert private.string_from(state, 0).startswith("card ") and "" == private.string_from(state, 1)
    assert public.string_from(state, 0) == public.string_from(state, 1)


@EACH
def test_is_mcts_plays_legal_games(name: str) -> None:
    game = pyspiel.load_game(f"{name}(turn_limit=16)")
    rng = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, RandomRolloutEvaluator(1, rng), uct_c=2.0, max_simulations=6, random_state=rng)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            cards, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(cards, p=chances)))
        else:
            action = bot.step(state)
            assert action in state.legal_actions()
            state.apply_action(action)
    assert [0.0, 0.0] == state.returns()


def test_a_turn_limit_is_no_result_and_parameters_are_checked() -> None:
    state = pyspiel.load_game("python_splendor(players=3,turn_limit=9)").new_initial_state()
    rng = np.random.default_rng(1)
    while not state.is_terminal():
        actions = [action for action, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(int(rng.choice(actions)))
    assert 9 == state.states["turns"][0]
    assert [0.0, 0.0, 0.0] == state.returns()
    for wrong in ("players=5", "players=2,turn_limit=1"):
        with pytest.raises((pyspiel.SpielError, ValueError)):
            pyspiel.load_game(f"python_splendor({wrong})")


def test_actions_are_said_in_words() -> None:
    state = random_state("python_splendor", 2, 1, 1)
    if state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    for action in state.legal_actions():
        assert str(Move(action, None, "classic")) == state.action_to_string(action)


@pytest.mark.parametrize("open_reserves", [True, False])
def test_house_rules_are_parameters(open_reserves: bool) -> None:
    text = f"python_splendor(goal=4,token_limit=6,hand_limit=2,take_fewer=True,open_reserves={open_reserves},turn_limit=60)"
    game, rng = pyspiel.load_game(text), np.random.default_rng(1)
    state, resampled = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            action = rng.choice([outcome for outcome, _ in state.chance_outcomes()])
        else:
            actions = state.legal_actions()
            reserving = [action for action in actions if 30 <= action < 45]
            action = rng.choice(reserving or actions)
            assert (state.states["reserved"] <= 2).all()
            twin = state.resample_from_infostate(state.current_player(), rng.random)
            assert state.information_state_string() == twin.information_state_string()
            resampled += 1
        state.apply_action(int(action))
    assert resampled > 20
    shown = Game.from_states(state.states).rules
    assert (4, 6, 2, True, open_reserves) == (
        shown.goal,
        shown.token_limit,
        shown.hand_limit,
        shown.take_fewer,
        shown.open_reserves,
    )
    with pytest.raises(RulesetError, match="goal must be a number from 1 to 100, not 500"):
        pyspiel.load_game("python_splendor(goal=500)")
