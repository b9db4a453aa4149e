"""The published ratings: what the ladder file in the package says about each bot."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

LADDER_FILE = Path(__file__).parent / "ladder.json"


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's place on the ladder: Elo, half of its 95 % interval (None: without bound), and the games."""

    rating: float
    error: float | None
    games: int


@cache
def ratings(file: Path = LADDER_FILE) -> dict[str, Rating]:
    """The ratings by name, best first; none if no ladder has been made."""
    if not file.exists():
        return {}
    ladder = json.loads(file.read_text(encoding="utf-8"))
    return {name: Rating(row["rating"], row["error"], row["games"]) for name, row in ladder["bots"].items()}
