"""The summary of a match: wins, draws, losses, share and rating of each entrant, with errors from the deals."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .runner import CUT, FORFEIT, GameResult
from .statistics import Sprt, count_pairs, mean, mean_error, rating, rating_error

LOST, WON = 1e-9, 1 - 1e-9  # shares of a win are sums of floats: three thirds are not exactly 1


@dataclass(frozen=True, slots=True)
class Standing:
    """An entrant's result for all its seats together. `fair` is the share of wins it would have as an equal of the others."""

    entrant: str
    games: int
    wins: int
    draws: int
    losses: int
    share: float
    share_error: float
    fair: float
    rating: float | None
    rating_error: float | None
    forfeits: int
    seconds_per_move: float
    slowest: float


@dataclass(frozen=True, slots=True)
class Summary:
    """The result of a match so far. Only deals that were played in every rotation count."""

    games: int
    deals: int
    cut: int
    moves_per_game: float
    standings: tuple[Standing, ...]
    forfeits: tuple[str, ...] = ()
    sprt: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def whole_deals(games: Iterable[GameResult]) -> list[list[GameResult]]:
    """The games of each finished deal, in order."""
    found: dict[int, dict[int, GameResult]] = defaultdict(dict)
    for game in games:
        found[game.deal][game.rotation] = game
    return [[deal[i] for i in sorted(deal)] for _, deal in sorted(found.items()) if len(deal) == len(deal[min(deal)].seats)]


def deal_share(deal: Sequence[GameResult], entrant: str) -> float:
    """An entrant's mean share of the wins in one deal."""
    return mean([game_share(game, entrant) for game in deal])


def game_share(game: GameResult, entrant: str) -> float:
    """An entrant's share of one win, for all its seats."""
    return sum(share for name, share in zip(game.seats, game.shares(), strict=True) if name == entrant)


def summarise(games: Iterable[GameResult], sprt: Sprt | None = None) -> Summary:
    """Sum up the finished deals. The entrants are in the order of the command."""
    deals = whole_deals(games)
    counted = [game for deal in deals for game in deal]
    if not counted:
        return Summary(0, 0, 0, 0.0, ())
    names = list(dict.fromkeys(deals[0][0].seats))
    return Summary(
        games=len(counted),
        deals=len(deals),
        cut=sum(game.reason == CUT for game in counted),
        moves_per_game=round(mean([game.moves for game in counted]), 1),
        standings=tuple(standing(deals, name) for name in names),
        forfeits=tuple(sorted({game.why for game in counted if game.reason == FORFEIT})),
        sprt=sprt_state(deals, names[0], sprt) if sprt else None,
    )


def standing(deals: Sequence[Sequence[GameResult]], name: str) -> Standing:
    games = [game for deal in deals for game in deal]
    mine = [(game, seat) for game in games for seat in range(len(game.seats)) if game.seats[seat] == name]
    shares = [game_share(game, name) for game in games]
    by_deal = [deal_share(deal, name) for deal in deals]
    share, error, fair = mean(by_deal), mean_error(by_deal), len(mine) / len(games) / len(games[0].seats)
    decisions = sum(game.moves / len(game.seats) for game, _ in mine)
    return Standing(
        entrant=name,
        games=len(games),
        wins=sum(part > WON for part in shares),
        draws=sum(LOST < part < WON for part in shares),
        losses=sum(part < LOST for part in shares),
        share=share,
        share_error=error,
        fair=fair,
        rating=rating(share, fair),
        rating_error=rating_error(share, error, fair),
        forfeits=sum(game.reason == FORFEIT and game.ranks[seat] > 1 for game, seat in mine),
        seconds_per_move=round(sum(game.seconds[seat] for game, seat in mine) / max(decisions, 1), 6),
        slowest=max(game.slowest[seat] for game, seat in mine),
    )


def sprt_state(deals: Sequence[Sequence[GameResult]], name: str, sprt: Sprt) -> dict[str, Any]:
    """The state of the SPRT, seen from the first entrant."""
    pairs = count_pairs([deal_share(deal, name) for deal in deals])
    return asdict(sprt) | {"pairs": pairs, "llr": sprt.llr(pairs), "bounds": sprt.bounds, "verdict": sprt.verdict(pairs)}
