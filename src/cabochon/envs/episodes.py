"""Episodes: one learner (seat 0) against compiled bots, as kernels on one game and on arrays of games.

A step plays the learner's action, then the bots until the learner has to decide again. The single and the vector environment
and the GPU batch use the same functions, so they play the same games from the same seeds.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import batch
from ..bots.greedy import SCRATCH, greedy_action
from ..errors import CabochonError, RulesetError
from ..rules.actions import FIRST_ACTION, PASS
from ..rules.compile import allocating, inlined, kernel
from ..rules.deal import ANY_START, deal_from
from ..rules.ending import standing
from ..rules.play import legal, play, random_action
from ..rules.rng import seeded, stir
from ..rules.state import MAX_SEATS, OVER, State
from ..ruleset import States, blank_states, ruleset
from .observation import blank_masks, blank_rows, mask_numbers, numbers, observe, write_mask

TURN_LIMIT = 400
ILLEGAL_REWARD = -1.0
LEARNER = 0
CALLER, RANDOM, GREEDY = range(3)  # who decides for a seat; CALLER: the next step does
BOT_BITS = 2  # the bots of all seats are packed into one int, which is cheaper to pass to a kernel than an array
COMPILED_BOTS = {"random": RANDOM, "greedy": GREEDY}
GOING, ENDED, OUT_OF_TURNS, ILLEGAL = range(4)
NO_RESET, NEXT_STEP, SAME_STEP = range(3)
BLOCK = 64  # games that are played, then observed, while their records are in the cache


@kernel
def bot_of(bots: int, seat: int) -> int:
    """The bot of a seat, out of the packed number."""
    return bots >> BOT_BITS * seat & (1 << BOT_BITS) - 1


@kernel
def decide(state: State, bot: int, rng: int, scratch: Any) -> int:
    """A bot's action. Without a greedy seat `scratch` is None: Numba compiles another version, without greedy's code."""
    if scratch is None:
        return random_action(state, rng)
    if bot == GREEDY:
        return greedy_action(state, rng, scratch)
    return random_action(state, rng)


@kernel
def status(state: State, turn_limit: int) -> int:
    """Whether the game goes on, is over, or has reached the turn limit."""
    if state.stage == OVER:
        return ENDED
    return OUT_OF_TURNS if state.turns >= turn_limit else GOING


@kernel
def others_play(state: State, rng: int, bots: int, turn_limit: int, scratch: Any) -> int:
    """The bots play until the caller has to decide or the episode ends; the new random state."""
    while bot_of(bots, state.turn) != CALLER and status(state, turn_limit) == GOING:
        rng = stir(rng)
        play(state, decide(state, bot_of(bots, state.turn), rng, scratch))
    return rng


@kernel
def begin(state: State, rng: int, start: int, bots: int, turn_limit: int, scratch: Any) -> int:
    """Deal the next game from this random state and play to the learner's first decision; the new random state."""
    rng = stir(rng)
    deal_from(state, rng, start)
    return others_play(state, rng, bots, turn_limit, scratch)


@kernel
def is_among(moves: int, stage: int, action: int) -> Any:
    """Whether an action is in the mask of legal moves of a stage."""
    bit = action - FIRST_ACTION[stage]
    return 0 <= bit <= PASS and moves >> bit & 1 == 1


@kernel
def reward_of(state: State, seat: int) -> float:
    """From 1 for the first rank to -1 for the last: wins minus losses against each opponent, divided by their number."""
    mine, ahead = standing(state, seat), 0
    for other in range(state.players):
        theirs = standing(state, other)
        ahead += (mine > theirs) - (mine < theirs)
    return ahead / (state.players - 1)


@kernel
def step_reward(state: State, outcome: int) -> float:
    """The learner's reward for a step."""
    if outcome == ENDED:
        return reward_of(state, LEARNER)
    return ILLEGAL_REWARD if outcome == ILLEGAL else 0.0


@inlined
def observe_learner(state: State, row: Any, mask: Any) -> int:
    """Write the learner's observation and action mask; the mask as a number, which the next step checks actions with."""
    moves = legal(state)
    observe(state, LEARNER, row)
    write_mask(state.stage, moves, mask)
    return moves


@inlined
def advance(
    states: Any,
    rngs: Any,
    moves: Any,
    ended: Any,
    actions: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
    last_rows: Any,
    last_masks: Any,
    bots: int,
    turn_limit: int,
    start: int,
    mode: int,
    first: int,
    end: int,
    at: int,
    scratch: Any,
) -> None:
    """A step of games `first` to `end`, without observations. Where a game has ended, a new one begins, as `mode` says.

    An illegal action changes nothing. `states` may be a part of the games: it begins with game `at` (a block on the GPU).
    """
    for i in range(first, end):
        state, rng = states[i - at], rngs[i]
        outcome, is_due = GOING, mode == NEXT_STEP and ended[i]
        if not is_due:
            if is_among(moves[i], state.stage, actions[i]):
                play(state, actions[i])
                rng = others_play(state, rng, bots, turn_limit, scratch)
                outcome = status(state, turn_limit)
            else:
                outcome = ILLEGAL
        rewards[i] = step_reward(state, outcome)
        terminated[i] = outcome in (ENDED, ILLEGAL)
        truncated[i] = outcome == OUT_OF_TURNS
        ended[i] = outcome != GOING
        if mode == SAME_STEP and outcome != GOING:
            observe_learner(state, last_rows[i], last_masks[i])
            is_due = True
        rngs[i] = begin(state, rng, start, bots, turn_limit, scratch) if is_due else rng


@kernel
def _seed_all(rngs: Any, seeds: Any, which: Any) -> None:
    for i in range(rngs.shape[0]):
        if which[i]:
            rngs[i] = seeded(seeds[i])


@kernel
def _begin_all(states: Any, rngs: Any, which: Any, bots: int, turn_limit: int, start: int, scratch: Any) -> None:
    for i in range(states.shape[0]):
        if which[i]:
            rngs[i] = begin(states[i], rngs[i], start, bots, turn_limit, scratch)


@allocating
def _reset_all(
    states: Any,
    rngs: Any,
    moves: Any,
    which: Any,
    rows: Any,
    masks: Any,
    bots: int,
    turn_limit: int,
    start: int,
    greedy: Any,
) -> None:
    scratch = None if greedy is None else np.empty(SCRATCH, np.int64)
    _begin_all(states, rngs, which, bots, turn_limit, start, scratch)
    for i in range(states.shape[0]):
        moves[i] = observe_learner(states[i], rows[i], masks[i])


@allocating
def _step_all(
    states: Any,
    rngs: Any,
    moves: Any,
    ended: Any,
    actions: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
    last_rows: Any,
    last_masks: Any,
    rows: Any,
    masks: Any,
    bots: int,
    turn_limit: int,
    start: int,
    mode: int,
    greedy: Any,
) -> None:
    """Play a block of games, then write its observations while it is in the cache."""
    scratch = None if greedy is None else np.empty(SCRATCH, np.int64)
    for first in range(0, states.shape[0], BLOCK):
        end = min(first + BLOCK, states.shape[0])
        advance(
            states, rngs, moves, ended, actions, rewards, terminated, truncated, last_rows, last_masks,
            bots, turn_limit, start, mode, first, end, 0, scratch,
        )  # fmt: skip
        for i in range(first, end):
            moves[i] = observe_learner(states[i], rows[i], masks[i])


@kernel
def _legal_all(states: Any, moves: Any, ended: Any, actions: Any, answers: Any) -> None:
    for i in range(states.shape[0]):
        answers[i] = ended[i] or is_among(moves[i], states[i].stage, actions[i])


@allocating
def _resume(states: Any, rngs: Any, moves: Any, row: Any, mask: Any, bots: int, turn_limit: int) -> float:
    rngs[0] = others_play(states[0], rngs[0], bots, turn_limit, np.empty(SCRATCH, np.int64))
    moves[0] = observe_learner(states[0], row, mask)
    return step_reward(states[0], status(states[0], turn_limit))


class Step(NamedTuple):
    """The result of a step, a row for each game. The last two are for episodes that ended and were reset in the same step."""

    observations: NDArray[np.int8]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_observations: NDArray[np.int8]
    final_masks: NDArray[np.int8]


def seat_bots(players: int, opponents: str | Sequence[str]) -> tuple[str, ...]:
    """The bot of every seat but the learner's; a single name is for all of them."""
    names = (opponents,) * (players - 1) if isinstance(opponents, str) else tuple(opponents)
    if len(names) != players - 1:
        raise RulesetError(f"{players} players need {players - 1} opponents, not {len(names)}")
    return names


def pack_bots(kinds: Sequence[int]) -> int:
    """Who decides, by seat, packed into one number."""
    return sum(kind << BOT_BITS * seat for seat, kind in enumerate(kinds))


def compiled_bots(names: Sequence[str]) -> int:
    """The learner and these bots, packed into one number."""
    for name in names:
        if name not in COMPILED_BOTS:
            raise CabochonError(f"{name!r} is not a compiled bot: choose from {', '.join(COMPILED_BOTS)}")
    return pack_bots([CALLER, *(COMPILED_BOTS[name] for name in names)])


def has_greedy(bots: int) -> bool:
    return any(bot_of(bots, seat) == GREEDY for seat in range(MAX_SEATS))


def checked_limit(turn_limit: int, players: int) -> int:
    """The turn limit; one below a turn for each seat raises."""
    if turn_limit < players:
        raise RulesetError(f"turn_limit must be at least {players}, a turn for every seat, not {turn_limit}")
    return turn_limit


def checked_start(start: int | None, players: int) -> int:
    """The start seat; None: it is drawn from the seed."""
    if start is None:
        return ANY_START
    if not 0 <= start < players:
        raise RulesetError(f"start must be a seat from 0 to {players - 1}, not {start}")
    return start


class Episodes:
    """Many episodes at once, against compiled bots. In a single environment other seats may be left to the caller."""

    def __init__(
        self,
        count: int,
        variant: str,
        players: int,
        bots: int,
        turn_limit: int = TURN_LIMIT,
        start: int | None = None,
        **house: Any,
    ) -> None:
        self.rules = ruleset(variant, players, house)
        self.bots, self.turn_limit = bots, checked_limit(turn_limit, players)
        self.start = checked_start(start, players)
        self.greedy = True if has_greedy(bots) else None  # None: greedy's code is not compiled
        self.states: States = blank_states(self.rules, count)
        self.rngs = np.zeros(count, np.int64)
        self.moves = np.zeros(count, np.int64)
        self.ended = np.zeros(count, np.bool_)

    def seed(self, seeds: NDArray[np.int64], which: NDArray[np.bool_]) -> None:
        """Seed the random states of these games."""
        _seed_all(self.rngs, seeds, which)

    def reset(self, which: NDArray[np.bool_]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Deal the next game where `which` is set; the observations and masks of all games."""
        rows, masks = self._blank()
        self.ended[which] = False
        settings: tuple[Any, ...] = (self.bots, self.turn_limit, self.start, self.greedy)
        batch.spread(lambda *part: _reset_all(*part, *settings), self.states, self.rngs, self.moves, which, rows, masks)
        return numbers(rows), mask_numbers(masks)

    def step(self, actions: NDArray[np.int64], mode: int) -> Step:
        count = len(self.states)
        rows, masks = self._blank()
        last_rows, last_masks = self._blank() if mode == SAME_STEP else (rows, masks)
        rewards, terminated, truncated = np.empty(count), np.empty(count, np.bool_), np.empty(count, np.bool_)
        settings: tuple[Any, ...] = (self.bots, self.turn_limit, self.start, mode, self.greedy)
        batch.spread(
            lambda *part: _step_all(*part, *settings),
            *(self.states, self.rngs, self.moves, self.ended, actions),
            *(rewards, terminated, truncated, last_rows, last_masks, rows, masks),
        )
        return Step(
            numbers(rows),
            mask_numbers(masks),
            rewards,
            terminated,
            truncated,
            numbers(last_rows),
            mask_numbers(last_masks),
        )

    def resume(self) -> tuple[NDArray[np.int8], NDArray[np.int8], float]:
        """Let the compiled bots go on, after the caller has made a move in a single game."""
        rows, masks = self._blank()
        reward = _resume(self.states, self.rngs, self.moves, rows[0], masks[0], self.bots, self.turn_limit)
        return numbers(rows), mask_numbers(masks), reward

    def illegal(self, actions: NDArray[np.int64], mode: int) -> NDArray[np.intp]:
        """The games in which the action is illegal."""
        answers = np.empty(len(self.states), np.bool_)
        ignored = self.ended if mode == NEXT_STEP else np.zeros_like(self.ended)
        _legal_all(self.states, self.moves, ignored, actions, answers)
        return np.flatnonzero(~answers)

    def _blank(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return blank_rows(len(self.states), self.rules.players, self.rules.variant), blank_masks(len(self.states))
