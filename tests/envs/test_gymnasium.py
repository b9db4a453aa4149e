"""The single environment: Gymnasium's own checks, rewards, ends and opponents."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import cabochon.envs
from cabochon import VARIANTS, CabochonError, Game, IllegalMove, Move, RulesetError, View, WrongType, observe
from cabochon.bots import BOTS, NO_LIMIT, BaseBot, Budget, bot, legal_moves
from cabochon.envs.episodes import COMPILED_BOTS
from cabochon.envs.gymnasium import SplendorEnv
from cabochon.envs.registration import GYMNASIUM_IDS
from cabochon.observation import action_masks
from cabochon.search.analysis import Signal

from .games import random_actions

pytestmark = pytest.mark.slow

assert cabochon.envs.__doc__


def play_out(environment: SplendorEnv, seed: int) -> tuple[float, bool, int]:
    """The last reward, whether it was cut off, and how many steps there were."""
    rng = np.random.default_rng(seed)
    _, info = environment.reset(seed=seed)
    for steps in range(1, 10_000):
        action = random_actions(info["action_mask"][None], rng)[0]
        _, reward, terminated, truncated, info = environment.step(action)
        if terminated or truncated:
            return reward, truncated, steps
        assert 0.0 == reward
    raise AssertionError("the episode does not end")


@pytest.mark.parametrize("name", GYMNASIUM_IDS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_check_env(name: str, players: int) -> None:
    check_env(gymnasium.make(name, players=players, opponents="random").unwrapped)


@pytest.mark.parametrize("name", GYMNASIUM_IDS)
@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_check_env_with_rendering(name: str, mode: str) -> None:
    environment = gymnasium.make(name, render_mode=mode)
    check_env(environment.unwrapped, skip_render_check=True)
    environment.reset(seed=1)
    shown: Any = environment.render()
    if mode == "ansi":
        assert "seat 0 to take, reserve or buy" in shown
    else:
        assert (640, 960, 3) == shown.shape


def test_human_rendering_prints(capsys: pytest.CaptureFixture[str]) -> None:
    environment = SplendorEnv(render_mode="human")
    environment.reset(seed=1)
    environment.step(environment.action_masks().argmax())
    assert 2 == capsys.readouterr().out.count("classic, 2 players")


def test_every_variant_has_its_environment() -> None:
    assert {
        "cabochon/Splendor-v0": "classic",
        "cabochon/SplendorMarvel-v0": "marvel",
        "cabochon/SplendorCities-v0": "cities",
    } == GYMNASIUM_IDS
    for name, variant in GYMNASIUM_IDS.items():
        environment: Any = gymnasium.make(name).unwrapped
        assert variant == environment.games.rules.variant


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_reward_is_by_rank(variant: str, players: int) -> None:
    environment = SplendorEnv(variant=variant, players=players, opponents="random")
    for seed in range(8):
        reward, truncated, _ = play_out(environment, seed)
        outcome = Game.from_states(environment.games.states).outcome
        assert outcome is not None and not truncated
        ahead = sum((rank > outcome.ranks[0]) - (rank < outcome.ranks[0]) for rank in outcome.ranks)
        assert ahead / (players - 1) == reward


def test_a_turn_limit_is_no_result() -> None:
    environment = SplendorEnv(opponents="random", turn_limit=10)
    assert {(0.0, True)} == {play_out(environment, seed)[:2] for seed in range(5)}


def test_an_illegal_action_ends_the_episode_with_a_penalty() -> None:
    environment = SplendorEnv()
    environment.reset(seed=3)
    before = environment.games.states.tobytes()
    for action in (60, -1, 73, 10**12):
        environment.reset(seed=3)
        assert (-1.0, True, False) == environment.step(action)[1:4]
        assert before == environment.games.states.tobytes()


def test_an_illegal_action_raises_if_asked() -> None:
    environment = SplendorEnv(illegal="raise")
    environment.reset(seed=3)
    before = environment.games.states.tobytes()
    with pytest.raises(IllegalMove, match="action 60"):
        environment.step(60)
    assert before == environment.games.states.tobytes()


def test_the_seed_decides_the_chain_of_games() -> None:
    one, other = SplendorEnv(opponents="random"), SplendorEnv(opponents="random")
    first = [one.reset(seed=5)[0], one.reset()[0], one.reset()[0]]
    again = [other.reset(seed=5)[0], other.reset()[0], other.reset()[0]]
    np.testing.assert_array_equal(first, again)
    assert 3 == len({row.tobytes() for row in first})


def test_arrays_are_fresh() -> None:
    environment = SplendorEnv(opponents="random")
    row, info = environment.reset(seed=5)
    kept = row.copy(), info["action_mask"].copy()
    environment.step(info["action_mask"].argmax())
    np.testing.assert_array_equal(kept[0], row)
    np.testing.assert_array_equal(kept[1], info["action_mask"])
    row[:] = 0
    info["action_mask"][:] = 0
    np.testing.assert_array_equal(action_masks(environment.games.states)[0].astype(bool), environment.action_masks())
    assert observe(environment.games.states, 0).any()


def test_masks_say_what_is_legal() -> None:
    environment = SplendorEnv(variant="marvel", opponents="random")
    _, info = environment.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(25):
        legal = {move.action for move in Game.from_states(environment.games.states).legal_moves()}
        assert legal == set(np.flatnonzero(info["action_mask"])) == set(np.flatnonzero(environment.action_masks()))
        info = environment.step(random_actions(info["action_mask"][None], rng)[0])[4]


class First(BaseBot):
    """A bot that is not compiled: it plays its first legal move."""

    name, character = "first", "plays its first legal move"

    def __init__(self) -> None:
        self.seats: list[int] = []

    def choose(self, view: View, budget: Budget = NO_LIMIT, seed: int = 0, stop: Signal | None = None) -> Move:
        assert view.seat == view.turn
        self.seats.append(view.turn)
        return legal_moves(view)[0]


def test_any_bot_may_sit_at_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    first = First()
    monkeypatch.setitem(BOTS, "first", first)
    environment = SplendorEnv(players=3, opponents=["first", "greedy"], turn_limit=90)
    for seed in range(3):
        environment.reset(seed=seed)
        assert 0 == environment.games.states["turn"][0]
        play_out(environment, seed)
    assert {1} == set(first.seats)


def test_the_compiled_bots_are_the_named_bots() -> None:
    assert list(COMPILED_BOTS) == [bot(name).name for name in COMPILED_BOTS]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"opponents": "deep"}, "unknown bot 'deep'"),
        ({"opponents": ["greedy"], "players": 3}, "3 players need 2 opponents, not 1"),
        ({"turn_limit": 1}, "turn_limit must be at least 2"),
        ({"illegal": "ignore"}, "illegal must be one of end, raise, random"),
        ({"colour": 1}, "unknown setting 'colour': choose from variant, players, opponents"),
        ({"opponents": First}, r"First is a class: a bot is an object of it, First"),
        ({"opponents": 7}, "a bot is a name, a function of view, budget and seed, or an object with `choose`, not 7"),
        ({"start": 2}, "start must be a seat from 0 to 1"),
        ({"render_mode": "film"}, "render_mode must be one of"),
        ({"variant": "deluxe"}, "unknown variant 'deluxe'"),
        ({"goal": 0}, "goal must be a number from 1"),
    ],
)
def test_wrong_settings_are_refused_by_name(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(CabochonError, match=message):
        SplendorEnv(**settings)
    assert issubclass(RulesetError, CabochonError)


def test_steps_and_renders_need_a_deal_and_a_mode() -> None:
    with pytest.raises(CabochonError, match="reset the environment before the first step"):
        SplendorEnv().step(0)
    with pytest.raises(CabochonError, match="without a render mode"):
        SplendorEnv().render()


@pytest.mark.parametrize("opponents", ["random", First()], ids=["compiled", "asked from Python"])
def test_a_random_action_may_take_the_place_of_an_illegal_one(opponents: Any) -> None:
    environment = SplendorEnv(opponents=opponents, illegal="random", turn_limit=20)
    seen = []
    for _ in range(2):
        environment.reset(seed=4)
        done = False
        while not done:
            _, reward, terminated, truncated, _ = environment.step(60)
            done = terminated or truncated
            assert 0.0 == reward
        seen.append(environment.games.states.tobytes())
    assert seen[0] == seen[1]


@pytest.mark.parametrize("action", [None, 1.5, "take", [1], np.array([1, 2])])
def test_an_odd_action_is_refused_with_a_sentence(action: Any) -> None:
    environment = SplendorEnv(opponents="random")
    environment.reset(seed=1)
    with pytest.raises(WrongType, match="an action is a whole number from 0 to 72, not"):
        environment.step(action)
    with pytest.raises(CabochonError, match="unknown option 'seat': there are none"):
        environment.reset(options={"seat": 1})


def test_bots_are_objects_and_may_be_exchanged() -> None:
    first = First()
    environment = SplendorEnv(opponents=first, turn_limit=30)
    play_out(environment, 1)
    assert {1} == set(first.seats)
    asked = len(first.seats)
    environment.set_opponents(lambda view, budget, seed: str(legal_moves(view)[-1]))
    play_out(environment, 1)
    assert asked == len(first.seats)
