"""What a match comes to: for every entrant its wins, draws, losses, share and rating, with errors from the deals."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .runner import CUT, FORFEIT, Played
from .statistics import Sprt, count_pairs, mean, mean_error, rating, rating_error

NOTHING, WHOLE = 1e-9, 1 - 1e-9  # a third and a third and a third make no whole in binary


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's result, for all its seats together: `share` of the wins, where an equal of the others would have `fair`."""

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
class Tally:
    """The result of a match so far; only deals that were played in every rotation count."""

    games: int
    deals: int
    cut: int
    moves_per_game: float
    standings: tuple[Standing, ...]
    forfeits: tuple[str, ...] = ()
    sprt: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """Plain objects."""
        return asdict(self)


def whole_deals(games: Iterable[Played]) -> list[list[Played]]:
    """The games deal by deal, in order, without those deals that are not finished."""
    found: dict[int, dict[int, Played]] = defaultdict(dict)
    for game in games:
        found[game.deal][game.rotation] = game
    return [[deal[i] for i in sorted(deal)] for _, deal in sorted(found.items()) if len(deal) == len(deal[min(deal)].seats)]


def deal_share(deal: Sequence[Played], entrant: str) -> float:
    """An entrant's average share of the games of one deal."""
    return mean([game_share(game, entrant) for game in deal])


def game_share(game: Played, entrant: str) -> float:
    """What an entrant has of one win, with all its seats."""
    return sum(share for name, share in zip(game.seats, game.shares(), strict=True) if name == entrant)


def tally(games: Iterable[Played], sprt: Sprt | None = None) -> Tally:
    """Count. The entrants come in the order in which they were named."""
    deals = whole_deals(games)
    counted = [game for deal in deals for game in deal]
    if not counted:
        return Tally(0, 0, 0, 0.0, ())
    names = list(dict.fromkeys(deals[0][0].seats))
    return Tally(
        games=len(counted),
        deals=len(deals),
        cut=sum(game.reason == CUT for game in counted),
        moves_per_game=round(mean([game.moves for game in counted]), 1),
        standings=tuple(standing(deals, name) for name in names),
        forfeits=tuple(sorted({game.why for game in counted if game.reason == FORFEIT})),
        sprt=sprt_state(deals, names[0], sprt) if sprt else None,
    )


def standing(deals: Sequence[Sequence[Played]], name: str) -> Standing:
    """One entrant's line."""
    games = [game for deal in deals for game in deal]
    mine = [(game, seat) for game in games for seat in range(len(game.seats)) if game.seats[seat] == name]
    shares = [game_share(game, name) for game in games]
    by_deal = [deal_share(deal, name) for deal in deals]
    share, error, fair = mean(by_deal), mean_error(by_deal), len(mine) / len(games) / len(games[0].seats)
    decisions = sum(game.moves / len(game.seats) for game, _ in mine)
    return Standing(
        entrant=name,
        games=len(games),
        wins=sum(part > WHOLE for part in shares),
        draws=sum(NOTHING < part < WHOLE for part in shares),
        losses=sum(part < NOTHING for part in shares),
        share=share,
        share_error=error,
        fair=fair,
        rating=rating(share, fair),
        rating_error=rating_error(share, error, fair),
        forfeits=sum(game.reason == FORFEIT and game.ranks[seat] > 1 for game, seat in mine),
        seconds_per_move=round(sum(game.seconds[seat] for game, seat in mine) / max(decisions, 1), 6),
        slowest=max(game.slowest[seat] for game, seat in mine),
    )


def sprt_state(deals: Sequence[Sequence[Played]], name: str, sprt: Sprt) -> dict[str, Any]:
    """Where the sequential test stands for the entrant named first."""
    pairs = count_pairs([deal_share(deal, name) for deal in deals])
    return asdict(sprt) | {"pairs": pairs, "llr": sprt.llr(pairs), "bounds": sprt.bounds, "verdict": sprt.verdict(pairs)}
