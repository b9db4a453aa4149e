"""Push subscriptions as they are stored: where the browsers of a guest are told that it is their turn."""

import hashlib
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from .leases import metadata

MAX_PER_GUEST = 8  # a guest's browsers; one more replaces the one that was seen longest ago

subscriptions = sa.Table(
    "push_subscriptions", metadata,
    sa.Column("id", sa.String(64), primary_key=True),  # the hash of the endpoint, which may be long
    sa.Column("user_id", sa.String(40), nullable=False, index=True),
    sa.Column("endpoint", sa.Text, nullable=False),
    sa.Column("p256dh", sa.String(88), nullable=False),
    sa.Column("auth", sa.String(24), nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
)  # fmt: skip


def subscription_id(endpoint: str) -> str:
    """What a subscription is called in the database."""
    return hashlib.sha256(endpoint.encode()).hexdigest()


# Reading


def subscribers(connection: Connection) -> set[str]:
    """The guests who have a subscription."""
    return set(connection.scalars(sa.select(subscriptions.c.user_id).distinct()))


def subscriptions_of(connection: Connection, users: Collection[str]) -> list[RowMapping]:
    """The subscriptions of these guests."""
    return list(connection.execute(sa.select(subscriptions).where(subscriptions.c.user_id.in_(users))).mappings())


# Changes


def set_subscription(user: str, endpoint: str, p256dh: str, auth: str, seen: float) -> list[Any]:
    """Store a subscription: its browser belongs to the guest who says so last."""
    values = {"user_id": user, "endpoint": endpoint, "p256dh": p256dh, "auth": auth, "seen": seen}
    name, column = subscription_id(endpoint), subscriptions.c
    extra = sa.select(column.id).where(column.user_id == user).order_by(column.seen.desc(), column.id).offset(MAX_PER_GUEST)
    return [
        subscriptions.delete().where(column.id == name),
        subscriptions.insert().values(id=name, **values),
        subscriptions.delete().where(column.id.in_(extra)),
    ]


def delete_subscription(endpoint: str, user: str | None = None) -> list[Any]:
    """Delete a subscription; if a guest is named, only theirs."""
    found = subscriptions.c.id == subscription_id(endpoint)
    return [subscriptions.delete().where(found if user is None else found & (subscriptions.c.user_id == user))]


def delete_old_subscriptions(seen_before: float) -> list[Any]:
    """Delete the subscriptions that were not renewed since: each visit renews them."""
    return [subscriptions.delete().where(subscriptions.c.seen < seen_before)]
