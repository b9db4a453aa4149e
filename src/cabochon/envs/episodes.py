"""Episodes: one learner (seat 0) against compiled bots, as kernels on one game and on arrays of games.

A step plays the learner's action, then the others until the learner is to decide again. The single and the vector environment
and the GPU batch are made of the same functions on one game, so they play the same games from the same seeds.
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
CALLER, RANDOM, GREEDY = range(3)  # who decides for a seat; CALLER waits for the next step
BOT_BITS = 2  # a table's bots are one number, so that no array goes along: two bits a seat
COMPILED_BOTS = {"random": RANDOM, "greedy": GREEDY}
GOING, ENDED, OUT_OF_TURNS, ILLEGAL = range(4)
NO_RESET, NEXT_STEP, SAME_STEP = range(3)
BLOCK = 64


@kernel
def bot_of(bots: int, seat: int) -> int:
    """Who decides for a seat."""
    return bots >> BOT_BITS * seat & (1 << BOT_BITS) - 1


@kernel
def decide(state: State, bot: int, rng: int, scratch: Any) -> int:
    """A bot's action. Where no seat is greedy, `scratch` is None and its code is left out when this is compiled."""
    if scratch is None:
        return random_action(state, rng)
    if bot == GREEDY:
        return greedy_action(state, rng, scratch)
    return random_action(state, rng)


@kernel
def status(state: State, turn_limit: int) -> int:
    """Whether the game goes on, is over, or has used up its turns."""
    if state.stage == OVER:
        return ENDED
    return OUT_OF_TURNS if state.turns >= turn_limit else GOING


@kernel
def others_play(state: State, rng: int, bots: int, turn_limit: int, scratch: Any) -> int:
    """The bots decide until the caller has to, or the episode ends; the random number to go on with."""
    while bot_of(bots, state.turn) != CALLER and status(state, turn_limit) == GOING:
        rng = stir(rng)
        play(state, decide(state, bot_of(bots, state.turn), rng, scratch))
    return rng


@kernel
def begin(state: State, rng: int, start: int, bots: int, turn_limit: int, scratch: Any) -> int:
    """The next game of this chain of random numbers, played up to the learner's first decision."""
    rng = stir(rng)
    deal_from(state, rng, start)
    return others_play(state, rng, bots, turn_limit, scratch)


@kernel
def is_among(moves: int, stage: int, action: int) -> Any:
    """Whether an action is one of these legal moves of a stage."""
    bit = action - FIRST_ACTION[stage]
    return 0 <= bit <= PASS and moves >> bit & 1 == 1


@kernel
def reward_of(state: State, seat: int) -> float:
    """From 1 for the best to -1 for the last, by rank; equals share what their places bring together."""
    mine, ahead = standing(state, seat), 0
    for other in range(state.players):
        theirs = standing(state, other)
        ahead += (mine > theirs) - (mine < theirs)
    return ahead / (state.players - 1)


@kernel
def step_reward(state: State, outcome: int) -> float:
    """What the learner is given for a step."""
    if outcome == ENDED:
        return reward_of(state, LEARNER)
    return ILLEGAL_REWARD if outcome == ILLEGAL else 0.0


@inlined
def show(state: State, row: Any, mask: Any) -> int:
    """Write the learner's observation and legal actions; the latter also as a number, to be kept for the next step."""
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
    """A step of some games: the action and the others', or a new game where the last one has ended. It is not shown yet.

    An illegal action changes nothing. `states` may be a part of the games: it begins with game `at`.
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
            show(state, last_rows[i], last_masks[i])
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
        moves[i] = show(states[i], rows[i], masks[i])


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
    """Play a block of games, then look at it while it is in the cache."""
    scratch = None if greedy is None else np.empty(SCRATCH, np.int64)
    for first in range(0, states.shape[0], BLOCK):
        end = min(first + BLOCK, states.shape[0])
        advance(
            states, rngs, moves, ended, actions, rewards, terminated, truncated, last_rows, last_masks,
            bots, turn_limit, start, mode, first, end, 0, scratch,
        )  # fmt: skip
        for i in range(first, end):
            moves[i] = show(states[i], rows[i], masks[i])


@kernel
def _legal_all(states: Any, moves: Any, ended: Any, actions: Any, answers: Any) -> None:
    for i in range(states.shape[0]):
        answers[i] = ended[i] or is_among(moves[i], states[i].stage, actions[i])


@allocating
def _resume(states: Any, rngs: Any, moves: Any, row: Any, mask: Any, bots: int, turn_limit: int) -> float:
    rngs[0] = others_play(states[0], rngs[0], bots, turn_limit, np.empty(SCRATCH, np.int64))
    moves[0] = show(states[0], row, mask)
    return step_reward(states[0], status(states[0], turn_limit))


class Step(NamedTuple):
    """What a step brings, a row a game. The last two hold the ends of episodes that began anew in the same step."""

    observations: NDArray[np.int8]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_observations: NDArray[np.int8]
    final_masks: NDArray[np.int8]


def seat_bots(players: int, opponents: str | Sequence[str]) -> tuple[str, ...]:
    """The bot of every seat but the first; one name stands for all of them."""
    names = (opponents,) * (players - 1) if isinstance(opponents, str) else tuple(opponents)
    if len(names) != players - 1:
        raise RulesetError(f"{players} players need {players - 1} opponents, not {len(names)}")
    return names


def seating(kinds: Sequence[int]) -> int:
    """Who decides, by seat, as one number."""
    return sum(kind << BOT_BITS * seat for seat, kind in enumerate(kinds))


def compiled_bots(names: Sequence[str]) -> int:
    """The learner and these bots as one number."""
    for name in names:
        if name not in COMPILED_BOTS:
            raise CabochonError(f"{name!r} is not a compiled bot: choose from {', '.join(COMPILED_BOTS)}")
    return seating([CALLER, *(COMPILED_BOTS[name] for name in names)])


def has_greedy(bots: int) -> bool:
    """Whether greedy sits at the table."""
    return any(bot_of(bots, seat) == GREEDY for seat in range(MAX_SEATS))


def checked_limit(turn_limit: int, players: int) -> int:
    """A turn limit that lets every seat play."""
    if turn_limit < players:
        raise RulesetError(f"turn_limit must be at least {players}, a turn for every seat, not {turn_limit}")
    return turn_limit


def checked_start(start: int | None, players: int) -> int:
    """A seat, or that it is drawn from the seed."""
    if start is None:
        return ANY_START
    if not 0 <= start < players:
        raise RulesetError(f"start must be a seat from 0 to {players - 1}, not {start}")
    return start


class Episodes:
    """Many episodes at once, against compiled bots (and, in a single environment, seats that wait for the caller)."""

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
        self.greedy = True if has_greedy(bots) else None  # None: greedy's code is left out
        self.states: States = blank_states(self.rules, count)
        self.rngs = np.zeros(count, np.int64)
        self.moves = np.zeros(count, np.int64)
        self.ended = np.zeros(count, np.bool_)

    def seed(self, seeds: NDArray[np.int64], which: NDArray[np.bool_]) -> None:
        """Begin new chains of random numbers."""
        _seed_all(self.rngs, seeds, which)

    def reset(self, which: NDArray[np.bool_]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Deal the next game of each chain where asked; everybody's observations and masks."""
        rows, masks = self._blank()
        self.ended[which] = False
        settings: tuple[Any, ...] = (self.bots, self.turn_limit, self.start, self.greedy)
        batch.spread(lambda *part: _reset_all(*part, *settings), self.states, self.rngs, self.moves, which, rows, masks)
        return numbers(rows), mask_numbers(masks)

    def step(self, actions: NDArray[np.int64], mode: int) -> Step:
        """One decision of the learner in every game."""
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
        """After a move made from outside in a single game: the compiled bots go on."""
        rows, masks = self._blank()
        reward = _resume(self.states, self.rngs, self.moves, rows[0], masks[0], self.bots, self.turn_limit)
        return numbers(rows), mask_numbers(masks), reward

    def illegal(self, actions: NDArray[np.int64], mode: int) -> NDArray[np.intp]:
        """The games in which this action may not be played."""
        answers = np.empty(len(self.states), np.bool_)
        ignored = self.ended if mode == NEXT_STEP else np.zeros_like(self.ended)
        _legal_all(self.states, self.moves, ignored, actions, answers)
        return np.flatnonzero(~answers)

    def _blank(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return blank_rows(len(self.states), self.rules.players), blank_masks(len(self.states))
