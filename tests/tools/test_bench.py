"""The benchmark measures every variant, also one that has no net."""

import pytest

from cabochon.rules.variants import VARIANTS
from cabochon.tools import bench


def test_a_variant_without_a_net_is_measured(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(bench, "has_net", lambda variant, _players: variant == "classic")
    monkeypatch.setattr(bench, "search_speed", lambda *_: 1000.0)
    monkeypatch.setattr(bench, "signature", lambda *_: (1, (), 7))
    found = bench.search_speeds(10)
    assert [1000 if variant == "classic" else None for variant in VARIANTS] == [
        found[variant]["net_nodes_per_second"] for variant in VARIANTS
    ]
    figures = {"search": found, "commit": "", "machine": "", "cold_compile_seconds": 1, "warm_start_seconds": 1}
    bench.print_table({variant: {} for variant in VARIANTS} | figures | {"game_play_microseconds": 1})
    assert len(VARIANTS) - 1 == capsys.readouterr().out.count("no net")
