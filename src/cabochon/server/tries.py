"""Tries of deals that several tables share, and duels, as they are stored."""

from typing import Any

import sqlalchemy as sa

from .leases import metadata

tries = sa.Table(
    "tries", metadata,
    sa.Column("deal", sa.String(40), primary_key=True),
    sa.Column("variant", sa.String(24), primary_key=True),
    sa.Column("user_id", sa.String(40), primary_key=True),
    sa.Column("table_id", sa.ForeignKey("tables.id"), nullable=False, index=True),
    sa.Column("at", sa.Float, nullable=False),
)  # fmt: skip

duels = sa.Table(
    "duels", metadata,
    sa.Column("id", sa.String(24), primary_key=True),
    sa.Column("variant", sa.String(24), nullable=False),
    sa.Column("bots", sa.Text, nullable=False),  # their names, as JSON
    sa.Column("secret", sa.String(64), nullable=False),
    sa.Column("creator", sa.String(40), nullable=False),
    sa.Column("created", sa.Float, nullable=False),
)  # fmt: skip


def add_try(deal: str, variant: str, user: str, table_id: str, at: float) -> list[Any]:
    """Store that a guest plays a deal; the primary key lets nobody do so twice."""
    return [tries.insert().values(deal=deal, variant=variant, user_id=user, table_id=table_id, at=at)]


def add_duel(**values: Any) -> list[Any]:
    """Store a duel."""
    return [duels.insert().values(**values)]
