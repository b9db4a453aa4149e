# mypy: disallow-untyped-decorators=False
"""A batch of episodes on a GPU: the functions of `episode.py`, a thread a game, on arrays that stay on the device.

The arrays are Numba device arrays. They have the CUDA array interface, so `torch.as_tensor(array, device="cuda")` and
`cupy.asarray(array)` look at the same memory, and JAX does through CuPy's DLPack. `step` writes into the same arrays every time.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numba.cuda
import numpy as np

from ..bots.greedy import SCRATCH
from ..errors import CabochonError
from ..rules.actions import ACTION_COUNT, FIRST_ACTION
from ..rules.bits import count_bits, nth_bit
from ..rules.chance import below, seeded, stir
from ..rules.play import legal
from ..ruleset import blank_states, ruleset
from .episode import (
    LEARNER,
    NEXT_STEP,
    SAME_STEP,
    TURN_LIMIT,
    advance,
    begin,
    checked_limit,
    checked_start,
    compiled_bots,
    has_greedy,
    seat_bots,
)
from .observation import MASK_WORDS, observation_words, observe, write_mask

cuda: Any = numba.cuda
THREADS = 128
SHOWING_THREADS = 64
MODES = {"next_step": NEXT_STEP, "same_step": SAME_STEP}


@cuda.jit
def _seed(rngs: Any, first: int) -> None:
    """Game i begins the chain of random numbers of seed first + i."""
    i = cuda.grid(1)
    if i < rngs.shape[0]:
        rngs[i] = seeded(first + i)


@cuda.jit
def _begin(states: Any, rngs: Any, ended: Any, bots: int, turn_limit: int, start: int) -> None:
    """Deal the next game of every chain."""
    i = cuda.grid(1)
    if i < states.shape[0]:
        scratch = cuda.local.array(SCRATCH, np.int64)
        rngs[i] = begin(states[i], rngs[i], start, bots, turn_limit, scratch)
        ended[i] = False


@cuda.jit
def _advance(
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
) -> None:
    """A step of every game."""
    i = cuda.grid(1)
    if i < states.shape[0]:
        scratch = cuda.local.array(SCRATCH, np.int64)
        advance(
            states, rngs, moves, ended, actions, rewards, terminated, truncated, last_rows, last_masks,
            bots, turn_limit, start, mode, i, i + 1, scratch,
        )  # fmt: skip


@cuda.jit
def _advance_random(
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
) -> None:
    """The same where nobody is greedy: a much smaller kernel, so that more threads fit."""
    i = cuda.grid(1)
    if i < states.shape[0]:
        advance(
            states, rngs, moves, ended, actions, rewards, terminated, truncated, last_rows, last_masks,
            bots, turn_limit, start, mode, i, i + 1, None,
        )  # fmt: skip


@cuda.jit
def _show(states: Any, moves: Any, rows: Any, masks: Any) -> None:
    """Observations and masks. Each thread lays out its game in shared memory; then the block writes them side by side.

    Rows in shared memory are one word longer than they need be, so that the threads of a warp meet different banks.
    """
    count, words = states.shape[0], rows.shape[1]
    stage = cuda.shared.array(0, np.int64)
    thread, first = cuda.threadIdx.x, cuda.blockIdx.x * cuda.blockDim.x
    row_stride, mask_stride = words + 1, MASK_WORDS + 1
    mask_start = cuda.blockDim.x * row_stride
    i = first + thread
    if i < count:
        state = states[i]
        observe(state, LEARNER, stage[thread * row_stride : thread * row_stride + words])
        moves[i] = legal(state)
        at = mask_start + thread * mask_stride
        write_mask(state.stage, moves[i], stage[at : at + MASK_WORDS])
    cuda.syncthreads()
    games = min(cuda.blockDim.x, count - first)
    for k in range(thread, games * words, cuda.blockDim.x):
        rows[first + k // words, k % words] = stage[(k // words) * row_stride + k % words]
    for k in range(thread, games * MASK_WORDS, cuda.blockDim.x):
        masks[first + k // MASK_WORDS, k % MASK_WORDS] = stage[mask_start + (k // MASK_WORDS) * mask_stride + k % MASK_WORDS]


@cuda.jit
def _choose(states: Any, moves: Any, rngs: Any, actions: Any) -> None:
    """A random legal action for every game; 0 where there is none."""
    i = cuda.grid(1)
    if i < states.shape[0]:
        rngs[i] = stir(rngs[i])
        count = count_bits(moves[i])
        actions[i] = FIRST_ACTION[states[i].stage] + nth_bit(moves[i], below(rngs[i], count)) if count > 0 else 0


class GpuStep(NamedTuple):
    """What a step brings, a row a game, on the device."""

    observations: Any
    rewards: Any
    terminated: Any
    truncated: Any
    masks: Any


class SplendorGpu:
    """Many games of one learner (seat 0) against compiled bots, on a GPU.

    The same seeds and actions bring the same numbers as `SplendorVectorEnv`; rewards are rounded to float32. With "same_step" the
    ends of episodes that began anew stand in `final_observations` and `final_masks`, in the rows of games that ended.
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
        self._show()
        return self.observations, self.masks

    def observe(self) -> Any:
        """The observations now: int8, a row a game."""
        return self.observations

    def legal(self) -> Any:
        """The legal actions now: 73 zeros and ones a game."""
        return self.masks

    def step(self, actions: Any) -> GpuStep:
        """One decision of the learner in every game; actions are whole numbers on the device, in any library's array."""
        chosen = actions if isinstance(actions, cuda.devicearray.DeviceNDArray) else cuda.as_cuda_array(actions)
        if chosen.shape != (self.count,):
            raise CabochonError(f"actions must be {self.count} whole numbers, one for each game")
        self._advance[self._blocks(THREADS), THREADS](
            *(self.states, self._rngs, self._moves, self._ended, chosen, self._rewards, self._terminated, self._truncated),
            *(self._last_rows, self._last_masks, self._bots, self._turn_limit, self._start, self._mode),
        )
        self._show()
        return GpuStep(self.observations, self._rewards, self._terminated, self._truncated, self.masks)

    def random_actions(self) -> Any:
        """A random legal action for every game, on the device."""
        _choose[self._blocks(THREADS), THREADS](self.states, self._moves, self._choices, self._actions)
        return self._actions

    def _allocate(self) -> None:
        """Everything the games need, once."""
        count, words = self.count, observation_words(self.rules.players)
        ends = count if self._mode == SAME_STEP else 1
        self.states = cuda.to_device(blank_states(self.rules, count))
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

    def _show(self) -> None:
        words = observation_words(self.rules.players) + 1 + MASK_WORDS + 1
        shared = 8 * words * SHOWING_THREADS
        _show[self._blocks(SHOWING_THREADS), SHOWING_THREADS, 0, shared](self.states, self._moves, self._rows, self._masks)
