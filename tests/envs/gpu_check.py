"""The GPU batch brings the numbers of the CPU, and other libraries look at its memory without a copy.

PYTHONPATH=src:. python -m tests.envs.gpu_check        needs a CUDA GPU and numba-cuda; with --measure also prints throughput
"""

import argparse
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numba.cuda
import numpy as np

from cabochon import VARIANTS
from cabochon.envs.episodes import ILLEGAL_REWARD, NEXT_STEP, SAME_STEP, Episodes, compiled_bots, seat_bots
from cabochon.envs.gpu import SplendorGpu, _advance, _advance_random, _observe_all
from cabochon.observation import mask_numbers

cuda: Any = numba.cuda
MODES = {"next_step": NEXT_STEP, "same_step": SAME_STEP}
EVERY_ILLEGAL = 97
CONSTANT_MEMORY = 1 << 16  # of a kernel: the printed tables are there


def chosen(masks: Any, rng: np.random.Generator) -> Any:
    """A random legal action a game; now and then one that is not."""
    weights = rng.random(masks.shape) * masks
    actions = weights.argmax(axis=1)
    actions[rng.random(len(actions)) < 1 / EVERY_ILLEGAL] = 60
    return actions.astype(np.int64)


def check(variant: str, players: int, opponents: str, mode: str, games: int, steps: int, turn_limit: int = 400) -> dict[str, int]:
    """Play the same games on both and compare every number of every step; how many episodes ended in which way."""
    bots = compiled_bots(seat_bots(players, opponents))
    on_cpu = Episodes(games, variant, players, bots, turn_limit)
    everybody = np.ones(games, np.bool_)
    on_cpu.seed(np.arange(games) + 5, everybody)
    observations, masks = on_cpu.reset(everybody)
    on_gpu = SplendorGpu(variant, players, opponents=opponents, turn_limit=turn_limit, autoreset_mode=mode)
    shown, _ = on_gpu.reset(games, seed=5)
    rng, ends = np.random.default_rng(3), {"ended": 0, "illegal": 0, "truncated": 0}
    for step in range(steps):
        np.testing.assert_array_equal(observations, shown.copy_to_host(), f"observations, step {step}")
        np.testing.assert_array_equal(masks, mask_numbers(on_gpu._masks.copy_to_host()), f"masks, step {step}")
        actions = chosen(masks, rng)
        cpu, gpu = on_cpu.step(actions, MODES[mode]), on_gpu.step(cuda.to_device(actions))
        np.testing.assert_array_equal(cpu.rewards.astype(np.float32), gpu.rewards.copy_to_host())
        np.testing.assert_array_equal(cpu.terminated, gpu.terminated.copy_to_host())
        np.testing.assert_array_equal(cpu.truncated, gpu.truncated.copy_to_host())
        ended = cpu.terminated | cpu.truncated
        if mode == "same_step":
            np.testing.assert_array_equal(cpu.final_observations[ended], on_gpu.final_observations.copy_to_host()[ended])
            np.testing.assert_array_equal(cpu.final_masks[ended], mask_numbers(on_gpu._last_masks.copy_to_host())[ended])
        observations, masks, shown = cpu.observations, cpu.masks, gpu.observations
        ends["truncated"] += int(cpu.truncated.sum())
        ends["illegal"] += int((cpu.rewards == ILLEGAL_REWARD).sum())
        ends["ended"] += int(ended.sum())
    assert on_cpu.states.tobytes() == on_gpu.states.copy_to_host().tobytes()
    return ends


def check_sharing() -> list[str]:
    """Torch, CuPy and JAX see the same memory, if they are there; which were."""
    batch = SplendorGpu(opponents="random")
    observations, masks = batch.reset(256)
    before, address = observations.copy_to_host(), observations.__cuda_array_interface__["data"][0]
    found = []
    if find_spec("torch"):
        torch: Any = import_module("torch")
        tensor, legal = torch.as_tensor(observations, device="cuda"), torch.as_tensor(masks, device="cuda")
        assert address == tensor.data_ptr()
        assert (before == tensor.cpu().numpy()).all()
        step = batch.step(legal.float().argmax(dim=1))
        assert (tensor.cpu().numpy() == step.observations.copy_to_host()).all()
        found.append("torch")
    if find_spec("cupy"):
        cupy: Any = import_module("cupy")
        array = cupy.asarray(observations)
        assert address == array.data.ptr
        batch.step(cupy.asarray(masks).argmax(axis=1))
        found.append("cupy")
        if find_spec("jax"):
            jax: Any = import_module("jax")
            shared = jax.dlpack.from_dlpack(array)
            assert address == shared.unsafe_buffer_pointer()
            found.append("jax")
    return found


def main() -> None:
    """Compare everything, then measure if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--measure", action="store_true")
    said = parser.parse_args()
    for variant in VARIANTS:
        for players in (2, 3, 4):
            for opponents in ("random", "greedy"):
                for mode in MODES:
                    limit = 60 if mode == "same_step" else 400
                    ends = check(variant, players, opponents, mode, said.games, said.steps, limit)
                    print(
                        f"{variant} {players} {opponents} {mode}: {said.games} games equal for {said.steps} steps, {ends}",
                        flush=True,
                    )
    used = max(size for kernel in (_advance, _advance_random, _observe_all) for size in kernel.get_const_mem_size().values())
    print(f"constant memory: {used:,} of {CONSTANT_MEMORY:,} bytes", flush=True)
    print("shared without a copy:", ", ".join(check_sharing()) or "no other library is installed", flush=True)
    if said.measure:
        sys.argv = sys.argv[:1]
        sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
        import_module("gpu_throughput").main()


if __name__ == "__main__":
    main()
