"""A review as a plot."""

import sys
from typing import Any

import pytest

from cabochon import CabochonError
from cabochon.study import Review, plot, review
from cabochon.study.report import mistakes
from tests.study.test_review import SMALL, finished


@pytest.fixture(scope="module")
def reviewed() -> Review:
    return review(finished("classic", 2, 5), SMALL)


class Axes:
    """Notes what is drawn, as matplotlib's axes would be told."""

    def __init__(self) -> None:
        self.drawn: list[tuple[list[int], list[float], str]] = []

    def plot(self, x: list[int], y: list[float], _style: str = "", *, label: str, **_how: Any) -> None:
        self.drawn.append((x, y, label))

    def __getattr__(self, _name: str) -> Any:
        return lambda *_said: None


def test_each_seat_has_a_line_and_each_mistake_a_mark(reviewed: Review) -> None:
    axes = Axes()
    assert plot(reviewed, ("Anna", "Ben"), axes) is axes
    lines = [drawn for drawn in axes.drawn if drawn[2] != "_"]
    assert ["Anna", "Ben"] == [label for _, _, label in lines]
    moments = list(range(len(reviewed.decisions) + 1))
    for one, (x, y, _) in zip(reviewed.seats, lines, strict=True):
        assert moments == x
        assert (100 * one.chance_at_deal, 100 * one.result) == (y[0], y[-1])
    marks = [(x[0], y[0]) for x, y, label in axes.drawn if label == "_"]
    assert [(one.number, 100 * one.before[one.seat]) for one in mistakes(reviewed)] == marks


def test_without_matplotlib_the_error_says_what_to_install(reviewed: Review, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(CabochonError, match=r"pip install 'cabochon-game\[study\]'"):
        plot(reviewed)
