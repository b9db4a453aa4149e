"""The vector operations of the net are those of NumPy, in any number of rows."""

from typing import Any

import numpy as np
import pytest

from cabochon.rules.compile import unkept
from cabochon.search import vectors
from cabochon.search.vectors import BYTE, CACHE_LINE, CHUNK, DOT_UNITS, LANES, MAX_VECTORS, MIN_UNITS, MIN_VECTORS, aligned

ROWS = 40
COUNTS = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 3]
WIDTHS = [vectors * LANES for vectors in range(MIN_VECTORS, 3 * MAX_VECTORS + 1)]


@unkept
def sum_rows(table: Any, rows: Any, n: int, first: Any, out: Any) -> None:
    vectors.sum_rows(table, rows, n, first, out)


@unkept
def change_rows(table: Any, added: Any, n: int, removed: Any, m: int, sums: Any) -> Any:
    return vectors.change_rows(table, added, n, removed, m, sums)


@unkept
def sum_products(table: Any, rows: Any, factors: Any, n: int, out: Any) -> None:
    vectors.sum_products(table, rows, factors, n, out)


@unkept
def list_positive(units: Any, count: int, rows: Any) -> Any:
    return vectors.list_positive(units, count, rows)


@unkept
def activate(sums: Any, half: float, scales: Any, factor: float, biases: Any, out: Any) -> Any:
    return vectors.activate(sums, np.float32(half), scales, np.float32(factor), biases, out)


@unkept
def dot(one: Any, other: Any) -> Any:
    return vectors.dot(one, other)


def random_table(rng: np.random.Generator, largest: int, width: int) -> Any:
    return aligned(rng.integers(-largest, largest, (ROWS, width)).astype(np.int16))


def expected_sums(table: Any, rows: Any, first: Any) -> Any:
    """The same row by row."""
    sums = first.astype(int)
    for row in rows:
        sums = np.clip(sums + table[row], -(2**15), 2**15 - 1)
    return sums


@pytest.mark.parametrize("n", COUNTS)
@pytest.mark.parametrize("largest", [300, 30_000])
def test_rows_are_summed_up_to_the_ends_of_the_range(n: int, largest: int) -> None:
    rng, width = np.random.default_rng(n), MIN_UNITS
    table, rows = random_table(rng, largest, width), rng.integers(0, ROWS, ROWS + n).astype(np.int32)
    first, out = random_table(rng, largest, width)[0].copy(), np.zeros(width, np.int16)
    sum_rows(table, rows, n, first, out)
    np.testing.assert_array_equal(expected_sums(table, rows[:n], first), out)


@pytest.mark.parametrize("width", [MIN_UNITS, WIDTHS[4], WIDTHS[-1]])
@pytest.mark.parametrize("n, m", [(0, 0), (0, 5), (6, 0), (25, 30)])
def test_rows_are_added_and_subtracted(n: int, m: int, width: int) -> None:
    rng = np.random.default_rng(n)
    table, rows = random_table(rng, 300, width), rng.integers(0, ROWS, (2, ROWS)).astype(np.int32)
    sums = random_table(rng, 300, width)[0].copy()
    expected = sums + table[rows[0, :n]].sum(0) - table[rows[1, :m]].sum(0)
    assert change_rows(table, rows[0], n, rows[1], m, sums)
    np.testing.assert_array_equal(expected, sums)


@pytest.mark.parametrize("unit", [0, LANES + 1, WIDTHS[-1] - 1])
@pytest.mark.parametrize("added, removed, is_within", [(2, 0, True), (3, 0, False), (3, 3, False), (0, 3, True), (0, 4, False)])
def test_a_sum_that_leaves_the_range_on_its_way_is_told(added: int, removed: int, is_within: bool, unit: int) -> None:
    table, rows = aligned(np.zeros((ROWS, WIDTHS[-1]), np.int16)), np.zeros(ROWS, np.int32)
    table[0, unit] = 13_000
    sums = aligned(np.zeros(WIDTHS[-1], np.int16))
    sums[unit] = 6_700
    assert is_within == change_rows(table, rows, added, rows, removed, sums)


@pytest.mark.parametrize("n", COUNTS)
def test_products_are_summed_without_their_lower_half(n: int) -> None:
    rng, width = np.random.default_rng(n), MIN_UNITS
    table, rows = random_table(rng, 32_767, width), rng.integers(0, ROWS, ROWS + n).astype(np.int32)
    factors, out = rng.integers(0, 6000, ROWS).astype(np.int16), np.zeros(width, np.int32)
    sum_products(table, rows, factors, n, out)
    products = table[rows[:n]].astype(int) * factors[rows[:n], None] >> 16
    np.testing.assert_array_equal(products.sum(0), out)


@pytest.mark.parametrize("width", WIDTHS)
def test_rows_of_every_length_are_summed_to_their_end(width: int) -> None:
    rng, n = np.random.default_rng(width), 2 * CHUNK + 1
    table, rows = random_table(rng, 300, width), rng.integers(0, ROWS, n).astype(np.int32)
    first, out = random_table(rng, 300, width)[0].copy(), np.zeros(width + LANES, np.int16)
    sum_rows(table, rows, n, first, out[:width])
    np.testing.assert_array_equal(expected_sums(table, rows, first), out[:width])
    assert 0 == np.count_nonzero(out[width:])
    factors, sums = rng.integers(0, 6000, ROWS).astype(np.int16), np.zeros(width, np.int32)
    sum_products(table, rows, factors, n, sums)
    np.testing.assert_array_equal((table[rows].astype(int) * factors[rows, None] >> 16).sum(0), sums)


def test_a_few_products_that_are_too_large_stop_at_the_end_of_the_range() -> None:
    table, rows = aligned(np.full((1, MIN_UNITS), 2**15 - 1, np.int16)), np.zeros(CHUNK, np.int32)
    factors, out = np.full(CHUNK, 2**15 - 1, np.int16), np.zeros(MIN_UNITS, np.int32)
    sum_products(table, rows, factors, CHUNK, out)
    np.testing.assert_array_equal(2**15 - 1, out)


@pytest.mark.parametrize("values", [(-2, 3), (1, 2), (-1, 1)], ids=["some", "all", "none"])
def test_units_above_zero_are_listed_by_their_numbers(values: tuple[int, int]) -> None:
    units, count = np.random.default_rng(1).integers(*values, 6 * LANES).astype(np.int16), 5 * LANES
    rows = np.full(count + BYTE, -1, np.int32)
    n = list_positive(units, count, rows)
    assert np.flatnonzero(units[:count] > 0).tolist() == rows[:n].tolist()
    assert (rows[count:] == -1).all(), "nothing is written behind the place of the last unit"


def test_activation_is_relu_of_the_scaled_sums() -> None:
    rng = np.random.default_rng(1)
    sums, out = rng.integers(-1000, 1000, 2 * DOT_UNITS).astype(np.int32), np.zeros(2 * DOT_UNITS, np.float32)
    scales, biases = rng.random((2, 2 * DOT_UNITS)).astype(np.float32)
    largest = activate(sums, 3.5, scales, 0.25, biases, out)
    np.testing.assert_allclose(np.maximum((sums + 3.5) * scales * 0.25 + biases, 0), out, rtol=1e-6)
    assert out.max() == largest
    assert 0.0 == activate(sums - 2000, 0.0, scales, 1.0, 0 * biases, out)


def test_a_scalar_product_is_rounded_in_one_order_everywhere() -> None:
    one, other = np.random.default_rng(1).standard_normal((2, 2 * DOT_UNITS)).astype(np.float32)
    assert dot(one, other) == pytest.approx(float(one.astype(float) @ other), rel=1e-5)
    products = (one * other).reshape(2, 4, 16)  # four sums of sixteen numbers side by side
    a, b, c, d = products[0] + products[1]
    lanes = (a + b) + (c + d)
    while len(lanes) > 1:
        lanes = lanes[: len(lanes) // 2] + lanes[len(lanes) // 2 :]
    assert lanes[0] == dot(one, other)


@pytest.mark.parametrize("shape", [(3,), (5, 7), (2, 3, 4)])
def test_aligned_arrays_begin_at_a_cache_line(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(1).random(shape).astype(np.float32)
    copy = aligned(array)
    assert 0 == copy.ctypes.data % CACHE_LINE
    np.testing.assert_array_equal(array, copy)
