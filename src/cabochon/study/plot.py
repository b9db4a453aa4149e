"""A review as a plot: all seats' chances over the game, with a mark at each mistake. Needs matplotlib (the extra `study`)."""

from collections.abc import Sequence
from typing import Any

from ..errors import CabochonError
from .grades import BLUNDER, ERROR, INACCURACY
from .report import COLOURS, mistakes, seat_name
from .review import Review

STYLES = "-", "--", ":", "-."  # lines are told apart without colour too
MARKERS = {INACCURACY: "o", ERROR: "s", BLUNDER: "v"}
SIZE = 9.6, 4.0  # inches


def plot(review: Review, names: Sequence[str] = (), axes: Any = None) -> Any:
    """Draw a review into matplotlib's `axes`, or into a new figure; the axes are returned."""
    axes = _new_axes() if axes is None else axes
    moments = range(len(review.decisions) + 1)
    for one in review.seats:
        chances = [100 * decision.before[one.seat] for decision in review.decisions] + [100 * one.result]
        style = {"color": COLOURS[one.seat], "linestyle": STYLES[one.seat], "label": seat_name(names, one.seat)}
        axes.plot(list(moments), chances, **style)
    for decision in mistakes(review):
        place = [decision.number], [100 * decision.before[decision.seat]]
        axes.plot(*place, MARKERS[decision.grade], color=COLOURS[decision.seat], label="_")  # no line of the legend
    axes.set_xlabel("decision")
    axes.set_ylabel("chance to win (%)")
    axes.set_ylim(-3, 103)  # a line at the edge is seen whole
    axes.legend()
    return axes


def _new_axes() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise CabochonError("a plot needs matplotlib: pip install 'cabochon-game[study]'") from error
    return pyplot.subplots(figsize=SIZE)[1]
