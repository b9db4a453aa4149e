"""Users, tables, seats, holders, entries."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
    op.create_table(
        "users",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("name", sa.String(24), nullable=False),
    )
    op.create_table(
        "tables",
        sa.Column("id", sa.String(24), primary_key=True),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("host", sa.Integer),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("salt", sa.String(64), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
        sa.Column("began", sa.Float),
        sa.Column("rematch", sa.String(24)),
        sa.Column("listed", sa.Boolean, nullable=False),
        sa.Column("timed", sa.Boolean, nullable=False),
    )
    op.create_index("tables_by_status", "tables", ["status", "created"])
    op.create_table(
        "seats",
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(4), nullable=False),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("bot", sa.String(100)),
        sa.Column("token", sa.String(40), unique=True),
    )
    op.create_table(
        "holders",
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("user_id", sa.String(40), primary_key=True),
        sa.Column("seat", sa.Integer, nullable=False),
    )
    op.create_index("ix_holders_user_id", "holders", ["user_id"])
    op.create_table(
        "entries",
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("text", sa.String(100), nullable=False),
        sa.Column("undoes", sa.Integer),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("spent", sa.Float, nullable=False),
    )
    op.create_table(
        "secret_keys",
        sa.Column("name", sa.String(24), primary_key=True),
        sa.Column("key", sa.String(86)),
    )


def downgrade() -> None:
    """Remove everything."""
    for name in ("secret_keys", "entries", "holders", "seats", "tables", "users"):
        op.drop_table(name)
