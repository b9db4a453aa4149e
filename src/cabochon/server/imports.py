"""Imported games as they are stored: the records that a guest has brought along."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from .leases import metadata

imports = sa.Table(
    "imports", metadata,
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("user_id", sa.String(40), nullable=False),
    sa.Column("digest", sa.String(64), nullable=False),  # of the record: the same one is kept once
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("about", sa.Text, nullable=False),  # what the list of games says of it, as JSON
    sa.Column("added", sa.Float, nullable=False),
    sa.UniqueConstraint("user_id", "digest"),
)  # fmt: skip


def add_imports(rows: Sequence[dict[str, Any]]) -> list[Any]:
    """Store imported games."""
    return [imports.insert().values(list(rows))] if rows else []


def delete_import(user: str, import_id: str) -> list[Any]:
    """Delete an imported game of a guest."""
    return [imports.delete().where(imports.c.id == import_id, imports.c.user_id == user)]
