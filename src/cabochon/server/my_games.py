"""A guest's own finished games: the list, everything as records in one file, and records that were brought along."""

import asyncio
import hashlib
import io
import logging
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from orjson import JSONDecodeError, dumps, loads

from ..errors import CabochonError
from ..game import Game
from ..notation.record import FIRST_LINE, format_record, parse_record
from .daily import score_out
from .errors import Refused
from .imports import add_imports, delete_import, imports
from .repository import NUL, Stored, holders, seats, tables
from .review_store import reviews
from .routes import record_text
from .serialise import shared_of
from .service import Service
from .table import read_table, resignations

MAX_LISTED_GAMES = 1000
MAX_REVIEWS_READ = 200  # each has some 50 kB
MAX_RECORD_BYTES = 100_000
MAX_RECORDS_AT_ONCE = 500
MAX_UNPACKED_BYTES = 20_000_000
MAX_IMPORTS = 2000
MAX_PROBLEMS = 50
MAX_NAME_LENGTH = 60
INDEX = "games.json"  # in an export: which seat was one's own, by file
LINE = re.compile(r"record: line (\d+): ")
log = logging.getLogger("cabochon.server")


@dataclass(frozen=True, slots=True)
class File:
    """A record that was uploaded: where it stood, its text, and the own seat, if an index says it."""

    name: str
    text: str | None  # None: not in UTF-8
    size: int
    seat: int | None = None


class MyGames:
    """What the service does for the list of one's own games."""

    def __init__(self, service: Service) -> None:
        self.service = service

    # the list

    async def games(self, user: str) -> dict[str, Any]:
        """A MyGamesOut."""
        return await asyncio.to_thread(self._games, user)

    def _games(self, user: str) -> dict[str, Any]:
        found = [*self._played(user, MAX_LISTED_GAMES + 1), *self._imported(user)]
        found.sort(key=lambda game: game["ended"], reverse=True)
        listed = found[:MAX_LISTED_GAMES]
        rates = self._error_rates({game["id"]: game["seat"] for game in listed if game["source"] == "table"})
        for game in listed:
            game["error_rate"] = rates.get(game["id"])
        return {"games": listed, "more": len(found) > len(listed)}

    def _error_rates(self, own_seats: Mapping[str, int]) -> dict[str, float | None]:
        """What reviews found for the own seat, in points of chance a decision, by table: those that were looked at last."""
        query = sa.select(reviews.c.table_id, reviews.c.found).where(
            reviews.c.table_id.in_(own_seats), reviews.c.found.is_not(None)
        )
        with self.service.repository.reading() as connection:
            rows = connection.execute(query.order_by(reviews.c.seen.desc()).limit(MAX_REVIEWS_READ)).all()
        found = {table_id: loads(text)["seats"][own_seats[table_id]]["error_rate"] for table_id, text in rows}
        return {table_id: None if rate is None else 100 * rate for table_id, rate in found.items()}

    def _played(self, user: str, limit: int) -> Iterator[dict[str, Any]]:
        """The games of a guest that are over, as MyGameOuts."""
        query = (
            sa.select(tables.c.id, tables.c.options, tables.c.result, tables.c.shared, tables.c.counts, holders.c.seat)
            .join(holders, holders.c.table_id == tables.c.id)
            .where(holders.c.user_id == user, tables.c.status == "finished", tables.c.result.is_not(None))
        )
        with self.service.repository.reading() as connection:
            rows = connection.execute(query.order_by(tables.c.created.desc()).limit(limit)).mappings().all()
            named = sa.select(seats).where(seats.c.table_id.in_([row["id"] for row in rows])).order_by(seats.c.seat)
            seated: dict[str, list[dict[str, Any]]] = {}
            for seat in connection.execute(named).mappings():
                seated.setdefault(seat["table_id"], []).append({"name": seat["name"], "bot": seat["bot"]})
        for row in rows:
            options, result = loads(row["options"]), loads(row["result"])
            yield {
                "id": row["id"],
                "source": "table",
                "variant": options["variant"],
                "players": seated[row["id"]],
                "seat": row["seat"],
                "result": score_out(result, row["seat"])["result"],
                "points": result["points"],
                "winners": result["winners"],
                "rounds": result.get("rounds"),
                "ended": result["ended"],
                "shared": shared_of(row["shared"], row["counts"]),
            }

    def _imported(self, user: str) -> list[dict[str, Any]]:
        query = sa.select(imports.c.id, imports.c.about).where(imports.c.user_id == user)
        with self.service.repository.reading() as connection:
            rows = connection.execute(query.order_by(imports.c.added.desc())).all()
        return [{"id": name, "source": "import", "shared": None, **loads(about)} for name, about in rows]

    # export

    async def exported(self, user: str) -> bytes:
        """All finished games as records in a zip file, with an index."""
        return await asyncio.to_thread(self._exported, user)

    def _exported(self, user: str) -> bytes:
        out, index = io.BytesIO(), []
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
            for name, seat, text in self._records(user):
                file.writestr(f"{name}.game", text)
                index.append({"file": f"{name}.game", "seat": seat})
            file.writestr(INDEX, dumps(index))
        return out.getvalue()

    def _records(self, user: str) -> Iterator[tuple[str, int | None, str]]:
        """Every record of a guest: its name, the own seat, its text. A damaged table is left out."""
        held = sa.select(tables.c.id, holders.c.seat).join(holders, holders.c.table_id == tables.c.id)
        held = held.where(holders.c.user_id == user, tables.c.status == "finished").order_by(tables.c.created)
        brought = sa.select(imports.c.id, imports.c.about, imports.c.record).where(imports.c.user_id == user)
        with self.service.repository.reading() as connection:
            own = connection.execute(held).all()
            others = connection.execute(brought.order_by(imports.c.added)).all()
        for table_id, seat in own:
            text = self._record(table_id)
            if text is not None:
                yield table_id, seat, text
        for name, about, text in others:
            yield name, loads(about)["seat"], text

    def _record(self, table_id: str) -> str | None:
        stored = self.service.repository.table(table_id)
        try:
            return None if stored is None else self._written(stored)
        except Exception:
            log.exception("table %s is not in an export", table_id)
            return None

    def _written(self, stored: Stored) -> str:
        """The record of a stored game. To play its moves takes less time than to fold its log."""
        table = read_table(stored)
        table.game = table.first_game(self.service.sources.deal)
        moves: list[str] = []
        for entry in stored.entries:
            if entry["kind"] == "move":
                moves.append(entry["text"])
            elif entry["kind"] == "undo":
                moves.pop()
        table.game.play_all(moves)
        return record_text(table, resignations((entry["kind"], entry["seat"]) for entry in stored.entries))

    # import

    async def bring(self, user: str, content: bytes) -> dict[str, Any]:
        """An ImportOut: what can be read is stored, and what cannot is told."""
        name = await self.service.name_of(user)
        files = await asyncio.to_thread(files_in, content)
        known = await asyncio.to_thread(self._digests, user)
        added, was_known, problems = await asyncio.to_thread(self._read_all, files, known, user, name)
        if len(known) + len(added) > MAX_IMPORTS:
            raise Refused("too_many_records", most=MAX_IMPORTS)
        await self.service.store_at_once(*add_imports(added))
        return {"added": len(added), "known": was_known, "problems": problems[:MAX_PROBLEMS]}

    def _digests(self, user: str) -> set[str]:
        with self.service.repository.reading() as connection:
            return set(connection.scalars(sa.select(imports.c.digest).where(imports.c.user_id == user)))

    def _read_all(
        self, files: Sequence[File], known: set[str], user: str, name: str
    ) -> tuple[list[dict[str, Any]], int, list[dict[str, Any]]]:
        known, was_known = set(known), 0
        added: list[dict[str, Any]] = []
        problems: list[dict[str, Any]] = []
        played = self._played_digests(user) if files else set()
        for file in files:
            read = read_file(file, name)
            if "code" in read:
                problems.append(read)
            elif read["digest"] in known or read["digest"] in played:
                was_known += 1
            else:
                known.add(read["digest"])
                row = {"id": self.service.sources.table_id(), "user_id": user, "added": self.service.sources.clock()}
                added.append({**row, **read})
        return added, was_known, problems

    def _played_digests(self, user: str) -> set[str]:
        """The games that were played here: whoever imports the own export gets nothing twice."""
        return {digest_of(text) for _, _, text in self._records(user)}

    async def delete(self, user: str, import_id: str) -> None:
        """Delete an imported game."""
        if NUL in import_id or await asyncio.to_thread(self._import, user, import_id) is None:
            raise Refused("nothing_there", path=f"/api/games/{import_id}")
        await self.service.store_at_once(*delete_import(user, import_id))

    async def record(self, user: str, import_id: str) -> str:
        """The record of an imported game."""
        found = None if NUL in import_id else await asyncio.to_thread(self._import, user, import_id)
        if found is None:
            raise Refused("nothing_there", path=f"/api/games/{import_id}")
        return found

    def _import(self, user: str, import_id: str) -> str | None:
        query = sa.select(imports.c.record).where(imports.c.id == import_id, imports.c.user_id == user)
        with self.service.repository.reading() as connection:
            return connection.scalar(query)


# Reading an upload


def digest_of(text: str) -> str:
    """What two copies of a record have in common."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


def files_in(content: bytes) -> list[File]:
    """The records of an upload: a zip file, or one text with one or more of them."""
    found = _unzipped(content) if content.startswith(b"PK") else _split(content)
    if not found:
        raise Refused("no_records")
    if len(found) > MAX_RECORDS_AT_ONCE:
        raise Refused("too_many_records", most=MAX_RECORDS_AT_ONCE)
    return found


def _split(content: bytes) -> list[File]:
    """Records that stand one after the other; each begins with the first line of a record."""
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise Refused("no_records") from error
    starts = [found.start() for found in re.finditer(rf"^{FIRST_LINE} ", text, re.MULTILINE)]
    if not starts or text[: starts[0]].strip():
        starts = [0, *starts]
    parts = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return [File(str(number), part, len(part)) for number, part in enumerate(parts, 1) if part.strip()]


def _unzipped(content: bytes) -> list[File]:
    """The records in a zip file. Nothing is unpacked that says it is too long, or turns out to be."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            found = [info for info in file.infolist() if info.filename.endswith(".game")]
            if len(found) > MAX_RECORDS_AT_ONCE:
                raise Refused("too_many_records", most=MAX_RECORDS_AT_ONCE)
            index = _read_index(file)
            return [_unpacked(file, info, index.get(info.filename)) for info in found]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise Refused("no_records") from error


def _read_index(file: zipfile.ZipFile) -> dict[str, int | None]:
    if INDEX not in file.namelist():
        return {}
    with file.open(INDEX) as stream:
        try:
            rows = loads(stream.read(MAX_RECORD_BYTES))
            return {row["file"]: row["seat"] for row in rows if isinstance(row["seat"], int | None)}
        except (JSONDecodeError, KeyError, TypeError):
            return {}


def _unpacked(file: zipfile.ZipFile, info: zipfile.ZipInfo, seat: int | None) -> File:
    name = info.filename[-MAX_NAME_LENGTH:]
    with file.open(info) as stream:
        content = stream.read(MAX_RECORD_BYTES + 1)
    try:
        return File(name, content.decode("utf-8-sig").replace("\r\n", "\n"), len(content), seat)
    except UnicodeDecodeError:
        return File(name, None, len(content), seat)


def read_file(file: File, own_name: str) -> dict[str, Any]:
    """The columns of an imported game, or a ImportProblemOut, which has a code."""
    if file.size > MAX_RECORD_BYTES:
        return _problem(file, "too_long", f"a record may have {MAX_RECORD_BYTES} bytes")
    if file.text is None:
        return _problem(file, "not_text", "this is not text in UTF-8")
    if not file.text.startswith(f"{FIRST_LINE} "):
        return _problem(file, "foreign", f"a record begins with '{FIRST_LINE} 1'")
    try:
        record = parse_record(file.text)
        game = Game.from_record(record)
    except CabochonError as error:
        return _problem(file, "broken", str(error))
    outcome = game.outcome
    names = [name or str(seat + 1) for seat, name in enumerate(record.names or ("",) * game.players)]
    seat = _own_seat(file.seat, names, own_name)
    winners, reason = ([], "") if outcome is None else (list(outcome.winners), outcome.reason)
    result = {"points": list(game.points), "winners": winners, "reason": reason, "rounds": game.round}
    about = {
        "variant": game.variant,
        "players": [{"name": name, "bot": None} for name in names],
        "seat": seat,
        "result": None if seat is None or outcome is None else score_out(result, seat)["result"],
        **{name: result[name] for name in ("points", "winners", "rounds")},
        "ended": _day_of(record.date),
    }
    text = format_record(record)
    return {"digest": digest_of(text), "record": text, "about": dumps(about).decode()}


def _own_seat(said: int | None, names: Sequence[str], own_name: str) -> int | None:
    if said is not None and 0 <= said < len(names):
        return said
    return names.index(own_name) if names.count(own_name) == 1 else None


def _day_of(text: str) -> float:
    """The time of a record's date; 0 where it says none."""
    try:
        return max(0.0, datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return 0.0


def _problem(file: File, code: str, detail: str) -> dict[str, Any]:
    found = LINE.match(detail)
    return {"file": file.name, "line": int(found[1]) if found else None, "code": code, "detail": detail[:300]}
