# mypy: warn-return-any=False
"""A small net that evaluates a position: each seat's probability to win, and a logit for each move.

    features of a seat --embedding--> width ReLU --+
    features of the next seat ------> width ReLU --+--hidden1--> hidden ReLU --hidden2--> hidden ReLU --+--value--> a logit a seat
    ...                                            |                         (and further ones)         +--policy-> a logit a move

Every seat goes through the same embedding; the seat to decide comes first, absent seats are left out. The input is binary and
sparse (about 100 of 2,991 features a seat), so the first layer is a sum of rows of a table instead of a matrix product, as in
NNUE, and most of these sums are kept (`accumulators`). Two thirds of what it gives, or more, is zero after ReLU, and rows with a
zero are skipped: one position at a time is as fast as a batch would be, and the search needs no queue of leaves. `vectors` has
the operations.
"""

import math
import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rules.compile import inlined
from ..rules.state import MAX_SEATS, State
from .accumulators import Accumulators, accumulate, list_rest, new_accumulators
from .linear_eval import softmax_inplace
from .net_features import MAX_NET_ACTIVE, NET_FEATURES, POLICY_SIZE, list_table
from .vectors import DOT_UNITS, LANES, MIN_UNITS, activate, aligned, aligned_empty, dot, list_positive, sum_products, sum_rows

Floats = NDArray[np.float32]
MAX_INT16 = 32767
MAX_FACTOR = MAX_INT16 // 2  # of units in whole numbers: leaves room where several large products come together
HALF = 1 << 16  # a product keeps the upper half of its bits (`sum_products`)
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
    further: Floats  # any number of hidden layers behind hidden2, of its size: a matrix for each
    further_bias: Floats
    value: Floats
    value_bias: Floats
    policy: Floats
    policy_bias: Floats


class FastNet(NamedTuple):
    """A net as the search uses it: the large matrices in whole numbers of 16 bits, with a scale for every output.

    Most of the time of a forward pass is reading these tables, and sums of 16 bits are twice as many at once. The layers are
    filled up with zeros to whole vectors, and every array begins at a cache line.
    """

    embedding: NDArray[np.int16]
    embedding_bias: NDArray[np.int16]
    hidden1: NDArray[np.int16]
    hidden1_bias: Floats
    hidden1_scales: Floats
    hidden2: NDArray[np.int16]
    hidden2_bias: Floats
    hidden2_scales: Floats
    further: NDArray[np.int16]
    further_bias: Floats
    further_scales: Floats
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


def padded(array: NDArray[Any], lengths: dict[int, int]) -> NDArray[Any]:
    """With zeros up to these lengths along these axes."""
    return np.pad(array, [(0, lengths.get(axis, size) - size) for axis, size in enumerate(array.shape)])


def whole_vectors(units: int, vector: int = LANES) -> int:
    """The length of a layer of this many units, filled up to what the operations of `vectors` work with."""
    least = max(units, MIN_UNITS)
    return least + -least % vector


def in_whole_numbers(matrix: Floats) -> tuple[NDArray[np.int16], Floats]:
    """A matrix whose largest weight of each output uses all 16 bits; what one of a sum of its products stands for, by output.

    Or several of them, one behind the other.
    """
    steps = np.maximum(np.abs(matrix).max(-2), MIN_WEIGHT) / MAX_INT16
    return np.round(matrix / steps[..., None, :]).astype(np.int16), (steps * HALF).astype(np.float32)


def fast_net(net: Net) -> FastNet:
    """A net in the form that is fast to evaluate. The scales leave room for the sums of the embedding in 16 bits."""
    width, hidden1 = net.embedding_bias.size, net.hidden1_bias.size
    w, h1, h2 = whole_vectors(width), whole_vectors(hidden1), whole_vectors(net.hidden2_bias.size, DOT_UNITS)
    scales = max_sums(net) / MAX_INT16  # of what comes out of the embedding; hidden1's weights are multiplied by them instead
    weights1 = padded(net.hidden1.reshape(MAX_SEATS, width, hidden1) * scales[:, None], {1: w, 2: h1})
    whole1, scales1 = in_whole_numbers(weights1.reshape(-1, h1))
    whole2, scales2 = in_whole_numbers(padded(net.hidden2, {0: h1, 1: h2}))
    further, further_scales = in_whole_numbers(padded(net.further, {1: h2, 2: h2}))
    arrays = FastNet(
        padded(np.round(net.embedding / scales).astype(np.int16), {1: w}),
        padded(np.round(net.embedding_bias / scales).astype(np.int16), {0: w}),
        whole1,
        padded(net.hidden1_bias, {0: h1}),
        scales1,
        whole2,
        padded(net.hidden2_bias, {0: h2}),
        scales2,
        further,
        padded(net.further_bias, {1: h2}),
        further_scales,
        padded(net.value, {1: h2}),
        net.value_bias,
        padded(net.policy, {1: h2}),
        net.policy_bias,
    )
    return FastNet._make(aligned(array) for array in arrays)


class Workspace(NamedTuple):
    """Scratch buffers for one forward pass; every thread has its own."""

    accumulators: Accumulators
    features: NDArray[np.int32]
    table: NDArray[np.int16]  # the part of every embedding that comes from the table
    embedded: NDArray[np.int16]  # the embeddings of all seats, one behind the other
    rows: NDArray[np.int32]  # the units above zero: their rows in the next layer
    sums1: NDArray[np.int32]
    units1: Floats  # of hidden1, after ReLU
    whole_units: NDArray[np.int16]  # those of one layer in whole numbers
    sums2: NDArray[np.int32]
    units2: Floats  # of hidden2, and of every layer behind it in its turn
    logits: NDArray[np.float64]


def new_workspace(net: FastNet) -> Workspace:
    """Buffers of the sizes that a net needs."""
    width, hidden1, hidden2 = net.embedding_bias.shape[0], net.hidden1.shape[1], net.hidden2.shape[1]
    return Workspace(
        new_accumulators(width),
        np.empty(MAX_NET_ACTIVE, np.int32),
        aligned_empty((width,), np.int16),
        aligned_empty((MAX_SEATS * width,), np.int16),
        np.empty(max(MAX_SEATS * width, hidden1, hidden2), np.int32),
        aligned_empty((hidden1,), np.int32),
        aligned_empty((hidden1,), np.float32),
        aligned_empty((max(hidden1, hidden2),), np.int16),
        aligned_empty((hidden2,), np.int32),
        aligned_empty((hidden2,), np.float32),
        np.empty(MAX_SEATS, np.float64),
    )


_thread = threading.local()


def workspace_of_thread(net: FastNet) -> Workspace:
    """The scratch buffers of this thread for a net, kept until it asks for those of another net, with the sums in them."""
    kept: tuple[FastNet, Workspace] | None = getattr(_thread, "workspace", None)
    if kept is None or kept[0] is not net:
        kept = _thread.workspace = net, new_workspace(net)
    return kept[1]


def shapes_of(width: int, hidden1: int, hidden2: int, further: int, features: int = NET_FEATURES) -> list[tuple[int, ...]]:
    """The shapes of a net's arrays. The layers below are input x output; value and policy are output x input (see `dot`)."""
    return [
        (features, width), (width,), (MAX_SEATS * width, hidden1), (hidden1,), (hidden1, hidden2), (hidden2,),
        (further, hidden2, hidden2), (further, hidden2),
        (MAX_SEATS, hidden2), (MAX_SEATS,), (POLICY_SIZE, hidden2), (POLICY_SIZE,),
    ]  # fmt: skip


def random_net(width: int, hidden: int, seed: int = 0, hidden2: int | None = None, further: int = 0) -> Net:
    """A net that has learnt nothing; its second hidden layer is like the first, if nothing else is said."""
    rng = np.random.default_rng(seed)
    shapes = shapes_of(width, hidden, hidden2 or hidden, further)
    return Net._make((rng.standard_normal(shape) * 0.1).astype(np.float32) for shape in shapes)


@inlined
def add_sums(units: Any, sums: Any) -> None:
    """Add sums that are kept; what comes out stops at the ends of 16 bits."""
    for i in range(units.shape[0]):
        whole = np.int32(units[i]) + np.int32(sums[i])
        units[i] = np.int16(min(max(whole, np.int32(-MAX_INT16 - 1)), np.int32(MAX_INT16)))


@inlined
def embed_seat(net: FastNet, state: State, seat: int, work: Workspace, out: Any) -> None:
    """The embedding of a seat: the sum that is kept and what is not in it."""
    at, missing = accumulate(net.embedding, state, seat, work.accumulators)
    count = list_rest(work.accumulators, at, state, seat, work.features)
    for i in range(missing):
        work.features[count + i] = work.accumulators.added[i]
    sum_rows(net.embedding, work.features, count + missing, work.table, out)
    add_sums(out, work.accumulators.sums[at])


@inlined
def embed(net: FastNet, state: State, work: Workspace) -> int:
    """The embeddings of all seats, the one to decide first, without their ReLU; how many units that are.

    The features of the table are the same for every seat, so their rows are added up once.
    """
    width, count = net.embedding.shape[1], list_table(state, work.features, 0)
    sum_rows(net.embedding, work.features, count, net.embedding_bias, work.table)
    for k in range(state.players):
        embed_seat(net, state, (state.turn + k) % state.players, work, work.embedded[k * width : (k + 1) * width])
    return state.players * width


@inlined
def use_all_bits(units: Any, count: int) -> Any:
    """Double the first `count` units as often as 16 bits allow for those above zero, since products lose their lower half; what
    one of these numbers then stands for.
    """
    largest, factor = np.int16(0), 1
    for i in range(count):
        largest = max(largest, units[i])
    while 0 < 2 * factor * largest <= MAX_INT16:
        factor *= 2
    for i in range(count):
        units[i] *= factor  # a product of 16 bits, where a shift would be one of 64
    return np.float32(1.0) / np.float32(factor)


@inlined
def to_whole_units(units: Any, largest: float, out: Any) -> Any:
    """The units in whole numbers, the largest of them MAX_FACTOR; what one of these numbers stands for."""
    top: Any = max(np.float32(largest), np.float32(MIN_WEIGHT))
    factor = np.float32(MAX_FACTOR) / top
    for j in range(units.shape[0]):
        out[j] = np.int16(np.int32(units[j] * factor))
    return top / np.float32(MAX_FACTOR)


@inlined
def forward(net: FastNet, state: State, work: Workspace) -> float:
    """From a position to the units of the last hidden layer, in `work`; the largest of them.

    Every product was rounded down, by a half on average, so half of their number is added. hidden2 and the layers behind it
    share one piece of code: every call of a vector operation is compiled anew.
    """
    count = embed(net, state, work)
    n = list_positive(work.embedded, count, work.rows)
    step = use_all_bits(work.embedded, count)
    sum_products(net.hidden1, work.rows, work.embedded, n, work.sums1)
    half = np.float32(0.5) * np.float32(n)
    largest = activate(work.sums1, half, net.hidden1_scales, step, net.hidden1_bias, work.units1)
    table, scales, biases, units = net.hidden2, net.hidden2_scales, net.hidden2_bias, work.units1
    for layer in range(net.further.shape[0] + 1):
        if layer > 0:
            table, scales, biases = net.further[layer - 1], net.further_scales[layer - 1], net.further_bias[layer - 1]
            units = work.units2
        step = to_whole_units(units, largest, work.whole_units)
        n = list_positive(work.whole_units, units.shape[0], work.rows)
        sum_products(table, work.rows, work.whole_units, n, work.sums2)
        half = np.float32(0.5) * np.float32(n)
        largest = activate(work.sums2, half, scales, step, biases, work.units2)
    return largest


@inlined
def read_values(net: FastNet, state: State, work: Workspace, values: Any) -> None:
    """Each seat's probability to win: the net counts seats from the one to decide, the tree from seat 0."""
    for k in range(state.players):
        work.logits[k] = dot(net.value[k], work.units2) + net.value_bias[k]
    softmax_inplace(work.logits, state.players)
    for k in range(state.players):
        values[(state.turn + k) % state.players] = work.logits[k]


@inlined
def policy_logit(net: FastNet, work: Workspace, output: int) -> float:
    """One output of the policy. Only the legal moves are asked for, so each is computed alone."""
    return dot(net.policy[output], work.units2) + net.policy_bias[output]
