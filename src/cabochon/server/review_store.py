"""Reviews as they are stored: the record of a game, and what its review found."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from .leases import metadata

MAX_STORED = 10_000  # some 50 KB each; those not looked at for longest are deleted, and can be made again

reviews = sa.Table(
    "reviews", metadata,
    sa.Column("id", sa.String(24), primary_key=True),  # a hash of the record
    sa.Column("table_id", sa.String(24)),  # null: an uploaded record
    sa.Column("record", sa.Text, nullable=False),
    sa.Column("found", sa.Text),  # JSON; null: it was asked for and is not done
    sa.Column("progress", sa.Text),  # in a cluster: the decisions judged so far, as JSON
    sa.Column("seen", sa.Float, nullable=False, index=True),  # to the day
)  # fmt: skip


def stored_review(connection: Connection, review_id: str) -> RowMapping | None:
    """A review, if it was ever asked for."""
    return connection.execute(sa.select(reviews).where(reviews.c.id == review_id)).mappings().first()


# Changes


def insert_review(review_id: str, table_id: str | None, record: str, seen: float) -> list[Any]:
    """Store that a review was asked for; again if it is there already."""
    row = {"id": review_id, "table_id": table_id, "record": record, "found": None, "progress": None, "seen": seen}
    return [reviews.delete().where(reviews.c.id == review_id), reviews.insert().values(**row)]


def set_found(review_id: str, found: str) -> list[Any]:
    """Store what a review has found."""
    return [reviews.update().where(reviews.c.id == review_id).values(found=found, progress=None)]


def set_progress(review_id: str, progress: str | None) -> list[Any]:
    """Store how far a review is."""
    return [reviews.update().where(reviews.c.id == review_id).values(progress=progress)]


def set_review_seen(review_id: str, seen: float) -> list[Any]:
    """Store when a review was last looked at."""
    return [reviews.update().where(reviews.c.id == review_id).values(seen=seen)]


def delete_old_reviews(seen_before: float) -> list[Any]:
    """Delete reviews that were not looked at since, and those beyond as many as are kept."""
    extra = sa.select(reviews.c.id).order_by(reviews.c.seen.desc(), reviews.c.id).offset(MAX_STORED)
    return [reviews.delete().where(reviews.c.seen < seen_before), reviews.delete().where(reviews.c.id.in_(extra))]
