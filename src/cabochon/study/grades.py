"""Grades of decisions, by the chance to win that they lost.

Backgammon programs mark a play by the equity that it loses: GNU Backgammon calls 0.04 doubtful, 0.08 bad and 0.16 very bad.
Equity runs from -1 to 1, so these are 2, 4 and 8 points of chance. Here the limits are a little wider, because a search of 2,000
nodes is less exact than a rollout.
"""

import math
from collections.abc import Sequence

BEST, GOOD, INACCURACY, ERROR, BLUNDER = GRADES = ("best", "good", "inaccuracy", "error", "blunder")
MISTAKES = (INACCURACY, ERROR, BLUNDER)
MIN_LOSS = {BLUNDER: 0.10, ERROR: 0.05, INACCURACY: 0.02}  # of chance, largest first
ACCURACY_DECAY = 0.10  # a decision that loses this much chance has an accuracy of 1/e


def grade(lost: float, is_best: bool) -> str:
    """The grade of a decision that lost this much of the chance to win."""
    for name, limit in MIN_LOSS.items():
        if lost >= limit:
            return name
    return BEST if is_best else GOOD


def accuracy(losses: Sequence[float]) -> float | None:
    """From 0 to 100: the mean over decisions of 100·exp(-lost / ACCURACY_DECAY). None without a decision."""
    if not losses:
        return None
    return 100 * sum(math.exp(-lost / ACCURACY_DECAY) for lost in losses) / len(losses)
