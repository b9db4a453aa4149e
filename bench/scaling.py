"""What more nodes bring: matches of a bot against itself with other numbers of nodes, as a table and as curves of ratings.

    cabochon arena legend@nodes=1000 legend@nodes=100 --games 400 --out classic-1000-100.jsonl       and more of the kind
    .venv-learn/bin/python bench/scaling.py *.jsonl --out docs/pictures/scaling.png

The ratings are those of the ladder (Plackett-Luce) of each game, with the fewest nodes at zero. It needs matplotlib, which
`make test-learn` installs.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Any

from cabochon.arena.ratings import ANCHOR_RATING, make_ladder
from cabochon.arena.results import read_results
from cabochon.arena.summary import summarise
from cabochon.learn.plots import new_picture, save


def nodes_of(bot: str) -> int:
    """`legend@nodes=1000` has 1000."""
    return int(bot.partition("nodes=")[2].partition(",")[0])


def describe(file: Path) -> str:
    """Print a line of the table; the game that was played."""
    found = read_results(file)
    more, fewer = sorted(summarise(found.games).standings, key=lambda one: nodes_of(one.entrant), reverse=True)
    share = f"{more.share:.1%} ± {100 * more.share_error:.1f} of {more.games}"
    variant = str(found.header["variant"])
    print(f"{variant:8} {nodes_of(more.entrant):7,} against {nodes_of(fewer.entrant):7,} nodes: {share}")
    return variant


def draw_curve(axis: Any, variant: str, files: list[Path]) -> None:
    """The ratings of a game by nodes, printed too."""
    names = {bot for file in files for bot in read_results(file).header["entrants"]}
    bots = make_ladder(files, anchor=min(names, key=nodes_of))["bots"]
    nodes = sorted(map(nodes_of, bots))
    rated = {nodes_of(name): (bot["rating"] - ANCHOR_RATING, bot["error"] or 0.0) for name, bot in bots.items()}
    axis.errorbar(nodes, [rated[n][0] for n in nodes], [rated[n][1] for n in nodes], marker="o", capsize=3, label=variant)
    for n in nodes:
        print(f"{variant:8} {n:7,} nodes: {rated[n][0]:+4.0f} ± {rated[n][1]:.0f}")


def main() -> None:
    """Read the matches, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="of matches: what `--out` of the arena wrote")
    parser.add_argument("--out", type=Path, required=True, metavar="PNG")
    options = parser.parse_args()
    by_variant: dict[str, list[Path]] = defaultdict(list)
    for file in options.files:
        by_variant[describe(file)].append(file)
    figure, ((axis,),) = new_picture(1, 1, "legend, two players")
    for variant, files in by_variant.items():
        draw_curve(axis, variant, files)
    axis.set(xscale="log", xlabel="nodes a decision", ylabel="rating, fewest nodes at 0")
    axis.legend()
    save(figure, options.out)


if __name__ == "__main__":
    main()
