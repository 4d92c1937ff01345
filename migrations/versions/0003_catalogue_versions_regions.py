"""Catalogue versions of many regions, in parts that versions share; published profiles apart from measured ones."""

import sqlalchemy as sa
from alembic import context, op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_KINDS = "('measured', 'published', 'estimated', 'given')"
_OLD_METRICS = "('storage_mb_per_s', 'network_mb_per_s', 'ebs_read_mb_per_s', 'ebs_write_mb_per_s')"
_METRICS = (
    "('storage_mb_per_s', 'storage_read_mb_per_s', 'storage_write_mb_per_s', 'storage_read_iops', "
    "'storage_write_iops', 'network_mb_per_s', 'ebs_read_mb_per_s', 'ebs_write_mb_per_s')"
)
_PRICES = (
    "('usd_per_hour', 'ebs_usd_per_hour', 'spot_usd_per_hour', 'one_year_usd_per_hour', 'three_year_usd_per_hour')"
)
_OLD = ("catalogue", "instance_type", "instance_figure", "volume_type", "volume_figure")
_NEW = (
    "catalogue",
    "catalogue_region",
    "catalogue_part",
    "part_source",
    "instance_type",
    "instance_figure",
    "published_profile",
    "region_type",
    "region_price",
    "volume_type",
    "volume_figure",
)
_RESTING = ("plan", "sweep")


def upgrade() -> None:
    """Make the tables of parts, put into them what is stored, and let the application add versions."""
    for table in _OLD[1:]:
        _rename(table)
    op.execute("ALTER TABLE catalogue ADD COLUMN provider TEXT NOT NULL DEFAULT 'aws'")
    op.execute("ALTER TABLE catalogue ADD COLUMN origin TEXT NOT NULL DEFAULT 'package'")
    op.execute("ALTER TABLE catalogue ALTER COLUMN provider DROP DEFAULT, ALTER COLUMN origin DROP DEFAULT")
    op.create_check_constraint(op.f("ck_catalogue_provider"), "catalogue", "provider IN ('aws', 'gce')")
    op.create_check_constraint(op.f("ck_catalogue_origin"), "catalogue", "origin IN ('package', 'refresh')")
    _create_parts()
    _convert()
    for table in reversed(_OLD[1:]):
        op.drop_table(f"old_{table}")
    op.execute("ALTER TABLE catalogue ALTER COLUMN hardware SET NOT NULL")
    op.create_index(op.f("ix_catalogue_hardware"), "catalogue", ["hardware"])
    op.drop_column("catalogue", "region")
    _comment_catalogue()
    _give_profiles_to_tenants()
    op.execute(f"GRANT SELECT, INSERT ON {', '.join(_NEW)} TO {_application_role()}")


def _rename(table: str) -> None:
    """Make room for the table of the same name, and for the constraints that PostgreSQL names in its schema."""
    op.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    op.execute(f"ALTER TABLE old_{table} RENAME CONSTRAINT pk_{table} TO pk_old_{table}")


def _create_parts() -> None:
    op.create_table(
        "catalogue_part",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False, comment="SHA-256 of the content: named, it is stored once"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_catalogue_part")),
        sa.UniqueConstraint("digest", name=op.f("uq_catalogue_part_digest")),
        sa.CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name=op.f("ck_catalogue_part_digest")),
    )
    op.add_column("catalogue", sa.Column("hardware", sa.BigInteger(), comment="types and profiles"))
    op.create_foreign_key(op.f("fk_catalogue_catalogue_part"), "catalogue", "catalogue_part", ["hardware"], ["id"])
    op.create_table(
        "catalogue_region",
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("region", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="place in the catalogue, from 0"),
        sa.Column("part", sa.BigInteger(), nullable=False, comment="prices and volume types"),
        sa.Column("instance_types", sa.Integer(), nullable=False, comment="how many are sold"),
        sa.Column("priced", sa.Integer(), nullable=False, comment="of these, with an on-demand price"),
        sa.Column("volume_types", sa.Integer(), nullable=False, comment="how many"),
        sa.PrimaryKeyConstraint("version", "region", name=op.f("pk_catalogue_region")),
        sa.ForeignKeyConstraint(
            ["version"], ["catalogue.version"], name=op.f("fk_catalogue_region_catalogue"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["part"], ["catalogue_part.id"], name=op.f("fk_catalogue_region_catalogue_part")),
    )
    op.create_index(op.f("ix_catalogue_region_part"), "catalogue_region", ["part"])
    op.create_index(op.f("ix_catalogue_region_region"), "catalogue_region", ["region"])
    _create_of_part(
        "part_source",
        sa.Column("number", sa.Integer(), nullable=False, comment="by which figures of the part name it"),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("as_of", sa.Date()),
        sa.CheckConstraint(f"kind IN {_KINDS}", name=op.f("ck_part_source_kind")),
        key="number",
    )
    _create_target(
        "instance_type",
        sa.Column("disk_media", sa.Text()),
        sa.Column("placement_group", sa.Boolean(), nullable=False),
        sa.Column(
            "gaps", sa.JSON(), nullable=False, comment="what is not known: quantity -> why; in the order it was written"
        ),
        sa.Column("traits", sa.JSON(), nullable=False, comment="a list"),
        sa.CheckConstraint("disk_media IN ('ssd', 'hdd')", name=op.f("ck_instance_type_disk_media")),
    )
    _create_target("region_type")
    _create_target("volume_type")
    _create_figures("instance_figure", of="instance_type")
    _create_figures("region_price", of="region_type")
    _create_figures("volume_figure", of="volume_type")
    _create_of_part(
        "published_profile",
        sa.Column("position", sa.Integer(), nullable=False, comment="place in the catalogue, from 0"),
        sa.Column("source", sa.Integer(), nullable=False, comment="its number"),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("metric", sa.Text(), nullable=False),
        sa.Column("mean", sa.Double(), nullable=False, comment="MB/s, of IOPS 1/s"),
        sa.Column("spread", sa.Double(), comment="standard deviation of the logarithm of the rate, node to node"),
        sa.Column("count", sa.Integer()),
        sa.Column("cluster_nodes", sa.Integer()),
        sa.Column("statistic", sa.Text(), nullable=False),
        sa.Column("placement_group", sa.Boolean()),
        sa.CheckConstraint(f"metric IN {_METRICS}", name=op.f("ck_published_profile_metric")),
        sa.CheckConstraint("statistic IN ('average', 'slowest')", name=op.f("ck_published_profile_statistic")),
        sa.CheckConstraint("mean > 0 AND mean < 'Infinity'", name=op.f("ck_published_profile_mean")),
        sa.CheckConstraint("spread >= 0 AND spread < 'Infinity'", name=op.f("ck_published_profile_spread")),
        sa.CheckConstraint("count > 0", name=op.f("ck_published_profile_count")),
        sa.CheckConstraint("cluster_nodes > 0", name=op.f("ck_published_profile_cluster_nodes")),
        key="position",
    )


def _create_of_part(name: str, *more: sa.Column[object] | sa.CheckConstraint, key: str) -> None:
    op.create_table(
        name,
        sa.Column("part", sa.BigInteger(), nullable=False),
        *more,
        sa.PrimaryKeyConstraint("part", key, name=op.f(f"pk_{name}")),
        sa.ForeignKeyConstraint(
            ["part"], ["catalogue_part.id"], name=op.f(f"fk_{name}_catalogue_part"), ondelete="CASCADE"
        ),
    )


def _create_target(name: str, *more: sa.Column[object] | sa.CheckConstraint) -> None:
    _create_of_part(
        name,
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="place in the catalogue, from 0"),
        *more,
        key="name",
    )


def _create_figures(name: str, of: str) -> None:
    op.create_table(
        name,
        sa.Column("part", sa.BigInteger(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("quantity", sa.Text(), nullable=False),
        sa.Column("value", sa.Numeric(), nullable=False),
        sa.Column("unit", sa.Text(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False, comment="its number"),
        sa.PrimaryKeyConstraint("part", "target", "quantity", name=op.f(f"pk_{name}")),
        sa.ForeignKeyConstraint(
            ["part", "target"], [f"{of}.part", f"{of}.name"], name=op.f(f"fk_{name}_{of}"), ondelete="CASCADE"
        ),
    )


def _convert() -> None:
    """Divide what a version had into a part for its hardware and one for its region.

    A part is named by its content, so that equal parts are stored once; these are named by the version that
    they were divided from, which no other has: at the worst, an equal part is stored beside one of them.
    """
    for what in ("hardware", "region"):
        op.execute(
            "INSERT INTO catalogue_part (digest) SELECT "  # noqa: S608 - our own words
            f"encode(sha256(convert_to('{what} of ' || version || ' ' || digest, 'UTF8')), 'hex') FROM catalogue"
        )
        op.execute(
            f"CREATE TEMPORARY TABLE {what}_of ON COMMIT DROP AS "  # noqa: S608 - our own words
            "SELECT version, region, part.id AS part FROM catalogue JOIN catalogue_part AS part ON part.digest "
            f"= encode(sha256(convert_to('{what} of ' || version || ' ' || catalogue.digest, 'UTF8')), 'hex')"
        )
    op.execute("UPDATE catalogue SET hardware = part FROM hardware_of WHERE hardware_of.version = catalogue.version")
    op.execute(
        f"""
        CREATE TEMPORARY TABLE figures ON COMMIT DROP AS
        SELECT hardware_of.part, 'instance_figure' AS goes_to, figure.*
        FROM old_instance_figure AS figure JOIN hardware_of ON version = catalogue_version
        WHERE quantity NOT IN {_PRICES}
        UNION ALL
        SELECT region_of.part, 'region_price', figure.*
        FROM old_instance_figure AS figure JOIN region_of ON version = catalogue_version
        WHERE quantity IN {_PRICES}
        UNION ALL
        SELECT region_of.part, 'volume_figure', figure.*
        FROM old_volume_figure AS figure JOIN region_of ON version = catalogue_version
        """  # noqa: S608 - our own words
    )
    op.execute("ALTER TABLE profile NO FORCE ROW LEVEL SECURITY")
    op.execute(
        """
        INSERT INTO part_source
        SELECT part, row_number() OVER (PARTITION BY part) - 1, source, kind, as_of FROM (
            SELECT part, source, kind, as_of FROM figures
            UNION
            SELECT part, source, kind, as_of
            FROM profile JOIN hardware_of ON version = catalogue_version
        ) AS sources
        """
    )
    op.execute(
        "INSERT INTO instance_type SELECT part, name, position, disk_media, placement_group, gaps, '[]'::json "
        "FROM old_instance_type JOIN hardware_of ON version = catalogue_version"
    )
    for table, old in (("region_type", "old_instance_type"), ("volume_type", "old_volume_type")):
        op.execute(
            f"INSERT INTO {table} SELECT part, name, position "  # noqa: S608 - our own words
            f"FROM {old} JOIN region_of ON version = catalogue_version"
        )
    for table in ("instance_figure", "region_price", "volume_figure"):
        op.execute(
            f"INSERT INTO {table} SELECT part, target, quantity, value, unit, number "  # noqa: S608 - our own words
            "FROM figures JOIN part_source USING (part) "
            f"WHERE goes_to = '{table}' AND part_source.text = figures.source AND part_source.kind = figures.kind "
            "AND part_source.as_of IS NOT DISTINCT FROM figures.as_of"
        )
    op.execute(
        """
        INSERT INTO published_profile
        SELECT part, row_number() OVER (PARTITION BY part ORDER BY profile.id) - 1, number,
               target, metric, mean, spread, count, cluster_nodes, statistic, placement_group
        FROM profile JOIN hardware_of ON version = catalogue_version JOIN part_source USING (part)
        WHERE part_source.text = source AND part_source.kind = profile.kind AND part_source.as_of = profile.as_of
        """
    )
    op.execute(
        """
        INSERT INTO catalogue_region
        SELECT version, region, 0, part,
               (SELECT count(*) FROM region_type WHERE region_type.part = region_of.part),
               (SELECT count(*) FROM region_price
                WHERE region_price.part = region_of.part AND quantity = 'usd_per_hour'),
               (SELECT count(*) FROM volume_type WHERE volume_type.part = region_of.part)
        FROM region_of
        """
    )
    op.execute("DELETE FROM profile WHERE org_id IS NULL")
    op.execute("ALTER TABLE profile FORCE ROW LEVEL SECURITY")


def _comment_catalogue() -> None:
    for column, comment in (
        ("origin", "whether it came with the program or was fetched"),
        ("digest", "SHA-256 of what was loaded; all regions and profiles together"),
    ):
        op.execute(f"COMMENT ON COLUMN catalogue.{column} IS '{comment}'")


def _give_profiles_to_tenants() -> None:
    for policy in ("published", "publish"):
        op.execute(f"DROP POLICY {policy} ON profile")
    op.drop_constraint(op.f("ck_profile_published"), "profile")
    op.drop_column("profile", "catalogue_version")
    op.alter_column("profile", "org_id", nullable=False, server_default=sa.text(_TENANT), comment=None)
    op.alter_column("profile", "mean", comment="MB/s, of IOPS 1/s")
    op.drop_constraint(op.f("ck_profile_metric"), "profile")
    op.create_check_constraint(op.f("ck_profile_metric"), "profile", f"metric IN {_METRICS}")


def _application_role() -> str:
    preparer = op.get_bind().dialect.identifier_preparer
    return preparer.quote(context.config.attributes["application_role"])


def downgrade() -> None:
    """Put versions of one region together again.

    A version of several regions, or of another provider than AWS, is removed with the plans and sweeps that
    rest on it, and profiles of new metrics are: the tables before have no place for them.
    """
    _remove_what_does_not_fit()
    for table in _NEW[4:]:
        if table in _OLD:
            op.execute(f"ALTER TABLE {table} RENAME TO new_{table}")
            op.execute(f"ALTER TABLE new_{table} RENAME CONSTRAINT pk_{table} TO pk_new_{table}")
    op.execute(f"REVOKE INSERT ON catalogue FROM {_application_role()}")
    _create_old()
    _convert_back()
    for table in (
        "volume_figure",
        "volume_type",
        "region_price",
        "region_type",
        "published_profile",
        "instance_figure",
        "instance_type",
        "part_source",
        "catalogue_region",
    ):
        op.drop_table(f"new_{table}" if table in _OLD else table)
    for column in ("hardware", "origin", "provider"):
        op.drop_column("catalogue", column)
    op.drop_table("catalogue_part")
    op.execute(f"GRANT SELECT ON {', '.join(_OLD)} TO {_application_role()}")


def _remove_what_does_not_fit() -> None:
    op.execute(
        "CREATE TEMPORARY TABLE misfit ON COMMIT DROP AS SELECT version FROM catalogue WHERE provider <> 'aws' "
        "OR (SELECT count(*) FROM catalogue_region WHERE catalogue_region.version = catalogue.version) <> 1"
    )
    # The owner migrates without being anybody's tenant: row-level security would hide every row from it.
    for table in _RESTING:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        op.execute(f"DELETE FROM {table} WHERE catalogue_version IN (SELECT version FROM misfit)")  # noqa: S608 - ours
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute("DELETE FROM catalogue WHERE version IN (SELECT version FROM misfit)")


def _create_old() -> None:
    op.add_column("catalogue", sa.Column("region", sa.Text()))
    for name, more in (
        (
            "instance_type",
            (
                sa.Column("disk_media", sa.Text()),
                sa.Column("placement_group", sa.Boolean(), nullable=False),
                sa.Column("gaps", sa.JSON(), nullable=False),
                sa.CheckConstraint("disk_media IN ('ssd', 'hdd')", name=op.f("ck_instance_type_disk_media")),
            ),
        ),
        ("volume_type", ()),
    ):
        op.create_table(
            name,
            sa.Column("catalogue_version", sa.Text(), nullable=False),
            sa.Column("name", sa.Text(), nullable=False),
            sa.Column("position", sa.Integer(), nullable=False),
            *more,
            sa.PrimaryKeyConstraint("catalogue_version", "name", name=op.f(f"pk_{name}")),
            sa.ForeignKeyConstraint(
                ["catalogue_version"], ["catalogue.version"], name=op.f(f"fk_{name}_catalogue"), ondelete="CASCADE"
            ),
        )
    for name, of in (("instance_figure", "instance_type"), ("volume_figure", "volume_type")):
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
    op.alter_column("profile", "org_id", nullable=True, server_default=None)
    op.add_column("profile", sa.Column("catalogue_version", sa.Text()))
    op.create_foreign_key(
        op.f("fk_profile_catalogue"), "profile", "catalogue", ["catalogue_version"], ["version"], ondelete="CASCADE"
    )
    op.create_index(op.f("ix_profile_catalogue_version"), "profile", ["catalogue_version"])
    op.execute("CREATE POLICY published ON profile FOR SELECT USING (org_id IS NULL)")
    op.execute("CREATE POLICY publish ON profile TO CURRENT_USER USING (org_id IS NULL) WITH CHECK (org_id IS NULL)")


def _convert_back() -> None:
    op.execute(
        "UPDATE catalogue SET region = catalogue_region.region FROM catalogue_region "
        "WHERE catalogue_region.version = catalogue.version"
    )
    op.execute("ALTER TABLE catalogue ALTER COLUMN region SET NOT NULL")
    op.execute(
        "INSERT INTO instance_type SELECT version, name, position, disk_media, placement_group, gaps "
        "FROM new_instance_type JOIN catalogue ON hardware = part"
    )
    op.execute(
        "INSERT INTO volume_type SELECT version, name, new_volume_type.position "
        "FROM new_volume_type JOIN catalogue_region USING (part)"
    )
    for table, new, versions in (
        ("instance_figure", "new_instance_figure", "catalogue ON hardware = figure.part"),
        ("instance_figure", "region_price", "catalogue_region ON catalogue_region.part = figure.part"),
        ("volume_figure", "new_volume_figure", "catalogue_region ON catalogue_region.part = figure.part"),
    ):
        op.execute(
            f"INSERT INTO {table} SELECT version, target, quantity, value, unit, "  # noqa: S608 - our own words
            f"part_source.text, part_source.kind, part_source.as_of FROM {new} AS figure JOIN {versions} "
            "JOIN part_source ON part_source.part = figure.part AND number = source"
        )
    op.execute("ALTER TABLE profile NO FORCE ROW LEVEL SECURITY")
    op.execute(f"DELETE FROM profile WHERE metric NOT IN {_OLD_METRICS}")  # noqa: S608 - our own words
    op.execute(
        "INSERT INTO profile (catalogue_version, target, metric, mean, spread, count, "  # noqa: S608 - our own words
        "cluster_nodes, statistic, "
        "placement_group, source, kind, as_of) "
        "SELECT version, target, metric, mean, spread, count, cluster_nodes, statistic, "
        "placement_group, part_source.text, part_source.kind, part_source.as_of "
        "FROM published_profile AS published JOIN catalogue ON hardware = published.part "
        "JOIN part_source ON part_source.part = published.part AND number = published.source "
        f"WHERE metric IN {_OLD_METRICS} ORDER BY published.part, position"
    )
    op.execute("ALTER TABLE profile FORCE ROW LEVEL SECURITY")
    op.drop_constraint(op.f("ck_profile_metric"), "profile")
    op.create_check_constraint(op.f("ck_profile_metric"), "profile", f"metric IN {_OLD_METRICS}")
    op.create_check_constraint(
        op.f("ck_profile_published"), "profile", "(org_id IS NULL) = (catalogue_version IS NOT NULL)"
    )
