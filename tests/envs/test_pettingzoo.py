"""PettingZoo: its own tests, and that an agent is a seat of the game."""

import pickle
import warnings
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pettingzoo  # type: ignore[import-untyped]
import pytest

from cabochon import VARIANTS, CabochonError, Game, IllegalMove, WrongType, observe
from cabochon.envs import splendor_cities_v0, splendor_marvel_v0, splendor_v0
from cabochon.envs.registration import PETTINGZOO_IDS

from .games import with_other_hidden_cards

pytestmark = pytest.mark.slow

with warnings.catch_warnings():  # the tests import a game of PettingZoo's own in a way it no longer likes
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test  # type: ignore[import-untyped]

MODULES = [import_module(f"cabochon.envs.{name}") for name in PETTINGZOO_IDS.values()]
# What api_test says of every environment with an action mask that is not on its own list of names:
DICT_IS_FINE = pytest.mark.filterwarnings("ignore:Observation is not a NumPy array", "ignore:Observation space for each agent")
EACH = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.split(".")[-1])


@DICT_IS_FINE
@EACH
@pytest.mark.parametrize("players", [2, 3, 4])
def test_api(module: ModuleType, players: int) -> None:
    api_test(module.env(players=players), num_cycles=400)
    api_test(module.raw_env(players=players), num_cycles=400)


@EACH
def test_seed(module: ModuleType) -> None:
    seed_test(lambda: module.env(players=3), num_cycles=100)


@EACH
def test_render(module: ModuleType) -> None:
    render_test(module.env)


def play_out(environment: Any, seed: int) -> tuple[Any, dict[str, float]]:
    """The raw environment at its end, and every agent's reward; on the way its masks and observations are compared."""
    environment.reset(seed=seed)
    rng, total = np.random.default_rng(seed), dict.fromkeys(environment.agents, 0.0)
    raw = environment.unwrapped
    for agent in environment.agent_iter():
        shown, reward, terminated, truncated, _ = environment.last()
        total[agent] += reward
        if terminated or truncated:
            environment.step(None)
            continue
        seat = int(agent[-1])
        assert seat == raw.states["turn"][0]
        assert {move.action for move in Game.from_states(raw.states).legal_moves()} == set(np.flatnonzero(shown["action_mask"]))
        np.testing.assert_array_equal(observe(raw.states, seat)[0], shown["observation"])
        environment.step(int(rng.choice(np.flatnonzero(shown["action_mask"]))))
    return raw, total


@EACH
@pytest.mark.parametrize("players", [2, 3, 4])
def test_agents_are_seats_and_are_rewarded_by_rank(module: ModuleType, players: int) -> None:
    raw, total = play_out(module.env(players=players), players)
    outcome = Game.from_states(raw.states).outcome
    assert outcome is not None
    ahead = [sum((other > rank) - (other < rank) for other in outcome.ranks) for rank in outcome.ranks]
    assert [gap / (players - 1) for gap in ahead] == list(total.values())


def test_an_agent_may_act_several_times_in_a_turn() -> None:
    environment = splendor_v0.raw_env(token_limit=1, start=0)
    environment.reset(seed=1)
    environment.step(int(np.flatnonzero(environment.observe("player_0")["action_mask"])[0]))
    assert "player_0" == environment.agent_selection
    assert not environment.observe("player_1")["action_mask"].any()
    assert {61, 62, 63, 64, 65} >= set(np.flatnonzero(environment.observe("player_0")["action_mask"]))


@EACH
@pytest.mark.parametrize("players", [2, 3, 4])
def test_an_agent_is_told_nothing_of_hidden_cards(module: ModuleType, players: int) -> None:
    environment, rng = module.raw_env(players=players), np.random.default_rng(players)
    environment.reset(seed=players)
    for _ in range(40):
        for seat, agent in enumerate(environment.agents):
            shown, states = environment.observe(agent), environment.states.copy()
            environment.states[:] = with_other_hidden_cards(states, seat, rng)
            environment._observed_seat = -1  # so that it looks again
            for name, numbers in environment.observe(agent).items():
                np.testing.assert_array_equal(shown[name], numbers)
            environment.states[:] = states
        environment.step(int(rng.choice(np.flatnonzero(environment.observe(environment.agent_selection)["action_mask"]))))


def test_a_turn_limit_cuts_the_game_off_without_a_result() -> None:
    environment = splendor_v0.raw_env(turn_limit=6)
    raw, total = play_out(environment, 1)
    assert 6 == raw.states["turns"][0]
    assert {0.0} == set(total.values())


def test_an_illegal_action_ends_the_game_or_raises(caplog: pytest.LogCaptureFixture) -> None:
    environment = splendor_v0.env()
    environment.reset(seed=1)
    agent = environment.agent_selection
    environment.step(60)
    assert "Illegal move made" in caplog.text
    assert -1.0 == environment.rewards[agent]
    assert all(environment.terminations.values())
    raw = splendor_v0.raw_env()
    raw.reset(seed=1)
    before = raw.states.tobytes()
    for action in (60, 99, -1):
        with pytest.raises(IllegalMove):
            raw.step(action)
    assert before == raw.states.tobytes()


def test_every_variant_has_its_module() -> None:
    assert [splendor_v0, splendor_marvel_v0, splendor_cities_v0] == MODULES
    for (identifier, name), module, variant in zip(PETTINGZOO_IDS.items(), MODULES, VARIANTS, strict=True):
        assert (name, variant) == (module.raw_env.metadata["name"], module.raw_env().rules.variant)
        assert isinstance(pettingzoo.make("aec", identifier).unwrapped, module.raw_env)


@EACH
def test_it_can_be_pickled_by_its_settings(module: ModuleType) -> None:
    again = pickle.loads(pickle.dumps(module.raw_env(players=4, turn_limit=99, token_limit=9)))
    assert isinstance(again, module.raw_env)
    assert (4, 99, 9) == (len(again.possible_agents), again.turn_limit, again.rules.token_limit)


def test_wrong_settings_are_refused_by_name() -> None:
    with pytest.raises(CabochonError, match="players must be 2, 3 or 4"):
        splendor_v0.env(players=5)
    with pytest.raises(CabochonError, match="render_mode must be one of"):
        splendor_v0.env(render_mode="film")
    with pytest.raises(CabochonError, match="start must be a seat"):
        splendor_v0.env(start=7)
    with pytest.raises(CabochonError, match="unknown setting 'colour': choose from players, turn_limit"):
        splendor_v0.env(colour=1)


def test_a_random_action_may_take_the_place_of_an_illegal_one() -> None:
    def played(seed: int) -> tuple[int, bytes]:
        environment = splendor_v0.env(illegal="random", turn_limit=30)
        environment.reset(seed=seed)
        steps = 0
        while not any((environment.terminations | environment.truncations).values()):
            environment.step(60)
            steps += 1
        return steps, environment.states.tobytes()

    assert played(1) == played(1) != played(2)
    assert 30 <= played(1)[0]


@pytest.mark.parametrize("action", [None, 1.5, "take", [1], np.array([1, 2])])
def test_an_odd_action_is_refused_with_a_sentence(action: Any) -> None:
    environment = splendor_v0.env()
    environment.reset(seed=1)
    with pytest.raises(WrongType, match="an action is a whole number from 0 to 72, not"):
        environment.step(action)
    assert not any(environment.terminations.values())
    environment.step(np.array(environment.observe(environment.agent_selection)["action_mask"].argmax()))


def test_nothing_goes_before_the_first_reset() -> None:
    for use in (lambda env: env.step(0), lambda env: env.last(), lambda env: env.agents, lambda env: list(env.agent_iter())):
        with pytest.raises(AttributeError, match="reset the environment first"):
            use(splendor_v0.env())
    environment = splendor_v0.env(turn_limit=2)
    play_out(environment, 1)
    with pytest.raises(CabochonError, match="its agents are gone"):
        environment.step(0)
