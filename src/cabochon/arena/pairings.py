"""The pairings: which entrant has which seat in which game.

Every deal is played once for each rotation of the entrants, so that each has every seat with the same cards; seat 0 always
begins. With three or four different entrants the next deal takes the next circular order: after 2 or 6 deals every order was
played.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from ..errors import CabochonError, quoted
from ..ruleset import is_count, ruleset
from .entrant import Entrant

DEALS_PER_SEED = 1_000_000
SEATS = (2, 3, 4)
SEED_LIMIT = 1 << 40


@dataclass(frozen=True, slots=True)
class Match:
    """A match: an entrant for every seat, the variant, and the seed that all deals follow from."""

    entrants: tuple[Entrant, ...]
    variant: str = "classic"
    seed: int = 1

    def __post_init__(self) -> None:
        if len(self.entrants) not in SEATS:
            raise CabochonError(f"a match is between 2, 3 or 4 bots, not {len(self.entrants)}")
        if len(set(self.entrants)) == 1:
            raise CabochonError(f"{self.entrants[0]} against itself is no match: give one of them another budget")
        if not is_count(self.seed) or not 0 <= self.seed < SEED_LIMIT:
            raise CabochonError(f"the seed of a match is a number from 0 to {SEED_LIMIT - 1}, not {quoted(self.seed)}")
        ruleset(self.variant, self.players, {})

    @property
    def players(self) -> int:
        return len(self.entrants)

    def deals_for(self, games: int) -> int:
        """The number of whole deals for at least this many games."""
        deals = -(-games // self.players) if is_count(games) else 0
        if not 0 < deals < DEALS_PER_SEED:
            raise CabochonError(f"a match has 1 to {DEALS_PER_SEED * self.players - 1} games, not {quoted(games)}")
        return deals


@dataclass(frozen=True, slots=True)
class Fixture:
    """A game to play: the number of its deal, its rotation, and the entrants by seat."""

    deal: int
    rotation: int
    seats: tuple[Entrant, ...]


def circles(entrants: tuple[Entrant, ...]) -> list[tuple[Entrant, ...]]:
    """The circular permutations of the entrants: orders that differ only by a rotation are one."""
    found: dict[frozenset[tuple[Entrant, ...]], tuple[Entrant, ...]] = {}
    for others in permutations(entrants[1:]):
        circle = (entrants[0], *others)
        found.setdefault(frozenset(rotations(circle)), circle)
    return list(found.values())


def rotations(circle: tuple[Entrant, ...]) -> list[tuple[Entrant, ...]]:
    """The order, rotated by 0, 1, ... seats."""
    return [circle[-turned:] + circle[:-turned] for turned in range(len(circle))]


def fixtures(match: Match, deals: int) -> Iterator[Fixture]:
    for deal in range(deals):
        for rotation in range(match.players):
            yield fixture(match, deal, rotation)


def fixture(match: Match, deal: int, rotation: int) -> Fixture:
    """One game of a match. A worker that knows the match needs no more than its two numbers."""
    ways = circles(match.entrants)
    return Fixture(deal, rotation, rotations(ways[deal % len(ways)])[rotation])


def deal_seed(match: Match, deal: int) -> int:
    """The seed of a deal: `Game(variant, players, seed=…, start=0)` deals it again. No two seeds of matches share a deal."""
    return match.seed * DEALS_PER_SEED + deal
