"""Reviews of finished games."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """None has been asked for yet."""
    op.create_table(
        "reviews",
        sa.Column("id", sa.String(24), primary_key=True),
        sa.Column("table_id", sa.String(24)),
        sa.Column("record", sa.Text, nullable=False),
        sa.Column("found", sa.Text),
        sa.Column("seen", sa.Float, nullable=False, index=True),
    )


def downgrade() -> None:
    """Forget them: they can be made again."""
    op.drop_table("reviews")
