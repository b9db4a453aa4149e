# mypy: warn-return-any=False
"""PettingZoo's turn-based environment, shared by `splendor_v0` and those of the other variants: every seat is an agent.

One class does what PettingZoo's usual wrappers do (illegal actions, odd actions, calls before `reset`): each of them would cost
as much as the game itself.
"""

from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from ..errors import CabochonError, IllegalMove
from ..observation import (
    MASK_WORDS,
    MAX_NUMBER,
    WORD,
    mask_numbers,
    numbers,
    observation_size,
    observation_words,
    observe,
    write_mask,
)
from ..rules.actions import ACTION_COUNT
from ..rules.compile import kernel
from ..rules.deal import deal_from
from ..rules.play import is_legal, legal, play, random_action
from ..rules.rng import seeded, stir
from ..rules.variants import VARIANTS
from ..ruleset import blank_states
from .episodes import (
    ENDED,
    GOING,
    ILLEGAL,
    ILLEGAL_REWARD,
    TURN_LIMIT,
    checked_action,
    checked_illegal,
    checked_limit,
    checked_start,
    env_rules,
    reward_of,
    status,
)
from .names import pettingzoo_module
from .needs import needs_extra
from .rendering import RENDER_MODES, checked_mode, render

with needs_extra("envs"):
    from gymnasium import spaces
    from gymnasium.utils import EzPickle, seeding
    from pettingzoo import AECEnv  # type: ignore[import-untyped]
    from pettingzoo.utils.env_logger import EnvLogger  # type: ignore[import-untyped]

Observation = dict[str, NDArray[np.int8]]
AFTER_RESET = frozenset({"agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "_cumulative_rewards"})
SEED_LIMIT = 1 << 62
OUTCOME_SHIFT = 4  # a result has the seat to decide in the bits below this one


@kernel
def _write(states: Any, seat: int, words: Any, size: int) -> None:
    """Write a seat's observation and, after `size` words, its action mask if it is to decide (else zeros)."""
    state = states[0]
    observe(state, seat, words[:size])
    write_mask(state.stage, legal(state) if seat == state.turn else 0, words[size:])


@kernel
def _deal(states: Any, seed: int, start: int, words: Any, size: int) -> int:
    """Deal a game; returns the seat to decide."""
    state = states[0]
    deal_from(state, seed, start)
    _write(states, state.turn, words, size)
    return state.turn


@kernel
def _step(states: Any, action: int, turn_limit: int, words: Any, size: int) -> int:
    """Play an action; returns the seat to decide and, from OUTCOME_SHIFT on, the status of the game."""
    state = states[0]
    if not is_legal(state, action):
        return ILLEGAL << OUTCOME_SHIFT
    play(state, action)
    _write(states, state.turn, words, size)
    return status(state, turn_limit) << OUTCOME_SHIFT | state.turn


@kernel
def _random_action(states: Any, seed: int) -> int:
    return random_action(states[0], stir(seeded(seed)))


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
        illegal: str = "raise",
        render_mode: str | None = None,
        **house: Any,
    ) -> None:
        super().__init__()
        EzPickle.__init__(self, players, turn_limit, start, illegal, render_mode, **house)
        self.rules = env_rules(self.variant, players, house, ("players", "turn_limit", "start", "illegal", "render_mode"))
        self.turn_limit = checked_limit(turn_limit, players)
        self.render_mode = checked_mode(render_mode)
        self.illegal, self.start = checked_illegal(illegal), checked_start(start, players)
        self.states = blank_states(self.rules, 1)
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.action_spaces = {agent: spaces.Discrete(ACTION_COUNT) for agent in self.possible_agents}
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self._rng = seeding.np_random()[0]
        self._size = observation_words(players, self.variant)
        self._words = np.empty(self._size + MASK_WORDS, np.int64)
        shown = numbers(self._words)
        self._row, self._mask = shown[: WORD * self._size], shown[WORD * self._size :][:ACTION_COUNT]

    def __getattr__(self, name: str) -> Any:
        """Only what is missing is looked for here: what `reset` sets."""
        if name in AFTER_RESET:
            raise AttributeError(f"{name}: reset the environment first")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Deal a game; the start seat is drawn from the seed unless it was given."""
        if seed is not None:
            self._rng = seeding.np_random(seed)[0]
        seat = _deal(self.states, int(self._rng.integers(0, SEED_LIMIT)), self.start, self._words, self._size)
        self._observed_seat = seat
        self.agents = self.possible_agents[:]
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[seat]
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What this agent may know, and its legal actions if it is to decide."""
        seat = self._seats[agent]
        if seat == self._observed_seat:
            return {"observation": self._row.copy(), "action_mask": self._mask.copy()}
        words = np.empty_like(self._words)
        _write(self.states, seat, words, self._size)
        return {"observation": numbers(words[: self._size]), "action_mask": mask_numbers(words[self._size :])}

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last action, terminated, truncated and info of the selected agent."""
        agent = self.agent_selection
        shown = self.observe(agent) if observe else None
        return shown, self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self.infos[agent]

    def step(self, action: SupportsIndex | None) -> None:
        """Play the selected agent's action. With an illegal one the game ends, or as the setting `illegal` says."""
        agent = self.agent_selection
        if not self.agents:
            raise CabochonError("the game is over and its agents are gone: reset the environment")
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        result = _step(self.states, checked_action(action), self.turn_limit, self._words, self._size)
        if result >> OUTCOME_SHIFT == ILLEGAL:
            instead = self._after_illegal(agent, action)
            if instead is None:
                return
            result = instead
        self._cumulative_rewards[agent] = 0.0
        self._observed_seat = seat = result & (1 << OUTCOME_SHIFT) - 1
        self.agent_selection = self.possible_agents[seat]
        if result >> OUTCOME_SHIFT != GOING:
            self._end(result >> OUTCOME_SHIFT)
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """The table as a spectator sees it."""
        self.agent_selection  # noqa: B018  # raises before the first reset
        return render(self.states[0], None, self.render_mode)

    def close(self) -> None:
        return

    def _after_illegal(self, agent: str, action: Any) -> int | None:
        """Do as the setting says; the result of a random action in its place, or None if there is nothing more to do."""
        if self.illegal == "raise":
            raise IllegalMove(f"action {action}", "not legal in this position")
        if self.illegal == "random":
            instead = _random_action(self.states, int(self._rng.integers(0, SEED_LIMIT)))
            return _step(self.states, instead, self.turn_limit, self._words, self._size)
        EnvLogger.warn_on_illegal_move()
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0) | {agent: ILLEGAL_REWARD}
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        return None

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
