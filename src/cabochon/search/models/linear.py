"""Files of linear weights, one for each game and number of players."""

from functools import cache
from pathlib import Path

import numpy as np

from ...rules.variants import VARIANTS
from ..linear_eval import GAIN_SCALE, KIND_BIAS, KIND_RESERVE, KIND_RESERVE_DECK, OPPONENT_WEIGHT, OVERFLOW, PHASES, LinearWeights
from ..linear_eval import POLICY_WEIGHTS as POLICY_WEIGHT_COUNT
from ..linear_features import LINEAR_FEATURES

FOLDER = Path(__file__).parent
SUFFIX = ".npz"
# The arrays in a file keep the names that they had in the first one, so that every file ever written can be read.
FILE_NAMES = {"value": "worths", "policy": "habits"}

# Where learning begins: gains count, opponents a little, and neither tokens over the limit nor reserving are attractive.
INITIAL_POLICY_WEIGHTS = np.zeros(POLICY_WEIGHT_COUNT, np.float32)
INITIAL_POLICY_WEIGHTS[GAIN_SCALE] = 4.0
INITIAL_POLICY_WEIGHTS[OPPONENT_WEIGHT] = 0.3
INITIAL_POLICY_WEIGHTS[OVERFLOW] = -0.5
INITIAL_POLICY_WEIGHTS[[KIND_BIAS + KIND_RESERVE, KIND_BIAS + KIND_RESERVE_DECK]] = -1.0


def weights_path(variant: str, players: int) -> Path:
    """Where the weights of a game are kept; a variant may name another whose weights it uses."""
    return FOLDER / f"{VARIANTS[variant].weights}-{players}{SUFFIX}"


@cache
def load_weights(variant: str, players: int) -> LinearWeights:
    """The weights of a game."""
    with np.load(weights_path(variant, players)) as file:
        weights = LinearWeights(*(np.ascontiguousarray(file[FILE_NAMES[field]], np.float32) for field in LinearWeights._fields))
    assert weights.value.shape == (PHASES, LINEAR_FEATURES) and weights.policy.shape == (POLICY_WEIGHT_COUNT,)
    return weights


def save_weights(variant: str, players: int, weights: LinearWeights) -> None:
    """Write the weights of a game."""
    arrays = {FILE_NAMES[field]: array for field, array in weights._asdict().items()}
    np.savez_compressed(weights_path(variant, players), **arrays)
