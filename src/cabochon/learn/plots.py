"""Pictures of training: `python -m cabochon.learn.plots LOG.jsonl... --out FOLDER` draws one for each log."""

import argparse
import json
import math
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot

from .rate import GAMES, NODES

LOSSES = {"policy": "policy", "value": "chances", "points": "points"}
RATING, SHARE = "rating_by_", "share_"
ELO_PER_LOGIT = 400 / math.log(10)
LINES_APART = 4  # of a log, over which the length of games is counted
STYLE = {
    "font.size": 9, "axes.titlesize": 10, "figure.titlesize": 12, "legend.fontsize": 8, "legend.frameon": False,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": "0.92", "axes.spines.top": False, "axes.spines.right": False,
    "lines.linewidth": 1.4, "lines.markersize": 4,
}  # fmt: skip
MILLION = 1e6
TICKS = (0.03, 0.1, 0.3, 1, 3)
DOTS_PER_INCH = 120

Line = dict[str, Any]


def new_picture(rows: int, columns: int, title: str) -> tuple[Any, Any]:
    """Some quiet axes under one title."""
    pyplot.rcParams.update(STYLE)
    figure, axes = pyplot.subplots(rows, columns, figsize=(4.2 * columns, 3.2 * rows + 0.6), squeeze=False, layout="constrained")
    figure.suptitle(title)
    return figure, axes


def save(figure: Any, path: Path) -> None:
    """Write a picture."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=DOTS_PER_INCH, metadata={"Software": None})
    pyplot.close(figure)


def read_log(path: Path) -> list[Line]:
    """The lines of a run from when it began to learn."""
    lines = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["updates"] > 0]


def rated(lines: list[Line], opponent: str) -> list[Line]:
    """The lines in which a new match was over; who wins all of it cannot be rated by it."""
    known = [line for line in lines if SHARE + opponent in line]
    fresh = [line for i, line in enumerate(known) if i == 0 or line[SHARE + opponent] != known[i - 1][SHARE + opponent]]
    return [line for line in fresh if 0 < line[SHARE + opponent] < 1]


def rating_error(share: float) -> float:
    """Two standard errors of a rating, in points."""
    return 2 * ELO_PER_LOGIT / math.sqrt(GAMES * share * (1 - share))


def lengths(lines: list[Line]) -> tuple[list[float], list[float]]:
    """Decisions a game, over a few lines each."""
    pairs = list(zip(lines, lines[LINES_APART:], strict=False))
    found = [(now["decisions"] - before["decisions"]) / max(1, now["games"] - before["games"]) for before, now in pairs]
    return [now["minutes"] for _, now in pairs], found


def draw_losses(ax: Any, lines: list[Line]) -> None:
    """The losses on a logarithmic scale."""
    for key, name in LOSSES.items():
        label = f"{name}, {lines[-1][key]:.2f} in the end"
        ax.plot([line["minutes"] for line in lines], [line[key] for line in lines], label=label)
    ax.set(title="losses", yscale="log")
    ax.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    ax.minorticks_off()
    ax.legend(loc="center right")


def draw_ratings(ax: Any, lines: list[Line]) -> None:
    """How strong the net is, by each opponent that it was matched with."""
    for opponent in sorted({key.removeprefix(SHARE) for line in lines for key in line if key.startswith(SHARE)}):
        found = rated(lines, opponent)
        shares = [line[SHARE + opponent] for line in found]
        ax.errorbar(
            [line["minutes"] for line in found], [line[RATING + opponent] for line in found],
            [rating_error(share) for share in shares], fmt="o-", elinewidth=0.8, label=f"by games against {opponent}",
        )  # fmt: skip
    ax.set(title=f"rating with {NODES} nodes")
    ax.legend(loc="lower right")


def draw_log(path: Path, folder: Path) -> Path:
    """The picture of one run."""
    lines = read_log(path)
    has_ratings = any(key.startswith(SHARE) for line in lines for key in line)
    title = f"{path.stem}: {round(lines[-1]['minutes'], 1):g} minutes of training"
    figure, axes = new_picture(*((2, 2) if has_ratings else (1, 3)), title)
    losses, length, games, *more = axes.flat
    minutes = [line["minutes"] for line in lines]
    draw_losses(losses, lines)
    length.plot(*lengths(lines))
    length.set(title="decisions in a game")
    games.plot(minutes, [line["games"] / MILLION for line in lines])
    games.set(title="games played, millions", ylim=(0, None))
    for ax in more:
        draw_ratings(ax, lines)
    for ax in axes.flat:
        ax.set(xlabel="minutes", xlim=(math.floor(minutes[0]), minutes[-1] + 0.2))  # a chain goes on there
    picture = folder / f"training-{path.stem}.png"
    save(figure, picture)
    return picture


def main() -> None:
    """Draw every log."""
    parser = argparse.ArgumentParser("python -m cabochon.learn.plots", description="Draw the logs of training runs.")
    parser.add_argument("logs", type=Path, nargs="+", metavar="LOG.jsonl")
    parser.add_argument("--out", type=Path, default=Path(), metavar="FOLDER")
    options = parser.parse_args()
    for path in options.logs:
        print(draw_log(path, options.out))


if __name__ == "__main__":
    main()
