"""The tables, as the queries see them.

The migrations create them, and say besides who may see and write what (`migrations/versions`); a test holds
the two against each other. A table either carries `org_id`, with a forced row-level-security policy on it,
or stands in `SHARED_TABLES`.
"""

from typing import Any, Literal

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    DateTime,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    func,
    text,
)

from stowage.model.catalogue import Provider
from stowage.model.figure import Kind
from stowage.model.instance import Media
from stowage.model.job import JobKind, JobState
from stowage.model.profile import Metric, Statistic
from stowage.model.team import ActorKind, LinkKind, OneTimeKind, Role, SessionKind
from stowage.store import metric_tables as metric_tables  # noqa: PLC0414 - likewise
from stowage.store import plan_watch_tables as plan_watch_tables  # noqa: PLC0414 - likewise
from stowage.store import report_tables as report_tables  # noqa: PLC0414 - likewise
from stowage.store import run_tables as run_tables  # noqa: PLC0414 - so that whoever asks for the tables has these too
from stowage.store.columns import ExactFloat, Sealed, expires, made, numbered, one_of, tenant
from stowage.store.columns import metadata as metadata  # noqa: PLC0414 - whoever asks for it wants all tables in it

CATALOGUE_TABLES = frozenset(
    {
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
    }
)
"""What can be bought: the application adds to it what it fetched, and changes nothing that is there."""

PEOPLE_TABLES = frozenset(
    {"person", "password", "second_factor", "recovery_code", "identity", "session", "one_time_link", "throttle"}
)
"""Who signs in, and how: the gate's. Of people the application sees those of the team that it works for."""

SHARED_TABLES = CATALOGUE_TABLES | PEOPLE_TABLES | {"alembic_version"}
"""Tables without `org_id`: every organisation reads the catalogue's, none the people's."""

Origin = Literal["package", "refresh"]
"""Whether a version of the catalogue came with the program or was fetched from AWS."""

UploadState = Literal["arriving", "reading", "read", "refused", "kept"]
"""Where a file stands between its first byte and the measurements that are kept of it."""
ReadingStatus = Literal["ok", "partial", "failed"]
"""What a benchmark said of its own end."""
VerdictWord = Literal["good", "doubtful", "rejected"]
"""How far a measurement is believed."""
AlertKind = Literal["mail", "webhook"]
"""How a team is told of a change, besides on the page."""

org = Table(
    "org",
    metadata,
    Column("org_id", Uuid, primary_key=True),
    Column("name", Text, nullable=False),
)

catalogue_part = Table(
    "catalogue_part",
    metadata,
    numbered(),
    Column("digest", Text, nullable=False, unique=True, comment="SHA-256 of the content: named, it is stored once"),
    CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
)

catalogue = Table(
    "catalogue",
    metadata,
    Column("version", Text, primary_key=True),
    Column("title", Text, nullable=False),
    Column("as_of", Date, nullable=False),
    Column("provider", Text, nullable=False),
    Column("origin", Text, nullable=False, comment="whether it came with the program or was fetched"),
    Column("digest", Text, nullable=False, comment="SHA-256 of what was loaded; all regions and profiles together"),
    Column("hardware", BigInteger, ForeignKey("catalogue_part.id"), nullable=False, comment="types and profiles"),
    Column("loaded_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    one_of("provider", Provider),
    one_of("origin", Origin),
    CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
    Index(None, "hardware"),
)

catalogue_region = Table(
    "catalogue_region",
    metadata,
    Column("version", Text, ForeignKey("catalogue.version", ondelete="CASCADE"), primary_key=True),
    Column("region", Text, primary_key=True),
    Column("position", Integer, nullable=False, comment="place in the catalogue, from 0"),
    Column("part", BigInteger, ForeignKey("catalogue_part.id"), nullable=False, comment="prices and volume types"),
    Column("instance_types", Integer, nullable=False, comment="how many are sold"),
    Column("priced", Integer, nullable=False, comment="of these, with an on-demand price"),
    Column("volume_types", Integer, nullable=False, comment="how many"),
    Index(None, "part"),
    Index(None, "region"),
)


def _part() -> Column[Any]:
    return Column("part", BigInteger, ForeignKey("catalogue_part.id", ondelete="CASCADE"), primary_key=True)


def _position() -> Column[Any]:
    return Column("position", Integer, nullable=False, comment="place in the catalogue, from 0")


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
    """Make the table of the figures of one sort of target; the sorts differ in nothing but their target."""
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
    Column("position", Integer, primary_key=True, comment="place in the catalogue, from 0"),
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

plan = Table(
    "plan",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("name", Text, nullable=False),
    Column("workload", JSON, nullable=False),
    Column("catalogue_version", Text, ForeignKey("catalogue.version"), nullable=False),
    Column("profiles_digest", Text, nullable=False),
    Column("model_version", Text, nullable=False),
    Column("answer", JSON, nullable=False),
    Column("best_time_s", Double, comment="null where nothing meets the limits"),
    Column("best_cost_usd", ExactFloat, comment="null where nothing meets the limits, or a price is not known"),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("best_instance", Text),
    Column("best_nodes", Integer),
    Column("deleted_at", DateTime(timezone=True)),
    Column("decided", JSON(none_as_null=True), comment="null: nothing besides what was asked"),
    Column("decided_at", DateTime(timezone=True), comment="when that was stored"),
    Index(None, "org_id", "created_at", "id"),
    Index(None, "catalogue_version"),
)

job = Table(
    "job",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("kind", Text, nullable=False),
    Column("subject_id", Uuid, nullable=False, comment="what it works on: for a sweep, the sweep"),
    Column("state", Text, nullable=False),
    Column("asked_by", Text, nullable=False),
    Column("total", Integer, nullable=False, comment="units of work"),
    Column("done", Integer, nullable=False, comment="units whose result is stored"),
    Column("reason", Text, comment="why it failed, in words for people"),
    Column("reference", Text, comment="found again in the log"),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("started_at", DateTime(timezone=True)),
    Column("finished_at", DateTime(timezone=True)),
    one_of("kind", JobKind),
    one_of("state", JobState),
    CheckConstraint("total > 0", name="total"),
    CheckConstraint("done BETWEEN 0 AND total", name="done"),
    Index(None, "org_id", "created_at", "id"),
)

job_part = Table(
    "job_part",
    metadata,
    Column("job_id", Uuid, ForeignKey("job.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, comment="from 0"),
    tenant(),
    Column("state", Text, nullable=False),
    Column("attempt", Integer, nullable=False, comment="how often it was taken up; the holder's token"),
    Column("takeovers", Integer, nullable=False, server_default="0", comment="how often a holder fell silent"),
    Column("sent_at", DateTime(timezone=True)),
    Column("heartbeat_at", DateTime(timezone=True)),
    CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name="state"),
    Index("ix_job_part_unfinished", "sent_at", postgresql_where=text("state IN ('queued', 'running')")),
)

sweep = Table(
    "sweep",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("name", Text, nullable=False),
    Column("request", JSON, nullable=False),
    Column("catalogue_version", Text, ForeignKey("catalogue.version"), nullable=False),
    Column("profiles_digest", Text, nullable=False),
    Column("model_version", Text, nullable=False),
    Column("job_id", Uuid, ForeignKey("job.id", deferrable=True, initially="DEFERRED"), nullable=False),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("deleted_at", DateTime(timezone=True)),
    Index(None, "org_id", "created_at", "id"),
    Index(None, "catalogue_version"),
    Index(None, "job_id"),
)

sweep_cell = Table(
    "sweep_cell",
    metadata,
    Column("sweep_id", Uuid, ForeignKey("sweep.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, comment="row by row, from 0"),
    tenant(),
    Column("answer", JSON, nullable=False),
)

refresh = Table(
    "refresh",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("job_id", Uuid, ForeignKey("job.id", ondelete="CASCADE"), nullable=False),
    Column("regions", JSON, nullable=False, comment="names, in the order they are read"),
    Column("created_at", DateTime(timezone=True), nullable=False),
    Column("version", Text, comment="that it made; null where nothing changed, or it is not done"),
    Column("notes", JSON, comment="what was found besides, in words for people; null while it is not done"),
    Index(None, "org_id", "created_at", "id"),
    Index(None, "job_id"),
)

refresh_piece = Table(
    "refresh_piece",
    metadata,
    Column("refresh_id", Uuid, ForeignKey("refresh.id", ondelete="CASCADE"), primary_key=True),
    Column("part", Integer, primary_key=True, comment="of the job, from 0"),
    Column("page", Integer, primary_key=True, comment="from 0"),
    tenant(),
    Column("next_token", Text, comment="where AWS goes on; null on the last page"),
    Column("content", JSON, nullable=False, comment="what was kept of the page"),
)


def _secret_hash(*, primary_key: bool = False) -> Column[Any]:
    return Column(
        "secret_hash",
        LargeBinary,
        primary_key=primary_key,
        nullable=False,
        unique=None if primary_key else True,
        comment="SHA-256",
    )


def _person(*, primary_key: bool = False, nullable: bool = False) -> Column[Any]:
    return Column(
        "person_id",
        Uuid,
        ForeignKey("person.person_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=nullable,
    )


person = Table(
    "person",
    metadata,
    Column("person_id", Uuid, primary_key=True),
    Column("name", Text, nullable=False),
    Column("email", Text, unique=True, comment="lower case; null: signs in by links of this machine only"),
    made(),
    Column("email_verified_at", DateTime(timezone=True), comment="when a link that was mailed to this e-mail was used"),
    Column(
        "signed_in_at",
        DateTime(timezone=True),
        nullable=False,
        server_default=func.now(),
        comment="when the person last signed in; tokens pause some time after it",
    ),
    CheckConstraint("email = lower(email) AND length(email) <= 254", name="email"),
)

password = Table(
    "password",
    metadata,
    _person(primary_key=True),
    Column("hash", Text, nullable=False),
    Column("changed_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    CheckConstraint("hash LIKE '$argon2id$%'", name="hash"),
)

second_factor = Table(
    "second_factor",
    metadata,
    _person(primary_key=True),
    Column("secret", Sealed, nullable=False, comment="of which the codes are computed (RFC 6238); encrypted"),
    made(),
    Column("confirmed_at", DateTime(timezone=True), comment="when its first code was given; null: not asked for yet"),
    Column(
        "last_step",
        BigInteger,
        nullable=False,
        server_default="0",
        comment="of the last code that was accepted [30 s since 1970]: it and those before are refused",
    ),
)

recovery_code = Table(
    "recovery_code",
    metadata,
    _person(primary_key=True),
    Column("hash", LargeBinary, primary_key=True, comment="SHA-256 of the code, which is random"),
    made(),
)

identity = Table(
    "identity",
    metadata,
    Column("issuer", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    _person(),
    made(),
    Index(None, "person_id"),
)

session = Table(
    "session",
    metadata,
    Column("id", Uuid, primary_key=True),
    _person(),
    # Not called org_id: a session is its person's, whichever team it looks at.
    Column(
        "team_id",
        Uuid,
        ForeignKey("org.org_id", ondelete="SET NULL"),
        comment="the organisation it looks at; null: none is left",
    ),
    _secret_hash(),
    Column("previous_hash", LargeBinary, comment="of the secret before; good for a minute after rotation"),
    Column("csrf", Text, nullable=False),
    Column("how", Text, nullable=False),
    made(),
    Column("rotated_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("seen_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("ends_at", DateTime(timezone=True), nullable=False),
    Column("address", Text),
    Column("agent", Text),
    Column(
        "proved_at",
        DateTime(timezone=True),
        nullable=False,
        server_default=func.now(),
        comment="when its person last proved to be that person",
    ),
    Column(
        "identified_at",
        DateTime(timezone=True),
        comment="when its person signed in at the provider for a proof that lacks the second factor",
    ),
    one_of("how", SessionKind),
    Index(None, "person_id"),
    Index(None, "previous_hash"),
)

one_time_link = Table(
    "one_time_link",
    metadata,
    _secret_hash(primary_key=True),
    Column("kind", Text, nullable=False),
    _person(nullable=True),
    Column("details", JSON),
    made(),
    expires(),
    one_of("kind", OneTimeKind),
    Index(None, "person_id"),
)

throttle = Table(
    "throttle",
    metadata,
    Column("key", LargeBinary, primary_key=True, comment="SHA-256 of what is held back"),
    Column("failures", Integer, nullable=False),
    Column("since", DateTime(timezone=True), nullable=False),
    Column("blocked_until", DateTime(timezone=True)),
)

membership = Table(
    "membership",
    metadata,
    tenant(primary_key=True),
    _person(primary_key=True),
    Column("role", Text, nullable=False),
    Column("joined_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    one_of("role", Role),
    Index(None, "person_id"),
)

invitation = Table(
    "invitation",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("email", Text, nullable=False),
    Column("role", Text, nullable=False),
    _secret_hash(),
    Column("invited_by", Text, nullable=False),
    made(),
    expires(),
    Column("mailed_at", DateTime(timezone=True), comment="null: its link was shown, and proves nothing of the e-mail"),
    one_of("role", Role),
    UniqueConstraint("org_id", "email"),
)

api_token = Table(
    "api_token",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("person_id", Uuid, nullable=False),
    Column("name", Text, nullable=False),
    _secret_hash(),
    Column("hint", Text, nullable=False, comment="how it begins"),
    Column("scopes", JSON, nullable=False, comment="a list"),
    made(),
    expires(),
    Column("last_used_at", DateTime(timezone=True)),
    Column("revoked_at", DateTime(timezone=True)),
    # Who leaves a team leaves no token behind.
    ForeignKeyConstraint(["org_id", "person_id"], [membership.c.org_id, membership.c.person_id], ondelete="CASCADE"),
    Index(None, "org_id", "person_id"),
)

share_link = Table(
    "share_link",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    _secret_hash(),
    Column("kind", Text, nullable=False),
    Column("object_id", Uuid, nullable=False),
    Column("password_hash", Text, comment="argon2id; null where it asks for none"),
    Column("created_by", Text, nullable=False),
    made(),
    expires(),
    Column("revoked_at", DateTime(timezone=True)),
    Column("views", Integer, nullable=False, server_default="0"),
    Column("last_viewed_at", DateTime(timezone=True)),
    one_of("kind", LinkKind),
    Index(None, "org_id", "object_id"),
)

audit_event = Table(
    "audit_event",
    metadata,
    numbered(),
    tenant(),
    Column("at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    Column("actor_kind", Text, nullable=False),
    Column("actor_id", Uuid, comment="of a person, who may be gone"),
    Column("actor_name", Text, nullable=False, comment="as it was then"),
    Column("token_id", Uuid, comment="by which the person acted"),
    Column("action", Text, nullable=False),
    Column("object_kind", Text),
    Column("object_id", Text),
    Column("object_name", Text),
    Column("changes", JSON, nullable=False, comment="field -> before, after"),
    Column("address", Text),
    Column("request_id", Text),
    one_of("actor_kind", ActorKind),
    Index(None, "org_id", "id"),
)

upload = Table(
    "upload",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("name", Text, nullable=False, comment="of the file, as it was said; never a path of ours"),
    Column("size_bytes", BigInteger, nullable=False),
    Column("received_bytes", BigInteger, nullable=False, server_default="0"),
    Column("sha256", LargeBinary, comment="of the whole file; null until it is there"),
    Column("state", Text, nullable=False),
    Column("job_id", Uuid, ForeignKey("job.id", ondelete="SET NULL"), comment="that reads it"),
    Column("problem", Text, comment="why it was refused, in words for people"),
    Column("person", Text, nullable=False, comment="as they were called then"),
    made(),
    Column("expires_at", DateTime(timezone=True), comment="null once it is kept"),
    one_of("state", UploadState),
    CheckConstraint("size_bytes > 0", name="size_bytes"),
    CheckConstraint("received_bytes BETWEEN 0 AND size_bytes", name="received_bytes"),
    CheckConstraint("(state = 'kept') = (expires_at IS NULL)", name="expires_at"),
    Index(None, "org_id", "created_at", "id"),
    Index(None, "job_id"),
    Index("ix_upload_expiring", "expires_at", postgresql_where=text("expires_at IS NOT NULL")),
)

upload_piece = Table(
    "upload_piece",
    metadata,
    Column("upload_id", Uuid, ForeignKey("upload.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, comment="from 0"),
    tenant(),
    Column("content", LargeBinary, nullable=False, comment="1 MiB, or what is left: the file byte for byte"),
    CheckConstraint("number >= 0", name="number"),
)

upload_reading = Table(
    "upload_reading",
    metadata,
    Column("upload_id", Uuid, ForeignKey("upload.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, comment="from 0, in the order of the file"),
    tenant(),
    Column("member", Text, nullable=False, comment="path in the archive; empty where it is no archive"),
    Column("fingerprint", LargeBinary, nullable=False, comment="SHA-256 of what was measured"),
    Column("content", JSON, nullable=False, comment="the reading"),
)

upload_problem = Table(
    "upload_problem",
    metadata,
    Column("upload_id", Uuid, ForeignKey("upload.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True, comment="from 0"),
    tenant(),
    Column("member", Text, nullable=False, comment="path in the archive; empty where it is no archive"),
    Column("line", Integer, comment="from 1; null where it is about the whole"),
    Column("message", Text, nullable=False),
)

measurement = Table(
    "measurement",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column(
        "upload_id",
        Uuid,
        ForeignKey("upload.id", ondelete="CASCADE"),
        nullable=False,
        comment="the file that it was read from",
    ),
    Column("member", Text, nullable=False, comment="path in the archive; empty where it is no archive"),
    Column("position", Integer, nullable=False, comment="in the upload, from 0"),
    Column("fingerprint", LargeBinary, nullable=False, comment="SHA-256 of what was measured: known, it is not kept"),
    Column("tool", Text, nullable=False),
    Column("tool_version", Text),
    Column("status", Text, nullable=False),
    Column("failure", Text, comment="why it is not ok; null exactly where it is"),
    Column("name", Text, nullable=False, comment="of the run, in the file"),
    Column("line", Integer, nullable=False, comment="where it begins, from 1"),
    Column("measured_at", DateTime(timezone=True), comment="null where the file does not say"),
    Column("duration_s", Double),
    Column("settings", JSON, nullable=False),
    Column("host", JSON, nullable=False),
    Column("metrics", JSON, nullable=False, comment="a list: name, value, and what the tool printed"),
    Column("series", JSON, nullable=False, comment="a list"),
    Column("notes", JSON, nullable=False, comment="a list"),
    Column("target", JSON, nullable=False, comment="what was measured"),
    Column("instance", Text, comment="of the target"),
    Column("region", Text, comment="of the target"),
    Column("verdict", Text, nullable=False, comment="ours; people's are in verdict"),
    Column("reasons", JSON, nullable=False, comment="a list"),
    Column("source", Text, comment="of what others published; null for the team's own"),
    Column("person", Text, nullable=False, comment="who kept it, as they were called then"),
    made(),
    one_of("status", ReadingStatus),
    one_of("verdict", VerdictWord),
    CheckConstraint("(status = 'ok') = (failure IS NULL)", name="failure"),
    UniqueConstraint("org_id", "fingerprint"),
    Index(None, "org_id", "created_at", "id"),
    Index(None, "upload_id"),
)

verdict = Table(
    "verdict",
    metadata,
    numbered("rises in the order of storing: the newest of a measurement counts"),
    tenant(),
    Column("measurement_id", Uuid, ForeignKey("measurement.id", ondelete="CASCADE"), nullable=False),
    Column("verdict", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("person_id", Uuid, comment="who may be gone"),
    Column("person_name", Text, nullable=False, comment="as it was then"),
    made(),
    one_of("verdict", VerdictWord),
    Index(None, "measurement_id"),
)

profile_set = Table(
    "profile_set",
    metadata,
    numbered("rises in the order of storing: the newest of a team counts"),
    tenant(),
    Column("digest", Text, nullable=False, comment="SHA-256 of the content"),
    Column("cause", Text, nullable=False, comment="what it was made anew for, in words for people"),
    Column("measurements", Integer, nullable=False, comment="how many it rests on"),
    made(),
    Column("content", JSON, nullable=False, comment="what the team's measurements say together"),
    CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
    Index(None, "org_id", "id"),
)

finished_job = Table(
    "finished_job",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("fingerprint", LargeBinary, nullable=False, comment="SHA-256 of what was said: known, it is not kept"),
    Column("name", Text, nullable=False),
    Column("job", Text, nullable=False, comment="sort, mapreduce, ..."),
    Column("framework", Text, nullable=False),
    Column("instance", Text, nullable=False),
    Column("nodes", Integer, nullable=False),
    Column("workload", JSON, nullable=False, comment="all that was said of it"),
    Column("measured_s", Double, nullable=False),
    Column("phases", JSON, nullable=False, comment="name -> seconds; empty where they are not known"),
    Column("started_at", DateTime(timezone=True)),
    Column("upload_id", Uuid, ForeignKey("upload.id"), comment="the file that it was read from"),
    Column("person", Text, nullable=False, comment="who kept it, as they were called then"),
    made(),
    Column("withdrawn_at", DateTime(timezone=True), comment="it is left out of calibrations since then"),
    CheckConstraint("nodes > 0", name="nodes"),
    CheckConstraint("measured_s > 0 AND measured_s < 'Infinity'", name="measured_s"),
    UniqueConstraint("org_id", "fingerprint"),
    Index(None, "org_id", "created_at", "id"),
    Index(None, "upload_id"),
)

finished_job_series = Table(
    "finished_job_series",
    metadata,
    Column("finished_job_id", Uuid, ForeignKey("finished_job.id", ondelete="CASCADE"), primary_key=True),
    Column("measurement_id", Uuid, ForeignKey("measurement.id", ondelete="CASCADE"), primary_key=True),
    tenant(),
    Index(None, "measurement_id"),
)

calibration = Table(
    "calibration",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("framework", Text, nullable=False),
    Column("digest", Text, nullable=False, comment="SHA-256 of the content"),
    Column("content", JSON, nullable=False, comment="coefficients, errors, and the runs that they rest on"),
    Column("person", Text, nullable=False, comment="who asked for it, as they were called then"),
    made(),
    CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
    Index(None, "org_id", "created_at", "id"),
)

team_quota = Table(
    "team_quota",
    metadata,
    tenant(primary_key=True),
    Column("quota", Text, primary_key=True, comment="its name in stowage.usecases.quotas"),
    Column("most", BigInteger, nullable=False, comment="in place of the default"),
    Column("changed_at", DateTime(timezone=True), nullable=False, server_default=func.now()),
    CheckConstraint("most >= 0", name="most"),
)

alert = Table(
    "alert",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("profile_key", Text),
    Column("metric", Text),
    Column("words", Text, nullable=False),
    Column("content", JSON, nullable=False, comment="the change"),
    Column("at", DateTime(timezone=True), nullable=False, comment="when it changed, as far as it is known"),
    made(),
    Column("seen_at", DateTime(timezone=True)),
    Column("seen_by", Text),
    Column("plan_id", Uuid, ForeignKey("plan.id", ondelete="CASCADE"), comment="null where it is about a profile"),
    CheckConstraint(
        "(plan_id IS NULL) = (profile_key IS NOT NULL) AND (plan_id IS NULL) = (metric IS NOT NULL)", name="about"
    ),
    UniqueConstraint("org_id", "profile_key", "metric", "at"),
    UniqueConstraint("plan_id", "at"),
    Index(None, "org_id", "created_at", "id"),
)

alert_address = Table(
    "alert_address",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    Column("kind", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("secret", Sealed, comment="with which what is sent to a webhook is signed; encrypted"),
    Column("person", Text, nullable=False, comment="who added it, as they were called then"),
    made(),
    one_of("kind", AlertKind),
    CheckConstraint("(kind = 'webhook') = (secret IS NOT NULL)", name="secret"),
    UniqueConstraint("org_id", "kind", "address"),
)
