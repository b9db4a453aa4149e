# mypy: warn-return-any=False
"""Fitting the linear weights to positions: logistic regression for the values, multinomial regression for the policy.

A feature's weight is base + t * slope, where t grows with the points of the leader from 0 to 1: two numbers a feature instead of
one for each phase, which few positions would have to teach.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...rules.compile import allocating, kernel
from ...rules.state import MAX_SEATS
from ...search.linear_eval import GAIN_SCALE, KIND_OTHER, OPPONENT_WEIGHT, PHASES, POLICY_WEIGHTS, softmax_inplace
from ...search.linear_features import LINEAR_FEATURES
from .selfplay import Choices, Samples

FULL_GAME = 15.0  # points of the leader at which t is 1
TINY = 1e-9  # a probability whose logarithm can still be taken
HELD_OUT = 0.05  # of the positions: to see that the fit is no better on those it was made from
RATE_DECAY = 0.6  # of the learning rate from pass to pass
NO_MOVE = -1e9
MIN_GAIN_SCALE = 0.1


class Line(NamedTuple):
    """The weights of all features as a line in t, and the sums of squared gradients that AdaGrad divides by."""

    base: NDArray[np.float64]
    slope: NDArray[np.float64]
    squares: NDArray[np.float64]


class Rates(NamedTuple):
    """How to learn: the learning rate, L2 regularisation, and how much the search's own value counts beside the result."""

    rate: float = 0.05
    decay: float = 1e-5
    root_value_weight: float = 0.0


RATES = Rates()


def new_line() -> Line:
    """Weights of nothing."""
    return Line(np.zeros(LINEAR_FEATURES), np.zeros(LINEAR_FEATURES), np.ones((2, LINEAR_FEATURES)))


@kernel
def predict(samples: Samples, sample: int, players: int, line: Line, chances: Any) -> float:
    """Every seat's probability to win by its features; the t of the position."""
    t = min(1.0, samples.phases[sample] / FULL_GAME)
    for seat in range(players):
        chances[seat] = 0.0
        for i in range(samples.counts[sample, seat]):
            feature = samples.features[sample, seat, i]
            chances[seat] += line.base[feature] + t * line.slope[feature]
    softmax_inplace(chances, players)
    return t


@allocating
def fit_pass(samples: Samples, order: Any, players: int, line: Line, rates: Rates) -> float:
    """One pass of AdaGrad over these positions; the mean loss. The gradient of softmax with cross-entropy is chance - target."""
    chances, loss = np.zeros(MAX_SEATS), 0.0
    base, slope, squares = line.base, line.slope, line.squares
    rate, decay, weight = rates.rate, rates.decay, rates.root_value_weight
    for sample in order:
        t = predict(samples, sample, players, line, chances)
        for seat in range(players):
            target = samples.results[sample, seat] * (1 - weight) + samples.root_values[sample, seat] * weight
            loss -= target * np.log(max(chances[seat], TINY))
            error = chances[seat] - target
            for i in range(samples.counts[sample, seat]):
                feature = samples.features[sample, seat, i]
                gradient = error + decay * base[feature]
                squares[0, feature] += gradient * gradient
                base[feature] -= rate * gradient / np.sqrt(squares[0, feature])
                gradient = error * t + decay * slope[feature]
                squares[1, feature] += gradient * gradient
                slope[feature] -= rate * gradient / np.sqrt(squares[1, feature])
    return loss / len(order)


@allocating
def mean_loss(samples: Samples, order: Any, players: int, line: Line) -> float:
    """The mean loss on these positions."""
    chances, loss = np.zeros(MAX_SEATS), 0.0
    for sample in order:
        predict(samples, sample, players, line, chances)
        for seat in range(players):
            loss -= samples.results[sample, seat] * np.log(max(chances[seat], TINY))
    return loss / len(order)


def weights_by_phase(line: Line) -> NDArray[np.float32]:
    """The weights of every phase, as the search uses them."""
    t = np.minimum(1.0, np.arange(PHASES) / FULL_GAME)[:, None]
    return (line.base[None, :] + t * line.slope[None, :]).astype(np.float32)


def fit_value(samples: Samples, players: int, passes: int = 6, rates: Rates = RATES) -> NDArray[np.float32]:
    """Weights for every phase from positions."""
    rng = np.random.default_rng(1)
    count = len(samples.phases)
    seen = int(count * (1 - HELD_OUT))
    held_out, line = np.arange(seen, count), new_line()
    for number in range(passes):
        order = rng.permutation(seen)
        loss = fit_pass(samples, order, players, line, rates._replace(rate=rates.rate * RATE_DECAY**number))
        print(f"  pass {number + 1}: loss {loss:.4f}, held out {mean_loss(samples, held_out, players, line):.4f}", flush=True)
    return weights_by_phase(line)


def fit_policy(choices: Choices, steps: int = 300, rate: float = 0.05) -> NDArray[np.float32]:
    """The policy weights under which the visits of the search are most likely (multinomial regression by Adam)."""
    is_move = choices.kinds >= 0
    columns = [choices.gains, choices.losses - choices.gains, choices.overflows]
    columns += [(choices.kinds == kind).astype(float) for kind in range(KIND_OTHER + 1)]
    target = choices.visits / np.maximum(1, choices.visits.sum(1, keepdims=True))
    weights, mean, square = np.zeros(POLICY_WEIGHTS), np.zeros(POLICY_WEIGHTS), np.zeros(POLICY_WEIGHTS)
    weights[GAIN_SCALE] = 1.0
    for step in range(1, steps + 1):
        logits = np.where(is_move, sum(w * c for w, c in zip(weights, columns, strict=True)), NO_MOVE)
        policy = np.exp(logits - logits.max(1, keepdims=True))
        policy /= policy.sum(1, keepdims=True)
        gradient = np.array([((policy - target) * column).sum(1).mean() for column in columns])
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    loss = -(target * np.log(policy + 1e-12)).sum(1).mean()
    print(f"  policy weights {weights.round(2)}: loss {loss:.4f}", flush=True)
    weights[OPPONENT_WEIGHT] /= max(weights[GAIN_SCALE], MIN_GAIN_SCALE)  # `score_actions` multiplies both by GAIN_SCALE
    return weights.astype(np.float32)
