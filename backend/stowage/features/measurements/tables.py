"""Tables of uploads, measurements, profiles, finished jobs and calibrations."""

import hashlib
from typing import Any, Literal

import sqlalchemy as sa

from stowage.measure.reading import Status
from stowage.platform.database.columns import Moment, belongs_to, made, metadata, numbered, one_of, team_table, tenant

UploadState = Literal["arriving", "reading", "read", "refused", "kept"]
"""State of an upload, from its first byte to the measurements stored from it."""
VerdictWord = Literal["good", "doubtful", "rejected"]
"""Reliability of a measurement."""

NOTHING = hashlib.sha256(b"").hexdigest()
"""Digest of a set of profiles without values that predictions use."""

upload = team_table(
    "upload",
    sa.Column("name", sa.Text, nullable=False, comment="of the file, as it was said; never a path of ours"),
    sa.Column("size_bytes", sa.BigInteger, nullable=False),
    sa.Column("received_bytes", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("sha256", sa.LargeBinary, comment="of the whole file; null until it is there"),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("job_id", sa.Uuid, sa.ForeignKey("job.id", ondelete="SET NULL"), comment="that reads it"),
    sa.Column("problem", sa.Text, comment="why it was refused, in words for people"),
    sa.Column("person", sa.Text, nullable=False, comment="as they were called then"),
    made(),
    sa.Column("expires_at", Moment, comment="null once it is kept"),
    one_of("state", UploadState),
    sa.CheckConstraint("size_bytes > 0", name="size_bytes"),
    sa.CheckConstraint("received_bytes BETWEEN 0 AND size_bytes", name="received_bytes"),
    sa.CheckConstraint("(state = 'kept') = (expires_at IS NULL)", name="expires_at"),
    sa.Index(None, "job_id"),
    sa.Index("ix_upload_expiring", "expires_at", postgresql_where=sa.text("expires_at IS NOT NULL")),
)

upload_piece = sa.Table(
    "upload_piece",
    metadata,
    belongs_to("upload", primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, comment="from 0"),
    tenant(),
    sa.Column("content", sa.LargeBinary, nullable=False, comment="1 MiB, or what is left: the file byte for byte"),
    sa.CheckConstraint("number >= 0", name="number"),
)


def _staged(name: str, position: str, *columns: sa.Column[Any]) -> sa.Table:
    """Build a table for one kind of item that is parsed from uploads."""
    return sa.Table(
        name,
        metadata,
        belongs_to("upload", primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, comment=position),
        tenant(),
        sa.Column("member", sa.Text, nullable=False, comment="path in the archive; empty where it is no archive"),
        *columns,
    )


_IN_FILE = "from 0, in the order of the file"

upload_reading = _staged(
    "upload_reading",
    _IN_FILE,
    sa.Column("fingerprint", sa.LargeBinary, nullable=False, comment="SHA-256 of what was measured"),
    sa.Column("content", sa.JSON, nullable=False, comment="the reading"),
)
upload_job = _staged(
    "upload_job", _IN_FILE, sa.Column("content", sa.JSON, nullable=False, comment="the job as the log describes it")
)
upload_problem = _staged(
    "upload_problem",
    "from 0",
    sa.Column("line", sa.Integer, comment="from 1; null where it is about the whole"),
    sa.Column("message", sa.Text, nullable=False),
)

measurement = team_table(
    "measurement",
    sa.Column(
        "upload_id",
        sa.Uuid,
        sa.ForeignKey("upload.id", ondelete="CASCADE"),
        nullable=False,
        comment="the file that it was read from",
    ),
    sa.Column("member", sa.Text, nullable=False, comment="path in the archive; empty where it is no archive"),
    sa.Column("position", sa.Integer, nullable=False, comment="in the upload, from 0"),
    sa.Column(
        "fingerprint", sa.LargeBinary, nullable=False, comment="SHA-256 of what was measured: known, it is not kept"
    ),
    sa.Column("tool", sa.Text, nullable=False),
    sa.Column("tool_version", sa.Text),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("failure", sa.Text, comment="why it is not ok; null exactly where it is"),
    sa.Column("name", sa.Text, nullable=False, comment="of the run, in the file"),
    sa.Column("line", sa.Integer, nullable=False, comment="where it begins, from 1"),
    sa.Column("measured_at", Moment, comment="null where the file does not say"),
    sa.Column("duration_s", sa.Double),
    sa.Column("settings", sa.JSON, nullable=False),
    sa.Column("host", sa.JSON, nullable=False),
    sa.Column("metrics", sa.JSON, nullable=False, comment="a list: name, value, and what the tool printed"),
    sa.Column("series", sa.JSON, nullable=False, comment="a list"),
    sa.Column("notes", sa.JSON, nullable=False, comment="a list"),
    sa.Column("target", sa.JSON, nullable=False, comment="what was measured"),
    sa.Column("instance", sa.Text, comment="of the target"),
    sa.Column("region", sa.Text, comment="of the target"),
    sa.Column("verdict", sa.Text, nullable=False, comment="ours; people's are in verdict"),
    sa.Column("reasons", sa.JSON, nullable=False, comment="a list"),
    sa.Column("source", sa.Text, comment="of what others published; null for the team's own"),
    sa.Column("person", sa.Text, nullable=False, comment="who kept it, as they were called then"),
    made(),
    one_of("status", Status),
    one_of("verdict", VerdictWord),
    sa.CheckConstraint("(status = 'ok') = (failure IS NULL)", name="failure"),
    sa.UniqueConstraint("org_id", "fingerprint"),
    sa.Index(None, "upload_id"),
)

verdict = sa.Table(
    "verdict",
    metadata,
    numbered("rises in the order of storing: the newest of a measurement counts"),
    tenant(),
    belongs_to("measurement"),
    sa.Column("verdict", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("person_id", sa.Uuid, comment="who may be gone"),
    sa.Column("person_name", sa.Text, nullable=False, comment="as it was then"),
    made(),
    one_of("verdict", VerdictWord),
    sa.Index(None, "measurement_id"),
)

profile_set = sa.Table(
    "profile_set",
    metadata,
    numbered("rises in the order of storing: the newest of a team counts"),
    tenant(),
    sa.Column("digest", sa.Text, nullable=False, comment="SHA-256 of the content"),
    sa.Column("cause", sa.Text, nullable=False, comment="what it was made anew for, in words for people"),
    sa.Column("measurements", sa.Integer, nullable=False, comment="how many it rests on"),
    made(),
    sa.Column("content", sa.JSON, nullable=False, comment="what the team's measurements say together"),
    sa.CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
    sa.Index(None, "org_id", "id"),
)
