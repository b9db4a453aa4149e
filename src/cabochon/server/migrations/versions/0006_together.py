"""Playing together: chat, who was shown out, who would like to play again, the series, the result for lists of games."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """The results of games that are over are stored when they are next looked at."""
    op.add_column("tables", sa.Column("series", sa.Text))
    op.add_column("tables", sa.Column("result", sa.Text))
    op.add_column("seats", sa.Column("rematch", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_table(
        "kicked",
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("user_id", sa.String(40), primary_key=True),
    )
    op.create_table(
        "chat",
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("room", sa.String(5), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("seat", sa.Integer),
        sa.Column("author", sa.String(12), nullable=False),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("text", sa.String(200), nullable=False),
        sa.Column("at", sa.Float, nullable=False),
    )


def downgrade() -> None:
    """Forget it."""
    op.drop_table("chat")
    op.drop_table("kicked")
    op.drop_column("seats", "rematch")
    op.drop_column("tables", "result")
    op.drop_column("tables", "series")
