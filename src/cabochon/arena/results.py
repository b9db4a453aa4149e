"""The record of a match as a file: a line of JSON that says which match, then one for every finished game."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import CabochonError
from ..tools.provenance import commit, machine
from ..version import __version__
from .pairings import Match
from .runner import MOST_TURNS_PER_SEAT, Played

FORMAT = 1
SAME_MATCH = ("format", "entrants", "variant", "seed", "most_turns_per_seat", "commit")


def header(match: Match, command: Sequence[str]) -> dict[str, Any]:
    """Which match this is, and how and where it is played."""
    return {
        "format": FORMAT,
        "entrants": [str(entrant) for entrant in match.entrants],
        "variant": match.variant,
        "seed": match.seed,
        "most_turns_per_seat": MOST_TURNS_PER_SEAT,
        "command": list(command),
        "version": __version__,
        "commit": commit(),
        "machine": machine(),
    }


@dataclass(frozen=True, slots=True)
class Results:
    """A match that was played, at least in part."""

    header: dict[str, Any]
    games: list[Played]


def read_results(file: Path) -> Results:
    """The match a file records. A last line that was cut off is no game."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as wrong:
        raise CabochonError(f"{file}: cannot be read as results ({wrong})") from wrong
    whole = [line for line in lines if line.endswith("\n")]
    try:
        first, *rest = [json.loads(line) for line in whole]
        if first["format"] != FORMAT:
            raise CabochonError(f"{file}: format {first['format']} is not known here (only {FORMAT})")
        return Results(first, [_played(line) for line in rest])
    except (ValueError, TypeError, KeyError) as wrong:
        if isinstance(wrong, CabochonError):
            raise
        raise CabochonError(f"{file}: not the results of a match") from wrong


def _played(line: dict[str, Any]) -> Played:
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in line.items()}
    return Played(**fields)


class Sheet:
    """Where finished games are written; without a file they are only kept in memory."""

    def __init__(self, match: Match, command: Sequence[str], file: Path | None) -> None:
        self.file, self.header = file, header(match, command)
        self.games: list[Played] = []
        if file is not None and file.exists() and file.stat().st_size:
            self._resume(file)
        elif file is not None:
            self._write("w", self.header)

    def _resume(self, file: Path) -> None:
        """Go on with a match that was stopped; that of other bots, or of another source, is refused."""
        found = read_results(file)
        for name in SAME_MATCH:
            if found.header.get(name) != self.header[name]:
                was, now = found.header.get(name), self.header[name]
                raise CabochonError(f"{file} records another match ({name} {was}, not {now}): choose another file")
        self.header, self.games = found.header, found.games
        text = file.read_bytes()
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            file.write_bytes(text[:whole])

    def add(self, game: Played) -> None:
        """Keep a finished game."""
        self.games.append(game)
        self._write("a", asdict(game))

    def _write(self, mode: str, line: dict[str, Any]) -> None:
        if self.file is None:
            return
        try:
            with self.file.open(mode, encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")
        except OSError as wrong:
            raise CabochonError(f"{self.file} cannot be written ({(wrong.strerror or 'error').lower()})") from wrong
