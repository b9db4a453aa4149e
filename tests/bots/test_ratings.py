"""The published ratings."""

import pytest
from typer.testing import CliRunner

from cabochon.bots.ratings import Rating
from cabochon.cli import app


def test_bots_are_listed_with_their_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cabochon.bots.ratings.ratings", lambda: {"greedy": Rating(1000, 0, 1)})
    lines = CliRunner().invoke(app, ["bots"]).stdout.splitlines()
    assert any(line.split()[:2] == ["greedy", "1000"] for line in lines)
    assert any(line.split()[:3] == ["random", "?", "plays"] for line in lines)
