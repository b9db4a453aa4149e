"""The file of a match: a line of JSON about the match, then one line for each finished game."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import CabochonError, WrongType, quoted
from ..tools.provenance import commit, machine
from ..version import __version__
from .pairings import Match
from .runner import MAX_TURNS_PER_SEAT, GameResult

FORMAT = 1
SAME_MATCH = (  # a file is resumed only if these are equal
    "format", "entrants", "variant", "seed", "most_turns_per_seat", "commit",
)  # fmt: skip


def header(match: Match, command: Sequence[str]) -> dict[str, Any]:
    """The first line: what is played, by which command, from which source, on which machine."""
    return {
        "format": FORMAT,
        "entrants": [str(entrant) for entrant in match.entrants],
        "variant": match.variant,
        "seed": match.seed,
        "most_turns_per_seat": MAX_TURNS_PER_SEAT,
        "command": list(command),
        "version": __version__,
        "commit": commit(),
        "machine": machine(),
    }


@dataclass(frozen=True, slots=True)
class Results:
    """The content of such a file; the match need not be finished."""

    header: dict[str, Any]
    games: list[GameResult]


def read_results(file: Path | str) -> Results:
    """Read a file. An incomplete last line, left by a crash, is ignored."""
    if not isinstance(file, Path | str):
        raise WrongType(f"the file of a match is a path or a text, not {quoted(file)}")
    file = Path(file)
    try:
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise CabochonError(f"{file}: cannot be read as results ({error})") from error
    whole = [line for line in lines if line.endswith("\n")]
    try:
        first, *rest = [json.loads(line) for line in whole]
        if first["format"] != FORMAT:
            raise CabochonError(f"{file}: format {first['format']} is not known here (only {FORMAT})")
        return Results(first, [_played(line) for line in rest])
    except (ValueError, TypeError, KeyError) as error:
        if isinstance(error, CabochonError):
            raise
        raise CabochonError(f"{file}: not the results of a match") from error


def _played(line: dict[str, Any]) -> GameResult:
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in line.items()}
    return GameResult(**fields)


class ResultsFile:
    """Writes each game when it is finished; without a file the games are only kept in memory."""

    def __init__(self, match: Match, command: Sequence[str], file: Path | None) -> None:
        self.file, self.header = file, header(match, command)
        self.games: list[GameResult] = []
        if file is not None and file.exists() and file.stat().st_size:
            self._resume(file)
        elif file is not None:
            self._write("w", self.header)

    def _resume(self, file: Path) -> None:
        """Read the games played so far; the file of another match, or of another commit, is refused."""
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

    def add(self, game: GameResult) -> None:
        self.games.append(game)
        self._write("a", asdict(game))

    def _write(self, mode: str, line: dict[str, Any]) -> None:
        if self.file is None:
            return
        try:
            with self.file.open(mode, encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")
        except OSError as error:
            raise CabochonError(f"{self.file} cannot be written ({(error.strerror or 'error').lower()})") from error
