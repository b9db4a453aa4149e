"""Puzzles: positions with one good move. The files in `puzzle_files` hold them; `puzzle_maker` makes the files.

A puzzle is a line of JSON. Its position is the *view* of the seat to decide, so a puzzle tells no more than a player would know.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import CabochonError
from ..notation.move import Move, parse_move
from ..notation.position import parse_position
from ..view import View

FOLDER = Path(__file__).parent / "puzzle_files"
ID_LENGTH = 8
DIFFICULTIES = (1, 2, 3, 4, 5)
DAILY_DIFFICULTIES = (2, 3, 4)  # neither trivial nor for the few
PROVEN, SEARCHED = "proven", "searched"
POINT = 0.01  # chances are written in whole per mille, losses are told in points


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One puzzle. `chances` has the moves that were compared deeply with the seat's chance to win, the best move first.

    `missed` names the levels that do not find the move, weak to strong. `proof` says how it is known that the best move is best:
    `proven` if it wins for certain, `searched` if it is better by a clear margin in two deep searches. That the other moves are
    worse is always known by search.
    """

    id: str
    variant: str
    position: str
    best: str
    chances: tuple[tuple[str, float], ...]
    proof: str
    themes: tuple[str, ...]
    difficulty: int
    missed: tuple[str, ...]
    line: tuple[str, ...]

    @property
    def view(self) -> View:
        """The position, as the seat to decide sees it."""
        return parse_position(self.position)

    @property
    def move(self) -> Move:
        """The best move."""
        return parse_move(self.best, self.variant)

    @property
    def loss(self) -> float:
        """The chance that the second best move loses."""
        return self.chances[0][1] - self.chances[1][1]

    def is_solved_by(self, move: Move) -> bool:
        """Whether an answer is right. How a card is paid for makes no difference."""
        return move.action == self.move.action

    def lost_by(self, move: Move) -> float | None:
        """The chance that a move loses; None if it is not among the moves that were compared."""
        found = {parse_move(text, self.variant).action: chance for text, chance in self.chances}
        return self.chances[0][1] - found[move.action] if move.action in found else None


def puzzle_id(position: str) -> str:
    """The id of a puzzle follows from its position: the same in every file, on every machine."""
    return sha256(position.encode()).hexdigest()[:ID_LENGTH]


def format_puzzle(puzzle: Puzzle) -> str:
    """A puzzle as a line of JSON."""
    return json.dumps(asdict(puzzle), separators=(",", ":"))


def parse_puzzle(line: str) -> Puzzle:
    """The puzzle on a line of JSON."""
    try:
        row: dict[str, Any] = json.loads(line)
        row["chances"] = [(str(move), float(chance)) for move, chance in row["chances"]]
        fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
        return Puzzle(**fields)
    except (ValueError, TypeError, KeyError) as wrong:
        raise CabochonError(f"this line is not a puzzle: {wrong}") from wrong


def read_puzzles(file: Path) -> list[Puzzle]:
    """The puzzles of a file."""
    with file.open(encoding="utf-8") as lines:
        return [parse_puzzle(line) for line in lines]


@cache
def puzzles() -> dict[str, Puzzle]:
    """All puzzles of the package by id, sorted by variant and id."""
    return {puzzle.id: puzzle for file in sorted(FOLDER.glob("*.jsonl")) for puzzle in read_puzzles(file)}


def _mixed(found: Iterable[Puzzle]) -> list[Puzzle]:
    """In an order that looks random, and is the same on every machine."""
    return sorted(found, key=lambda puzzle: sha256(puzzle.id.encode()).digest())


@cache
def _daily() -> list[Puzzle]:
    return _mixed(puzzle for puzzle in puzzles().values() if puzzle.difficulty in DAILY_DIFFICULTIES)


def daily_puzzle(day: date) -> Puzzle:
    """The puzzle of a day: from the date alone, so that every server has the same. None comes twice before all have come."""
    found = _daily()
    if not found:
        raise CabochonError("there are no puzzles")
    return found[day.toordinal() % len(found)]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which puzzles are asked for; an empty field asks for nothing."""

    variant: str = ""
    theme: str = ""
    difficulty: int = 0

    def matches(self, puzzle: Puzzle) -> bool:
        """Whether a puzzle is one of those asked for."""
        return (
            self.variant in ("", puzzle.variant)
            and (not self.theme or self.theme in puzzle.themes)
            and self.difficulty in (0, puzzle.difficulty)
        )

    def puzzles(self) -> Iterator[Puzzle]:
        """All that are asked for."""
        return (puzzle for puzzle in puzzles().values() if self.matches(puzzle))


def next_puzzle(asked: Filter, seen: Collection[str] = ()) -> Puzzle | None:
    """The next puzzle that is asked for and was not seen, in the mixed order; None if all were seen."""
    return next((puzzle for puzzle in _mixed(asked.puzzles()) if puzzle.id not in seen), None)
