"""The vector environment is the single one many times, step by step."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from cabochon import VARIANTS, CabochonError, IllegalMove, Move, View, batch
from cabochon.bots import Budget, PolicyBot, legal_moves
from cabochon.envs.gymnasium import SplendorEnv
from cabochon.envs.registration import GYMNASIUM_IDS
from cabochon.envs.vector import SplendorVectorEnv
from cabochon.observation import observation_size

from .games import random_actions

pytestmark = pytest.mark.slow

GAMES = 12


def first_legal(view: View, _budget: Budget, _seed: int) -> Move:
    return legal_moves(view)[0]


def lowest_legal(_observations: Any, masks: Any) -> Any:
    return masks.argmax(axis=1)


SETTINGS: list[dict[str, Any]] = [
    {"opponents": "random"},
    {"opponents": "greedy", "variant": "marvel", "players": 3},
    {"opponents": "greedy", "variant": "cities"},
    {"opponents": ["random", "greedy", "random"], "players": 4, "turn_limit": 50, "take_fewer": True},
    {"opponents": [first_legal, "random"], "players": 3, "turn_limit": 40, "illegal": "random"},
    {"opponents": PolicyBot("lowest", lowest_legal), "turn_limit": 40},
]


def assert_same(one: Any, other: Any, where: str) -> None:
    """Equal through and through: dictionaries, arrays, arrays of arrays."""
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for name in one:
            assert_same(one[name], other[name], f"{where} {name}")
    elif one.dtype == object:
        for left, right in zip(one, other, strict=True):
            np.testing.assert_array_equal(left, right, where)
    else:
        assert one.dtype == other.dtype, where
        np.testing.assert_array_equal(one, other, where)


@pytest.mark.parametrize("settings", SETTINGS, ids=range(len(SETTINGS)))  # functions have no name that stays
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_equal_to_the_single_environment(settings: dict[str, Any], mode: AutoresetMode) -> None:
    ours = SplendorVectorEnv(GAMES, autoreset_mode=mode, **settings)
    theirs = SyncVectorEnv([lambda: SplendorEnv(**settings)] * GAMES, autoreset_mode=mode)
    assert theirs.single_observation_space == ours.single_observation_space
    assert theirs.observation_space == ours.observation_space and theirs.action_space == ours.action_space
    assert theirs.metadata["autoreset_mode"] == ours.metadata["autoreset_mode"]
    rows, infos = ours.reset(seed=7)
    other_rows, other_infos = theirs.reset(seed=7)
    rng, ends = np.random.default_rng(1), 0
    for step in range(120):
        assert_same(other_rows, rows, f"observations, step {step}")
        assert_same(other_infos, infos, f"infos, step {step}")
        actions = random_actions(infos["action_mask"], rng, illegal=0.01)
        rows, rewards, terminated, truncated, infos = ours.step(actions)
        other_rows, other_rewards, other_terminated, other_truncated, other_infos = theirs.step(actions)
        assert_same(other_rewards, rewards, f"rewards, step {step}")
        assert_same(other_terminated, terminated, f"terminated, step {step}")
        assert_same(other_truncated, truncated, f"truncated, step {step}")
        ends += int((terminated | truncated).sum())
    assert ends > GAMES


def test_several_cores_play_like_one() -> None:
    def run(cores: int) -> bytes:
        games = SplendorVectorEnv(2 * batch.GAMES_PER_THREAD + 7, variant="marvel", opponents="random")
        rng, seen = np.random.default_rng(2), []
        with batch.cores(cores):
            _, infos = games.reset(seed=1)
            for _ in range(8):
                rows, _, _, _, infos = games.step(random_actions(infos["action_mask"], rng))
                seen.append(rows.tobytes())
        return b"".join(seen) + games.games.states.tobytes()

    assert run(1) == run(2)


def test_seeds_by_list_and_by_number() -> None:
    one, other = SplendorVectorEnv(3, opponents="random"), SplendorVectorEnv(3, opponents="random")
    np.testing.assert_array_equal(one.reset(seed=4)[0], other.reset(seed=[4, 5, 6])[0])
    kept = one.reset(seed=[None, 9, None])[0]
    np.testing.assert_array_equal(kept[1], other.reset(seed=[9, 9, 9])[0][1])
    assert (kept != other.reset()[0]).any()
    with pytest.raises(CabochonError, match="seeds must be 3"):
        one.reset(seed=[1, 2])


def test_disabled_mode_resets_what_it_is_told_to() -> None:
    games = SplendorVectorEnv(4, opponents="random", turn_limit=4, autoreset_mode=AutoresetMode.DISABLED)
    _, infos = games.reset(seed=1)
    ended, rng = np.zeros(4, bool), np.random.default_rng(1)
    while not ended.any():
        _, _, terminated, truncated, infos = games.step(random_actions(infos["action_mask"], rng))
        ended = terminated | truncated
    before = games.games.states.copy()
    _, infos = games.reset(options={"reset_mask": ended})
    assert (before[~ended] == games.games.states[~ended]).all()
    assert {0, 1} >= set(games.games.states["turns"][ended].tolist())
    np.testing.assert_array_equal(ended, infos["_action_mask"])
    assert not infos["action_mask"][~ended].any()


@pytest.mark.parametrize(("name", "variant"), GYMNASIUM_IDS.items())
def test_gymnasium_makes_it_by_name(name: str, variant: str) -> None:
    games = gymnasium.make_vec(name, num_envs=5, vectorization_mode="vector_entry_point", players=4)
    assert isinstance(games.unwrapped, SplendorVectorEnv)
    assert VARIANTS[variant].index == games.unwrapped.games.states["variant"][0]
    assert (5, observation_size(4, variant)) == games.reset(seed=0)[0].shape


def test_arrays_are_fresh() -> None:
    games = SplendorVectorEnv(8, opponents="random")
    rows, infos = games.reset(seed=1)
    kept = rows.copy(), infos["action_mask"].copy()
    actions = infos["action_mask"].argmax(axis=1)
    step = games.step(actions)
    np.testing.assert_array_equal(kept[0], rows)
    np.testing.assert_array_equal(kept[1], infos["action_mask"])
    np.testing.assert_array_equal(step[4]["action_mask"], games.action_masks())


def test_illegal_actions_raise_if_asked_and_change_nothing() -> None:
    games = SplendorVectorEnv(3, illegal="raise")
    _, infos = games.reset(seed=1)
    before, actions = games.games.states.tobytes(), infos["action_mask"].argmax(axis=1)
    actions[1] = 60
    with pytest.raises(IllegalMove, match="action 60 in game 1"):
        games.step(actions)
    assert before == games.games.states.tobytes()


def test_wrong_arguments_are_refused() -> None:
    games = SplendorVectorEnv(3)
    games.reset(seed=1)
    with pytest.raises(CabochonError, match="actions must be 3 whole numbers"):
        games.step([1, 2])
    with pytest.raises(CabochonError, match="reset_mask must be an array of 3"):
        games.reset(options={"reset_mask": [True, False, False]})
    with pytest.raises(CabochonError, match="unknown bot 'deep': choose one of random"):
        SplendorVectorEnv(3, opponents="deep")


def test_a_policy_decides_for_all_its_games_at_once() -> None:
    asked: list[int] = []

    def count(observations: Any, masks: Any) -> Any:
        asked.append(len(observations))
        return masks.argmax(axis=1)

    games = SplendorVectorEnv(32, opponents=PolicyBot("counting", count), start=0)
    _, infos = games.reset(seed=1)
    assert not asked
    games.step(infos["action_mask"].argmax(axis=1))
    assert 32 == asked[0]
    assert (games.games.states["turn"] == 0).all()


def test_opponents_can_be_exchanged_for_snapshots() -> None:
    games = SplendorVectorEnv(8, opponents=PolicyBot("lowest", lowest_legal), start=0, turn_limit=60)
    _, infos = games.reset(seed=1)
    games.step(infos["action_mask"].argmax(axis=1))
    games.set_opponents("greedy")
    for _ in range(40):
        infos = games.step(games.action_masks().argmax(axis=1))[4]
    games.set_opponents(PolicyBot("odd", lambda rows, masks: np.full(len(rows), 60)))
    with pytest.raises(IllegalMove, match="action 60 in game") as error:
        games.step(games.action_masks().argmax(axis=1))
    assert ["opponent odd chose it"] == error.value.__notes__


@pytest.mark.parametrize("actions", [[0.0] * 3, [[0], [1], [2]], ["a", "b", "c"], [0, 1], [[0, 1], [0]], None])
def test_odd_actions_and_options_are_refused_with_a_sentence(actions: Any) -> None:
    games = SplendorVectorEnv(3, opponents="random")
    games.reset(seed=1)
    with pytest.raises(CabochonError, match="actions must be 3 whole numbers, one for each game"):
        games.step(actions)
    with pytest.raises(CabochonError, match="unknown option 'reset': choose from reset_mask"):
        games.reset(options={"reset": 1})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_envs": 0}, "num_envs must be a whole number from 1, not 0"),
        ({"num_envs": "x"}, "num_envs must be a whole number from 1, not 'x'"),
        ({"players": "2"}, "players must be 2, 3 or 4, not '2'"),
        ({"turn_limit": "x"}, "turn_limit must be at least 2, a turn for every seat, not 'x'"),
        ({"start": "x"}, "start must be a seat from 0 to 1, not 'x'"),
        ({"autoreset_mode": "x"}, "autoreset_mode must be one of next_step, same_step, disabled, not 'x'"),
        ({"render_mode": "ansi"}, "unknown setting 'render_mode': choose from num_envs, variant, players, opponents, turn_limit"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(CabochonError, match=message) as wrong:
        SplendorVectorEnv(**settings)
    assert 1 == str(wrong.value).count("render_mode") or "render_mode" not in settings


@pytest.mark.parametrize("mode", ["same_step", "SameStep", AutoresetMode.SAME_STEP])
def test_a_mode_has_the_names_of_gymnasium_and_of_the_gpu(mode: Any) -> None:
    assert AutoresetMode.SAME_STEP is SplendorVectorEnv(2, autoreset_mode=mode).metadata["autoreset_mode"]


def test_a_step_needs_a_reset_and_a_reset_numbers() -> None:
    envs = SplendorVectorEnv(2)
    with pytest.raises(CabochonError, match="reset the environment before the first step"):
        envs.step([1, 2])
    with pytest.raises(CabochonError, match="seeds are whole numbers or None"):
        envs.reset(seed=[1, "x"])  # type: ignore[list-item]
    with pytest.raises(CabochonError, match="the options of a reset are a dict"):
        envs.reset(options=5)  # type: ignore[arg-type]
