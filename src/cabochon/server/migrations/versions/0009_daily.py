"""Deals that several tables share: the deal of the day and duels; and imported games."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

COLUMNS = "shared, counts"


def upgrade() -> None:
    """The deals of tables that are there are their own. Whether a deal is shared, and counts, is as final as the deal itself."""
    op.add_column("tables", sa.Column("shared", sa.String(40)))
    op.add_column("tables", sa.Column("counts", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_table(
        "tries",
        sa.Column("deal", sa.String(40), primary_key=True),
        sa.Column("variant", sa.String(24), primary_key=True),
        sa.Column("user_id", sa.String(40), primary_key=True),
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), nullable=False, index=True),
        sa.Column("at", sa.Float, nullable=False),
    )
    op.create_table(
        "duels",
        sa.Column("id", sa.String(24), primary_key=True),
        sa.Column("variant", sa.String(24), nullable=False),
        sa.Column("bots", sa.Text, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
        sa.Column("creator", sa.String(40), nullable=False),
        sa.Column("created", sa.Float, nullable=False),
    )
    op.create_table(
        "imports",
        sa.Column("id", sa.String(24), primary_key=True),
        sa.Column("user_id", sa.String(40), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("added", sa.Float, nullable=False),
        sa.UniqueConstraint("user_id", "digest"),
    )
    _add_trigger()


def _add_trigger() -> None:
    if op.get_bind().dialect.name == "postgresql":
        action = "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
    else:
        action = "BEGIN SELECT RAISE(ABORT, 'the deal of a table is never changed'); END"
    op.execute(f"CREATE TRIGGER tables_shared_is_final BEFORE UPDATE OF {COLUMNS} ON tables {action}")


def downgrade() -> None:
    """Forget it."""
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    op.execute("DROP TRIGGER tables_shared_is_final" + (" ON tables" if is_postgresql else ""))
    for table in ("imports", "duels", "tries"):
        op.drop_table(table)
    op.drop_column("tables", "counts")
    op.drop_column("tables", "shared")
