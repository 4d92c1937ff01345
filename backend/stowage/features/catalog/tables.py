"""Definitions of the database tables of catalog versions and published profiles."""

from typing import Any, Literal

import sqlalchemy as sa

from stowage.model.figure import Kind
from stowage.model.hardware.catalog import Provider
from stowage.model.hardware.instance import Media
from stowage.model.hardware.profile import Metric, Statistic
from stowage.platform.database.columns import (
    ExactFloat,
    Moment,
    belongs_to,
    made,
    metadata,
    numbered,
    one_of,
    team_table,
    tenant,
)

CATALOG_TABLES = frozenset(
    {
        "catalog",
        "catalog_region",
        "catalog_part",
        "part_source",
        "instance_type",
        "instance_figure",
        "published_profile",
        "region_type",
        "region_price",
        "volume_type",
        "volume_figure",
    }
)
"""Tables of catalog content: the application adds rows from refreshes, and changes no existing rows."""

Origin = Literal["package", "refresh"]
"""Whether a catalog version was packaged with the program or read from AWS."""

catalog_part = sa.Table(
    "catalog_part",
    metadata,
    numbered(),
    sa.Column(
        "digest", sa.Text, nullable=False, unique=True, comment="SHA-256 of the content: named, it is stored once"
    ),
    sa.CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
)

catalog = sa.Table(
    "catalog",
    metadata,
    sa.Column("version", sa.Text, primary_key=True),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("as_of", sa.Date, nullable=False),
    sa.Column("provider", sa.Text, nullable=False),
    sa.Column("origin", sa.Text, nullable=False, comment="whether it came with the program or was fetched"),
    sa.Column(
        "digest", sa.Text, nullable=False, comment="SHA-256 of what was loaded; all regions and profiles together"
    ),
    sa.Column(
        "hardware", sa.BigInteger, sa.ForeignKey("catalog_part.id"), nullable=False, comment="types and profiles"
    ),
    made("loaded_at"),
    one_of("provider", Provider),
    one_of("origin", Origin),
    sa.CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
    sa.Index(None, "hardware"),
)

catalog_region = sa.Table(
    "catalog_region",
    metadata,
    sa.Column("version", sa.Text, sa.ForeignKey("catalog.version", ondelete="CASCADE"), primary_key=True),
    sa.Column("region", sa.Text, primary_key=True),
    sa.Column("position", sa.Integer, nullable=False, comment="place in the catalog, from 0"),
    sa.Column(
        "part", sa.BigInteger, sa.ForeignKey("catalog_part.id"), nullable=False, comment="prices and volume types"
    ),
    sa.Column("instance_types", sa.Integer, nullable=False, comment="how many are sold"),
    sa.Column("priced", sa.Integer, nullable=False, comment="of these, with an on-demand price"),
    sa.Column("volume_types", sa.Integer, nullable=False, comment="how many"),
    sa.Index(None, "part"),
    sa.Index(None, "region"),
)


def _part() -> sa.Column[Any]:
    return sa.Column("part", sa.BigInteger, sa.ForeignKey("catalog_part.id", ondelete="CASCADE"), primary_key=True)


def _position() -> sa.Column[Any]:
    return sa.Column("position", sa.Integer, nullable=False, comment="place in the catalog, from 0")


part_source = sa.Table(
    "part_source",
    metadata,
    _part(),
    sa.Column("number", sa.Integer, primary_key=True, comment="by which figures of the part name it"),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("as_of", sa.Date),
    one_of("kind", Kind),
)

instance_type = sa.Table(
    "instance_type",
    metadata,
    _part(),
    sa.Column("name", sa.Text, primary_key=True),
    _position(),
    sa.Column("disk_media", sa.Text),
    sa.Column("placement_group", sa.Boolean, nullable=False),
    sa.Column(
        "gaps", sa.JSON, nullable=False, comment="what is not known: quantity -> why; in the order it was written"
    ),
    sa.Column("traits", sa.JSON, nullable=False, comment="a list"),
    one_of("disk_media", Media),
)

region_type = sa.Table("region_type", metadata, _part(), sa.Column("name", sa.Text, primary_key=True), _position())
volume_type = sa.Table("volume_type", metadata, _part(), sa.Column("name", sa.Text, primary_key=True), _position())


def _figures_of(target: sa.Table, name: str) -> sa.Table:
    """Define the table of figures of one kind of target, such as instance types."""
    return sa.Table(
        name,
        metadata,
        sa.Column("part", sa.BigInteger, primary_key=True),
        sa.Column("target", sa.Text, primary_key=True),
        sa.Column("quantity", sa.Text, primary_key=True),
        sa.Column("value", ExactFloat, nullable=False),
        sa.Column("unit", sa.Text, nullable=False),
        sa.Column("source", sa.Integer, nullable=False, comment="its number"),
        sa.ForeignKeyConstraint(["part", "target"], [target.c.part, target.c.name], ondelete="CASCADE"),
    )


instance_figure = _figures_of(instance_type, "instance_figure")
region_price = _figures_of(region_type, "region_price")
volume_figure = _figures_of(volume_type, "volume_figure")


published_profile = sa.Table(
    "published_profile",
    metadata,
    _part(),
    sa.Column("position", sa.Integer, primary_key=True, comment="place in the catalog, from 0"),
    sa.Column("source", sa.Integer, nullable=False, comment="its number"),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("metric", sa.Text, nullable=False),
    sa.Column("mean", sa.Double, nullable=False, comment="MB/s, of IOPS 1/s"),
    sa.Column("spread", sa.Double, comment="standard deviation of the logarithm of the rate, node to node"),
    sa.Column("count", sa.Integer),
    sa.Column("cluster_nodes", sa.Integer),
    sa.Column("statistic", sa.Text, nullable=False),
    sa.Column("placement_group", sa.Boolean),
    one_of("metric", Metric),
    one_of("statistic", Statistic),
    sa.CheckConstraint("mean > 0 AND mean < 'Infinity'", name="mean"),
    sa.CheckConstraint("spread >= 0 AND spread < 'Infinity'", name="spread"),
    sa.CheckConstraint("count > 0", name="count"),
    sa.CheckConstraint("cluster_nodes > 0", name="cluster_nodes"),
)

refresh = team_table(
    "refresh",
    belongs_to("job"),
    sa.Column("regions", sa.JSON, nullable=False, comment="names, in the order they are read"),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("version", sa.Text, comment="that it made; null where nothing changed, or it is not done"),
    sa.Column("notes", sa.JSON, comment="what was found besides, in words for people; null while it is not done"),
    sa.Index(None, "job_id"),
)

refresh_piece = sa.Table(
    "refresh_piece",
    metadata,
    belongs_to("refresh", primary_key=True),
    sa.Column("part", sa.Integer, primary_key=True, comment="of the job, from 0"),
    sa.Column("page", sa.Integer, primary_key=True, comment="from 0"),
    tenant(),
    sa.Column("next_token", sa.Text, comment="where AWS goes on; null on the last page"),
    sa.Column("content", sa.JSON, nullable=False, comment="what was kept of the page"),
)
