"""The vector environment for Stable-Baselines3, with the action masks that sb3-contrib's MaskablePPO asks for.

Needs stable-baselines3 (and sb3-contrib for MaskablePPO), which the extra `ppo` installs.
"""

from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..bots import Policy
from ..observation import SCALE
from .needs import needs_extra
from .opponents import Opponents
from .vector import SplendorVectorEnv

with needs_extra("ppo"):
    from gymnasium import spaces
    from gymnasium.vector import AutoresetMode
    from stable_baselines3.common.vec_env import VecEnv


class SplendorVecEnv(VecEnv):  # type: ignore[misc]
    """Many games in one compiled call, as Stable-Baselines3 wants them. Observations are float32, divided by `scale`.

    Settings are those of `SplendorVectorEnv`: variant, players, opponents, turn_limit, illegal, start, and house rules.
    """

    def __init__(self, num_envs: int, *, scale: float = SCALE, **settings: Any) -> None:
        self.games = SplendorVectorEnv(num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **settings)
        self.scale = np.float32(scale)
        size = self.games.single_observation_space.shape
        super().__init__(num_envs, spaces.Box(0, np.inf, size, np.float32), self.games.single_action_space)
        self.masks = np.zeros((num_envs, 0), np.bool_)
        self._actions: Any = None

    def reset(self) -> Any:
        """Deal; a seed that was set is used once."""
        observations, infos = self.games.reset(seed=self._seeds[0] if self._seeds else None)
        self._reset_seeds()
        self.masks = infos["action_mask"].astype(np.bool_)
        return self._scaled(observations)

    def step_async(self, actions: Any) -> None:
        self._actions = actions

    def step_wait(self) -> Any:
        """Play the actions; a game that ended begins anew, and its last observation is in its info."""
        observations, rewards, terminated, truncated, info = self.games.step(self._actions)
        ended, self.masks = terminated | truncated, info["action_mask"].astype(np.bool_)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(ended):
            last = self._scaled(info["final_obs"][game])
            infos[game] = {"terminal_observation": last, "TimeLimit.truncated": bool(truncated[game])}
        return self._scaled(observations), rewards.astype(np.float32), ended, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions now: a row of 73 truth values for each game."""
        return self.masks

    def set_opponents(self, opponents: Opponents) -> None:
        """Others play from now on: for self-play against snapshots, with `PolicyBot("before", frozen_policy(model))`."""
        self.games.set_opponents(opponents)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Answer the one question that MaskablePPO puts to every game; other methods are those of all games together."""
        if method_name == "action_masks":
            return list(self.masks)
        return [getattr(self, method_name)(*method_args, **method_kwargs)] * len(list(self._get_indices(indices)))

    def has_attr(self, attr_name: str) -> bool:
        return hasattr(self, attr_name) or hasattr(self.games, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute, the same for every game."""
        value = getattr(self, attr_name) if hasattr(self, attr_name) else getattr(self.games, attr_name)
        return [value] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:  # noqa: ARG002
        setattr(self.games, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:  # noqa: ARG002
        return [False] * len(list(self._get_indices(indices)))

    def close(self) -> None:
        self.games.close()

    def _scaled(self, observations: NDArray[np.int8]) -> NDArray[np.float32]:
        return observations.astype(np.float32) / self.scale


def frozen_policy(model: Any, *, scale: float = SCALE, deterministic: bool = False) -> Policy:
    """What a MaskablePPO plays now, as a policy for `PolicyBot`. It is a copy: the model may go on learning."""
    policy = type(model.policy)(**model.policy._get_constructor_parameters())  # a deep copy would also take unfinished gradients
    policy.load_state_dict(deepcopy(model.policy.state_dict()))
    policy.to(model.device)
    policy.set_training_mode(False)

    def choose(observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        rows = observations.astype(np.float32) / np.float32(scale)
        actions, _ = policy.predict(rows, action_masks=masks.astype(np.bool_), deterministic=deterministic)
        return np.asarray(actions, np.int64)

    return choose
