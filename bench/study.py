"""The figures of docs/study.md: `python bench/study.py identity|luck|levels|neighbours|time`.

    identity   result - chance at the deal = luck + errors: the largest difference over self-play games of every game and table
    luck       the mean luck of a seat over many games, with its error: it must be zero
    levels     the error rate of each level, from games that it plays against itself
    neighbours the error rates of two levels that are next to each other on the ladder, from games between them
    time       seconds of one core for a review with 2,000 nodes a decision

`--workers N` runs N processes; each plays and reviews whole games.
"""

import argparse
import math
import multiprocessing
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from cabochon import Game
from cabochon.bots import Budget, bot
from cabochon.bots.levels import LEVELS
from cabochon.study import review
from cabochon.tools.provenance import commit, machine

VARIANTS = ("classic", "marvel")
TABLES = [(variant, players) for variant in VARIANTS for players in (2, 3, 4)]
TIMED = Budget(nodes=2000)  # what a bot of one second gets here, so that the games can be repeated
MAX_MOVES = 400
Task = tuple[tuple[str, ...], str, int, int]  # a bot for each seat, variant, seed, nodes of the review


def play(names: tuple[str, ...], variant: str, seed: int) -> Game | None:
    """A game of these bots; None if it does not end."""
    players, game = [bot(name) for name in names], Game(variant, len(names), seed=seed)
    while not game.is_over:
        if len(game.moves) >= MAX_MOVES:
            return None
        player = players[game.turn]
        usual = player.default_budget or Budget()
        budget = usual if usual.nodes or not usual.seconds else TIMED
        game.play(player.choose(game.view(game.turn), budget, seed * 1000 + len(game.moves)))
    return game


def reviewed(task: Task) -> tuple[Task, list[dict[str, Any]], int] | None:
    """In a worker: what the review says of each seat."""
    names, variant, seed, nodes = task
    game = play(names, variant, seed)
    if game is None:
        return None
    found = review(game, Budget(nodes=nodes))
    seats = [{field: getattr(one, field) for field in one.__dataclass_fields__} for one in found.seats]
    return task, seats, len(found.decisions)


def every(tasks: list[Task], workers: int) -> Iterable[tuple[Task, list[dict[str, Any]], int]]:
    """The reviewed games, as they come."""
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for done, found in enumerate(pool.imap_unordered(reviewed, tasks), 1):
            if done % 100 == 0:
                print(f"  {done} of {len(tasks)} games", flush=True)
            if found:
                yield found


def mean(values: list[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    middle = sum(values) / len(values)
    return middle, math.sqrt(sum((value - middle) ** 2 for value in values) / max(1, len(values) - 1) / len(values))


def identity(games: int, nodes: int, workers: int) -> None:
    tables = [TABLES[i % len(TABLES)] for i in range(games)]
    tasks: list[Task] = [(("greedy",) * players, variant, i, nodes) for i, (variant, players) in enumerate(tables)]
    worst, count = 0.0, 0
    for _, seats, _ in every(tasks, workers):
        count += 1
        for one in seats:
            told = one["luck"] + one["own_errors"] + one["others_errors"]
            worst = max(worst, abs(one["result"] - one["chance_at_deal"] - told))
    print(f"identity: {count} games, largest difference {worst:.2e}")


def luck(games: int, nodes: int, workers: int) -> None:
    by_seat: dict[tuple[str, str], list[float]] = defaultdict(list)
    tasks: list[Task] = [(("cutter", "cutter"), VARIANTS[i % 2], i, nodes) for i in range(games)]
    for (_, variant, _, _), seats, _ in every(tasks, workers):
        for one in seats:
            by_seat[variant, f"seat {one['seat']}"].append(one["luck"])
    for key, values in sorted(by_seat.items()):
        middle, error = mean(values)
        print(f"luck: {key}: {len(values)} games, {100 * middle:+.2f} ± {100 * error:.2f} points")


def levels(games: int, nodes: int, workers: int) -> None:
    rates: dict[tuple[str, str], list[float]] = defaultdict(list)
    accuracies: dict[tuple[str, str], list[float]] = defaultdict(list)
    tasks: list[Task] = [
        ((level.name, level.name), variant, seed, nodes)
        for seed in range(games) for level in reversed(LEVELS) for variant in VARIANTS
    ]  # fmt: skip
    for ((name, _), variant, _, _), seats, _ in every(tasks, workers):
        free = [one for one in seats if one["error_rate"] is not None]
        rates[variant, name].append(sum(one["error_rate"] for one in free) / len(free))
        accuracies[variant, name].append(sum(one["accuracy"] for one in free) / len(free))
    print("| level | classic: lost a decision | accuracy | marvel: lost a decision | accuracy |\n|---|---|---|---|---|")
    for level in LEVELS:
        cells = []
        for variant in VARIANTS:
            middle, error = mean(rates[variant, level.name])
            cells += [f"{100 * middle:.2f} ± {100 * error:.2f}", f"{mean(accuracies[variant, level.name])[0]:.0f}"]
        print(f"| {level.name} | {' | '.join(cells)} |")


def neighbours(games: int, nodes: int, workers: int) -> None:
    """Each pair meets in the same games, so both decide in positions of the same weight; every deal is played from both seats."""
    print("| the weaker and the stronger | classic: lost a decision | marvel: lost a decision |\n|---|---|---|")
    for weaker, stronger in pairwise(LEVELS):
        pair, rates = (weaker.name, stronger.name), defaultdict(list)
        tasks: list[Task] = [
            (names, variant, seed, nodes) for seed in range(games // 2) for names in (pair, pair[::-1]) for variant in VARIANTS
        ]
        for (names, variant, _, _), seats, _ in every(tasks, workers):
            for name, one in zip(names, seats, strict=True):
                if one["error_rate"] is not None:
                    rates[variant, name].append(one["error_rate"])
        cells = []
        for variant in VARIANTS:
            found = [mean(rates[variant, name]) for name in pair]
            cells.append(" and ".join(f"{100 * middle:.2f} ± {100 * error:.2f}" for middle, error in found))
        print(f"| {pair[0]} and {pair[1]} | {' | '.join(cells)} |", flush=True)


def timed(games: int, nodes: int, _workers: int) -> None:
    for variant in VARIANTS:
        play(("cutter", "cutter"), variant, 0)
        review(play(("greedy", "greedy"), variant, 0) or Game(variant), Budget(nodes=16))  # compiled by now
        for seed in range(games):
            game = play(("cutter", "cutter"), variant, seed + 1)
            if game:
                start, used = time.perf_counter(), time.process_time()
                found = review(game, Budget(nodes=nodes))
                print(
                    f"time: {variant}: {len(found.decisions)} decisions, {nodes} nodes: {time.perf_counter() - start:.1f} s, "
                    f"{time.process_time() - used:.1f} s of one core"
                )


WHAT: dict[str, tuple[Callable[[int, int, int], None], int, int]] = {
    "identity": (identity, 500, 16),
    "luck": (luck, 2000, 100),
    "levels": (levels, 40, 400),
    "neighbours": (neighbours, 40, 100),
    "time": (timed, 2, 2000),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("--games", type=int)
    parser.add_argument("--nodes", type=int)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    said = parser.parse_args()
    measure, games, nodes = WHAT[said.what]
    start = time.perf_counter()
    measure(said.games or games, said.nodes or nodes, said.workers)
    print(f"{time.perf_counter() - start:.0f} s, {said.workers} workers, {commit()}, {machine()}")


if __name__ == "__main__":
    main()
