"""Several nodes on one database: versions of tables, who is where, and the time they share."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """A single server leaves these tables empty. The log has no playing time before."""
    op.add_column("entries", sa.Column("playing", sa.Float))
    op.add_column("reviews", sa.Column("progress", sa.Text))
    op.create_table(
        "versions",
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("parts", sa.BigInteger, nullable=False),
        sa.Column("room", sa.Text),
    )
    op.create_table(
        "presence",
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("node", sa.String(24), primary_key=True, index=True),
        sa.Column("seats", sa.Text, nullable=False),
        sa.Column("spectators", sa.Integer, nullable=False),
    )
    op.create_table(
        "nodes",
        sa.Column("id", sa.String(24), primary_key=True),
        sa.Column("address", sa.String(200), nullable=False),
        sa.Column("beat", sa.Float, nullable=False),
    )
    op.create_table(
        "pulse",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("beat", sa.Float, nullable=False),
        sa.Column("paused", sa.Float, nullable=False),
    )


def downgrade() -> None:
    """Forget it."""
    for table in ("pulse", "nodes", "presence", "versions"):
        op.drop_table(table)
    op.drop_column("reviews", "progress")
    op.drop_column("entries", "playing")
