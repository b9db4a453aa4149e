"""Net files: read and written as they always were, from the package or from another folder."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from cabochon import CabochonError, Game
from cabochon.bots import Budget
from cabochon.rules.variants import VARIANTS
from cabochon.search import analyse
from cabochon.search.analysis import NET_SEARCH
from cabochon.search.models.net import (
    FILE_NAMES,
    FOLDER,
    SUFFIX,
    load_net,
    players_of,
    read_net,
    read_run,
    save_net,
    save_packed_net,
)
from cabochon.search.net import Net, random_net
from cabochon.search.net_features import FEATURES_OF_FIRST_NETS, NET_FEATURES

BENCH = Path(__file__).parents[3] / "bench"
OLD_NETS = sorted([*BENCH.glob("yardstick/*.safetensors"), *BENCH.glob("candidates/*.safetensors")])
# Of the first nets; every net has them.
ARRAYS = {"sights", "start", "first", "first_start", "second", "second_start", "value", "value_start", "names", "names_start"}
MAX_BYTES = 8_000_000
OTHER_MAKE = dict.fromkeys(ARRAYS, np.zeros((7, 16), np.float32))


@pytest.mark.parametrize("path", OLD_NETS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_net_of_an_older_version_is_read(path: Path) -> None:
    assert len(read_net(path).embedding) in (FEATURES_OF_FIRST_NETS, NET_FEATURES)
    assert "minutes" in read_run(path)


def test_there_are_nets_of_older_versions() -> None:
    assert len(OLD_NETS) >= 4


def test_arrays_have_the_names_that_older_versions_read(tmp_path: Path) -> None:
    path = tmp_path / "classic-2.safetensors"
    save_net(path, random_net(16, 8), {})
    assert ARRAYS == set(load_file(path))
    assert {"further", "further_bias"} == set(FILE_NAMES.values()) - ARRAYS


@pytest.mark.parametrize("save", [save_net, save_packed_net])
def test_further_layers_are_kept(save: Callable[[Path, Net, dict[str, str]], None], tmp_path: Path) -> None:
    for further in (0, 1, 3):
        net, path = random_net(16, 8, further=further), tmp_path / "classic-2.safetensors"
        save(path, net, {})
        again = read_net(path)
        assert again.further.shape == (further, 8, 8)
        assert again.further == pytest.approx(net.further, abs=1e-3)
        assert again.further_bias == pytest.approx(net.further_bias, abs=1e-3)


def test_the_package_has_a_net_for_every_number_of_players() -> None:
    found = {(path.stem.split("-")[0], players) for path in FOLDER.glob("*.safetensors") for players in players_of(path)}
    assert found == {(variant, players) for variant in VARIANTS for players in (2, 3, 4)}


def test_the_nets_of_the_package_stay_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.safetensors")) < MAX_BYTES


def test_a_net_is_kept_in_half_precision_with_its_run(tmp_path: Path) -> None:
    net, path = random_net(16, 8), tmp_path / "classic-2.safetensors"
    save_net(path, net, {"minutes": "3"})
    for kept, array in zip(read_net(path), net, strict=True):
        assert kept == pytest.approx(array, abs=1e-3)
    assert {"minutes": "3"} == read_run(path)


@pytest.mark.parametrize("name, seats", [("classic-2", 2), ("classic-3-4", 4)])
def test_a_packed_net_says_nearly_the_same_in_fewer_bytes(name: str, seats: int, tmp_path: Path) -> None:
    net, whole, packed = random_net(32, 16), tmp_path / "a" / f"{name}{SUFFIX}", tmp_path / "b" / f"{name}{SUFFIX}"
    save_net(whole, net, {})
    save_packed_net(packed, net, {"minutes": "3"})
    assert packed.stat().st_size < 0.7 * whole.stat().st_size
    assert {"minutes": "3"} == read_run(packed)
    again = read_net(packed)
    assert again.embedding == pytest.approx(net.embedding, abs=1 / 256)
    assert again.policy == pytest.approx(net.policy, abs=1 / 2048)
    assert again.hidden1[: seats * 32] == pytest.approx(net.hidden1[: seats * 32], abs=1 / 2048)
    assert not again.hidden1[seats * 32 :].any()
    assert (again.embedding_bias == net.embedding_bias).all()


def test_a_folder_of_ones_own_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packaged = load_net("classic", 3)
    save_net(tmp_path / "classic-3-4.safetensors", random_net(16, 8), {})
    monkeypatch.setenv("CABOCHON_NETS", str(tmp_path))
    assert (NET_FEATURES, 16) == load_net("classic", 3).embedding.shape
    assert load_net("classic", 4) is load_net("classic", 3)
    monkeypatch.delenv("CABOCHON_NETS")
    assert packaged is load_net("classic", 3)


@pytest.mark.parametrize(
    "files, message",
    [
        ({}, "there is no net for classic with 2 players in"),
        ({"marvel-2": b"", "classic-3-4": b""}, "there is no net for classic with 2 players in"),
        ({"classic-2": b"no net at all"}, "classic-2.safetensors is not a net"),
        ({"classic-2": {"sights": np.zeros((3, 4))}}, "classic-2.safetensors is not a net"),
        ({"classic-2": OTHER_MAKE}, "a net of another make"),
    ],
    ids=["no folder", "other games", "no net", "half a net", "another make"],
)
def test_a_folder_without_the_net_is_refused(
    files: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CABOCHON_NETS", str(tmp_path / "nets"))
    for name, content in files.items():
        path = tmp_path / "nets" / f"{name}.safetensors"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content) if isinstance(content, bytes) else save_file(content, path)
    with pytest.raises(CabochonError, match=message):
        analyse(Game(seed=1).view(0), Budget(nodes=1), config=NET_SEARCH)
