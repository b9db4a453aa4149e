"""What a bot thought, with its move."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Moves from before say nothing."""
    op.add_column("entries", sa.Column("thought", sa.Text))


def downgrade() -> None:
    """Forget what was thought."""
    op.drop_column("entries", "thought")
