"""The figures of docs/study.md: `python bench/study.py identity|luck|levels|time`.

    identity   result - chance at the deal = luck + errors: the largest difference over self-play games of every game and table
    luck       the mean luck of a seat over many games, with its error: it must be zero
    levels     the error rate of each level, from games that it plays against itself
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
from typing import Any

from cabochon import Game
from cabochon.bots import Budget, bot
from cabochon.bots.levels import LEVELS
from cabochon.study import review
from cabochon.tools.provenance import commit, machine

TABLES = [(variant, players) for variant in ("classic", "marvel") for players in (2, 3, 4)]
TIMED = Budget(nodes=2000)  # what a bot of one second gets here, so that the games can be repeated
MAX_MOVES = 400
Task = tuple[str, str, int, int, int]  # bot, variant, players, seed, nodes of the review


def self_play(name: str, variant: str, players: int, seed: int) -> Game | None:
    """A game of a bot against itself; None if it does not end."""
    player, game = bot(name), Game(variant, players, seed=seed)
    usual = player.default_budget or Budget()
    budget = usual if usual.nodes or not usual.seconds else TIMED
    while not game.is_over:
        if len(game.moves) >= MAX_MOVES:
            return None
        game.play(player.choose(game.view(game.turn), budget, seed * 1000 + len(game.moves)))
    return game


def reviewed(task: Task) -> tuple[Task, list[dict[str, Any]], int] | None:
    """In a worker: what the review says of each seat."""
    name, variant, players, seed, nodes = task
    game = self_play(name, variant, players, seed)
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
    tasks = [("greedy", *TABLES[i % len(TABLES)], i, nodes) for i in range(games)]
    worst, count = 0.0, 0
    for _, seats, _ in every(tasks, workers):
        count += 1
        for one in seats:
            told = one["luck"] + one["own_errors"] + one["others_errors"]
            worst = max(worst, abs(one["result"] - one["chance_at_deal"] - told))
    print(f"identity: {count} games, largest difference {worst:.2e}")


def luck(games: int, nodes: int, workers: int) -> None:
    by_seat: dict[tuple[str, int, str], list[float]] = defaultdict(list)
    tasks = [("cutter", TABLES[i % 2 * 3][0], 2, i, nodes) for i in range(games)]
    for (_, variant, players, _, _), seats, _ in every(tasks, workers):
        for one in seats:
            by_seat[variant, players, f"seat {one['seat']}"].append(one["luck"])
    for key, values in sorted(by_seat.items()):
        middle, error = mean(values)
        print(f"luck: {key}: {len(values)} games, {100 * middle:+.2f} ± {100 * error:.2f} points")


def levels(games: int, nodes: int, workers: int) -> None:
    rates: dict[tuple[str, str], list[float]] = defaultdict(list)
    accuracies: dict[tuple[str, str], list[float]] = defaultdict(list)
    tasks = [
        (level.name, variant, 2, seed, nodes)
        for seed in range(games) for level in reversed(LEVELS) for variant in ("classic", "marvel")
    ]  # fmt: skip
    for (name, variant, _, _, _), seats, _ in every(tasks, workers):
        free = [one for one in seats if one["error_rate"] is not None]
        rates[variant, name].append(sum(one["error_rate"] for one in free) / len(free))
        accuracies[variant, name].append(sum(one["accuracy"] for one in free) / len(free))
    print("| level | classic: lost a decision | accuracy | marvel: lost a decision | accuracy |\n|---|---|---|---|---|")
    for level in LEVELS:
        cells = []
        for variant in ("classic", "marvel"):
            middle, error = mean(rates[variant, level.name])
            cells += [f"{100 * middle:.2f} ± {100 * error:.2f}", f"{mean(accuracies[variant, level.name])[0]:.0f}"]
        print(f"| {level.name} | {' | '.join(cells)} |")


def timed(games: int, nodes: int, _workers: int) -> None:
    for variant in ("classic", "marvel"):
        self_play("cutter", variant, 2, 0)
        review(self_play("greedy", variant, 2, 0) or Game(variant), Budget(nodes=16))  # compiled by now
        for seed in range(games):
            game = self_play("cutter", variant, 2, seed + 1)
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
