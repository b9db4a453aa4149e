"""When a guest was last seen."""

import time

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Nobody knows when the guests of before were here: they count as seen today."""
    op.add_column("users", sa.Column("seen", sa.Float, nullable=False, server_default="0"))
    users = sa.table("users", sa.column("seen", sa.Float))
    op.get_bind().execute(users.update().values(seen=time.time()))


def downgrade() -> None:
    """Forget it."""
    op.drop_column("users", "seen")
