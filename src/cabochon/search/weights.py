"""The learnt weights, one file for each game and number of players."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .linear_eval import HABITS, KIND, OVERFLOW, PHASES, SHARPNESS, SPITE
from .linear_features import FEATURES

FOLDER = Path(__file__).parent / "weights"
START_HABITS = np.zeros(HABITS, np.float32)
START_HABITS[SHARPNESS], START_HABITS[SPITE], START_HABITS[OVERFLOW] = 4.0, 0.3, -0.5
START_HABITS[KIND + 2 : KIND + 4] = -1.0


class Weights(NamedTuple):
    """What facts are worth in each phase, and the habits that turn that into a policy."""

    worths: NDArray[np.float32]
    habits: NDArray[np.float32]


def path_of(variant: str, players: int) -> Path:
    """Where the weights of a game lie."""
    return FOLDER / f"{variant}-{players}.npz"


@cache
def load_weights(variant: str, players: int) -> Weights:
    """The weights of a game."""
    with np.load(path_of(variant, players)) as file:
        worths, habits = file["worths"].astype(np.float32), file["habits"].astype(np.float32)
    assert worths.shape == (PHASES, FEATURES) and habits.shape == (HABITS,)
    return Weights(np.ascontiguousarray(worths), habits)


def save_weights(variant: str, players: int, weights: Weights) -> None:
    """Write the weights of a game."""
    FOLDER.mkdir(exist_ok=True)
    np.savez_compressed(path_of(variant, players), worths=weights.worths, habits=weights.habits)
