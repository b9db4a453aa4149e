"""Gymnasium's single environment: one seat against any bots."""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import CabochonError, IllegalMove
from ..observation import MASK_WORDS, WORD, action_masks, observation_words
from ..rules.actions import ACTION_COUNT
from .episodes import (
    ENDED,
    GOING,
    ILLEGAL,
    ILLEGAL_REWARD,
    LEARNER,
    MAX_SEED,
    NO_RESET,
    OUT_OF_TURNS,
    TURN_LIMIT,
    Episodes,
    checked_action,
    checked_illegal,
)
from .needs import needs_extra
from .opponents import Opponents, bots_decide, split_bots
from .rendering import RENDER_MODES, checked_mode, render
from .vector import checked_options, observation_space

with needs_extra("envs"):
    import gymnasium
    from gymnasium import spaces

ALL_GAMES = np.ones(1, np.bool_)
StepResult = tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]


class SplendorEnv(gymnasium.Env[NDArray[np.int8], Any]):
    """One learner (seat 0) against bots. A turn may take the learner several steps: the action, returns, a claim.

    An action that is not legal ends the episode with a reward of -1, or does what the setting `illegal` says.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        *,
        variant: str = "classic",
        players: int = 2,
        opponents: Opponents = "greedy",
        turn_limit: int = TURN_LIMIT,
        illegal: str = "end",
        start: int | None = None,
        render_mode: str | None = None,
        **house: Any,
    ) -> None:
        bots, self._python_bots = split_bots(players, opponents)
        decide = partial(bots_decide, self._python_bots) if self._python_bots else None
        self.games = Episodes(1, variant, players, bots, turn_limit, start, decide, **house)
        self.illegal, self.render_mode = checked_illegal(illegal), checked_mode(render_mode)
        self.action_space = spaces.Discrete(ACTION_COUNT)
        self.observation_space: spaces.Box = observation_space(players, variant)  # type: ignore[assignment]
        self._size = observation_words(players, variant)
        self._is_seeded = self._is_dealt = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """Deal the next game, with a seed the first of a new sequence, and play to the learner's first decision."""
        super().reset(seed=seed, options=options)
        checked_options(options, ())
        if seed is not None or not self._is_seeded:
            number = self.np_random.integers(0, MAX_SEED) if seed is None else seed
            self.games.seed(np.array([number], np.int64), ALL_GAMES)
            self._is_seeded = True
        for player in self._python_bots.values():
            player.new_game()
        observations, masks = self.games.reset(ALL_GAMES)
        self._is_dealt = True
        if self.render_mode == "human":
            self.render()
        return observations[0], {"action_mask": masks[0]}

    def step(self, action: Any) -> StepResult:
        """Play the learner's action, then the bots until the learner has to decide again."""
        if not self._is_dealt:
            raise CabochonError("reset the environment before the first step")
        number = checked_action(action)
        result = self._step_with_python_bots(number) if self._python_bots else self._step(number)
        if self.render_mode == "human":
            self.render()
        return result

    def set_opponents(self, opponents: Opponents) -> None:
        """Others play from now on, in the game that runs too: for self-play against snapshots of what is learnt."""
        bots, self._python_bots = split_bots(self.games.rules.players, opponents)
        self.games.set_bots(bots, partial(bots_decide, self._python_bots) if self._python_bots else None)

    def _step(self, action: int) -> StepResult:
        """A step against compiled bots: one call of a kernel."""
        games, words = self.games, np.empty(self._size + MASK_WORDS, np.int64)
        outcome = games.step_one(action, words)
        if outcome == ILLEGAL:
            outcome = games.step_one(self._instead_of(action), words)
        reward = 0.0
        if outcome == ENDED:
            reward = games.reward()
        elif outcome == ILLEGAL:
            reward = ILLEGAL_REWARD
            games.look(words)
        shown = words.view(np.int8)
        mask = shown[WORD * self._size :][:ACTION_COUNT]
        is_over = outcome != GOING and outcome != OUT_OF_TURNS
        return shown[: WORD * self._size], reward, is_over, outcome == OUT_OF_TURNS, {"action_mask": mask}

    def _step_with_python_bots(self, action: int) -> StepResult:
        actions = np.array([action], np.int64)
        if len(self.games.illegal(actions, NO_RESET)):
            actions[0] = self._instead_of(action)
        step = self.games.step(actions, NO_RESET)
        info = {"action_mask": step.masks[0]}
        return step.observations[0], float(step.rewards[0]), bool(step.terminated[0]), bool(step.truncated[0]), info

    def _instead_of(self, action: int) -> int:
        """What is played in the place of an illegal action: the same, which ends the episode, or a random one; or it raises."""
        if self.illegal == "raise":
            raise IllegalMove(f"action {action}", "not legal in this position")
        if self.illegal == "random":
            return int(self.games.with_legal(np.array([action], np.int64), NO_RESET)[0])
        return action

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions now; the method that sb3-contrib's MaskablePPO calls."""
        masks: NDArray[np.bool_] = action_masks(self.games.states)[0].view(np.bool_)
        return masks

    def render(self) -> Any:
        """The table as the learner sees it."""
        return render(self.games.states[0], LEARNER, self.render_mode)
