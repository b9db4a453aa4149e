# mypy: warn-return-any=False
"""A small net that judges a position: each seat's chance to win, and how promising each move is.

Every seat's facts are added up as rows of one table, the same for all seats; the sums, the seat to decide first, go through two
layers; from the second come a number for every seat and one for every move. Absent seats are left out. A fact is there or not,
so the first layer is a few dozen additions, and half of what it gives is zero and skipped.
"""

import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file, save_file

from ..errors import CabochonError
from ..rules.compile import inlined
from ..rules.state import MAX_SEATS, State
from .linear_eval import soften
from .net_features import MOST_SIGHTS, NAMES, SIGHTS, list_sights

FOLDER = Path(__file__).parent / "nets"
ENDING = ".safetensors"
FLOATS = NDArray[np.float32]


class Net(NamedTuple):
    """The numbers of a net, laid out for the processor: a row for every input."""

    sights: FLOATS  # SIGHTS x width: what a fact adds to its seat's sum
    start: FLOATS  # width: every seat's sum before
    first: FLOATS  # (MAX_SEATS x width) x hidden
    first_start: FLOATS
    second: FLOATS  # hidden x hidden
    second_start: FLOATS
    value: FLOATS  # MAX_SEATS x hidden
    value_start: FLOATS
    names: FLOATS  # NAMES x hidden
    names_start: FLOATS


class Desk(NamedTuple):
    """Room to work in."""

    facts: NDArray[np.int32]
    sums: FLOATS
    hidden: FLOATS
    chances: NDArray[np.float64]


def new_desk(net: Net) -> Desk:
    """Room for one position."""
    return Desk(
        np.empty(MOST_SIGHTS, np.int32),
        np.empty(net.start.shape[0], np.float32),
        np.empty((2, net.first.shape[1]), np.float32),
        np.empty(MAX_SEATS, np.float64),
    )


def shapes_of(width: int, hidden: int) -> list[tuple[int, ...]]:
    """The sizes of a net's arrays; compiled code does not look whether they fit."""
    return [
        (SIGHTS, width), (width,), (MAX_SEATS * width, hidden), (hidden,), (hidden, hidden), (hidden,),
        (MAX_SEATS, hidden), (MAX_SEATS,), (NAMES, hidden), (NAMES,),
    ]  # fmt: skip


def random_net(width: int, hidden: int, seed: int = 0) -> Net:
    """A net that knows nothing."""
    rng = np.random.default_rng(seed)
    return Net._make((rng.standard_normal(shape) * 0.1).astype(np.float32) for shape in shapes_of(width, hidden))


@inlined
def add_up(net: Net, facts: Any, n: int, sums: Any) -> None:
    """A seat's sum: the rows of its facts, four at a time."""
    width = sums.shape[0]
    for j in range(width):
        sums[j] = net.start[j]
    whole = n // 4 * 4
    for i in range(0, whole, 4):
        a, b, c, d = net.sights[facts[i]], net.sights[facts[i + 1]], net.sights[facts[i + 2]], net.sights[facts[i + 3]]
        for j in range(width):
            sums[j] += (a[j] + b[j]) + (c[j] + d[j])
    for i in range(whole, n):
        a = net.sights[facts[i]]
        for j in range(width):
            sums[j] += a[j]


@inlined
def pass_on(sums: Any, rows: Any, first: int, out: Any) -> None:
    """Add what every positive number brings to the next layer."""
    for i in range(sums.shape[0]):
        x = sums[i]
        if x > 0:
            row = rows[first + i]
            for j in range(out.shape[0]):
                out[j] += x * row[j]


@inlined
def think_over(net: Net, state: State, desk: Desk) -> None:
    """From a position to the second layer."""
    hidden, width = desk.hidden.shape[1], net.start.shape[0]
    for j in range(hidden):
        desk.hidden[0, j] = net.first_start[j]
        desk.hidden[1, j] = net.second_start[j]
    for k in range(state.players):
        seat = (state.turn + k) % state.players
        n = list_sights(state, seat, desk.facts)
        add_up(net, desk.facts, n, desk.sums)
        pass_on(desk.sums, net.first, k * width, desk.hidden[0])
    pass_on(desk.hidden[0], net.second, 0, desk.hidden[1])
    for j in range(hidden):
        desk.hidden[1, j] = max(desk.hidden[1, j], np.float32(0.0))


@inlined
def answer(row: Any, start: Any, hidden: Any) -> Any:
    """One number from the last layer, in eight sums at once: one alone would wait for itself."""
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
    return start + ((a + b) + (c + d)) + ((e + f) + (g + h))


@inlined
def read_chances(net: Net, state: State, desk: Desk, values: Any) -> None:
    """Each seat's chance to win, by seat."""
    for k in range(state.players):
        desk.chances[k] = answer(net.value[k], net.value_start[k], desk.hidden[1])
    soften(desk.chances, state.players)
    for k in range(state.players):
        values[(state.turn + k) % state.players] = desk.chances[k]


def nets_folder() -> Path:
    """Where the nets lie: in the package, or in the folder that CABOCHON_NETS names."""
    return Path(os.environ.get("CABOCHON_NETS") or FOLDER)


def players_of(path: Path) -> tuple[int, ...]:
    """The numbers of players that a net is for, by its file's name: `classic-3-4`."""
    return tuple(int(part) for part in path.stem.split("-")[1:] if part.isdecimal())


def path_of(variant: str, players: int, nets: str = "") -> Path:
    """The file of a game's net; its name says the game and every number of players that it is for."""
    folder = Path(nets) if nets else nets_folder()
    for path in sorted(folder.glob(f"{variant}-*{ENDING}")):
        if players in players_of(path):
            return path
    raise CabochonError(f"there is no net for {variant} with {players} players in {folder}")


def save_net(path: Path, net: Net, run: dict[str, str]) -> None:
    """Write a net in half precision, with the run that made it."""
    path.parent.mkdir(exist_ok=True, parents=True)
    save_file({name: array.astype(np.float16) for name, array in net._asdict().items()}, path, metadata=run)


def read_net(path: Path) -> Net:
    """A net from a file."""
    try:
        arrays = load_file(path)
        net = Net._make(np.ascontiguousarray(arrays[name].astype(np.float32)) for name in Net._fields)
    except (OSError, SafetensorError, KeyError) as error:
        raise CabochonError(f"{path} is not a net: {error}") from error
    found, expected = [array.shape for array in net], shapes_of(net.start.size, net.first_start.size)
    if found != expected:
        raise CabochonError(f"{path} is a net of another make: its arrays are {found}, not {expected}")
    return net


def read_run(path: Path) -> dict[str, str]:
    """The run that made a net."""
    with safe_open(path, "numpy") as file:
        run: dict[str, str] = file.metadata() or {}
    return run


def load_net(variant: str, players: int, nets: str = "") -> Net:
    """The net of a game, read once; `nets` names another folder than the usual one."""
    return _read_once(path_of(variant, players, nets))


_read_once = cache(read_net)
