# mypy: warn-return-any=False
"""A small net that evaluates a position: each seat's probability to win, and a logit for each move.

    features of a seat --embedding--> width ReLU --+
    features of the next seat ------> width ReLU --+--hidden1--> hidden ReLU --hidden2--> hidden ReLU --+--value--> a logit a seat
    ...                                            |                                                    +--policy-> a logit a move

Every seat goes through the same embedding; the seat to decide comes first, absent seats are left out. The input is binary and
sparse (about 73 of 2,151 features a seat), so the first layer is a sum of rows of a table instead of a matrix product, as in
NNUE. About half of what it gives is zero after ReLU, and rows with a zero are skipped: one position at a time is as fast as a
batch would be, and the search needs no queue of leaves.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rules.compile import inlined
from ..rules.state import MAX_SEATS, State
from .linear_eval import softmax_inplace
from .net_features import MAX_NET_ACTIVE, NET_FEATURES, POLICY_SIZE, list_net_features

Floats = NDArray[np.float32]


class Net(NamedTuple):
    """The parameters of a net. Each matrix is laid out so that the inner loop reads a row: see `shapes_of`."""

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


class Workspace(NamedTuple):
    """Scratch buffers for one forward pass; every thread has its own."""

    features: NDArray[np.int32]
    sums: Floats
    hidden: Floats
    logits: NDArray[np.float64]


def new_workspace(net: Net) -> Workspace:
    """Buffers of the sizes that a net needs."""
    return Workspace(
        np.empty(MAX_NET_ACTIVE, np.int32),
        np.empty(net.embedding_bias.shape[0], np.float32),
        np.empty((2, net.hidden1.shape[1]), np.float32),
        np.empty(MAX_SEATS, np.float64),
    )


def shapes_of(width: int, hidden: int) -> list[tuple[int, ...]]:
    """The shapes of a net's arrays. The layers below are input x output; value and policy are output x input (see `dot`)."""
    return [
        (NET_FEATURES, width), (width,), (MAX_SEATS * width, hidden), (hidden,), (hidden, hidden), (hidden,),
        (MAX_SEATS, hidden), (MAX_SEATS,), (POLICY_SIZE, hidden), (POLICY_SIZE,),
    ]  # fmt: skip


def random_net(width: int, hidden: int, seed: int = 0) -> Net:
    """A net that has learnt nothing."""
    rng = np.random.default_rng(seed)
    return Net._make((rng.standard_normal(shape) * 0.1).astype(np.float32) for shape in shapes_of(width, hidden))


@inlined
def accumulate_sparse(net: Net, features: Any, n: int, sums: Any) -> None:
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
def accumulate_dense(inputs: Any, rows: Any, first: int, out: Any) -> None:
    """A dense layer after ReLU: add each positive input times its row. The inner loop is a vectorised multiply-add."""
    for i in range(inputs.shape[0]):
        x = inputs[i]
        if x > 0:
            row = rows[first + i]
            for j in range(out.shape[0]):
                out[j] += x * row[j]


@inlined
def forward(net: Net, state: State, work: Workspace) -> None:
    """From a position to the second hidden layer, into `work.hidden[1]`."""
    hidden, width = work.hidden.shape[1], net.embedding_bias.shape[0]
    for j in range(hidden):
        work.hidden[0, j] = net.hidden1_bias[j]
        work.hidden[1, j] = net.hidden2_bias[j]
    for k in range(state.players):
        n = list_net_features(state, (state.turn + k) % state.players, work.features)
        accumulate_sparse(net, work.features, n, work.sums)
        accumulate_dense(work.sums, net.hidden1, k * width, work.hidden[0])
    accumulate_dense(work.hidden[0], net.hidden2, 0, work.hidden[1])
    for j in range(hidden):
        work.hidden[1, j] = max(work.hidden[1, j], np.float32(0.0))


@inlined
def dot(row: Any, bias: Any, hidden: Any) -> Any:
    """One output: bias + row · hidden. Only the legal moves are asked for, so each output is computed alone, from one row.

    Eight accumulators break the dependency chain: floating-point addition is not associative, so the compiler may not split one
    sum by itself, and every addition would wait for the one before.
    """
    a = b = c = d = e = f = g = h = np.float32(0.0)
    for j in range(0, hidden.shape[0], 8):
        a += row[j] * hidden[j]
        b += row[j + 1] * hidden[j + 1]
        c += row[j + 2] * hidden[j + 2]
        d += row[j + 3] * hidden[j + 3]
        e += row[j + 4] * hidden[j + 4]
        f += row[j + 5] * hidden[j + 5]
        g += row[j + 6] * hidden[j + 6]
        h += row[j + 7] * hidden[j + 7]
    return bias + ((a + b) + (c + d)) + ((e + f) + (g + h))


@inlined
def read_values(net: Net, state: State, work: Workspace, values: Any) -> None:
    """Each seat's probability to win: the net counts seats from the one to decide, the tree from seat 0."""
    for k in range(state.players):
        work.logits[k] = dot(net.value[k], net.value_bias[k], work.hidden[1])
    softmax_inplace(work.logits, state.players)
    for k in range(state.players):
        values[(state.turn + k) % state.players] = work.logits[k]
