"""Shares, ratings and their errors, and the test that stops a match when it is decided.

Games of one deal go together, so every error comes from the spread between deals. An error is half of a 95 % interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import CabochonError

Z95 = 1.96
ELO_PER_DECADE = 400
ALPHA = BETA = 0.05
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
NEVER_SEEN = 1e-3  # a result that has not come yet counts this much, so that no likelihood is zero
ROOT_STEPS = 60


def mean(values: Sequence[float]) -> float:
    """The average."""
    return math.fsum(values) / len(values)


def mean_error(values: Sequence[float]) -> float:
    """The error of the average; if all values are equal, by the rule of three."""
    count, centre = len(values), mean(values)
    variance = math.fsum((value - centre) ** 2 for value in values) / max(count - 1, 1)
    return Z95 * math.sqrt(variance / count) if variance > 1e-12 else min(1.0, 3 / count)


def rating(share: float, fair: float = 0.5) -> float | None:
    """How far above equal opponents a bot is rated that wins this share, where an equal wins `fair`; None: there is no bound.

    Who is rated `d` higher than each of k others wins with odds of 10^(d/400) to k: the odds of the share over those of `fair`.
    """
    if not (0 < share < 1 and 0 < fair < 1):
        return None
    return ELO_PER_DECADE * math.log10(share / (1 - share) * (1 - fair) / fair)


def expected_share(difference: float, fair: float = 0.5) -> float:
    """The share won by who is rated this much higher than its equal opponents."""
    return 1 / (1 + (1 - fair) / fair * 10 ** (-difference / ELO_PER_DECADE))


def rating_error(share: float, error: float, fair: float = 0.5) -> float | None:
    """Half of the interval of the rating; None if it has no bound."""
    low, high = rating(share - error, fair), rating(share + error, fair)
    return None if low is None or high is None else (high - low) / 2


@dataclass(frozen=True, slots=True)
class Sprt:
    """The sequential test between two rating differences: which one the results speak for."""

    elo0: float
    elo1: float

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise CabochonError(f"--sprt {self.elo0:g} {self.elo1:g}: the second difference must be larger")

    @property
    def bounds(self) -> tuple[float, float]:
        """Below the first, elo0 is accepted; above the second, elo1."""
        return math.log(BETA / (1 - ALPHA)), math.log((1 - BETA) / ALPHA)

    def llr(self, pairs: Sequence[float]) -> float:
        """The log of the likelihood ratio, from the counts of pairs that scored 0, ½, 1, 1½ and 2 points of 2."""
        return log_likelihood_ratio(pairs, expected_share(self.elo0), expected_share(self.elo1))

    def verdict(self, pairs: Sequence[float]) -> str:
        """`elo0`, `elo1`, or nothing yet."""
        low, high = self.bounds
        llr = self.llr(pairs)
        return "elo0" if llr <= low else "elo1" if llr >= high else ""


def log_likelihood_ratio(pairs: Sequence[float], share0: float, share1: float) -> float:
    """The generalized ratio: each hypothesis has the likeliest distribution of pairs whose mean is its share."""
    counts = [count or NEVER_SEEN for count in pairs]
    total = math.fsum(counts)
    seen = [count / total for count in counts]
    likely0, likely1 = (_likeliest(seen, share) for share in (share0, share1))
    return total * math.fsum(p * math.log(p1 / p0) for p, p0, p1 in zip(seen, likely0, likely1, strict=True))


def _likeliest(seen: Sequence[float], share: float) -> list[float]:
    """The distribution nearest to what was seen with this mean: p / (1 + x (score - share)), x by halving an interval."""
    away = [score - share for score in PAIR_SCORES]
    low, high = -1 / max(away), -1 / min(away)
    for _ in range(ROOT_STEPS):
        x = (low + high) / 2
        if math.fsum(p * a / (1 + x * a) for p, a in zip(seen, away, strict=True)) > 0:
            low = x
        else:
            high = x
    return [p / (1 + x * a) for p, a in zip(seen, away, strict=True)]


def count_pairs(scores: Sequence[float]) -> list[int]:
    """How many pairs scored 0, ½, 1, 1½ and 2 points of 2, from the share of each pair."""
    counts = [0] * len(PAIR_SCORES)
    for score in scores:
        counts[round(score * (len(PAIR_SCORES) - 1))] += 1
    return counts
