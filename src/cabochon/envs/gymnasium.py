"""Gymnasium's single environment: one seat against any named bots."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ..bots import Budget, bot
from ..errors import CabochonError, IllegalMove
from ..game import Game
from ..rules.actions import ACTION_COUNT
from ..rules.rng import stir
from ..view import view
from .episodes import (
    CALLER,
    COMPILED_BOTS,
    ENDED,
    GOING,
    LEARNER,
    NO_RESET,
    OUT_OF_TURNS,
    TURN_LIMIT,
    Episodes,
    pack_bots,
    seat_bots,
    status,
)
from .observation import action_masks
from .rendering import RENDER_MODES, checked_mode, render
from .vector import checked_illegal, observation_space

ALL_GAMES = np.ones(1, np.bool_)
MAX_SEED = (1 << 62) - 1


class SplendorEnv(gymnasium.Env[NDArray[np.int8], Any]):
    """One learner (seat 0) against bots. A turn may take the learner several steps: the action, returns, a claim.

    An action that is not legal ends the episode with a reward of -1, or raises with `illegal="raise"`.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        *,
        variant: str = "classic",
        players: int = 2,
        opponents: str | Sequence[str] = "greedy",
        turn_limit: int = TURN_LIMIT,
        illegal: str = "end",
        start: int | None = None,
        render_mode: str | None = None,
        **house: Any,
    ) -> None:
        names = seat_bots(players, opponents)
        self._python_bots = {seat: bot(name) for seat, name in enumerate(names, 1) if name not in COMPILED_BOTS}
        bots = pack_bots([CALLER, *(COMPILED_BOTS.get(name, CALLER) for name in names)])
        self.games = Episodes(1, variant, players, bots, turn_limit, start, **house)
        self.illegal, self.render_mode = checked_illegal(illegal), checked_mode(render_mode)
        self.action_space = spaces.Discrete(ACTION_COUNT)
        self.observation_space: spaces.Box = observation_space(players, variant)  # type: ignore[assignment]
        self._is_seeded = self._is_dealt = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Deal the next game, with a seed the first of a new sequence, and play to the learner's first decision."""
        super().reset(seed=seed, options=options)
        if seed is not None or not self._is_seeded:
            number = self.np_random.integers(0, MAX_SEED) if seed is None else seed
            self.games.seed(np.array([number], np.int64), ALL_GAMES)
            self._is_seeded = True
        observations, masks = self.games.reset(ALL_GAMES)
        self._is_dealt = True
        if self._python_bots:
            observations, masks, _ = self._python_bots_play(observations, masks, 0.0)
        self._render_for_human()
        return observations[0], {"action_mask": masks[0]}

    def step(self, action: Any) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the bots until the learner has to decide again."""
        if not self._is_dealt:
            raise CabochonError("reset the environment before the first step")
        actions = np.array([action], np.int64)
        if self.illegal == "raise" and len(self.games.illegal(actions, NO_RESET)):
            raise IllegalMove(f"action {action}", "not legal in this position")
        step = self.games.step(actions, NO_RESET)
        observations, masks, reward = step.observations, step.masks, float(step.rewards[0])
        terminated, truncated = bool(step.terminated[0]), bool(step.truncated[0])
        if self._python_bots and not (terminated or truncated):
            observations, masks, reward = self._python_bots_play(observations, masks, reward)
            terminated, truncated = self._status() == ENDED, self._status() == OUT_OF_TURNS
        self._render_for_human()
        return observations[0], reward, terminated, truncated, {"action_mask": masks[0]}

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions now; the method that sb3-contrib's MaskablePPO calls."""
        masks: NDArray[np.bool_] = action_masks(self.games.states)[0].view(np.bool_)
        return masks

    def render(self) -> Any:
        """The table as the learner sees it."""
        return render(self.games.states[0], LEARNER, self.render_mode)

    def _render_for_human(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _status(self) -> int:
        return status(self.games.states[0], self.games.turn_limit)

    def _python_bots_play(
        self, observations: NDArray[np.int8], masks: NDArray[np.int8], reward: float
    ) -> tuple[NDArray[np.int8], NDArray[np.int8], float]:
        """Let the bots that are not compiled decide, each from its own view."""
        games = self.games
        while games.states["turn"][0] in self._python_bots and self._status() == GOING:
            seat = int(games.states["turn"][0])
            games.rngs[0] = stir(games.rngs[0])
            move = self._python_bots[seat].choose(view(games.states[0], seat), Budget(), int(games.rngs[0]) & MAX_SEED)
            game = Game.from_states(games.states)
            game.play(move)
            games.states[0] = game.states[0]
            observations, masks, reward = games.resume()
        return observations, masks, reward
