"""The same positions on the CPU and on a GPU: a net's input is the same, and so is what its searches find.

PYTHONPATH=src:. python -m tests.learn.gpu_check        needs a CUDA GPU, numba-cuda and torch
"""

from typing import Any, NamedTuple

import numpy as np
import torch

from cabochon.learn.device import Device
from cabochon.learn.net.model import Model
from cabochon.learn.net.selfplay import BatchedSearch, Roots, gumbel_noise, new_games
from cabochon.rules.variants import VARIANTS
from cabochon.search.models.net import load_net
from cabochon.search.tree import NO_EDGE
from tests.support.net_inputs import positions

SIMULATIONS = 32
ALIKE = 0.97  # of the searches: numbers that differ in their last digit may choose otherwise now and then


class Found(NamedTuple):
    """What a device saw at the roots, and how often each of their moves was looked at."""

    root: Roots
    visits: Any  # games x actions


def search(device: Device, states: Any, variant: str, players: int, noise: torch.Tensor) -> Found:
    """BatchedSearch all positions, twice, so that a recorded search is played again."""
    model = Model.from_net(load_net(variant, players)).to(device.name).requires_grad_(requires_grad=False)
    games = new_games(device, states.copy())
    searching = BatchedSearch(device, model, games, players, SIMULATIONS)
    searching.noise.copy_(noise)
    for turn in range(2):
        games.rngs.copy_(torch.arange(len(states)) * 7919 + turn + 1)
        searching.run()
    root = Roots._make(array.cpu() for array in searching.root)
    trees: Any = searching.trees
    nodes, edges = (device.download(array) for array in (trees.nodes, trees.edges))
    return Found(root, visits_of(nodes, edges, noise.shape[1]))


def visits_of(nodes: Any, edges: Any, actions: int) -> Any:
    """How often each action at the root of each tree was looked at."""
    visits = np.zeros((len(nodes), actions), np.int64)
    for i, (own, root) in enumerate(zip(edges, nodes[:, 0], strict=True)):
        first, after = int(root["first_edge"]), int(root["first_edge"]) + int(root["edge_count"])
        for edge in own[first:after] if first != NO_EDGE else []:
            visits[i, edge["action"]] = edge["visits"]
    return visits


def check(variant: str, players: int) -> float:
    """Compare; the part of the searches that is exactly alike."""
    states, processor = positions(variant, players), Device("cpu")
    torch.manual_seed(3)
    noise = gumbel_noise(processor, len(states))
    here, there = (search(device, states, variant, players, noise) for device in (processor, Device("cuda")))
    for name in ("feature_counts", "policy_indices", "needs_net"):
        torch.testing.assert_close(getattr(here.root, name), getattr(there.root, name), rtol=0, atol=0)
    for i in np.ndindex(*here.root.feature_counts.shape):
        n = int(here.root.feature_counts[i])
        assert here.root.features[i][:n].tolist() == there.root.features[i][:n].tolist()
    np.testing.assert_array_equal(here.visits.sum(1), there.visits.sum(1))
    return float((here.visits == there.visits).all(1).mean())


def main() -> None:
    """Compare every game."""
    for variant in VARIANTS:
        for players in (2, 3, 4):
            alike = check(variant, players)
            print(f"{variant} {players}: all features are the same, and {alike:.1%} of the searches", flush=True)
            assert alike >= ALIKE


if __name__ == "__main__":
    main()
