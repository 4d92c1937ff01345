"""Organisations, catalogues, profiles and plans, and who may see and write them."""

import sqlalchemy as sa
from alembic import context, op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_KINDS = "('measured', 'published', 'estimated', 'given')"

_SHARED = ("catalogue", "instance_type", "instance_figure", "volume_type", "volume_figure")
_TENANTED = ("org", "profile", "plan")


def upgrade() -> None:
    """Create the tables, then let the application's role at what it needs."""
    _create_org()
    _create_catalogue()
    _create_profile()
    _create_plan()
    _isolate_tenants()
    _admit_application()


def _create_org() -> None:
    op.create_table(
        "org",
        sa.Column("org_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", name=op.f("pk_org")),
    )


def _create_catalogue() -> None:
    op.create_table(
        "catalogue",
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("as_of", sa.Date(), nullable=False),
        sa.Column("region", sa.Text(), nullable=False),
        sa.Column(
            "digest", sa.Text(), nullable=False, comment="SHA-256 of what was loaded; catalogue and profiles together"
        ),
        sa.Column("loaded_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("version", name=op.f("pk_catalogue")),
        sa.CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name=op.f("ck_catalogue_digest")),
    )
    _create_target(
        "instance_type",
        sa.Column("disk_media", sa.Text()),
        sa.Column("placement_group", sa.Boolean(), nullable=False),
        sa.Column(
            "gaps", sa.JSON(), nullable=False, comment="what is not known: quantity -> why; in the order it was written"
        ),
        sa.CheckConstraint("disk_media IN ('ssd', 'hdd')", name=op.f("ck_instance_type_disk_media")),
    )
    _create_target("volume_type")
    _create_figures("instance_figure", of="instance_type")
    _create_figures("volume_figure", of="volume_type")


def _create_target(name: str, *more: sa.Column[object] | sa.CheckConstraint) -> None:
    op.create_table(
        name,
        sa.Column("catalogue_version", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="place in the catalogue, from 0"),
        *more,
        sa.PrimaryKeyConstraint("catalogue_version", "name", name=op.f(f"pk_{name}")),
        sa.ForeignKeyConstraint(
            ["catalogue_version"], ["catalogue.version"], name=op.f(f"fk_{name}_catalogue"), ondelete="CASCADE"
        ),
    )


def _create_figures(name: str, of: str) -> None:
    op.create_table(
        name,
        sa.Column("catalogue_version", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("quantity", sa.Text(), nullable=False),
        sa.Column("value", sa.Numeric(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("as_of", sa.Date()),
        sa.PrimaryKeyConstraint("catalogue_version", "target", "quantity", name=op.f(f"pk_{name}")),
        sa.ForeignKeyConstraint(
            ["catalogue_version", "target"],
            [f"{of}.catalogue_version", f"{of}.name"],
            name=op.f(f"fk_{name}_{of}"),
            ondelete="CASCADE",
        ),
        sa.CheckConstraint(f"kind IN {_KINDS}", name=op.f(f"ck_{name}_kind")),
    )


def _create_profile() -> None:
    metrics = "('storage_mb_per_s', 'network_mb_per_s', 'ebs_read_mb_per_s', 'ebs_write_mb_per_s')"
    op.create_table(
        "profile",
        sa.Column(
            "id", sa.BigInteger(), sa.Identity(always=True), nullable=False, comment="rises in the order of storing"
        ),
        sa.Column("org_id", sa.Uuid(), comment="null: published with a catalogue, for everybody"),
        sa.Column("catalogue_version", sa.Text()),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("mean", sa.Double(), nullable=False, comment="MB/s"),
        sa.Column("spread", sa.Double(), comment="standard deviation of the logarithm of the rate, node to node"),
        sa.Column("count", sa.Integer()),
        sa.Column("cluster_nodes", sa.Integer()),
        sa.Column("statistic", sa.Text(), nullable=False),
        sa.Column("placement_group", sa.Boolean()),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("as_of", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_profile")),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_profile_org")),
        sa.ForeignKeyConstraint(
            ["catalogue_version"], ["catalogue.version"], name=op.f("fk_profile_catalogue"), ondelete="CASCADE"
        ),
        sa.CheckConstraint(f"metric IN {metrics}", name=op.f("ck_profile_metric")),
        sa.CheckConstraint("statistic IN ('average', 'slowest')", name=op.f("ck_profile_statistic")),
        sa.CheckConstraint(f"kind IN {_KINDS}", name=op.f("ck_profile_kind")),
        sa.CheckConstraint("mean > 0 AND mean < 'Infinity'", name=op.f("ck_profile_mean")),
        sa.CheckConstraint("spread >= 0 AND spread < 'Infinity'", name=op.f("ck_profile_spread")),
        sa.CheckConstraint("count > 0", name=op.f("ck_profile_count")),
        sa.CheckConstraint("cluster_nodes > 0", name=op.f("ck_profile_cluster_nodes")),
        sa.CheckConstraint("(org_id IS NULL) = (catalogue_version IS NOT NULL)", name=op.f("ck_profile_published")),
    )
    op.create_index(op.f("ix_profile_catalogue_version"), "profile", ["catalogue_version"])
    op.create_index(op.f("ix_profile_org_id_target_metric"), "profile", ["org_id", "target", "metric"])


def _create_plan() -> None:
    op.create_table(
        "plan",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("workload", sa.JSON(), nullable=False),
        sa.Column("catalogue_version", sa.Text(), nullable=False),
        sa.Column("profiles_digest", sa.Text(), nullable=False),
        sa.Column("model_version", sa.Text(), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("best_time_s", sa.Double(), comment="null where nothing meets the limits"),
        sa.Column(
            "best_cost_usd", sa.Numeric(), comment="null where nothing meets the limits, or a price is not known"
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_plan")),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_plan_org")),
        sa.ForeignKeyConstraint(["catalogue_version"], ["catalogue.version"], name=op.f("fk_plan_catalogue")),
    )
    op.create_index(op.f("ix_plan_org_id_created_at_id"), "plan", ["org_id", "created_at", "id"])
    op.create_index(op.f("ix_plan_catalogue_version"), "plan", ["catalogue_version"])


def _isolate_tenants() -> None:
    for table in _TENANTED:
        op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        # Without FORCE the owner, who migrates and loads catalogues, would see every tenant's rows.
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
        op.execute(f"CREATE POLICY tenant ON {table} USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    op.execute("CREATE POLICY published ON profile FOR SELECT USING (org_id IS NULL)")
    op.execute("CREATE POLICY publish ON profile TO CURRENT_USER USING (org_id IS NULL) WITH CHECK (org_id IS NULL)")


def _admit_application() -> None:
    role = _application_role()
    # Before PostgreSQL 15 everybody might create tables here.
    op.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    op.execute(f"GRANT USAGE ON SCHEMA public TO {role}")
    op.execute(f"GRANT SELECT ON alembic_version, org, {', '.join(_SHARED)} TO {role}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON profile, plan TO {role}")


def _application_role() -> str:
    preparer = op.get_bind().dialect.identifier_preparer
    return preparer.quote(context.config.attributes["application_role"])


def downgrade() -> None:
    """Drop the tables; their policies, indexes and grants go with them."""
    for table in ("plan", "profile", "volume_figure", "instance_figure", "volume_type", "instance_type", "catalogue"):
        op.drop_table(table)
    op.drop_table("org")
    role = _application_role()
    op.execute(f"REVOKE SELECT ON alembic_version FROM {role}")  # noqa: S608 - the dialect quotes the role
    op.execute(f"REVOKE USAGE ON SCHEMA public FROM {role}")
