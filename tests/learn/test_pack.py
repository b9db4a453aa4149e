"""A packed net says what the net says, and with a temperature it is surer or more modest by that."""

import sys
from pathlib import Path

import numpy as np
import pytest

from cabochon.learn import pack
from cabochon.learn.pack import with_temperature
from cabochon.search.models.net import FOLDER, read_net, read_run, save_net
from cabochon.search.net import random_net

NET = FOLDER / "cities-2-3-4.safetensors"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> None:
    monkeypatch.setattr(sys, "argv", ["pack", *map(str, arguments)])
    pack.main()


def test_a_packed_net_is_the_same_when_it_is_packed_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run(monkeypatch, NET, tmp_path)
    for before, after in zip(read_net(NET), read_net(tmp_path / NET.name), strict=True):
        np.testing.assert_array_equal(before, after)
    assert read_run(NET) == read_run(tmp_path / NET.name)


def test_a_temperature_is_written_into_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run(monkeypatch, NET, tmp_path / "one", "--temperature", 0.5)
    run(monkeypatch, tmp_path / "one" / NET.name, tmp_path / "two", "--temperature", 0.5)
    before, after = read_net(NET), read_net(tmp_path / "two" / NET.name)
    np.testing.assert_allclose(4 * before.value, after.value, rtol=1e-6)
    known = float(read_run(NET).get("temperature", 1))
    assert 0.25 * known == pytest.approx(float(read_run(tmp_path / "two" / NET.name)["temperature"]))


def test_a_pruned_net_tells_how_many_units_are_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    net = random_net(16, 16)
    net.hidden1_bias[[2, 5]] = -1e4
    net.hidden1_bias[6:] = 1e3
    save_net(tmp_path / "classic-2.safetensors", net, {})
    run(monkeypatch, tmp_path / "classic-2.safetensors", tmp_path / "packed", "--prune", 2000)
    after = tmp_path / "packed" / "classic-2.safetensors"
    assert 2 <= int(read_run(after)["pruned"]) == 16 - read_net(after).hidden1_bias.size <= 6


def test_numbers_that_make_no_sense_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, NET, tmp_path, "--temperature", 0)
    assert "--temperature must be above zero, not 0" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(monkeypatch, NET, tmp_path, "--prune", -1)
    assert "--prune takes a number of positions, not -1" in capsys.readouterr().err


def test_a_temperature_divides_the_logits_of_the_value_alone() -> None:
    net = random_net(8, 4)
    warm = with_temperature(net, 2.0)
    np.testing.assert_allclose(net.value, 2 * warm.value)
    np.testing.assert_allclose(net.value_bias, 2 * warm.value_bias)
    assert all(one is other for one, other in zip(net[:6], warm[:6], strict=True))
    assert net.policy is warm.policy
