"""Puzzles: positions with one good move. The files in `puzzle_files` hold them; `puzzle_maker` makes the files.

A puzzle is a line of JSON. Its position is the *view* of the seat to decide, so a puzzle tells no more than a player would know.
"""

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CabochonError, IllegalMove
from ..game import Game
from ..notation.move import Move, parse_move
from ..notation.position import parse_position
from ..view import View, sample

FOLDER = Path(__file__).parent / "puzzle_files"
ID_LENGTH = 8
DIFFICULTIES = (1, 2, 3, 4, 5)
DAILY_DIFFICULTIES = (2, 3, 4)  # neither trivial nor for the few
PROVEN, SEARCHED = "proven", "searched"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """One puzzle. `chances` has the moves that were compared deeply with the seat's chance to win, the best move first.

    `missed` names the levels that do not find the move, weak to strong. `proof` says how it is known that every other move is
    worse: `proven` by looking at every line of the next turns (`proving`), `searched` by a clear margin in two deep searches.
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

    def chance_of(self, move: Move) -> float | None:
        """The seat's chance to win with a move; None if it is not among the moves that were compared."""
        found = {parse_move(text, self.variant).action: chance for text, chance in self.chances}
        return found.get(move.action)


def steps(puzzle: Puzzle) -> list[tuple[int, str]]:
    """The line of a puzzle with the seat of each move, as far as the moves fit: what is turned up on the way is not known."""
    game = Game.from_states(sample(puzzle.view, np.random.default_rng(0)))
    found: list[tuple[int, str]] = []
    with suppress(IllegalMove):
        for text in puzzle.line:
            seat = game.turn
            game.play(text)
            found.append((seat, text))
    return found


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


def mixed(found: Iterable[Puzzle]) -> list[Puzzle]:
    """Puzzles in an order that looks random, and is the same on every machine."""
    return sorted(found, key=lambda puzzle: sha256(puzzle.id.encode()).digest())


@cache
def _daily() -> list[Puzzle]:
    return mixed(puzzle for puzzle in puzzles().values() if puzzle.difficulty in DAILY_DIFFICULTIES)


def daily_puzzle(day: date) -> Puzzle:
    """The puzzle of a day: from the date alone, so that every server has the same. None comes twice before all have come."""
    found = _daily()
    if not found:
        raise CabochonError("there are no puzzles")
    return found[day.toordinal() % len(found)]
