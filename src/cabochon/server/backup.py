"""Backup and restore of a database, also while it is in use, and from one kind of database to the other.

A backup is a packed file of lines: what wrote it, then every row as JSON, tables in an order in which each row finds what it
refers to. All of it is of one moment. It holds secrets (keys, deals, private links), so only its owner may read it.
"""

import gzip
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from orjson import JSONDecodeError, dumps, loads
from sqlalchemy.engine import Connection

from ..errors import CabochonError
from ..version import __version__
from .database import connecting, newest_version, version
from .repository import Repository, metadata

KIND = "cabochon backup"
LEFT_OUT = ("lease", "nodes", "presence")  # of servers that run
ROWS_AT_ONCE = 500


def _tables() -> list[sa.Table]:
    return [table for table in metadata.sorted_tables if table.name not in LEFT_OUT]


def backup(url: str, path: Path) -> dict[str, int]:
    """Write a backup; how many rows of each table it has. A server that uses the database goes on meanwhile."""
    _refuse_missing(url)
    kept = Repository(url)
    try:
        with connecting(url), _moment(kept) as connection:
            form = version(connection)
            if form is None:
                raise CabochonError("there is nothing to back up: no server has used this database")
            if form != newest_version():
                raise CabochonError(
                    f"the database has form {form}, and this cabochon has {newest_version()}: start its server first"
                )
            return _write_file(connection, path, form)
    finally:
        kept.close()


def _refuse_missing(url: str) -> None:
    """SQLite would make the file."""
    with connecting(url):
        parsed = sa.make_url(url)
    name = parsed.database
    if parsed.get_backend_name() == "sqlite" and name and not name.startswith("file:") and not Path(name).exists():
        raise CabochonError(f"{name}: there is no such file")


def _write_file(connection: Connection, path: Path, form: str) -> dict[str, int]:
    """A backup is there as a whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as raw:
        with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as file:
            counts = _write(connection, file, form)
        raw.flush()
        os.fsync(raw.fileno())
    part.replace(path)
    return counts


def _write(connection: Connection, file: Any, form: str) -> dict[str, int]:
    file.write(dumps({"kind": KIND, "version": __version__, "form": form}) + b"\n")
    counts: dict[str, int] = {}
    for table in _tables():
        for row in connection.execution_options(yield_per=ROWS_AT_ONCE).execute(sa.select(table)).mappings():
            file.write(dumps([table.name, list(row.values())]) + b"\n")
            counts[table.name] = counts.get(table.name, 0) + 1
    file.write(dumps(["end", [sum(counts.values())]]) + b"\n")
    return counts


@contextmanager
def _moment(kept: Repository) -> Iterator[Connection]:
    is_sqlite = kept.engine.dialect.name == "sqlite"
    engine = kept.engine if is_sqlite else kept.engine.execution_options(isolation_level="REPEATABLE READ")
    with engine.connect() as connection:
        if not is_sqlite:
            connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
        yield connection


def restore(url: str, path: Path) -> dict[str, int]:
    """Fill an empty database with a backup, all of it or nothing; how many rows each table has now."""
    next(_lines(path), None)  # before a database is made that nobody needs
    kept = Repository(url)
    kept.open("restore")
    try:
        with connecting(url), kept.lease.writing() as connection:
            if connection.scalar(sa.select(sa.func.count()).select_from(metadata.tables["tables"])):
                raise CabochonError("there are games in this database: a backup is restored into an empty one")
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
            return _read(connection, path)
    finally:
        kept.close()


def _read(connection: Connection, path: Path) -> dict[str, int]:
    by_name = {table.name: table for table in _tables()}
    for table in reversed(_tables()):
        connection.execute(table.delete())  # a key that was made a moment ago
    counts: dict[str, int] = {}
    waiting: list[dict[str, Any]] = []
    last = ""
    for name, values in _lines(path):
        if waiting and (name != last or len(waiting) >= ROWS_AT_ONCE):
            connection.execute(by_name[last].insert(), waiting)
            waiting = []
        if name == "end":
            if values != [sum(counts.values())]:
                raise CabochonError(f"{path}: the backup is not complete")
            return counts
        last = name
        waiting.append(dict(zip(by_name[name].columns.keys(), values, strict=True)))
        counts[name] = counts.get(name, 0) + 1
    raise CabochonError(f"{path}: the backup is not complete")


def _lines(path: Path) -> Iterator[tuple[str, list[Any]]]:
    try:
        with gzip.open(path, "rb") as file:
            head = loads(file.readline())
            if not isinstance(head, dict) or head.get("kind") != KIND:
                raise CabochonError(f"{path}: this is no backup")
            if head["form"] != newest_version():
                made = f"version {head['version']} with form {head['form']}"
                raise CabochonError(f"{path}: it was written by {made}; restore it with that version, then start this one")
            for line in file:
                name, values = loads(line)
                yield name, values
    except (OSError, EOFError, JSONDecodeError) as error:
        raise CabochonError(f"{path}: {error}") from error
