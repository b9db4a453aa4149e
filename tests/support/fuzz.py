"""`make fuzz`: 100,000 games against the referee, a million positions against why_not, a fifth of the puzzles; on all cores."""

import os
import random
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

from rich.progress import Progress

from cabochon.study.puzzle_maker import DEEP, RANK, disproof
from cabochon.study.puzzles import Puzzle, puzzles
from tests.support.comparing import Case, cases, explain_everything, play_both

GAMES = 100_000
POSITIONS = 1_000_000
BATCH = 50
PUZZLE_SHARE = 0.2
MAX_SEED = 1 << 31


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


def _disproof(puzzle: Puzzle, seed: int) -> str | None:
    """What is wrong with a puzzle, by searches with seeds that it has not met."""
    found = disproof(puzzle, replace(RANK, seed=seed), replace(DEEP, seed=seed + 1))
    return f"{puzzle.id}: {found}" if found else None


def check_puzzles(pool: ProcessPoolExecutor, progress: Progress) -> tuple[int, list[str]]:
    """Search a random fifth of the puzzles again: how many there were, and what was wrong."""
    every = list(puzzles().values())
    chosen = random.sample(every, round(PUZZLE_SHARE * len(every)))
    waiting = [pool.submit(_disproof, puzzle, random.randrange(MAX_SEED)) for puzzle in chosen]
    answers = [one.result() for one in progress.track(waiting, description="puzzles searched again")]
    return len(chosen), [answer for answer in answers if answer]


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
        checked, wrong = check_puzzles(pool, progress)
        pool.shutdown(cancel_futures=True)
    print(f"mask and why_not agree on all actions in {seen:,} positions")
    print(f"kernel and referee agree in {played:,} games, {decisions:,} decisions")
    print(*wrong, sep="\n", end="\n" * bool(wrong))
    print(f"{checked - len(wrong)} of {checked} puzzles still have one good answer")
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main(*(int(number) for number in sys.argv[1:]))
