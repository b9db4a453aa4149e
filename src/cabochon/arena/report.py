"""The result of a match as text."""

from collections.abc import Iterator
from typing import Any

from .summary import Standing, Summary


def format_report(result: Summary) -> str:
    """A line for each entrant, then cut games, forfeits and the SPRT."""
    return "\n".join(_lines(result))


def _lines(result: Summary) -> Iterator[str]:
    if not result.games:
        yield "no deal was played in every order"
        return
    width = max(len(standing.entrant) for standing in result.standings)
    yield f"{result.games} games on {result.deals} deals, {result.moves_per_game} moves a game"
    for standing in result.standings:
        yield f"{standing.entrant.ljust(width)}  {_standing(standing)}"
    if result.cut:
        yield f"{result.cut} games were cut and count as draws"
    for why in result.forfeits:
        yield f"forfeit: {why}"
    if result.sprt:
        yield _sprt(result.sprt)


def _standing(standing: Standing) -> str:
    counts = f"+{standing.wins} ={standing.draws} -{standing.losses}"
    share = f"{100 * standing.share:.1f} % ± {100 * standing.share_error:.1f} (fair share {100 * standing.fair:.0f} %)"
    times = f"{1000 * standing.seconds_per_move:.1f} ms a move, longest {standing.slowest:.2f} s"
    return f"{counts}  {share}  rating difference {format_rating(standing.rating, standing.rating_error)}  {times}"


def format_rating(rating: float | None, error: float | None) -> str:
    if rating is None:
        return "without bound"
    return f"{rating:+.0f} ± {'?' if error is None else f'{error:.0f}'}"


def _sprt(state: dict[str, Any]) -> str:
    low, high = state["bounds"]
    elo0, elo1 = f"{state['elo0']:g}", f"{state['elo1']:g}"
    verdict = {"elo0": f"no more than {elo0}", "elo1": f"{elo1} or more", "": "not decided"}[state["verdict"]]
    pairs = ", ".join(str(count) for count in state["pairs"])
    return f"SPRT [{elo0}, {elo1}]: {verdict}; LLR {state['llr']:.2f} ({low:.2f}, {high:.2f}), pairs {pairs}"
