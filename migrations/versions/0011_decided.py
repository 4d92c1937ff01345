"""What is decided about a plan: what runs today, pins and notes, with their predictions."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_BEFORE = ("org_id", "id", "name", "deleted_at")


def upgrade() -> None:
    """Add the columns, and let the record tell that they changed."""
    op.add_column(
        "plan", sa.Column("decided", sa.JSON(none_as_null=True), comment="null: nothing besides what was asked")
    )
    op.add_column("plan", sa.Column("decided_at", sa.DateTime(timezone=True), comment="when that was stored"))
    _record("name, deleted_at, decided_at", (*_BEFORE, "decided_at"))


def _record(changed: str, columns: tuple[str, ...]) -> None:
    said = ", ".join(f"'{column}'" for column in columns)
    op.execute("DROP TRIGGER record ON plan")
    op.execute(
        f"CREATE TRIGGER record AFTER INSERT OR DELETE OR UPDATE OF {changed} ON plan FOR EACH ROW "
        f"WHEN (pg_trigger_depth() = 0 AND true) EXECUTE FUNCTION record_change({said})"
    )


def downgrade() -> None:
    """Drop the columns; what was decided is gone."""
    _record("name, deleted_at", _BEFORE)
    op.drop_column("plan", "decided_at")
    op.drop_column("plan", "decided")
