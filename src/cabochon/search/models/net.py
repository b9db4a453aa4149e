"""Net files: safetensors in half precision, or packed, with the training run that made them as metadata."""

import lzma
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import load_file, save_file

from ...errors import CabochonError
from ...rules.state import MAX_SEATS
from ..net import FastNet, Net, fast_net, shapes_of
from ..net_features import FEATURES_OF_FIRST_NETS, NET_FEATURES

FOLDER = Path(__file__).parent
SUFFIX = ".safetensors"
# The arrays in a file keep the names that they had in the first one, so that every net ever trained can be read.
FILE_NAMES = {
    "embedding": "sights",
    "embedding_bias": "start",
    "hidden1": "first",
    "hidden1_bias": "first_start",
    "hidden2": "second",
    "hidden2_bias": "second_start",
    "further": "further",
    "further_bias": "further_bias",
    "value": "value",
    "value_bias": "value_start",
    "policy": "names",
    "policy_bias": "names_start",
}
# A packed matrix is whole numbers of 16 bits, compressed, with the step between two of them and its shape beside it.
STEPS = {"embedding": 1 / 128, "hidden1": 1 / 1024, "hidden2": 1 / 1024, "further": 1 / 1024, "policy": 1 / 1024}
STEP, SHAPE = "_step", "_shape"
FURTHER = ("further", "further_bias")  # not in the files of nets without further layers
LZMA: Any = [{"id": lzma.FILTER_LZMA2, "preset": 6, "lc": 3, "lp": 1, "pb": 1}]  # pairs of bytes


def nets_folder() -> Path:
    """Where the nets lie: in the package, or in the folder that CABOCHON_NETS names."""
    return Path(os.environ.get("CABOCHON_NETS") or FOLDER)


def players_of(path: Path) -> tuple[int, ...]:
    """The numbers of players that a net is for, by its file's name: `classic-3-4`."""
    return tuple(int(part) for part in path.stem.split("-")[1:] if part.isdecimal())


def net_path(variant: str, players: int, nets: str = "") -> Path:
    """The file of a game's net; `nets` names another folder than the usual one."""
    folder = Path(nets) if nets else nets_folder()
    for path in sorted(folder.glob(f"{variant}-*{SUFFIX}")):
        if players in players_of(path):
            return path
    raise CabochonError(f"there is no net for {variant} with {players} players in {folder}")


def save_net(path: Path, net: Net, run: dict[str, str]) -> None:
    """Write a net in half precision, with the run that made it."""
    path.parent.mkdir(exist_ok=True, parents=True)
    arrays = {FILE_NAMES[field]: array.astype(np.float16) for field, array in net._asdict().items() if array.size}
    save_file(arrays, path, metadata=run)


def save_packed_net(path: Path, net: Net, run: dict[str, str]) -> None:
    """Write a net in about half of the bytes of half precision, as the package ships it.

    A net for two never reads the weights of a third and fourth seat, so they are left out.
    """
    path.parent.mkdir(exist_ok=True, parents=True)
    kept = net._replace(hidden1=net.hidden1[: max(players_of(path)) * net.embedding_bias.size])
    arrays: dict[str, NDArray[Any]] = {}
    for field, array in kept._asdict().items():
        name = FILE_NAMES[field]
        if not array.size:  # no further layers
            continue
        if field in STEPS:
            packed = lzma.compress(np.round(array / STEPS[field]).astype("<i2").tobytes(), lzma.FORMAT_XZ, filters=LZMA)
            arrays[name] = np.frombuffer(packed, np.uint8)
            arrays[name + STEP], arrays[name + SHAPE] = np.array([STEPS[field]], np.float32), np.array(array.shape)
        else:
            arrays[name] = array.astype(np.float32)
    save_file(arrays, path, metadata=run)


def _array(arrays: dict[str, NDArray[Any]], field: str) -> NDArray[np.float32]:
    """An array of a file in single precision, packed or not."""
    name = FILE_NAMES[field]
    array: NDArray[Any] = arrays[name]
    if name + STEP in arrays:
        array = np.frombuffer(lzma.decompress(array.tobytes()), "<i2").reshape(arrays[name + SHAPE]) * arrays[name + STEP]
    return np.ascontiguousarray(array.astype(np.float32))


def _net_of(arrays: dict[str, NDArray[Any]]) -> Net:
    """The arrays of a file as a net; those of further layers may be missing."""
    optional = [field for field in FURTHER if FILE_NAMES[field] not in arrays]
    known = {field: _array(arrays, field) for field in Net._fields if field not in optional}
    units = known["hidden2_bias"].size
    none = {"further": np.zeros((0, units, units), np.float32), "further_bias": np.zeros((0, units), np.float32)}
    return Net(**{**none, **known})


def read_net(path: Path) -> Net:
    """A net from a file. Its shapes are checked here, since compiled code does not."""
    try:
        arrays = load_file(path)
        net = _net_of(arrays)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, lzma.LZMAError) as error:
        raise CabochonError(f"{path} is not a net: {error}") from error
    width, hidden = net.embedding_bias.size, net.hidden1_bias.size
    if net.hidden1.shape in [(seats * width, hidden) for seats in range(2, MAX_SEATS)]:  # seats that are never there
        net = net._replace(hidden1=np.pad(net.hidden1, ((0, MAX_SEATS * width - len(net.hidden1)), (0, 0))))
    features = FEATURES_OF_FIRST_NETS if len(net.embedding) == FEATURES_OF_FIRST_NETS else NET_FEATURES
    expected = shapes_of(width, hidden, net.hidden2_bias.size, len(net.further), features)
    found = [array.shape for array in net]
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
    return _read_once(net_path(variant, players, nets))


def load_fast_net(variant: str, players: int, nets: str = "") -> FastNet:
    """The same in the form that the search uses."""
    return _convert_once(net_path(variant, players, nets))


_read_once = cache(read_net)


@cache
def _convert_once(path: Path) -> FastNet:
    return fast_net(_read_once(path))
