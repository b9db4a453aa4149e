"""Ratings of all bots that met, from the records of their matches, by the Plackett-Luce model of the library choix.

The winner of a game has beaten everybody else at the table; a shared win counts for one winner after the other. The likelihood
has no maximum if a bot won all its games, so each pair that met gets one virtual win in each direction. A rating that is bounded
by these virtual games only has no error.
"""

import json
import math
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from ..errors import CabochonError
from .entrant import plain_name
from .results import Results, read_results
from .runner import GameResult
from .statistics import ELO_PER_DECADE, Z95
from .summary import whole_deals

ANCHOR, ANCHOR_RATING = "greedy", 1000.0
BOOTSTRAP_SAMPLES = 100
TOLERANCE = 1e-3  # of a fit to a bootstrap sample; in natural units, of 400 / ln 10 = 174 Elo
SEED = 1

Deal = Sequence[GameResult]
Win = tuple[str, tuple[str, ...]]


def make_ladder(files: Iterable[Path], anchor: str = ANCHOR, samples: int = BOOTSTRAP_SAMPLES) -> dict[str, Any]:
    """The ladder from these files: ratings over all games and for each kind of table, and the matches they come from."""
    results = {file: _with_plain_names(read_results(file)) for file in files}
    deals = [deal for result in results.values() for deal in whole_deals(result.games)]
    tables = _by_table(results.values())
    return {
        "anchor": anchor,
        "anchor_rating": ANCHOR_RATING,
        "bots": rate(deals, anchor, samples),
        "tables": {table: rate(tables[table], anchor, samples) for table in sorted(tables) if _connected(tables[table], anchor)},
        "matches": [_match(file, result) for file, result in results.items()],
    }


def _with_plain_names(result: Results) -> Results:
    """Count `master@seconds=1` as `master`."""
    return Results(result.header, [replace(game, seats=tuple(map(plain_name, game.seats))) for game in result.games])


def rate(deals: Sequence[Deal], anchor: str = ANCHOR, samples: int = BOOTSTRAP_SAMPLES) -> dict[str, dict[str, Any]]:
    """Rating, error and games of each bot, best first. The errors come from the bootstrap over deals."""
    names = _names(deals)
    if anchor not in names:
        raise CabochonError(f"the ladder needs its anchor {anchor}, and no game has it")
    if not _connected(deals, anchor):
        raise CabochonError(f"no chain of games connects every bot with {anchor}: there is no common ladder")
    virtual, rng = _virtual_wins(deals), random.Random(SEED)
    found = _fit(deals, virtual, names, anchor)
    drawn = [_fit(rng.choices(deals, k=len(deals)), virtual, names, anchor, found) for _ in range(samples)]
    games = {name: sum(name in game.seats for deal in deals for game in deal) for name in names}
    bounded = _bounded(deals, anchor)
    errors = {name: round(_interval([ratings[name] for ratings in drawn])) if name in bounded else None for name in names}
    return {
        name: {"rating": round(found[name]), "error": errors[name], "games": games[name]}
        for name in sorted(names, key=lambda name: -found[name])
    }


def _fit(
    deals: Sequence[Deal], virtual: Sequence[Win], names: Sequence[str], anchor: str, near: dict[str, float] | None = None
) -> dict[str, float]:
    """The maximum-likelihood ratings for these deals and virtual wins, shifted to the anchor; `near` speeds up the fit."""
    numbers = {name: number for number, name in enumerate(names)}
    wins = [_winner_and_others(game) for deal in deals for game in deal]
    data = [(numbers[winner], tuple(numbers[other] for other in others)) for winner, others in (*wins, *virtual)]
    unit = ELO_PER_DECADE / math.log(10)
    begin = None if near is None else [(near[name] - ANCHOR_RATING) / unit for name in names]
    found = _choix().ilsr_top1(len(names), data, initial_params=begin, **({} if near is None else {"tol": TOLERANCE}))
    return {name: ANCHOR_RATING + unit * (found[numbers[name]] - found[numbers[anchor]]) for name in names}


def _winner_and_others(game: GameResult) -> Win:
    """The winner and the others at the table (perhaps the same bot again)."""
    winners = [seat for seat, rank in enumerate(game.ranks) if rank == 1]
    winner = winners[(game.deal + game.rotation) % len(winners)]
    return game.seats[winner], game.seats[:winner] + game.seats[winner + 1 :]


def _virtual_wins(deals: Sequence[Deal]) -> list[Win]:
    met = {pair for deal in deals for pair in combinations(sorted(set(deal[0].seats)), 2)}
    return [win for a, b in sorted(met) for win in ((a, (b,)), (b, (a,)))]


def _names(deals: Sequence[Deal]) -> list[str]:
    return sorted({name for deal in deals for name in deal[0].seats})


def _connected(deals: Sequence[Deal], anchor: str) -> bool:
    """Whether a chain of games connects the anchor with every bot."""
    met = {(a, b) for deal in deals for a in deal[0].seats for b in deal[0].seats}
    return _reached(anchor, met) == set(_names(deals))


def _bounded(deals: Sequence[Deal], anchor: str) -> set[str]:
    """The bots with a chain of wins down to the anchor and one of losses up to it: only then the games bound the rating."""
    wins = [_winner_and_others(game) for deal in deals for game in deal]
    won = {(winner, other) for winner, others in wins for other in others}
    return _reached(anchor, won) & _reached(anchor, {(other, winner) for winner, other in won})


def _reached(start: str, steps: set[tuple[str, str]]) -> set[str]:
    reached, found = {start}, {start}
    while found:
        found = {b for a, b in steps if a in found} - reached
        reached |= found
    return reached


def _interval(values: Sequence[float]) -> float:
    centre = sum(values) / len(values)
    return Z95 * math.sqrt(sum((value - centre) ** 2 for value in values) / max(len(values) - 1, 1))


def _by_table(results: Iterable[Results]) -> dict[str, list[Deal]]:
    tables = defaultdict[str, list[Deal]](list)
    for result in results:
        tables[f"{result.header['variant']} {len(result.header['entrants'])}"] += whole_deals(result.games)
    return tables


def _match(file: Path, result: Results) -> dict[str, Any]:
    kept = ("command", "entrants", "variant", "seed", "version", "commit", "machine")
    return {"file": file.name, "games": len(result.games)} | {name: result.header[name] for name in kept}


def write_ladder(ladder: dict[str, Any], file: Path) -> None:
    try:
        file.write_text(json.dumps(ladder, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise CabochonError(f"{file} cannot be written ({(error.strerror or 'error').lower()})") from error


def format_ladder(ladder: dict[str, Any]) -> str:
    """The ladder as a Markdown table, with a column for each kind of table."""
    tables = ladder["tables"]
    lines = ["| bot | rating | games | " + " | ".join(f"{table} players" for table in tables) + " |"]
    lines.append("|---|--:|--:|" + "--:|" * len(tables))
    for name, row in ladder["bots"].items():
        cells = [name, _cell(row), str(row["games"]), *(_cell(rows.get(name)) for rows in tables.values())]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(row: dict[str, Any] | None) -> str:
    return "" if row is None else f"{row['rating']} ± {'?' if row['error'] is None else row['error']}"


def _choix() -> Any:
    try:
        import choix
    except ImportError as missing:
        raise CabochonError("ratings need the library choix: pip install 'cabochon-game[arena]'") from missing
    return choix
