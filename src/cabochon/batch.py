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

from . import observation
from .errors import CabochonError, IllegalMove, RulesetError, WrongType, quoted
from .rules import play as turn
from .rules.actions import ACTION_COUNT, FIRST_ACTION
from .rules.bits import count_bits, nth_bit
from .rules.compile import kernel
from .rules.deal import ANY_START, deal_from
from .rules.ending import rank
from .rules.gems import LANE_COUNT
from .rules.rng import below, seeded, stir
from .rules.state import OVER, state_t
from .rules.variants import VARIANT_NAMES
from .ruleset import States, blank_states, is_count, ruleset

NO_ACTION = -1
GAMES_PER_THREAD = 2048
SEED_LIMIT = 1 << 62
TURN_SHIFT = 48  # above the seeds that people count up
SEAT_TO_DECIDE = -1


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
            # With the turn in it, seeds that are used again (by a neighbour, or at the next step) do not repeat the same draws.
            rng = stir(seeded(seeds[i] ^ np.int64(states[i].turns) << TURN_SHIFT))
            pick = nth_bit(masks[i], below(rng, count_bits(masks[i])))
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
def _ranks(states: Any, out: Any) -> None:
    for i in range(states.shape[0]):
        for seat in range(out.shape[1]):
            out[i, seat] = rank(states[i], seat) if seat < states[i].players else 0


@kernel
def _observe(states: Any, seats: Any, out: Any) -> None:
    for i in range(states.shape[0]):
        observation.observe(states[i], seats[i] if seats[i] >= 0 else states[i].turn, out[i])


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
    if not is_count(count) or count < 1:
        raise CabochonError(f"cores must be a whole number from 1, not {quoted(count)}")
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


def checked_states(states: States, *, written: bool = False) -> States:
    """The records themselves, if that is what they are. A kernel that writes into them needs an array that may be changed."""
    if not isinstance(states, np.ndarray) or states.dtype != state_t or states.ndim != 1:
        raise WrongType(f"states must be a one-dimensional array of records, as deal() returns it{_hint(states)}")
    if written and not states.flags.writeable:
        raise CabochonError("states cannot be changed: this array is read-only; play on states.copy()")
    return states


def _hint(states: object) -> str:
    """What is wrong with something that is nearly an array of records."""
    if isinstance(states, np.void) and states.dtype == state_t:
        return "; this is one record: take states[i : i + 1]"
    return "; of a Game that is game.states" if hasattr(states, "states") else ""


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


def choose(
    states: States,
    masks: ArrayLike | None = None,
    rng: np.random.Generator | None = None,
    *,
    seeds: ArrayLike | None = None,
) -> NDArray[np.int64]:
    """A random legal action a game, all equally likely; NO_ACTION where the game is over.

    Without `masks` they are computed. Chance comes from `rng`, or from a new generator; or from `seeds`, a number for each game
    (give others for every call), so that a game is played alike whichever games stand beside it.
    """
    given = legal(states) if masks is None else _numbers("masks", masks, checked_states(states))
    if rng is not None and not isinstance(rng, np.random.Generator):
        raise WrongType(f"rng must be a generator such as numpy.random.default_rng(7), not {quoted(rng)}")
    if rng is not None and seeds is not None:
        raise CabochonError("rng and seeds: give one of them")
    if seeds is None:
        seeds = (rng or np.random.default_rng()).integers(0, SEED_LIMIT, len(states))
    actions = np.empty(len(states), np.int64)
    spread(_choose, states, given, _numbers("seeds", seeds, states), actions)
    return actions


def play(states: States, actions: ArrayLike) -> None:
    """Play one action in every game, in place. NO_ACTION (-1) leaves a game alone; an illegal one raises and changes nothing."""
    numbers = _numbers("actions", actions, checked_states(states, written=True))
    answers = np.empty(len(states), np.bool_)
    spread(_allowed, states, numbers, answers)
    if not answers.all():
        game = int(answers.argmin())
        raise IllegalMove(f"action {numbers[game]} in game {game}", "not legal in this position")
    spread(_play, states, numbers)


def is_over(states: States) -> NDArray[np.bool_]:
    """Whether each game has ended."""
    over: NDArray[np.bool_] = checked_states(states)["stage"] == OVER
    return over


def ranks(states: States) -> NDArray[np.int8]:
    """A row of ranks a game, by seat, as it stands now: 1 is best, equals share one. A seat that is not there has 0."""
    out = np.empty((len(checked_states(states)), _seats(states)), np.int8)
    spread(_ranks, states, out)
    return out


def winners(states: States) -> NDArray[np.bool_]:
    """A row of truth values a game, by seat: who has won. Nobody, while the game goes on."""
    won: NDArray[np.bool_] = (ranks(states) == 1) & is_over(states)[:, None]
    return won


def points(states: States) -> NDArray[np.uint8]:
    """A row of points a game, by seat."""
    return checked_states(states)["points"][:, : _seats(states)].copy()


def tokens(states: States) -> NDArray[np.uint8]:
    """The tokens of each seat of each game, by lane: the five colours, wild, and Time (0 where there is none)."""
    return _lanes(checked_states(states)["tokens"][:, : _seats(states)])


def bonuses(states: States) -> NDArray[np.uint8]:
    """The bonuses of each seat of each game, by lane like `tokens`."""
    return _lanes(checked_states(states)["bonuses"][:, : _seats(states)])


def bank(states: States) -> NDArray[np.uint8]:
    """The tokens in the bank of each game, by lane like `tokens`."""
    return _lanes(checked_states(states)["bank"])


def observe(states: States, seats: int | ArrayLike | None = None) -> NDArray[np.int8]:
    """A row of numbers a game: what a seat may know (docs/envs has the table). None: the seat to decide; or one for each game.

    All games must have as many players. The first one decides whether the rows tell what tiles ask for, as those of Cities do.
    """
    players = _seats(states)
    if (states["players"] != players).any():
        raise CabochonError("games with different numbers of players have rows of different lengths: observe them apart")
    seen_by = _checked_seats(seats, players, len(states))
    variant = VARIANT_NAMES[states["variant"][0]] if len(states) else VARIANT_NAMES[0]
    rows = observation.blank_rows(len(states), players, variant)
    spread(_observe, states, seen_by, rows)
    return observation.numbers(rows)


def _checked_seats(seats: int | ArrayLike | None, players: int, games: int) -> NDArray[np.int64]:
    """A seat for each game; -1 for the seat to decide."""
    given = np.asarray(SEAT_TO_DECIDE if seats is None else seats)
    is_one_each = given.shape in ((), (games,)) and given.dtype.kind in "iu"
    if not is_one_each or (seats is not None and given.size and not 0 <= given.min() <= given.max() < players):
        raise CabochonError(
            f"seats must be numbers from 0 to {players - 1}, one for all games or one for each, not {quoted(seats)}"
        )
    return np.ascontiguousarray(np.broadcast_to(given, (games,)), np.int64)


def _seats(states: States) -> int:
    """The most seats that a game of these has; 2 if there is none."""
    return int(checked_states(states)["players"].max(initial=2))


def _lanes(gems: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Vectors of gems as numbers, a byte each, in one more dimension."""
    packed = np.ascontiguousarray(gems, "<i8")
    return packed.view(np.uint8).reshape(*packed.shape, 8)[..., :LANE_COUNT].copy()
