"""Episodes: one learner (seat 0) against compiled bots, as kernels on one game and on arrays of games.

A step plays the learner's action, then the bots until the learner has to decide again. The single and the vector environment
and the GPU batch use the same functions, so they play the same games from the same seeds.
"""

from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import batch
from ..bots.greedy import SCRATCH, greedy_action
from ..errors import CabochonError, RulesetError, WrongType, quoted
from ..observation import MASK_WORDS, blank_masks, blank_rows, mask_numbers, numbers, observe, write_mask
from ..rules.actions import ACTION_COUNT, FIRST_ACTION, PASS
from ..rules.compile import allocating, inlined, kernel
from ..rules.deal import ANY_START, deal_from
from ..rules.ending import standing
from ..rules.play import legal, play, random_action
from ..rules.rng import seeded, stir
from ..rules.state import MAX_SEATS, OVER, State
from ..ruleset import SWITCHES, Ruleset, States, blank_states, is_count, ruleset

TURN_LIMIT = 400
ILLEGAL_REWARD = -1.0
NO_ACTION = -1  # legal in no position
ILLEGAL_MODES = ("end", "raise", "random")  # what an illegal action does
LEARNER = 0
CALLER, RANDOM, GREEDY = range(3)  # who decides for a seat; CALLER: the next step does
MAX_SEED = (1 << 62) - 1
BOT_BITS = 2  # the bots of all seats are packed into one int, which is cheaper to pass to a kernel than an array
COMPILED_BOTS = {"random": RANDOM, "greedy": GREEDY}
GOING, ENDED, OUT_OF_TURNS, ILLEGAL = range(4)
NO_RESET, NEXT_STEP, SAME_STEP = range(3)
SETTINGS = ("variant", "players", "opponents", "turn_limit", "illegal", "start", "render_mode")
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


class Games(NamedTuple):
    """What lasts from step to step, a row for each game."""

    states: Any
    rngs: Any
    moves: Any  # the legal ones, as masks
    ended: Any


class Results(NamedTuple):
    """What a step writes, a row for each game. The last observations and masks are those of episodes that were reset in it."""

    rewards: Any
    terminated: Any
    truncated: Any
    last_rows: Any
    last_masks: Any
    rows: Any
    masks: Any


class Settings(NamedTuple):
    """What is the same for all games of an environment."""

    bots: int
    turn_limit: int
    start: int
    mode: int


@inlined
def advance(
    games: Games, actions: Any, results: Results, settings: Settings, first: int, end: int, at: int, scratch: Any
) -> None:
    """A step of games `first` to `end`, without observations. Where a game has ended, a new one begins, as the mode says.

    An illegal action changes nothing. The states may be those of a part of the games: they begin with game `at` (a block on the
    GPU).
    """
    bots, turn_limit, mode = settings.bots, settings.turn_limit, settings.mode
    for i in range(first, end):
        state, rng = games.states[i - at], games.rngs[i]
        outcome, is_due = GOING, mode == NEXT_STEP and games.ended[i]
        if not is_due:
            if is_among(games.moves[i], state.stage, actions[i]):
                play(state, actions[i])
                rng = others_play(state, rng, bots, turn_limit, scratch)
                outcome = status(state, turn_limit)
            else:
                outcome = ILLEGAL
        results.rewards[i] = step_reward(state, outcome)
        results.terminated[i] = outcome in (ENDED, ILLEGAL)
        results.truncated[i] = outcome == OUT_OF_TURNS
        games.ended[i] = outcome != GOING
        if mode == SAME_STEP and outcome != GOING:
            observe_learner(state, results.last_rows[i], results.last_masks[i])
            is_due = True
        games.rngs[i] = begin(state, rng, settings.start, bots, turn_limit, scratch) if is_due else rng


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
def _reset_all(games: Games, which: Any, rows: Any, masks: Any, settings: Settings, greedy: Any) -> None:
    scratch = None if greedy is None else np.empty(SCRATCH, np.int64)
    _begin_all(games.states, games.rngs, which, settings.bots, settings.turn_limit, settings.start, scratch)
    for i in range(which.shape[0]):
        games.moves[i] = observe_learner(games.states[i], rows[i], masks[i])


@allocating
def _step_all(games: Games, actions: Any, results: Results, settings: Settings, greedy: Any) -> None:
    """Play a block of games, then write its observations while it is in the cache."""
    scratch = None if greedy is None else np.empty(SCRATCH, np.int64)
    for first in range(0, actions.shape[0], BLOCK):
        end = min(first + BLOCK, actions.shape[0])
        advance(games, actions, results, settings, first, end, 0, scratch)
        for i in range(first, end):
            games.moves[i] = observe_learner(games.states[i], results.rows[i], results.masks[i])


@kernel
def _legal_all(states: Any, moves: Any, ended: Any, actions: Any, answers: Any) -> None:
    for i in range(states.shape[0]):
        answers[i] = ended[i] or is_among(moves[i], states[i].stage, actions[i])


@allocating
def _resume_all(games: Games, which: Any, results: Results, settings: Settings, greedy: Any) -> None:
    """Go on in these games after a decision of a bot that is not compiled."""
    scratch = None if greedy is None else np.empty(SCRATCH, np.int64)
    bots, turn_limit = settings.bots, settings.turn_limit
    for i in which:
        state = games.states[i]
        rng = others_play(state, games.rngs[i], bots, turn_limit, scratch)
        outcome = status(state, turn_limit)
        if outcome != GOING:
            results.rewards[i], games.ended[i] = step_reward(state, outcome), True
            results.terminated[i], results.truncated[i] = outcome == ENDED, outcome == OUT_OF_TURNS
            if settings.mode == SAME_STEP:
                observe_learner(state, results.last_rows[i], results.last_masks[i])
                rng = begin(state, rng, settings.start, bots, turn_limit, scratch)
        games.rngs[i] = rng
        games.moves[i] = observe_learner(state, results.rows[i], results.masks[i])


@kernel
def _stir_some(rngs: Any, games: Any, seeds: Any) -> None:
    for k in range(games.shape[0]):
        rngs[games[k]] = stir(rngs[games[k]])
        seeds[k] = rngs[games[k]] & MAX_SEED


@kernel
def _replace_illegal(states: Any, rngs: Any, moves: Any, ignored: Any, actions: Any) -> None:
    """A random legal action in the place of each illegal one; none where nothing is legal."""
    for i in range(states.shape[0]):
        if not (ignored[i] or moves[i] == 0 or is_among(moves[i], states[i].stage, actions[i])):
            rngs[i] = stir(rngs[i])
            actions[i] = random_action(states[i], rngs[i])


@kernel
def _look(states: Any, words: Any, size: int) -> int:
    """Write the learner's observation and, after `size` words, the action mask; the mask as a number."""
    return observe_learner(states[0], words[:size], words[size:])


@kernel
def _step_one(
    states: Any, action: int, rngs: Any, moves: Any, words: Any, size: int, bots: int, turn_limit: int, scratch: Any
) -> int:
    """A step of one game, written for few and small arguments: passing them costs as much as the game. Returns the outcome."""
    state = states[0]
    if not is_among(moves[0], state.stage, action):
        return ILLEGAL
    play(state, action)
    rngs[0] = others_play(state, rngs[0], bots, turn_limit, scratch)
    moves[0] = _look(states, words, size)
    return status(state, turn_limit)


@kernel
def _reward(states: Any) -> float:
    return reward_of(states[0], LEARNER)


Decide = Callable[[States, NDArray[np.intp], NDArray[np.int64]], None]  # the records, games to decide in, and a seed for each


class Step(NamedTuple):
    """The result of a step, a row for each game. The last two are for episodes that ended and were reset in the same step."""

    observations: NDArray[np.int8]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float64]
    terminated: NDArray[np.bool_]
    truncated: NDArray[np.bool_]
    final_observations: NDArray[np.int8]
    final_masks: NDArray[np.int8]


def seat_bots(players: int, opponents: Any) -> tuple[Any, ...]:
    """The bot of every seat but the learner's; a single one is for all of them."""
    Ruleset(players=players)  # refuses what is no number of players
    bots = tuple(opponents) if isinstance(opponents, list | tuple) else (opponents,) * (players - 1)
    if len(bots) != players - 1:
        raise RulesetError(f"{players} players need {players - 1} opponents, not {len(bots)}")
    return bots


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


def checked_action(action: Any) -> int:
    """An action as a number. What is no whole number, such as None or 1.5, raises; whether it is legal the game says."""
    try:
        number = index(action)
    except TypeError:
        raise WrongType(f"an action is a whole number from 0 to {ACTION_COUNT - 1}, not {quoted(action)}") from None
    return number if 0 <= number < ACTION_COUNT else NO_ACTION


def checked_illegal(illegal: str) -> str:
    if illegal not in ILLEGAL_MODES:
        raise CabochonError(f"illegal must be one of {', '.join(ILLEGAL_MODES)}, not {illegal!r}")
    return illegal


def env_rules(variant: str, players: int, house: Mapping[str, Any], settings: Sequence[str]) -> Ruleset:
    """The ruleset of an environment. A keyword that is neither one of its settings nor a house rule is refused by name."""
    for name in house:
        if name not in SWITCHES:
            raise RulesetError(f"unknown setting {name!r}: choose from {', '.join((*settings, *SWITCHES))}")
    return ruleset(variant, players, house)


def checked_limit(turn_limit: int, players: int) -> int:
    """The turn limit; one below a turn for each seat raises."""
    if not is_count(turn_limit) or turn_limit < players:
        raise RulesetError(f"turn_limit must be at least {players}, a turn for every seat, not {quoted(turn_limit)}")
    return turn_limit


def checked_start(start: int | None, players: int) -> int:
    """The start seat; None: it is drawn from the seed."""
    if start is None:
        return ANY_START
    if not is_count(start) or not 0 <= start < players:
        raise RulesetError(f"start must be a seat from 0 to {players - 1}, not {quoted(start)}")
    return start


class Episodes:
    """Many episodes at once. Seats that are left to the caller are decided by `decide`, which plays one decision in each game."""

    def __init__(
        self,
        count: int,
        variant: str,
        players: int,
        bots: int,
        turn_limit: int = TURN_LIMIT,
        start: int | None = None,
        decide: "Decide | None" = None,
        **house: Any,
    ) -> None:
        self.rules = env_rules(variant, players, house, SETTINGS)
        self.turn_limit = checked_limit(turn_limit, players)
        self.start = checked_start(start, players)
        self.states: States = blank_states(self.rules, count)
        self.rngs = np.zeros(count, np.int64)
        self.moves = np.zeros(count, np.int64)
        self.ended = np.zeros(count, np.bool_)
        self.set_bots(bots, decide)

    def set_bots(self, bots: int, decide: "Decide | None") -> None:
        """These play the other seats from now on."""
        self.bots, self.decide = bots, decide
        self.greedy = True if has_greedy(bots) else None  # None: greedy's code is not compiled
        self._scratch = np.empty(SCRATCH, np.int64) if self.greedy else None

    def seed(self, seeds: NDArray[np.int64], which: NDArray[np.bool_]) -> None:
        """Seed the random states of these games."""
        _seed_all(self.rngs, seeds, which)

    def reset(self, which: NDArray[np.bool_]) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """Deal the next game where `which` is set; the observations and masks of all games."""
        rows, masks = self._blank()
        self.ended[which] = False
        settings = self._settings(NO_RESET)

        def run(*part: Any) -> None:
            chosen, shown, allowed = part[4:]
            _reset_all(Games(*part[:4]), chosen, shown, allowed, settings, self.greedy)

        batch.spread(run, *self._games(), which, rows, masks)
        if self.decide:
            self._let_others_decide(settings, self._results(rows, masks, rows, masks))
        return numbers(rows), mask_numbers(masks)

    def step(self, actions: NDArray[np.int64], mode: int) -> Step:
        rows, masks = self._blank()
        results = self._results(*(self._blank() if mode == SAME_STEP else (rows, masks)), rows, masks)
        settings = self._settings(mode)

        def run(*part: Any) -> None:
            _step_all(Games(*part[:4]), part[4], Results(*part[5:]), settings, self.greedy)

        batch.spread(run, *self._games(), actions, *results)
        if self.decide:
            self._let_others_decide(settings, results)
        return Step(
            numbers(rows),
            mask_numbers(masks),
            results.rewards,
            results.terminated,
            results.truncated,
            numbers(results.last_rows),
            mask_numbers(results.last_masks),
        )

    def _games(self) -> Games:
        return Games(self.states, self.rngs, self.moves, self.ended)

    def _settings(self, mode: int) -> Settings:
        return Settings(self.bots, self.turn_limit, self.start, mode)

    def _results(self, *observed: NDArray[np.int64]) -> Results:
        """Arrays to be written, with these for the observations and masks."""
        count = len(self.states)
        return Results(np.empty(count), np.empty(count, np.bool_), np.empty(count, np.bool_), *observed)

    def _let_others_decide(self, settings: Settings, results: Results) -> None:
        """Ask the caller's bots, until the learner has to decide in every game that goes on."""
        assert self.decide is not None
        states = self.states
        while True:
            goes_on = (states["stage"] != OVER) & (states["turns"] < self.turn_limit)
            waiting = np.flatnonzero((states["turn"] != LEARNER) & goes_on)
            if not len(waiting):
                return
            seeds = np.empty(len(waiting), np.int64)
            _stir_some(self.rngs, waiting, seeds)
            self.decide(states, waiting, seeds)
            _resume_all(self._games(), waiting, results, settings, self.greedy)

    def step_one(self, action: int, words: NDArray[np.int64]) -> int:
        """A step of a single game against compiled bots: writes observation and mask, and returns the outcome."""
        size = len(words) - MASK_WORDS
        return _step_one(self.states, action, self.rngs, self.moves, words, size, self.bots, self.turn_limit, self._scratch)

    def look(self, words: NDArray[np.int64]) -> None:
        """Write the observation and the mask of a single game as it is."""
        _look(self.states, words, len(words) - MASK_WORDS)

    def reward(self) -> float:
        """The learner's reward for a single game that is over."""
        return _reward(self.states)

    def with_legal(self, actions: NDArray[np.int64], mode: int) -> NDArray[np.int64]:
        """The actions with a random legal one in the place of each illegal one."""
        legal_ones = actions.copy()
        _replace_illegal(self.states, self.rngs, self.moves, self._ignored(mode), legal_ones)
        return legal_ones

    def illegal(self, actions: NDArray[np.int64], mode: int) -> NDArray[np.intp]:
        """The games in which the action is illegal."""
        answers = np.empty(len(self.states), np.bool_)
        _legal_all(self.states, self.moves, self._ignored(mode), actions, answers)
        return np.flatnonzero(~answers)

    def _ignored(self, mode: int) -> NDArray[np.bool_]:
        """The games whose next action only begins the next one."""
        return self.ended if mode == NEXT_STEP else np.zeros_like(self.ended)

    def _blank(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return blank_rows(len(self.states), self.rules.players, self.rules.variant), blank_masks(len(self.states))
