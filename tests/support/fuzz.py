"""`make fuzz`: 100,000 games against the referee, and a million positions against why_not, on all cores."""

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor

from rich.progress import Progress

from tests.support.comparing import Case, cases, explain_everything, play_both

GAMES = 100_000
POSITIONS = 1_000_000
BATCH = 50


def _run(check: Callable[[Case], int], first: int) -> int:
    return sum(check(case) for case in cases(BATCH, first_seed=first))


def _counts(pool: ProcessPoolExecutor, check: Callable[[Case], int], first: int) -> Iterator[int]:
    """Batch after batch, without end, a few ahead on every core."""
    ahead = 2 * (os.cpu_count() or 1)
    waiting = [pool.submit(_run, check, first + BATCH * i) for i in range(ahead)]
    at = first + BATCH * ahead
    while True:
        waiting.append(pool.submit(_run, check, at))
        at += BATCH
        yield waiting.pop(0).result()


def main(games: int = GAMES, positions: int = POSITIONS, seed: int = 1_000_000) -> None:
    with ProcessPoolExecutor() as pool, Progress() as progress:
        bar = progress.add_task("positions against why_not", total=positions)
        seen = played = decisions = 0
        for count in _counts(pool, explain_everything, seed):
            seen += count
            progress.update(bar, completed=seen)
            if seen >= positions:
                break
        bar = progress.add_task("games against the referee", total=games)
        for count in _counts(pool, play_both, seed):
            decisions += count
            played += BATCH
            progress.update(bar, completed=played)
            if played >= games:
                break
        pool.shutdown(cancel_futures=True)
    print(f"mask and why_not agree on all actions in {seen:,} positions")
    print(f"kernel and referee agree in {played:,} games, {decisions:,} decisions")


if __name__ == "__main__":
    main(*(int(number) for number in sys.argv[1:]))
