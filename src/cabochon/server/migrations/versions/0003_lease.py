"""The server that has the database."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make a place for its one row."""
    op.create_table(
        "lease",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("host", sa.String(200), nullable=False),
        sa.Column("process", sa.Integer, nullable=False),
        sa.Column("since", sa.Float, nullable=False),
        sa.Column("address", sa.String(200), nullable=False),
        sa.Column("checked", sa.Float),
    )


def downgrade() -> None:
    """Remove it."""
    op.drop_table("lease")
