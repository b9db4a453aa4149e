# mypy: warn-return-any=False
"""PettingZoo's turn-based environment, shared by `splendor_v0` and those of the other variants: every seat is an agent."""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle, seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv  # type: ignore[import-untyped]
from pettingzoo.utils import wrappers  # type: ignore[import-untyped]

from ..errors import IllegalMove
from ..rules.actions import ACTION_COUNT, FIRST_ACTION, PASS
from ..rules.compile import kernel
from ..rules.deal import deal_from
from ..rules.play import legal, play
from ..rules.variants import VARIANTS
from ..ruleset import blank_states, ruleset
from .episodes import ENDED, GOING, ILLEGAL, ILLEGAL_REWARD, TURN_LIMIT, checked_limit, checked_start, reward_of, status
from .names import pettingzoo_module
from .observation import MAX_NUMBER, blank_masks, blank_rows, mask_numbers, numbers, observation_size, observe, write_mask
from .rendering import RENDER_MODES, checked_mode, render

Observation = dict[str, NDArray[np.int8]]


@kernel
def _observe(states: Any, seat: int, rows: Any, masks: Any) -> None:
    """Write a seat's observation, and its action mask if it is to decide (else zeros)."""
    state = states[0]
    observe(state, seat, rows[0])
    write_mask(state.stage, legal(state) if seat == state.turn else 0, masks[0])


@kernel
def _deal(states: Any, seed: int, start: int, rows: Any, masks: Any) -> int:
    """Deal a game; returns the seat to decide."""
    state = states[0]
    deal_from(state, seed, start)
    _observe(states, state.turn, rows, masks)
    return state.turn


@kernel
def _step(states: Any, action: int, turn_limit: int, rows: Any, masks: Any) -> int:
    """Play an action; returns the seat to decide in the low four bits, and above them the status of the game."""
    state = states[0]
    bit = action - FIRST_ACTION[state.stage]
    if bit < 0 or bit > PASS or legal(state) >> bit & 1 == 0:
        return ILLEGAL << 4
    play(state, action)
    _observe(states, state.turn, rows, masks)
    return status(state, turn_limit) << 4 | state.turn


@kernel
def _rewards(states: Any, out: Any) -> None:
    for seat in range(states[0].players):
        out[seat] = reward_of(states[0], seat)


class SeatsEnv(AECEnv[str, Observation, int], EzPickle):  # type: ignore[misc]
    """A game of 2 to 4 agents, `player_0` to `player_3`. An agent acts again while it has tokens to return or a tile to claim.

    Each variant has a subclass `raw_env` in a module of its own, as is usual in PettingZoo.
    """

    variant: str
    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "is_parallelizable": False, "render_fps": 2}  # noqa: RUF012

    def __init_subclass__(cls) -> None:
        cls.metadata = SeatsEnv.metadata | {"name": pettingzoo_module(VARIANTS[cls.variant])}

    def __init__(
        self,
        players: int = 2,
        turn_limit: int = TURN_LIMIT,
        start: int | None = None,
        render_mode: str | None = None,
        **house: Any,
    ) -> None:
        super().__init__()
        EzPickle.__init__(self, players, turn_limit, start, render_mode, **house)
        self.rules = ruleset(self.variant, players, house)
        self.turn_limit = checked_limit(turn_limit, players)
        self.render_mode = checked_mode(render_mode)
        self.start = checked_start(start, players)
        self.states = blank_states(self.rules, 1)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents = self.possible_agents[:]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.action_spaces = {agent: spaces.Discrete(ACTION_COUNT) for agent in self.possible_agents}
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self._rng = seeding.np_random()[0]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Deal a game; the start seat is drawn from the seed unless it was given."""
        if seed is not None:
            self._rng = seeding.np_random(seed)[0]
        self._blank()
        seat = _deal(self.states, int(self._rng.integers(0, 1 << 62)), self.start, self._rows, self._masks)
        self._observed_seat = seat
        self.agents = self.possible_agents[:]
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[seat]
        self._render_for_human()

    def observe(self, agent: str) -> Observation:
        """What this agent may know, and its legal actions if it is to decide."""
        seat = self._seats[agent]
        if seat == self._observed_seat:
            return {"observation": numbers(self._rows)[0].copy(), "action_mask": mask_numbers(self._masks)[0].copy()}
        rows, masks = blank_rows(1, self.rules.players, self.variant), blank_masks(1)
        _observe(self.states, seat, rows, masks)
        return {"observation": numbers(rows)[0], "action_mask": mask_numbers(masks)[0]}

    def step(self, action: int | None) -> None:
        """Play the selected agent's action. An illegal one raises and changes nothing."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        result = _step(self.states, -1 if action is None else int(action), self.turn_limit, self._rows, self._masks)
        outcome, self._observed_seat = result >> 4, result & 3
        if outcome == ILLEGAL:
            self._observed_seat = self._seats[agent]
            raise IllegalMove(f"action {action}", "not legal in this position")
        self._cumulative_rewards[agent] = 0.0
        self.agent_selection = self.possible_agents[self._observed_seat]
        if outcome != GOING:
            self._end(outcome)
        self._render_for_human()

    def render(self) -> Any:
        """The table as a spectator sees it."""
        return render(self.states[0], None, self.render_mode)

    def close(self) -> None:
        return

    def _end(self, outcome: int) -> None:
        """Rewards by rank; none at the turn limit, since that is not a result."""
        if outcome == ENDED:
            ranked = np.empty(self.rules.players)
            _rewards(self.states, ranked)
            self.rewards = dict(zip(self.agents, ranked.tolist(), strict=True))
            self._accumulate_rewards()
        done = self.terminations if outcome == ENDED else self.truncations
        done.update(dict.fromkeys(self.agents, True))

    def _observation_space(self) -> spaces.Dict:
        size = observation_size(self.rules.players, self.variant)
        return spaces.Dict(
            {
                "observation": spaces.Box(0, MAX_NUMBER, (size,), np.int8),
                "action_mask": spaces.Box(0, 1, (ACTION_COUNT,), np.int8),
            }
        )

    def _blank(self) -> None:
        self._rows, self._masks = blank_rows(1, self.rules.players, self.variant), blank_masks(1)

    def _render_for_human(self) -> None:
        if self.render_mode == "human":
            self.render()


def wrapped(environment: SeatsEnv) -> Any:
    """The environment in PettingZoo's usual wrappers. An illegal action ends the game, with -1 for its agent."""
    environment = wrappers.TerminateIllegalWrapper(environment, illegal_reward=ILLEGAL_REWARD)
    environment = wrappers.AssertOutOfBoundsWrapper(environment)
    return wrappers.OrderEnforcingWrapper(environment)
