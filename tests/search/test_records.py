"""Records are copied whole: every byte of one entry, and none of another."""

from typing import Any

import numpy as np
import pytest

from cabochon.rules.compile import kernel
from cabochon.rules.state import state_t
from cabochon.search.records import (
    NO_LOCAL,
    copy_record,
    current_record,
    load_record,
    store_record,
    swap_records,
)
from cabochon.search.tree import edge_t

ENTRIES = 5


@kernel
def copy(array: Any, to: int, source: Any, at: int) -> None:
    copy_record(array, to, source, at)


@kernel
def swap(array: Any, one: int, other: int) -> None:
    swap_records(array, one, other)


@kernel
def edit(array: Any, to: int, at: int, local: Any) -> Any:
    """A copy of entry `at` with other turns becomes entry `to`; the turns that entry `to` has meanwhile."""
    load_record(array, to, local, at)
    current_record(array, to, local).turns = 77
    meanwhile = array[to].turns
    store_record(array, to, local)
    return meanwhile


def filled(dtype: np.dtype[Any], shape: tuple[int, ...] = (ENTRIES,), order: Any = "C") -> Any:
    """An array whose bytes are random."""
    array = np.zeros(shape, dtype, order)
    rows = np.random.default_rng(1).integers(0, 256, (*shape, dtype.itemsize), np.uint8)
    for index in np.ndindex(shape):
        array[index] = np.frombuffer(rows[index].tobytes(), dtype)[0]
    return array


@pytest.mark.parametrize("dtype", [state_t, edge_t, np.dtype([("seven", "u1", 7)])])
def test_a_copy_has_all_bytes_and_the_others_stay(dtype: np.dtype[Any]) -> None:
    array, source = filled(dtype), filled(dtype)[::-1].copy()
    expected = [entry.tobytes() for entry in array]
    expected[3] = source[1].tobytes()
    copy(array, 3, source, 1)
    assert expected == [entry.tobytes() for entry in array]
    copy(array, 2, array, 2)
    assert expected == [entry.tobytes() for entry in array]


@pytest.mark.parametrize("dtype", [state_t, edge_t])
def test_entries_of_many_games_side_by_side_are_swapped(dtype: np.dtype[Any]) -> None:
    array = filled(dtype, (3, ENTRIES), "F")
    expected = [[entry.tobytes() for entry in game] for game in array]
    expected[1][0], expected[1][4] = expected[1][4], expected[1][0]
    swap(array[1], 0, 4)
    swap(array[2], 3, 3)
    assert expected == [[entry.tobytes() for entry in game] for game in array]


@pytest.mark.parametrize("is_local", [False, True])
def test_what_is_worked_on_is_stored_in_the_end(is_local: bool) -> None:
    array = filled(state_t)
    before, source = int(array[2]["turns"]), array[0].copy()
    meanwhile = edit(array, 2, 0, np.zeros(state_t.itemsize // 8, np.int64) if is_local else NO_LOCAL)
    assert meanwhile == (before if is_local else 77)
    source["turns"] = 77
    assert array[2].tobytes() == source.tobytes()
