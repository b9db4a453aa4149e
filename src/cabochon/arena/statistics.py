"""Shares, Elo ratings and their errors, and the SPRT, which stops a match when it is decided.

The games of one deal are correlated, so every error comes from the variance between deals. An error is half of a 95 % interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import CabochonError

Z95 = 1.96
ELO_PER_DECADE = 400
ALPHA = BETA = 0.05
PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
REGULARISATION = 1e-3  # the count of a pair score that has not occurred, so that no likelihood is zero; as in fishtest
BISECTION_STEPS = 60  # enough for the precision of a float


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def mean_error(values: Sequence[float]) -> float:
    """The error of the mean. If all values are equal the variance says nothing: the rule of three gives 3 / n."""
    count, centre = len(values), mean(values)
    variance = math.fsum((value - centre) ** 2 for value in values) / max(count - 1, 1)
    return Z95 * math.sqrt(variance / count) if variance > 1e-12 else min(1.0, 3 / count)


def rating(share: float, fair: float = 0.5) -> float | None:
    """The Elo difference to equal opponents at this share of wins, where `fair` is the share without a difference.

    A bot rated `d` above each of k opponents wins with odds 10^(d/400) : k, so d follows from the odds of `share` divided by
    those of `fair`. None: the rating is unbounded.
    """
    if not (0 < share < 1 and 0 < fair < 1):
        return None
    return ELO_PER_DECADE * math.log10(share / (1 - share) * (1 - fair) / fair)


def expected_share(difference: float, fair: float = 0.5) -> float:
    """The inverse of `rating`: the share of wins at this Elo difference."""
    return 1 / (1 + (1 - fair) / fair * 10 ** (-difference / ELO_PER_DECADE))


def rating_error(share: float, error: float, fair: float = 0.5) -> float | None:
    """Half of the rating's 95 % interval; None if it is unbounded."""
    low, high = rating(share - error, fair), rating(share + error, fair)
    return None if low is None or high is None else (high - low) / 2


@dataclass(frozen=True, slots=True)
class Sprt:
    """The sequential probability ratio test between two Elo differences."""

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
        """The log-likelihood ratio, from the counts of pairs that scored 0, ½, 1, 1½ and 2 of 2 points."""
        return log_likelihood_ratio(pairs, expected_share(self.elo0), expected_share(self.elo1))

    def verdict(self, pairs: Sequence[float]) -> str:
        """`elo0` or `elo1` if that hypothesis is accepted, else an empty string."""
        low, high = self.bounds
        llr = self.llr(pairs)
        return "elo0" if llr <= low else "elo1" if llr >= high else ""


def log_likelihood_ratio(pairs: Sequence[float], share0: float, share1: float) -> float:
    """The generalized log-likelihood ratio: each hypothesis is the most likely distribution of pair scores with its mean."""
    counts = [count or REGULARISATION for count in pairs]
    total = math.fsum(counts)
    observed = [count / total for count in counts]
    likely0, likely1 = (_fit_mean(observed, share) for share in (share0, share1))
    return total * math.fsum(p * math.log(p1 / p0) for p, p0, p1 in zip(observed, likely0, likely1, strict=True))


def _fit_mean(observed: Sequence[float], share: float) -> list[float]:
    """The maximum-likelihood distribution with this mean: p / (1 + x (score - share)), where x is found by bisection."""
    deviations = [score - share for score in PAIR_SCORES]
    low, high = -1 / max(deviations), -1 / min(deviations)
    for _ in range(BISECTION_STEPS):
        x = (low + high) / 2
        if math.fsum(p * a / (1 + x * a) for p, a in zip(observed, deviations, strict=True)) > 0:
            low = x
        else:
            high = x
    return [p / (1 + x * a) for p, a in zip(observed, deviations, strict=True)]


def count_pairs(scores: Sequence[float]) -> list[int]:
    """The number of pairs that scored 0, ½, 1, 1½ and 2 of 2 points, from the share of each pair."""
    counts = [0] * len(PAIR_SCORES)
    for score in scores:
        counts[round(score * (len(PAIR_SCORES) - 1))] += 1
    return counts
