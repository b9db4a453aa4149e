"""`make soak` as a picture: memory, file handles, objects, tables and sockets over time.

It needs matplotlib, which `make test-learn` installs:

    .venv-learn/bin/python bench/soak_plot.py soak.csv docs/pictures/soak.png
"""

import csv
import sys
from pathlib import Path

from matplotlib import pyplot

SHOWN = {
    "rss_mib": "memory, MiB",
    "handles": "file handles",
    "objects": "Python objects",
    "tables": "tables",
    "sockets": "sockets",
}


def plot(source: Path, target: Path) -> None:
    with source.open(newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    figure, axes = pyplot.subplots(len(SHOWN), sharex=True, figsize=(8, 9), layout="constrained")
    minutes = [row["seconds"] / 60 for row in rows]
    for axis, (name, words) in zip(axes, SHOWN.items(), strict=True):
        axis.plot(minutes, [row[name] for row in rows], linewidth=1)
        axis.set_ylim(bottom=0)
        axis.set_ylabel(words)
        axis.grid(alpha=0.3)
    axes[-1].set_xlabel("minutes")
    figure.savefig(target, dpi=80)


if __name__ == "__main__":
    plot(Path(sys.argv[1]), Path(sys.argv[2]))
