"""Gymnasium's vector environment: one compiled call for each step, no Python loop over games."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import CabochonError, IllegalMove, WrongType, quoted
from ..observation import MAX_NUMBER, action_masks, observation_size
from ..rules.actions import ACTION_COUNT
from ..ruleset import is_count
from .episodes import (
    MAX_SEED,
    NEXT_STEP,
    NO_RESET,
    SAME_STEP,
    TURN_LIMIT,
    Episodes,
    Step,
    checked_illegal,
    env_rules,
)
from .needs import needs_extra
from .opponents import Opponents, bots_decide, split_bots

with needs_extra("envs"):
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

MODES = {AutoresetMode.DISABLED: NO_RESET, AutoresetMode.NEXT_STEP: NEXT_STEP, AutoresetMode.SAME_STEP: SAME_STEP}
OPTIONS = ("reset_mask",)
SETTINGS = ("num_envs", "variant", "players", "opponents", "turn_limit", "illegal", "start", "autoreset_mode")
Observations = NDArray[np.int8]
Infos = dict[str, Any]


def observation_space(players: int, variant: str) -> spaces.Box:
    return spaces.Box(0, MAX_NUMBER, (observation_size(players, variant),), np.int8)


def checked_options(options: dict[str, Any] | None, known: Sequence[str]) -> dict[str, Any]:
    """The options of a reset; one that is not known raises."""
    if options is not None and not isinstance(options, dict):
        raise WrongType(f"the options of a reset are a dict, not {quoted(options)}")
    for name in options or {}:
        if name not in known:
            raise CabochonError(f"unknown option {name!r}: " + (f"choose from {', '.join(known)}" if known else "there are none"))
    return options or {}


def checked_mode(mode: str | AutoresetMode) -> AutoresetMode:
    """When a finished game is dealt anew: a mode of Gymnasium, its value, or its name in small letters as on a GPU."""
    modes = {one.name.lower(): one for one in AutoresetMode} | {one.value: one for one in AutoresetMode}
    if isinstance(mode, AutoresetMode):
        return mode
    if not isinstance(mode, str) or mode not in modes:
        names = ", ".join(one.name.lower() for one in AutoresetMode)
        raise CabochonError(f"autoreset_mode must be one of {names}, not {quoted(mode)}")
    return modes[mode]


def checked_count(num_envs: int) -> int:
    """How many games; at least one."""
    if not is_count(num_envs) or num_envs < 1:
        raise CabochonError(f"num_envs must be a whole number from 1, not {quoted(num_envs)}")
    return num_envs


class SplendorVectorEnv(VectorEnv[Observations, ArrayLike, NDArray[Any]]):
    """Many games of one learner (seat 0) against bots.

    `autoreset_mode` may be next-step, same-step or disabled; `reset` takes `options={"reset_mask": ...}`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        variant: str = "classic",
        players: int = 2,
        opponents: Opponents = "greedy",
        turn_limit: int = TURN_LIMIT,
        illegal: str = "end",
        start: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **house: Any,
    ) -> None:
        env_rules(variant, players, house, SETTINGS)  # which refuses an unknown setting by name
        self.autoreset_mode = checked_mode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.illegal = checked_illegal(illegal)
        self.num_envs = checked_count(num_envs)
        self._mode = MODES[self.autoreset_mode]
        bots, others = split_bots(players, opponents)
        decide = partial(bots_decide, others) if others else None
        self.games = Episodes(num_envs, variant, players, bots, turn_limit, start, decide, **house)
        self.single_action_space = spaces.Discrete(ACTION_COUNT)
        self.single_observation_space = observation_space(players, variant)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._is_seeded = self._is_dealt = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Deal new games. An integer seeds game i with seed + i, a list each game with its own number."""
        which = checked_options(options, OPTIONS).get("reset_mask", np.ones(self.num_envs, np.bool_))
        if not isinstance(which, np.ndarray) or which.shape != (self.num_envs,) or which.dtype != np.bool_ or not which.any():
            raise CabochonError(f"reset_mask must be an array of {self.num_envs} truth values, at least one of them True")
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._seed(seed, which)
        observations, masks = self.games.reset(which)
        self._is_dealt = True
        if not which.all():
            masks = np.where(which[:, None], masks, 0)
        return observations, {"action_mask": masks, "_action_mask": which.copy()}

    def step(self, actions: ArrayLike) -> tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], Infos]:
        if not self._is_dealt:
            raise CabochonError("reset the environment before the first step")
        numbers = self._checked_actions(actions)
        if self.illegal == "raise":
            self._refuse_illegal(numbers)
        elif self.illegal == "random":
            numbers = self.games.with_legal(numbers, self._mode)
        step = self.games.step(numbers, self._mode)
        infos = self._final_infos(step) if self._mode == SAME_STEP else {}
        infos |= {"action_mask": step.masks, "_action_mask": np.ones(self.num_envs, np.bool_)}
        return step.observations, step.rewards, step.terminated, step.truncated, infos

    def action_masks(self) -> NDArray[np.int8]:
        """The legal actions now: a row of 73 zeros and ones for each game."""
        return action_masks(self.games.states)

    def set_opponents(self, opponents: Opponents) -> None:
        """Others play from now on, in the games that run too: for self-play against snapshots of what is learnt."""
        bots, others = split_bots(self.games.rules.players, opponents)
        self.games.set_bots(bots, partial(bots_decide, others) if others else None)

    def _checked_actions(self, actions: ArrayLike) -> NDArray[np.int64]:
        """A whole number for each game. Floats are refused: they would be cut off without a word."""
        try:
            numbers = np.asarray(actions)
        except ValueError as wrong:  # lists of different lengths
            raise CabochonError(f"actions must be {self.num_envs} whole numbers, one for each game") from wrong
        if numbers.shape != (self.num_envs,) or numbers.dtype.kind not in "iu":
            raise CabochonError(f"actions must be {self.num_envs} whole numbers, one for each game, not {quoted(actions)}")
        return np.ascontiguousarray(numbers, np.int64)

    def _seed(self, seed: int | Sequence[int | None] | None, which: NDArray[np.bool_]) -> None:
        all_games = np.ones(self.num_envs, np.bool_)
        if not self._is_seeded:
            self.games.seed(self.np_random.integers(0, MAX_SEED + 1, self.num_envs), all_games)
            self._is_seeded = True
        if isinstance(seed, int | np.integer):
            self.games.seed(np.int64(seed) + np.arange(self.num_envs), which)
        elif seed is not None:
            if len(seed) != self.num_envs:
                raise CabochonError(f"seeds must be {self.num_envs}, one for each game, not {len(seed)}")
            if not all(number is None or is_count(number) for number in seed):
                raise WrongType(f"seeds are whole numbers or None, not {quoted(seed)}")
            given = np.array([number is not None for number in seed])
            self.games.seed(np.array([number or 0 for number in seed], np.int64), which & given)

    def _refuse_illegal(self, actions: NDArray[np.int64]) -> None:
        games = self.games.illegal(actions, self._mode)
        if len(games):
            raise IllegalMove(f"action {actions[games[0]]} in game {games[0]}", "not legal in this position")

    def _final_infos(self, step: Step) -> Infos:
        """The last observations and masks of the episodes that ended, in Gymnasium's format."""
        ended = step.terminated | step.truncated
        if not ended.any():
            return {}
        last = np.full(self.num_envs, None, object)
        last[ended] = np.fromiter(step.final_observations[ended], object, int(ended.sum()))
        masks = np.where(ended[:, None], step.final_masks, 0)
        return {
            "final_obs": last,
            "_final_obs": ended.copy(),
            "final_info": {"action_mask": masks, "_action_mask": ended.copy()},
            "_final_info": ended.copy(),
        }
