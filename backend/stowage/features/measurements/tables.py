"""Tables of uploads, measurements, profiles, finished jobs and calibrations."""

from typing import Any, Literal

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    text,
)

from stowage.platform.database.columns import Moment, belongs_to, made, metadata, numbered, one_of, team_table, tenant

UploadState = Literal["arriving", "reading", "read", "refused", "kept"]
"""State of an upload, from its first byte to the measurements stored from it."""
ReadingStatus = Literal["ok", "partial", "failed"]
"""Exit status of a benchmark, from its output."""
VerdictWord = Literal["good", "doubtful", "rejected"]
"""Reliability of a measurement."""

upload = team_table(
    "upload",
    Column("name", Text, nullable=False, comment="of the file, as it was said; never a path of ours"),
    Column("size_bytes", BigInteger, nullable=False),
    Column("received_bytes", BigInteger, nullable=False, server_default="0"),
    Column("sha256", LargeBinary, comment="of the whole file; null until it is there"),
    Column("state", Text, nullable=False),
    Column("job_id", Uuid, ForeignKey("job.id", ondelete="SET NULL"), comment="that reads it"),
    Column("problem", Text, comment="why it was refused, in words for people"),
    Column("person", Text, nullable=False, comment="as they were called then"),
    made(),
    Column("expires_at", Moment, comment="null once it is kept"),
    one_of("state", UploadState),
    CheckConstraint("size_bytes > 0", name="size_bytes"),
    CheckConstraint("received_bytes BETWEEN 0 AND size_bytes", name="received_bytes"),
    CheckConstraint("(state = 'kept') = (expires_at IS NULL)", name="expires_at"),
    Index(None, "job_id"),
    Index("ix_upload_expiring", "expires_at", postgresql_where=text("expires_at IS NOT NULL")),
)

upload_piece = Table(
    "upload_piece",
    metadata,
    belongs_to("upload", primary_key=True),
    Column("number", Integer, primary_key=True, comment="from 0"),
    tenant(),
    Column("content", LargeBinary, nullable=False, comment="1 MiB, or what is left: the file byte for byte"),
    CheckConstraint("number >= 0", name="number"),
)


def _staged(name: str, position: str, *columns: Column[Any]) -> Table:
    """Build a table for one kind of item that is parsed from uploads."""
    return Table(
        name,
        metadata,
        belongs_to("upload", primary_key=True),
        Column("position", Integer, primary_key=True, comment=position),
        tenant(),
        Column("member", Text, nullable=False, comment="path in the archive; empty where it is no archive"),
        *columns,
    )


_IN_FILE = "from 0, in the order of the file"

upload_reading = _staged(
    "upload_reading",
    _IN_FILE,
    Column("fingerprint", LargeBinary, nullable=False, comment="SHA-256 of what was measured"),
    Column("content", JSON, nullable=False, comment="the reading"),
)
upload_job = _staged(
    "upload_job", _IN_FILE, Column("content", JSON, nullable=False, comment="the job as the log describes it")
)
upload_problem = _staged(
    "upload_problem",
    "from 0",
    Column("line", Integer, comment="from 1; null where it is about the whole"),
    Column("message", Text, nullable=False),
)

measurement = team_table(
    "measurement",
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
    Column("measured_at", Moment, comment="null where the file does not say"),
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
    Index(None, "upload_id"),
)

verdict = Table(
    "verdict",
    metadata,
    numbered("rises in the order of storing: the newest of a measurement counts"),
    tenant(),
    belongs_to("measurement"),
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
