# mypy: disallow-untyped-decorators=False
"""A batch of episodes on a GPU: the functions of `episodes.py`, one thread for each game, on arrays that stay on the device.

The records are an array of structures, so threads that read the same field of many games would not coalesce their accesses. A
block of threads therefore copies its records into shared memory, plays there, and copies them back; so for observations.

The arrays are Numba device arrays. They have the CUDA array interface, so `torch.as_tensor(array, device="cuda")` and
`cupy.asarray(array)` look at the same memory, and JAX does through CuPy's DLPack. `step` writes into the same arrays each time.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numba.cuda
import numpy as np

from ..bots.greedy import SCRATCH
from ..errors import CabochonError
from ..observation import MASK_WORDS, WORD, observation_words
from ..rules.actions import ACTION_COUNT, FIRST_ACTION
from ..rules.bits import count_bits, nth_bit
from ..rules.compile import kernel
from ..rules.rng import below, seeded, stir
from ..rules.state import state_t
from ..ruleset import blank_states, ruleset
from .episodes import (
    NEXT_STEP,
    SAME_STEP,
    TURN_LIMIT,
    Games,
    Results,
    Settings,
    advance,
    begin,
    checked_limit,
    checked_start,
    compiled_bots,
    has_greedy,
    observe_learner,
    seat_bots,
)

cuda: Any = numba.cuda
THREADS = 128
BLOCK = 64  # threads that share memory
RECORD = numba.from_dtype(state_t)
RECORD_WORDS = state_t.itemsize // WORD
MODES = {"next_step": NEXT_STEP, "same_step": SAME_STEP}


@cuda.jit
def _seed(rngs: Any, first: int) -> None:
    """Seed game i with first + i."""
    i = cuda.grid(1)
    if i < rngs.shape[0]:
        rngs[i] = seeded(first + i)


@cuda.jit
def _begin(states: Any, rngs: Any, ended: Any, bots: int, turn_limit: int, start: int) -> None:
    """Deal the next game everywhere."""
    i = cuda.grid(1)
    if i < states.shape[0]:
        scratch = cuda.local.array(SCRATCH, np.int64)
        rngs[i] = begin(states[i], rngs[i], start, bots, turn_limit, scratch)
        ended[i] = False


@cuda.jit(device=True)
def _copy(source: Any, source_start: int, target: Any, target_start: int, count: int) -> None:
    """The threads of a block copy consecutive words, so that the accesses coalesce."""
    for k in range(cuda.threadIdx.x, count, cuda.blockDim.x):
        target[target_start + k] = source[source_start + k]


@cuda.jit(device=True)
def _copy_rows(stage: Any, start: int, words: int, rows: Any, first: int, games: int) -> None:
    """The threads of a block copy padded rows from shared memory to consecutive rows in global memory.

    Row and column are counted up, because a division for each word would take longer than everything else.
    """
    row, column = cuda.threadIdx.x // words, cuda.threadIdx.x % words
    while row < games:
        rows[(first + row) * words + column] = stage[start + row * padded(words) + column]
        column += cuda.blockDim.x
        while column >= words:
            column -= words
            row += 1


@kernel
def padded(words: int) -> int:
    """The stride of rows in shared memory: odd, so that the threads of a warp access different banks."""
    return words | 1


def _compiled_advance(with_greedy: bool) -> Any:
    """The kernel of a step. Without greedy it is much smaller, so that more threads fit."""

    @cuda.jit
    def advance_all(
        words: Any,
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
    ) -> None:
        """The records come as words, to be copied; in shared memory the same bytes are also records."""
        stage, states = cuda.shared.array(0, np.int64), cuda.shared.array(0, RECORD)
        first = cuda.blockIdx.x * cuda.blockDim.x
        games = min(cuda.blockDim.x, rngs.shape[0] - first)
        _copy(words, first * RECORD_WORDS, stage, 0, games * RECORD_WORDS)
        cuda.syncthreads()
        i = first + cuda.threadIdx.x
        if cuda.threadIdx.x < games:
            scratch = cuda.local.array(SCRATCH, np.int64) if with_greedy else None
            games_of_block = Games(states, rngs, moves, ended)
            results = Results(rewards, terminated, truncated, last_rows, last_masks, last_rows, last_masks)
            advance(games_of_block, actions, results, Settings(bots, turn_limit, start, mode), i, i + 1, first, scratch)
        cuda.syncthreads()
        _copy(stage, 0, words, first * RECORD_WORDS, games * RECORD_WORDS)

    return advance_all


_advance, _advance_random = _compiled_advance(with_greedy=True), _compiled_advance(with_greedy=False)


@cuda.jit
def _observe_all(states: Any, moves: Any, rows: Any, masks: Any, words: int) -> None:
    """Observations (rows of `words`) and masks: each thread writes its game into shared memory, then the block copies all."""
    stage = cuda.shared.array(0, np.int64)
    thread, first = cuda.threadIdx.x, cuda.blockIdx.x * cuda.blockDim.x
    games = min(cuda.blockDim.x, states.shape[0] - first)
    mask_start = cuda.blockDim.x * padded(words)
    if thread < games:
        row, mask = thread * padded(words), mask_start + thread * padded(MASK_WORDS)
        moves[first + thread] = observe_learner(states[first + thread], stage[row : row + words], stage[mask : mask + MASK_WORDS])
    cuda.syncthreads()
    _copy_rows(stage, 0, words, rows, first, games)
    _copy_rows(stage, mask_start, MASK_WORDS, masks, first, games)


@cuda.jit
def _choose(states: Any, moves: Any, rngs: Any, actions: Any) -> None:
    """A random legal action for each game; 0 where there is none."""
    i = cuda.grid(1)
    if i < states.shape[0]:
        rngs[i] = stir(rngs[i])
        count = count_bits(moves[i])
        actions[i] = FIRST_ACTION[states[i].stage] + nth_bit(moves[i], below(rngs[i], count)) if count > 0 else 0


class GpuStep(NamedTuple):
    """The result of a step, a row for each game, on the device."""

    observations: Any
    rewards: Any
    terminated: Any
    truncated: Any
    masks: Any


class SplendorGpu:
    """Many games of one learner (seat 0) against compiled bots, on a GPU.

    The same seeds and actions bring the same numbers as `SplendorVectorEnv`; rewards are rounded to float32. With "same_step",
    `final_observations` and `final_masks` have the ends of episodes, in the rows of the games that ended.
    """

    def __init__(
        self,
        variant: str = "classic",
        players: int = 2,
        *,
        opponents: str | Sequence[str] = "greedy",
        turn_limit: int = TURN_LIMIT,
        start: int | None = None,
        autoreset_mode: str = "next_step",
        **house: Any,
    ) -> None:
        if not cuda.is_available():
            raise CabochonError("no CUDA GPU was found; the extra [gpu] brings numba-cuda")
        if autoreset_mode not in MODES:
            raise CabochonError(f"autoreset_mode must be one of {', '.join(MODES)}, not {autoreset_mode!r}")
        self.rules = ruleset(variant, players, house)
        self._bots = compiled_bots(seat_bots(players, opponents))
        self._advance = _advance if has_greedy(self._bots) else _advance_random
        self._turn_limit = checked_limit(turn_limit, players)
        self._start = checked_start(start, players)
        self._mode = MODES[autoreset_mode]

    def reset(self, count: int, seed: int = 0) -> tuple[Any, Any]:
        """Deal `count` games, game i by seed + i; observations and masks."""
        self.count = count
        self._allocate()
        _seed[self._blocks(THREADS), THREADS](self._rngs, seed)
        _seed[self._blocks(THREADS), THREADS](self._choices, ~seed)
        settings = (self._bots, self._turn_limit, self._start)
        _begin[self._blocks(THREADS), THREADS](self.states, self._rngs, self._ended, *settings)
        self._observe()
        return self.observations, self.masks

    def observe(self) -> Any:
        """The observations now: int8, a row for each game."""
        return self.observations

    def legal(self) -> Any:
        """The legal actions now: 73 zeros and ones for each game."""
        return self.masks

    def step(self, actions: Any) -> GpuStep:
        """One decision of the learner in each game. Actions are integers on the device, in an array of any library."""
        chosen = actions if isinstance(actions, cuda.devicearray.DeviceNDArray) else cuda.as_cuda_array(actions)
        if chosen.shape != (self.count,):
            raise CabochonError(f"actions must be {self.count} whole numbers, one for each game")
        self._advance[self._blocks(BLOCK), BLOCK, 0, state_t.itemsize * BLOCK](
            *(self._words, self._rngs, self._moves, self._ended, chosen, self._rewards, self._terminated, self._truncated),
            *(self._last_rows, self._last_masks, self._bots, self._turn_limit, self._start, self._mode),
        )
        self._observe()
        return GpuStep(self.observations, self._rewards, self._terminated, self._truncated, self.masks)

    def random_actions(self) -> Any:
        """A random legal action for every game, on the device."""
        _choose[self._blocks(THREADS), THREADS](self.states, self._moves, self._choices, self._actions)
        return self._actions

    def _allocate(self) -> None:
        count, words = self.count, observation_words(self.rules.players, self.rules.variant)
        ends = count if self._mode == SAME_STEP else 1
        self.states = cuda.to_device(blank_states(self.rules, count))
        self._words = self.states.view(np.int64)
        self._rngs, self._choices, self._moves, self._actions = (cuda.device_array(count, np.int64) for _ in range(4))
        self._rewards = cuda.device_array(count, np.float32)
        self._ended, self._terminated, self._truncated = (cuda.device_array(count, np.bool_) for _ in range(3))
        self._rows, self._masks = cuda.device_array((count, words), np.int64), cuda.device_array((count, MASK_WORDS), np.int64)
        self._last_rows = cuda.device_array((ends, words), np.int64)
        self._last_masks = cuda.device_array((ends, MASK_WORDS), np.int64)
        self.observations, self.final_observations = (rows.view(np.int8) for rows in (self._rows, self._last_rows))
        self.masks, self.final_masks = (rows.view(np.int8)[:, :ACTION_COUNT] for rows in (self._masks, self._last_masks))

    def _blocks(self, threads: int) -> int:
        return -(-self.count // threads)

    def _observe(self) -> None:
        words = observation_words(self.rules.players, self.rules.variant)
        shared = WORD * BLOCK * (padded(words) + padded(MASK_WORDS))
        _observe_all[self._blocks(BLOCK), BLOCK, 0, shared](
            *(self.states, self._moves, self._rows.reshape(-1), self._masks.reshape(-1), words)
        )
