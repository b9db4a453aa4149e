"""A review as text, as JSON and as a page of HTML with a graph."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from html import escape
from typing import Any

from ..notation.move import Move
from .grades import MISTAKES
from .review import Decision, MoveChance, Review

SIZE = 960, 300  # of the graph, in pixels
COLOURS = "#2b5fb8", "#c2303e", "#1e8a5a", "#8e4fc4"
DASHES = "", "8 4", "2 4", "10 3 2 3"  # lines are told apart without colour too
STYLE = """
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums lining-nums; }
th, td { padding: .2rem .8rem .2rem 0; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td.text { text-align: left; }
svg { width: 100%; height: auto; }
.blunder, .error { font-weight: 600; }
"""


def percent(value: float | None) -> str:
    """A chance in percent, or a dash where there is none."""
    return "–" if value is None else f"{100 * value:.1f}"


def signed(value: float) -> str:
    """A change of chance in percentage points."""
    return f"{100 * value:+.1f}"


@dataclass(frozen=True, slots=True)
class MoveChanceOut:
    """A move (or `resign`, `play on`), and each seat's chance to win with it."""

    move: str
    values: list[float]


@dataclass(frozen=True, slots=True)
class DecisionOut:
    """One decision, judged from the view of its seat: a Decision with moves as text.

    The values of the best move are the chances before the decision, those of the move that was played the chances after it.
    """

    number: int
    round: int
    seat: int
    stage: str
    played: MoveChanceOut
    best: MoveChanceOut
    alternatives: list[MoveChanceOut]
    line: list[str]
    is_forced: bool
    lost: float
    grade: str


def _plain(value: Any) -> Any:
    if isinstance(value, MoveChance):
        return {"move": str(value.move), "values": list(value.values)}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return str(value) if isinstance(value, Move) else value


def decision_json(one: Decision) -> dict[str, Any]:
    """A DecisionOut as plain JSON data. Luck is known when the next decision is judged."""
    return {field.name: _plain(getattr(one, field.name)) for field in fields(DecisionOut)}


def as_json(review: Review) -> dict[str, Any]:
    """A review as plain JSON data; moves as text."""

    def decision(one: Decision, luck: Sequence[float]) -> dict[str, Any]:
        return {**decision_json(one), "luck": list(luck)}

    return {
        "variant": review.variant,
        "players": review.players,
        "nodes": review.nodes,
        "decisions": [decision(one, luck) for one, luck in zip(review.decisions, review.luck, strict=True)],
        "seats": [asdict(one) for one in review.seats],
    }


def mistakes(review: Review) -> list[Decision]:
    """The decisions that lost something worth telling, worst first."""
    return sorted((one for one in review.decisions if one.grade in MISTAKES), key=lambda one: -one.lost)


def seat_name(names: Sequence[str], seat: int) -> str:
    """The player's name, or the seat's number."""
    return (names[seat] if seat < len(names) else "") or f"seat {seat}"


SEAT_COLUMNS = ("", "result", "at the deal", "luck", "own errors", "others' errors", "lost a decision", "accuracy", *MISTAKES)


def _seat_rows(review: Review, names: Sequence[str]) -> list[list[str]]:
    return [
        [
            seat_name(names, one.seat),
            percent(one.result),
            percent(one.chance_at_deal),
            signed(one.luck),
            signed(one.own_errors),
            signed(one.others_errors),
            percent(one.error_rate),
            "–" if one.accuracy is None else f"{one.accuracy:.0f}",
            *(str(one.grades[name]) for name in MISTAKES),
        ]
        for one in review.seats
    ]


def _decision_row(one: Decision, names: Sequence[str]) -> list[str]:
    better = "" if one.best.move == one.played.move else str(one.best.move)
    grade = one.grade if one.grade in MISTAKES else ""
    lost = percent(one.lost) if grade else ""
    return [
        str(one.number + 1),
        seat_name(names, one.seat),
        str(one.played.move),
        percent(one.before[one.seat]),
        lost,
        grade,
        better if grade else "",
    ]


DECISION_COLUMNS = ("move", "player", "played", "chance", "lost", "", "better")


def format_text(review: Review, names: Sequence[str] = ()) -> str:
    """The seats, then every decision in a line; chances in percent."""
    decisions = [_decision_row(one, names) for one in review.decisions]
    return "\n".join([*_columns([SEAT_COLUMNS, *_seat_rows(review, names)]), "", *_columns([DECISION_COLUMNS, *decisions])])


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows as lines, each column as wide as its widest cell; words to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    numeric = [all(not row[i] or row[i][-1].isdigit() or row[i] == "–" for row in rows[1:]) for i in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if right else cell.ljust(width) for cell, width, right in zip(row, widths, numeric, strict=True)
        ).rstrip()
        for row in rows
    ]


def _graph(review: Review, names: Sequence[str]) -> str:
    """All seats' chances over the game as SVG, with a mark at each mistake."""
    width, height = SIZE
    step = width / max(1, len(review.decisions))

    def point(number: int, value: float) -> str:
        return f"{number * step:.1f},{height * (1 - value):.1f}"

    parts = [f'<line x1="0" y1="{height * y}" x2="{width}" y2="{height * y}" stroke="#8886"/>' for y in (0, 0.25, 0.5, 0.75, 1)]
    for one in review.seats:
        values = [decision.before[one.seat] for decision in review.decisions] + [one.result]
        line = " ".join(point(number, value) for number, value in enumerate(values))
        colour, dash = COLOURS[one.seat], DASHES[one.seat]
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>')
    for decision in mistakes(review):
        x, y = point(decision.number, decision.before[decision.seat]).split(",")
        title = f"{seat_name(names, decision.seat)}: {decision.played.move}, {decision.grade}, lost {percent(decision.lost)}"
        parts.append(f'<circle cx="{x}" cy="{y}" r="5" fill="{COLOURS[decision.seat]}"><title>{escape(title)}</title></circle>')
    label = "Each player's chance to win over the game"
    return f'<svg viewBox="-8 -8 {width + 16} {height + 16}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _legend_entry(seat: int, name: str) -> str:
    line = "dashed" if DASHES[seat] else "solid"
    return f'<span style="border-bottom: 3px {line} {COLOURS[seat]}">{escape(name)}</span>'


def format_html(review: Review, names: Sequence[str] = ()) -> str:
    """A page of its own: graph, seats and decisions."""
    legend = " ".join(_legend_entry(seat, seat_name(names, seat)) for seat in range(review.players))
    decisions = [_decision_row(one, names) for one in review.decisions]
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Review</title><style>{STYLE}</style>'
        f"<h1>Review</h1><p>{legend}</p>{_graph(review, names)}"
        f"{_table(SEAT_COLUMNS, _seat_rows(review, names))}<h2>Decisions</h2>{_table(DECISION_COLUMNS, decisions)}</html>\n"
    )
