"""Deals of format 2: a secret, its commitment, seals and nonces. Deals of format 1 get the commitment they were shown with."""

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

NEVER_CHANGED = "the deal of a table is never changed"
TRIGGERS = {"tables": "start, seed, salt, secret, commitment", "seals": "seal"}


def upgrade() -> None:
    """Add what format 2 needs, and let nobody change a commitment or what was committed to."""
    op.add_column("tables", sa.Column("secret", sa.String(64)))
    op.add_column("tables", sa.Column("commitment", sa.String(64), nullable=False, server_default=""))
    op.create_table(
        "seals",
        sa.Column("table_id", sa.String(24), sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("seal", sa.String(64), nullable=False),
        sa.Column("nonce", sa.String(64)),
    )
    _commit_to_old_deals()
    _add_triggers()


def _commit_to_old_deals() -> None:
    """Until now the commitment was made anew from seed and salt whenever a table was read."""
    names = "id", "options", "start", "seed", "salt", "commitment"
    tables, connection = sa.table("tables", *(sa.column(name, sa.String) for name in names)), op.get_bind()
    for row in connection.execute(sa.select(tables)).mappings().all():
        change = tables.update().where(tables.c.id == row["id"]).values(commitment=_commitment(row))
        connection.execute(change)


def _commitment(row: sa.RowMapping) -> str:
    options = json.loads(row["options"])
    variant, players = options.get("variant", "classic"), options.get("players", 2)
    lines = "cabochon deal 1", f"variant: {variant}", f"players: {players}", f"start: {row['start']}"
    text = "".join(f"{line}\n" for line in (*lines, f"seed: {row['seed']}", f"salt: {row['salt']}"))
    return hashlib.sha256(text.encode()).hexdigest()


def _add_triggers() -> None:
    if op.get_bind().dialect.name == "postgresql":
        body = f"BEGIN RAISE EXCEPTION '{NEVER_CHANGED}'; END"
        op.execute(f"CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ {body} $$")
        action = "FOR EACH ROW EXECUTE FUNCTION refuse_change()"
    else:
        action = f"BEGIN SELECT RAISE(ABORT, '{NEVER_CHANGED}'); END"
    for table, columns in TRIGGERS.items():
        op.execute(f"CREATE TRIGGER {table}_deal_is_final BEFORE UPDATE OF {columns} ON {table} {action}")


def downgrade() -> None:
    """Forget format 2."""
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    for table in TRIGGERS:
        op.execute(f"DROP TRIGGER {table}_deal_is_final" + (f" ON {table}" if is_postgresql else ""))
    if is_postgresql:
        op.execute("DROP FUNCTION refuse_change()")
    op.drop_table("seals")
    op.drop_column("tables", "commitment")
    op.drop_column("tables", "secret")
