"""Many games at once: arrays of records, spread over the cores by threads (the kernels do not hold the GIL)."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import CabochonError, IllegalMove, RulesetError, WrongType, quoted
from .rules import play as turn
from .rules.actions import ACTION_COUNT, FIRST_ACTION
from .rules.bits import count_bits, nth_bit
from .rules.compile import kernel
from .rules.deal import ANY_START, deal_from
from .rules.rng import below, seeded, stir
from .rules.state import OVER, state_t
from .ruleset import States, blank_states, is_count, ruleset

NO_ACTION = -1
GAMES_PER_THREAD = 2048


@kernel
def _deal(states: Any, seeds: Any, start: int) -> None:
    for i in range(states.shape[0]):
        deal_from(states[i], seeds[i], start)


@kernel
def _legal(states: Any, masks: Any) -> None:
    for i in range(states.shape[0]):
        masks[i] = turn.legal(states[i])


@kernel
def _legal_table(states: Any, table: Any) -> None:
    for i in range(states.shape[0]):
        mask = turn.legal(states[i])
        first = FIRST_ACTION[states[i].stage]
        for action in range(ACTION_COUNT):
            bit = action - first
            table[i, action] = mask >> bit & 1 if 0 <= bit < 64 else 0


@kernel
def _choose(states: Any, masks: Any, seeds: Any, actions: Any) -> None:
    for i in range(states.shape[0]):
        if masks[i] == 0:
            actions[i] = NO_ACTION
        else:
            pick = nth_bit(masks[i], below(stir(seeded(seeds[i])), count_bits(masks[i])))
            actions[i] = FIRST_ACTION[states[i].stage] + pick


@kernel
def _allowed(states: Any, actions: Any, answers: Any) -> None:
    for i in range(states.shape[0]):
        answers[i] = actions[i] == NO_ACTION or turn.is_legal(states[i], actions[i])


@kernel
def _play(states: Any, actions: Any) -> None:
    for i in range(states.shape[0]):
        if actions[i] != NO_ACTION:
            turn.play(states[i], actions[i])


@kernel
def play_out(states: Any, i: int, seed: int, most: int) -> int:
    """Random moves in one game until it is over or `most` are played; how many there were."""
    rng = seeded(seed)
    for played in range(most):
        if states[i].stage == OVER:
            return played
        rng = stir(rng)
        turn.play(states[i], turn.random_action(states[i], rng))
    return most


_cores = os.cpu_count() or 1


@contextmanager
def cores(count: int) -> Iterator[None]:
    """Use at most this many cores inside the `with` block."""
    global _cores
    before, _cores = _cores, count
    try:
        yield
    finally:
        _cores = before


@cache
def threads(count: int) -> ThreadPoolExecutor:
    """The threads the work is spread over."""
    return ThreadPoolExecutor(count, thread_name_prefix="cabochon")


def spread(run: Callable[..., Any], *arrays: NDArray[Any]) -> None:
    """Run a kernel over slices of the arrays, one slice a core."""
    games = len(arrays[0])
    count = min(_cores, games // GAMES_PER_THREAD)
    if count < 2:
        run(*arrays)
        return
    bounds = np.linspace(0, games, count + 1).astype(int)
    slices = [[array[a:b] for array in arrays] for a, b in pairwise(bounds)]
    for _ in threads(count).map(lambda part: run(*part), slices):
        pass


def checked_states(states: States) -> States:
    """The records themselves, if that is what they are."""
    if not isinstance(states, np.ndarray) or states.dtype != state_t or states.ndim != 1:
        raise WrongType("states must be a one-dimensional array of records, as deal() returns it")
    return states


def _numbers(name: str, values: ArrayLike, states: States) -> NDArray[np.int64]:
    """A whole number for each game: a kernel reads past the end of an array that is too short."""
    try:
        numbers = np.asarray(values)
    except ValueError as wrong:  # lists of different lengths
        raise WrongType(f"{name} must be {len(states)} whole numbers, one for each game") from wrong
    if numbers.shape != states.shape or numbers.dtype.kind not in "iu":
        raise CabochonError(f"{name} must be {len(states)} whole numbers, one for each game")
    return numbers.astype(np.int64, copy=False)


def deal(variant: str, players: int, seeds: ArrayLike, *, start: int | None = None, **house: Any) -> States:
    """A dealt game for every seed. The start seat is drawn from the seed unless it is given."""
    rules = ruleset(variant, players, house)
    if start is not None and not (is_count(start) and 0 <= start < players):
        raise RulesetError(f"start must be a seat from 0 to {players - 1}, not {quoted(start)}")
    try:
        numbers = np.atleast_1d(np.asarray(seeds))
    except ValueError as wrong:  # lists of different lengths
        raise WrongType("seeds must be whole numbers in one dimension") from wrong
    if numbers.dtype.kind not in "iu" or numbers.ndim != 1:
        raise CabochonError("seeds must be whole numbers in one dimension")
    states = blank_states(rules, len(numbers))
    spread(lambda s, n: _deal(s, n, ANY_START if start is None else start), states, numbers.astype(np.int64))
    return states


def legal(states: States) -> NDArray[np.int64]:
    """One mask a game: bit i is action `FIRST_ACTION[stage] + i`; 0 when the game is over."""
    masks = np.empty(len(checked_states(states)), np.int64)
    spread(_legal, states, masks)
    return masks


def legal_table(states: States) -> NDArray[np.int8]:
    """A row of 73 zeros and ones a game, by action number."""
    table = np.empty((len(checked_states(states)), ACTION_COUNT), np.int8)
    spread(_legal_table, states, table)
    return table


def choose(states: States, masks: ArrayLike, seeds: ArrayLike) -> NDArray[np.int64]:
    """A random legal action a game, all equally likely; NO_ACTION where the game is over."""
    actions = np.empty(len(checked_states(states)), np.int64)
    spread(_choose, states, _numbers("masks", masks, states), _numbers("seeds", seeds, states), actions)
    return actions


def play(states: States, actions: ArrayLike) -> None:
    """Play one action in every game, in place. NO_ACTION (-1) leaves a game alone; an illegal one raises and changes nothing."""
    numbers = _numbers("actions", actions, checked_states(states))
    answers = np.empty(len(states), np.bool_)
    spread(_allowed, states, numbers, answers)
    if not answers.all():
        game = int(answers.argmin())
        raise IllegalMove(f"action {numbers[game]} in game {game}", "not legal in this position")
    spread(_play, states, numbers)
