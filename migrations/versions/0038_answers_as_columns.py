"""Answers of plans as the bytes that the page reads; the always-on cost of the first row, which lists show, beside."""

import sqlalchemy as sa
from alembic import op

from stowage.workloads.stored_answers import OBJECTS, answer_of

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

_AT_ONCE = 50


def upgrade() -> None:
    """Store answers as bytes, after a byte with the number of their form: those stored so far stay JSON of objects."""
    op.add_column(
        "plan", sa.Column("best_month_usd", sa.Numeric(), comment="null unless the plan's objective is a month")
    )
    # The owner migrates for no team: row-level security would hide every row from it.
    op.execute("ALTER TABLE plan NO FORCE ROW LEVEL SECURITY")
    op.execute(
        "UPDATE plan SET best_month_usd = (answer #>> '{configurations,0,cost_always_on_usd}')::numeric "
        "WHERE workload ->> 'objective' = 'month'"
    )
    op.execute("ALTER TABLE plan FORCE ROW LEVEL SECURITY")
    op.alter_column(
        "plan",
        "answer",
        type_=sa.LargeBinary(),
        postgresql_using=r"'\x00'::bytea || convert_to(answer::text, 'UTF8')",
        comment="its form in the first byte: `stored_answers`",
    )


def downgrade() -> None:
    """Store answers as JSON of objects again; of those in any form of columns, one row has sources."""
    op.execute("ALTER TABLE plan NO FORCE ROW LEVEL SECURITY")
    connection = op.get_bind()
    in_columns = sa.text("SELECT id, answer FROM plan WHERE get_byte(answer, 0) <> :form LIMIT :most")
    replaced = sa.text("UPDATE plan SET answer = :answer WHERE id = :id")
    while rows := connection.execute(in_columns, {"form": OBJECTS, "most": _AT_ONCE}).all():
        for row in rows:
            answer = bytes([OBJECTS]) + answer_of(row.answer).model_dump_json().encode()
            connection.execute(replaced, {"answer": answer, "id": row.id})
    op.execute("ALTER TABLE plan FORCE ROW LEVEL SECURITY")
    op.alter_column(
        "plan",
        "answer",
        type_=sa.JSON(),
        postgresql_using="convert_from(substring(answer FROM 2), 'UTF8')::json",
        comment=None,
        existing_comment="its form in the first byte: `stored_answers`",
    )
    op.drop_column("plan", "best_month_usd")
