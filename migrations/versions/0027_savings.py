"""Savings of plans against their baseline, and whether the team acted on them."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_BEFORE = ("org_id", "id", "name", "deleted_at", "decided_at")
_MARKS = ("saving_done_at", "saving_dismissed_at", "saving_reason")

# The costs of both are in the stored answers; older answers lack the always-on cost.
_COSTS = """json_build_object(
    'instance', {row} ->> 'instance',
    'nodes', ({row} ->> 'nodes')::integer,
    'storage_words', {row} ->> 'storage_words',
    'run_usd', ({row} #>> '{{cost_usd,p50}}')::double precision,
    'month_usd', coalesce(
        CASE WHEN stored.answer ->> 'objective' = 'month' THEN ({row} ->> 'cost_always_on_usd')::double precision END,
        ({row} #>> '{{cost_per_month_usd,p50}}')::double precision))"""
_FILL = f"""
UPDATE plan SET saving = json_build_object(
    'baseline', {_COSTS.format(row="stored.baseline")},
    'chosen', {_COSTS.format(row="stored.chosen")},
    'per', CASE WHEN stored.answer ->> 'objective' = 'month' OR stored.runs <> 1 THEN 'month' ELSE 'run' END,
    'runs_per_month', stored.runs,
    'same_durability',
    (stored.baseline ->> 'durability', coalesce(stored.baseline ->> 'replicas', '1'))
    IS NOT DISTINCT FROM (stored.chosen ->> 'durability', coalesce(stored.chosen ->> 'replicas', '1')))
FROM (
    SELECT id, answer, decided #> '{{today,answer}}' AS baseline, answer #> '{{configurations,0}}' AS chosen,
           coalesce((workload #>> '{{workload,runs_per_month}}')::double precision, 1) AS runs
    FROM plan WHERE decided IS NOT NULL
) AS stored
WHERE plan.id = stored.id AND stored.baseline ->> 'feasible' = 'true' AND stored.chosen IS NOT NULL
"""  # noqa: S608 - constants


def upgrade() -> None:
    """Add the columns, fill them for plans with a baseline, and let the audit log tell who marked a saving."""
    op.add_column(
        "plan",
        sa.Column(
            "saving",
            sa.JSON(none_as_null=True),
            comment="costs of baseline and winner; null: no baseline, or nothing to compare",
        ),
    )
    _add_time("saving_done_at", "since when the team has acted on the saving")
    _add_time("saving_dismissed_at", "since when the team has decided against the saving")
    op.add_column("plan", sa.Column("saving_reason", sa.Text(), comment="why it was dismissed, or what was done"))
    op.add_column("plan", sa.Column("saving_person", sa.Text(), comment="who marked it, as they were called then"))
    op.create_check_constraint(
        op.f("ck_plan_saving_mark"), "plan", "saving_done_at IS NULL OR saving_dismissed_at IS NULL"
    )
    # The owner is bound by the policies too, and works for no team here.
    op.execute("ALTER TABLE plan NO FORCE ROW LEVEL SECURITY")
    op.execute(_FILL)
    op.execute("ALTER TABLE plan FORCE ROW LEVEL SECURITY")
    _record("name, deleted_at, decided_at, saving_done_at, saving_dismissed_at", (*_BEFORE, *_MARKS))


def _add_time(name: str, comment: str) -> None:
    op.add_column("plan", sa.Column(name, sa.DateTime(timezone=True), comment=comment))


def _record(changed: str, columns: tuple[str, ...]) -> None:
    logged = ", ".join(f"'{column}'" for column in columns)
    op.execute("DROP TRIGGER record ON plan")
    op.execute(
        f"CREATE TRIGGER record AFTER INSERT OR DELETE OR UPDATE OF {changed} ON plan FOR EACH ROW "
        f"WHEN (pg_trigger_depth() = 0 AND true) EXECUTE FUNCTION record_change({logged})"
    )


def downgrade() -> None:
    """Drop the columns; the marks are lost."""
    _record("name, deleted_at, decided_at", _BEFORE)
    op.drop_constraint(op.f("ck_plan_saving_mark"), "plan")
    for column in ("saving", *_MARKS, "saving_person"):
        op.drop_column("plan", column)
