# mypy: warn-return-any=False
"""A small net that evaluates a position: each seat's probability to win, and a logit for each move.

    features of a seat --embedding--> width ReLU --+
    features of the next seat ------> width ReLU --+--hidden1--> hidden ReLU --hidden2--> hidden ReLU --+--value--> a logit a seat
    ...                                            |                                                    +--policy-> a logit a move

Every seat goes through the same embedding; the seat to decide comes first, absent seats are left out. The input is binary and
sparse (about 100 of 2,991 features a seat), so the first layer is a sum of rows of a table instead of a matrix product, as in
NNUE. About half of what it gives is zero after ReLU, and rows with a zero are skipped: one position at a time is as fast as a
batch would be, and the search needs no queue of leaves.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rules.compile import inlined
from ..rules.state import MAX_SEATS, State
from .linear_eval import softmax_inplace
from .net_features import MAX_NET_ACTIVE, NET_FEATURES, POLICY_SIZE, list_net_features

Floats = NDArray[np.float32]
MAX_INT16 = 32767
MIN_WEIGHT = 1e-6  # of an output that has no weight at all
LARGE_AT_ONCE, SIGMAS = 8, 4  # see `max_sums`


class Net(NamedTuple):
    """The parameters of a net, as they are learnt and kept in a file. `shapes_of` says how each matrix is laid out."""

    embedding: Floats
    embedding_bias: Floats
    hidden1: Floats
    hidden1_bias: Floats
    hidden2: Floats
    hidden2_bias: Floats
    value: Floats
    value_bias: Floats
    policy: Floats
    policy_bias: Floats


class FastNet(NamedTuple):
    """A net as the search uses it: the two large matrices in whole numbers of 16 bits, with a scale for every output.

    Most of the time of a forward pass is reading these tables, and sums of 16 bits are twice as many at once.
    """

    embedding: NDArray[np.int16]
    embedding_bias: NDArray[np.int16]
    embedding_scales: Floats
    hidden1: NDArray[np.int16]
    hidden1_bias: Floats
    hidden1_scales: Floats
    hidden2: Floats
    hidden2_bias: Floats
    value: Floats
    value_bias: Floats
    policy: Floats
    policy_bias: Floats


def max_sums(net: Net) -> Floats:
    """What the features of a seat may add up to in every unit, with much room: a few of the largest weights at once, and a sum of
    common ones far from its mean. (If all weights had one sign and all were large, it could be more.)
    """
    weights = net.embedding
    common = MAX_NET_ACTIVE * np.abs(weights.mean(0)) + SIGMAS * math.sqrt(MAX_NET_ACTIVE) * weights.std(0)
    bounds: Floats = np.abs(net.embedding_bias) + LARGE_AT_ONCE * np.abs(weights).max(0) + common + MIN_WEIGHT
    return bounds


def fast_net(net: Net) -> FastNet:
    """A net in the form that is fast to evaluate. The scales leave room for the sums of the embedding in 16 bits."""
    scales = max_sums(net) / MAX_INT16
    scales1 = np.maximum(np.abs(net.hidden1).max(0), MIN_WEIGHT) / MAX_INT16
    return FastNet(
        np.round(net.embedding / scales).astype(np.int16),
        np.round(net.embedding_bias / scales).astype(np.int16),
        scales.astype(np.float32),
        np.round(net.hidden1 / scales1).astype(np.int16),
        net.hidden1_bias,
        scales1.astype(np.float32),
        *net[4:],
    )


class Workspace(NamedTuple):
    """Scratch buffers for one forward pass; every thread has its own."""

    features: NDArray[np.int32]
    sums: NDArray[np.int16]
    active: NDArray[np.int32]  # the units above zero: their rows in the next layer, and their values
    inputs: Floats
    ones: Floats
    hidden: Floats
    logits: NDArray[np.float64]


def new_workspace(net: FastNet) -> Workspace:
    """Buffers of the sizes that a net needs."""
    width, hidden = net.embedding_bias.shape[0], net.hidden1.shape[1]
    units = max(MAX_SEATS * width, hidden) + 1
    return Workspace(
        np.empty(MAX_NET_ACTIVE, np.int32),
        np.empty(width, np.int16),
        np.empty(units, np.int32),
        np.empty(units, np.float32),
        np.ones(hidden, np.float32),
        np.empty((2, hidden), np.float32),
        np.empty(MAX_SEATS, np.float64),
    )


def shapes_of(width: int, hidden: int, features: int = NET_FEATURES) -> list[tuple[int, ...]]:
    """The shapes of a net's arrays. The layers below are input x output; value and policy are output x input (see `dot`)."""
    return [
        (features, width), (width,), (MAX_SEATS * width, hidden), (hidden,), (hidden, hidden), (hidden,),
        (MAX_SEATS, hidden), (MAX_SEATS,), (POLICY_SIZE, hidden), (POLICY_SIZE,),
    ]  # fmt: skip


def random_net(width: int, hidden: int, seed: int = 0) -> Net:
    """A net that has learnt nothing."""
    rng = np.random.default_rng(seed)
    return Net._make((rng.standard_normal(shape) * 0.1).astype(np.float32) for shape in shapes_of(width, hidden))


@inlined
def accumulate_sparse(net: FastNet, features: Any, n: int, sums: Any) -> None:
    """The embedding of a seat: the sum of the rows of its features. Four rows at a time, so that `sums` is written less often."""
    width = sums.shape[0]
    for j in range(width):
        sums[j] = net.embedding_bias[j]
    whole = n // 4 * 4
    for i in range(0, whole, 4):
        a, b = net.embedding[features[i]], net.embedding[features[i + 1]]
        c, d = net.embedding[features[i + 2]], net.embedding[features[i + 3]]
        for j in range(width):
            sums[j] += (a[j] + b[j]) + (c[j] + d[j])
    for i in range(whole, n):
        a = net.embedding[features[i]]
        for j in range(width):
            sums[j] += a[j]


@inlined
def list_active(units: Any, scales: Any, first: int, work: Workspace, n: int) -> int:
    """ReLU: the units above zero are listed with their rows in the next layer, from `first` on; how many are listed now.

    Every unit is written and only counted if it is above zero: a branch would be guessed wrong half of the time.
    """
    for j in range(units.shape[0]):
        work.active[n] = first + j
        work.inputs[n] = np.float32(units[j]) * scales[j]
        n += units[j] > 0
    return n


@inlined
def accumulate_dense(work: Workspace, n: int, rows: Any, out: Any) -> None:
    """A dense layer: add each listed input times its row. Four rows at a time, so that `out` is read and written less often."""
    whole = n // 4 * 4
    for i in range(0, whole, 4):
        a, b, c, d = rows[work.active[i]], rows[work.active[i + 1]], rows[work.active[i + 2]], rows[work.active[i + 3]]
        x, y, z, t = work.inputs[i], work.inputs[i + 1], work.inputs[i + 2], work.inputs[i + 3]
        for j in range(out.shape[0]):
            out[j] += (x * np.float32(a[j]) + y * np.float32(b[j])) + (z * np.float32(c[j]) + t * np.float32(d[j]))
    for i in range(whole, n):
        a, x = rows[work.active[i]], work.inputs[i]
        for j in range(out.shape[0]):
            out[j] += x * np.float32(a[j])


@inlined
def forward(net: FastNet, state: State, work: Workspace) -> int:
    """From a position to the units of the second hidden layer, listed in `work`; how many are above zero."""
    hidden, width, active = work.hidden.shape[1], net.embedding_bias.shape[0], 0
    for j in range(hidden):
        work.hidden[0, j] = 0.0
        work.hidden[1, j] = net.hidden2_bias[j]
    for k in range(state.players):
        n = list_net_features(state, (state.turn + k) % state.players, work.features)
        while work.features[n - 1] >= net.embedding.shape[0]:  # a net from before the last group of features
            n -= 1
        accumulate_sparse(net, work.features, n, work.sums)
        active = list_active(work.sums, net.embedding_scales, k * width, work, active)
    accumulate_dense(work, active, net.hidden1, work.hidden[0])
    for j in range(hidden):
        work.hidden[0, j] = work.hidden[0, j] * net.hidden1_scales[j] + net.hidden1_bias[j]
    active = list_active(work.hidden[0], work.ones, 0, work, 0)
    accumulate_dense(work, active, net.hidden2, work.hidden[1])
    return list_active(work.hidden[1], work.ones, 0, work, 0)


@inlined
def dot(row: Any, bias: Any, work: Workspace, n: int) -> Any:
    """One output: bias + row · the listed inputs. Only the legal moves are asked for, so each output is computed alone.

    Four sums side by side: floating-point addition is not associative, so the compiler may not split one sum by itself, and every
    addition would wait for the one before.
    """
    a = b = c = d = np.float32(0.0)
    whole = n // 4 * 4
    for i in range(0, whole, 4):
        a += row[work.active[i]] * work.inputs[i]
        b += row[work.active[i + 1]] * work.inputs[i + 1]
        c += row[work.active[i + 2]] * work.inputs[i + 2]
        d += row[work.active[i + 3]] * work.inputs[i + 3]
    for i in range(whole, n):
        a += row[work.active[i]] * work.inputs[i]
    return bias + ((a + b) + (c + d))


@inlined
def read_values(net: FastNet, state: State, work: Workspace, n: int, values: Any) -> None:
    """Each seat's probability to win: the net counts seats from the one to decide, the tree from seat 0."""
    for k in range(state.players):
        work.logits[k] = dot(net.value[k], net.value_bias[k], work, n)
    softmax_inplace(work.logits, state.players)
    for k in range(state.players):
        values[(state.turn + k) % state.players] = work.logits[k]
