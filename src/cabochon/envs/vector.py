"""Gymnasium's vector environment: one compiled call for each step, no Python loop over games."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from ..errors import CabochonError, IllegalMove
from ..rules.actions import ACTION_COUNT
from .episodes import NEXT_STEP, NO_RESET, SAME_STEP, TURN_LIMIT, Episodes, Step, compiled_bots, seat_bots
from .observation import MAX_NUMBER, action_masks, observation_size

MODES = {AutoresetMode.DISABLED: NO_RESET, AutoresetMode.NEXT_STEP: NEXT_STEP, AutoresetMode.SAME_STEP: SAME_STEP}
ILLEGAL_MODES = ("end", "raise")
Observations = NDArray[np.int8]
Infos = dict[str, Any]


def observation_space(players: int, variant: str) -> spaces.Box:
    return spaces.Box(0, MAX_NUMBER, (observation_size(players, variant),), np.int8)


def checked_illegal(illegal: str) -> str:
    if illegal not in ILLEGAL_MODES:
        raise CabochonError(f"illegal must be one of {', '.join(ILLEGAL_MODES)}, not {illegal!r}")
    return illegal


class SplendorVectorEnv(VectorEnv[Observations, ArrayLike, NDArray[Any]]):
    """Many games of one learner (seat 0) against compiled bots.

    `autoreset_mode` may be next-step, same-step or disabled; `reset` takes `options={"reset_mask": ...}`.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        variant: str = "classic",
        players: int = 2,
        opponents: str | Sequence[str] = "greedy",
        turn_limit: int = TURN_LIMIT,
        illegal: str = "end",
        start: int | None = None,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        **house: Any,
    ) -> None:
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.illegal = checked_illegal(illegal)
        self.num_envs = num_envs
        self._mode = MODES[self.autoreset_mode]
        bots = compiled_bots(seat_bots(players, opponents))
        self.games = Episodes(num_envs, variant, players, bots, turn_limit, start, **house)
        self.single_action_space = spaces.Discrete(ACTION_COUNT)
        self.single_observation_space = observation_space(players, variant)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._is_seeded = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Deal new games. An integer seeds game i with seed + i, a list each game with its own number."""
        which = (options or {}).get("reset_mask", np.ones(self.num_envs, np.bool_))
        if not isinstance(which, np.ndarray) or which.shape != (self.num_envs,) or which.dtype != np.bool_ or not which.any():
            raise CabochonError(f"reset_mask must be an array of {self.num_envs} truth values, at least one of them True")
        super().reset(seed=seed if isinstance(seed, int) else None)
        self._seed(seed, which)
        observations, masks = self.games.reset(which)
        if not which.all():
            masks = np.where(which[:, None], masks, 0)
        return observations, {"action_mask": masks, "_action_mask": which.copy()}

    def step(self, actions: ArrayLike) -> tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], Infos]:
        numbers = np.ascontiguousarray(actions, np.int64)
        if numbers.shape != (self.num_envs,):
            raise CabochonError(f"actions must be {self.num_envs} whole numbers, one for each game")
        if self.illegal == "raise":
            self._refuse_illegal(numbers)
        step = self.games.step(numbers, self._mode)
        infos = self._final_infos(step) if self._mode == SAME_STEP else {}
        infos |= {"action_mask": step.masks, "_action_mask": np.ones(self.num_envs, np.bool_)}
        return step.observations, step.rewards, step.terminated, step.truncated, infos

    def action_masks(self) -> NDArray[np.int8]:
        """The legal actions now: a row of 73 zeros and ones for each game."""
        return action_masks(self.games.states)

    def _seed(self, seed: int | Sequence[int | None] | None, which: NDArray[np.bool_]) -> None:
        all_games = np.ones(self.num_envs, np.bool_)
        if not self._is_seeded:
            self.games.seed(self.np_random.integers(0, 1 << 62, self.num_envs), all_games)
            self._is_seeded = True
        if isinstance(seed, int | np.integer):
            self.games.seed(np.int64(seed) + np.arange(self.num_envs), which)
        elif seed is not None:
            if len(seed) != self.num_envs:
                raise CabochonError(f"seeds must be {self.num_envs}, one for each game, not {len(seed)}")
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
