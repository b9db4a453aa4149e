"""What the nodes of a cluster share in PostgreSQL beside the log: versions of tables, who is where, and the time.

Every change of a table raises its version, in the transaction that makes it and only if its node knew the version before (an
optimistic lock). A node that did not is told `Conflict`, reads on and tries again. A single server uses none of this.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa
from orjson import dumps
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.engine import Connection

from .leases import metadata

if TYPE_CHECKING:
    from .repository import Row
    from .writer import Job

ONLY_ROW = 1
MAX_PAUSE_SECONDS = 1.0  # where no node beat for longer, nobody could have moved, and no clock ran
DEAD_SECONDS = 5.0  # a node that has not beaten for so long is gone, and with it everybody who was connected to it
FORGET_SECONDS = 60.0

versions = sa.Table(
    "versions", metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("parts", sa.BigInteger, nullable=False),  # the version at which something beside the log last changed
    sa.Column("room", sa.Text),  # questions, the clock and the deal under way, as JSON
)  # fmt: skip

presence = sa.Table(
    "presence", metadata,
    sa.Column("table_id", sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("node", sa.String(24), primary_key=True, index=True),
    sa.Column("seats", sa.Text, nullable=False),  # those whose user is connected there, as JSON
    sa.Column("spectators", sa.Integer, nullable=False),
)  # fmt: skip

nodes = sa.Table(
    "nodes", metadata,
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("address", sa.String(200), nullable=False),
    sa.Column("beat", sa.Float, nullable=False),
)  # fmt: skip

pulse = sa.Table(
    "pulse", metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("beat", sa.Float, nullable=False),
    sa.Column("paused", sa.Float, nullable=False),
)  # fmt: skip

# The time of the one machine that all nodes talk to. The cluster's playing time is that time less its pauses: where nobody beat
# for long, or PostgreSQL's clock was set back, playing time stood still. (The same as `PlayingTime` does for one process.)
NOW = "extract(epoch from clock_timestamp())"
BEAT = sa.text(
    f"""
    WITH time AS MATERIALIZED (SELECT {NOW}::float8 AS now)
    UPDATE pulse SET beat = time.now,
        paused = paused + CASE WHEN time.now - beat BETWEEN 0 AND :longest THEN 0 ELSE time.now - beat END
    FROM time RETURNING time.now, time.now - pulse.paused AS playing
    """
)
HOLD = sa.text("SELECT FROM pulse FOR UPDATE")
FIRST_BEAT = sa.text(f"INSERT INTO pulse (id, beat, paused) VALUES (1, {NOW}, 0) ON CONFLICT DO NOTHING")
NODE_BEAT = sa.text(
    f"""
    INSERT INTO nodes (id, address, beat) VALUES (:id, :address, {NOW})
    ON CONFLICT (id) DO UPDATE SET beat = excluded.beat
    """
)
LIVE_NODES = sa.text(f"SELECT id FROM nodes WHERE beat > {NOW} - :seconds")
NOT_DURABLE = sa.text("SET LOCAL synchronous_commit TO off")  # a beat that is lost in a crash is not missed


class Conflict(Exception):
    """Another node has changed this table meanwhile."""


class Time(NamedTuple):
    """The time of day and the playing time that all nodes share."""

    day: float
    playing: float


def say_alive(connection: Connection, node: str, address: str) -> frozenset[str]:
    """Say that this node runs, and wait for the others' beats; the nodes that run. In the transaction of a beat, before it."""
    connection.execute(NOT_DURABLE)
    connection.execute(NODE_BEAT, {"id": node, "address": address})
    live = frozenset(connection.scalars(LIVE_NODES, {"seconds": DEAD_SECONDS}))
    # The one row that all nodes change comes last: they wait for each other as short as possible. And the time is asked for only
    # then: a beat that waited for one of another node would tell the time before it waited.
    connection.execute(HOLD)
    return live


def beat(connection: Connection) -> Time:
    """The shared time; it goes on from here."""
    found = connection.execute(BEAT, {"longest": MAX_PAUSE_SECONDS}).first()
    if found is None:
        connection.execute(FIRST_BEAT)
        found = connection.execute(BEAT, {"longest": MAX_PAUSE_SECONDS}).one()
    return Time(*found)


def forget_dead(now: float) -> list[Any]:
    """Delete what nodes have left that were killed."""
    dead = sa.select(nodes.c.id).where(nodes.c.beat < now - FORGET_SECONDS)
    unknown = presence.c.node.not_in(sa.select(nodes.c.id))
    return [nodes.delete().where(nodes.c.id.in_(dead)), presence.delete().where(unknown)]


def leave_cluster(node: str) -> list[Any]:
    """Delete a node that stops, and who was connected to it."""
    return [presence.delete().where(presence.c.node == node), nodes.delete().where(nodes.c.id == node)]


# versions


def claim(connection: Connection, jobs: Sequence["Job"]) -> list["Job"]:
    """Lock the tables of these jobs and raise their versions; the jobs that knew an older version are returned, and left out.

    Rows are locked in one order by all nodes, so that none waits for another in a circle.
    """
    names = sorted({job.guard.table_id for job in jobs if job.guard})
    if not names:
        return []
    locked = sa.select(versions).where(versions.c.table_id.in_(names)).order_by(versions.c.table_id).with_for_update()
    known = {row["table_id"]: row["version"] for row in connection.execute(locked).mappings()}
    late = []
    for job in jobs:
        if job.guard and known.get(job.guard.table_id) == job.guard.version:
            known[job.guard.table_id] += 1  # a second job of this batch that knew the same version is late too
            connection.execute(*_raised(job.guard))
        elif job.guard:
            late.append(job)
    return late


class Guard(NamedTuple):
    """What a change of a table must know: the version before it. `room` is stored with it, where it has changed."""

    table_id: str
    version: int
    is_log: bool = False  # only lines of the log are added
    room: str | None = None


_RAISE = versions.update().where(versions.c.table_id == sa.bindparam("name"))
_RAISE_LOG = _RAISE.values(version=sa.bindparam("new"))
_RAISE_PARTS = _RAISE.values(version=sa.bindparam("new"), parts=sa.bindparam("new"))
_RAISE_ROOM = _RAISE.values(version=sa.bindparam("new"), parts=sa.bindparam("new"), room=sa.bindparam("said"))


def _raised(guard: Guard) -> tuple[Any, dict[str, Any]]:
    values: dict[str, Any] = {"name": guard.table_id, "new": guard.version + 1}
    if guard.room is not None:
        return _RAISE_ROOM, {**values, "said": guard.room}
    return (_RAISE_LOG if guard.is_log else _RAISE_PARTS), values


def first_version(table_id: str) -> list[Any]:
    """Store that a table has a version; one of an older server has none."""
    return [insert(versions).values(table_id=table_id, version=0, parts=0, room=None).on_conflict_do_nothing()]


def set_presence(table_id: str, node: str, seats: Sequence[int], spectators: int) -> list[Any]:
    """Store who is connected to a node; nobody: no row."""
    gone = [presence.delete().where(presence.c.table_id == table_id, presence.c.node == node)]
    if not seats and not spectators:
        return gone
    row = {"table_id": table_id, "node": node, "seats": dumps(list(seats)).decode(), "spectators": spectators}
    return [*gone, presence.insert().values(**row)]


def versions_of(connection: Connection, table_ids: Sequence[str]) -> Mapping[str, int]:
    """The versions of these tables."""
    query = sa.select(versions.c.table_id, versions.c.version).where(versions.c.table_id.in_(table_ids))
    return {row[0]: row[1] for row in connection.execute(query)}


def shared_row(connection: Connection, table_id: str) -> "Row | None":
    """The version of a table, and what is stored of its room."""
    return connection.execute(sa.select(versions).where(versions.c.table_id == table_id)).mappings().first()
