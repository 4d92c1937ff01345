"""Definitions of the database tables of catalog versions and published profiles."""

from typing import Any, Literal

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    Table,
    Text,
)

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

catalog_part = Table(
    "catalog_part",
    metadata,
    numbered(),
    Column("digest", Text, nullable=False, unique=True, comment="SHA-256 of the content: named, it is stored once"),
    CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
)

catalog = Table(
    "catalog",
    metadata,
    Column("version", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("as_of", Date, nullable=False),
    Column("provider", Text, nullable=False),
    Column("origin", Text, nullable=False, comment="whether it came with the program or was fetched"),
    Column("digest", Text, nullable=False, comment="SHA-256 of what was loaded; all regions and profiles together"),
    Column("hardware", BigInteger, ForeignKey("catalog_part.id"), nullable=False, comment="types and profiles"),
    made("loaded_at"),
    one_of("provider", Provider),
    one_of("origin", Origin),
    CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
    Index(None, "hardware"),
)

catalog_region = Table(
    "catalog_region",
    metadata,
    Column("version", Text, ForeignKey("catalog.version", ondelete="CASCADE"), primary_key=True),
    Column("region", Text, primary_key=True),
    Column("position", Integer, nullable=False, comment="place in the catalog, from 0"),
    Column("part", BigInteger, ForeignKey("catalog_part.id"), nullable=False, comment="prices and volume types"),
    Column("instance_types", Integer, nullable=False, comment="how many are sold"),
    Column("priced", Integer, nullable=False, comment="of these, with an on-demand price"),
    Column("volume_types", Integer, nullable=False, comment="how many"),
    Index(None, "part"),
    Index(None, "region"),
)


def _part() -> Column[Any]:
    return Column("part", BigInteger, ForeignKey("catalog_part.id", ondelete="CASCADE"), primary_key=True)


def _position() -> Column[Any]:
    return Column("position", Integer, nullable=False, comment="place in the catalog, from 0")


part_source = Table(
    "part_source",
    metadata,
    _part(),
    Column("number", Integer, primary_key=True, comment="by which figures of the part name it"),
    Column("text", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("as_of", Date),
    one_of("kind", Kind),
)

instance_type = Table(
    "instance_type",
    metadata,
    _part(),
    Column("name", Text, primary_key=True),
    _position(),
    Column("disk_media", Text),
    Column("placement_group", Boolean, nullable=False),
    Column("gaps", JSON, nullable=False, comment="what is not known: quantity -> why; in the order it was written"),
    Column("traits", JSON, nullable=False, comment="a list"),
    one_of("disk_media", Media),
)

region_type = Table("region_type", metadata, _part(), Column("name", Text, primary_key=True), _position())
volume_type = Table("volume_type", metadata, _part(), Column("name", Text, primary_key=True), _position())


def _figures_of(target: Table, name: str) -> Table:
    """Define the table of figures of one kind of target, such as instance types."""
    return Table(
        name,
        metadata,
        Column("part", BigInteger, primary_key=True),
        Column("target", Text, primary_key=True),
        Column("quantity", Text, primary_key=True),
        Column("value", ExactFloat, nullable=False),
        Column("unit", Text, nullable=False),
        Column("source", Integer, nullable=False, comment="its number"),
        ForeignKeyConstraint(["part", "target"], [target.c.part, target.c.name], ondelete="CASCADE"),
    )


instance_figure = _figures_of(instance_type, "instance_figure")
region_price = _figures_of(region_type, "region_price")
volume_figure = _figures_of(volume_type, "volume_figure")


published_profile = Table(
    "published_profile",
    metadata,
    _part(),
    Column("position", Integer, primary_key=True, comment="place in the catalog, from 0"),
    Column("source", Integer, nullable=False, comment="its number"),
    Column("target", Text, nullable=False),
    Column("metric", Text, nullable=False),
    Column("mean", Double, nullable=False, comment="MB/s, of IOPS 1/s"),
    Column("spread", Double, comment="standard deviation of the logarithm of the rate, node to node"),
    Column("count", Integer),
    Column("cluster_nodes", Integer),
    Column("statistic", Text, nullable=False),
    Column("placement_group", Boolean),
    one_of("metric", Metric),
    one_of("statistic", Statistic),
    CheckConstraint("mean > 0 AND mean < 'Infinity'", name="mean"),
    CheckConstraint("spread >= 0 AND spread < 'Infinity'", name="spread"),
    CheckConstraint("count > 0", name="count"),
    CheckConstraint("cluster_nodes > 0", name="cluster_nodes"),
)

refresh = team_table(
    "refresh",
    belongs_to("job"),
    Column("regions", JSON, nullable=False, comment="names, in the order they are read"),
    Column("created_at", Moment, nullable=False),
    Column("version", Text, comment="that it made; null where nothing changed, or it is not done"),
    Column("notes", JSON, comment="what was found besides, in words for people; null while it is not done"),
    Index(None, "job_id"),
)

refresh_piece = Table(
    "refresh_piece",
    metadata,
    belongs_to("refresh", primary_key=True),
    Column("part", Integer, primary_key=True, comment="of the job, from 0"),
    Column("page", Integer, primary_key=True, comment="from 0"),
    tenant(),
    Column("next_token", Text, comment="where AWS goes on; null on the last page"),
    Column("content", JSON, nullable=False, comment="what was kept of the page"),
)
