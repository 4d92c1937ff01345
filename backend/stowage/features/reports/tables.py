"""Tables of published reports, their files, their comments, and share links."""

from typing import Literal

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    Uuid,
)

from stowage.model.report import ReportKind
from stowage.model.team import LinkKind
from stowage.platform.database.columns import (
    Moment,
    belongs_to,
    expires,
    made,
    metadata,
    one_of,
    secret_hash,
    team_table,
    tenant,
)

StoredFormat = Literal["csv", "xlsx", "pdf", "png"]
"""Formats of files that are built once and stored; the report itself is stored as JSON."""

report = team_table(
    "report",
    Column("name", Text, nullable=False, comment="its title"),
    Column("sentence", Text, nullable=False),
    Column("kind", Text, nullable=False, comment="of what it was made of"),
    Column("origins", JSON, nullable=False, comment="a list: what it was made of, as it was called then"),
    Column("author", Text, nullable=False, comment="as they were called then"),
    Column("content", Text, nullable=False, comment="the report, as JSON: to the letter what the digest is of"),
    Column("digest", Text, nullable=False, comment="SHA-256 of the content"),
    Column("deployable", JSON, nullable=False, comment="a list: configurations in it that can be deployed"),
    Column("replaces", Uuid, ForeignKey("report.id", ondelete="SET NULL"), comment="an older report"),
    Column("job_id", Uuid, ForeignKey("job.id", deferrable=True, initially="DEFERRED"), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("deleted_at", Moment),
    one_of("kind", ReportKind),
    # Tampering with a published report shows in its row alone.
    CheckConstraint("digest = encode(sha256(convert_to(content, 'UTF8')), 'hex')", name="digest"),
    CheckConstraint("replaces <> id", name="replaces"),
    Index(None, "replaces"),
    Index(None, "job_id"),
)

report_file = Table(
    "report_file",
    metadata,
    belongs_to("report", primary_key=True),
    Column("format", Text, primary_key=True),
    tenant(),
    Column("content", LargeBinary, nullable=False),
    Column("digest", Text, nullable=False, comment="SHA-256 of the content"),
    made(),
    one_of("format", StoredFormat),
    CheckConstraint("digest = encode(sha256(content), 'hex')", name="digest"),
)

report_comment = Table(
    "report_comment",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    belongs_to("report"),
    Column("person_id", Uuid, nullable=False, comment="who may be gone"),
    Column("person", Text, nullable=False, comment="as they were called then"),
    Column("text", Text, nullable=False, comment="plain"),
    Column("created_at", Moment, nullable=False),
    CheckConstraint("text <> ''", name="text"),
    Index(None, "report_id", "created_at", "id"),
)

ApprovalState = Literal["requested", "approved", "refused", "withdrawn"]

report_approval = team_table(
    "report_approval",
    belongs_to("report"),
    Column("name", Text, nullable=False, comment="title of the report"),
    Column("requested_by_id", Uuid, nullable=False, comment="who may be gone"),
    Column("requested_by", Text, nullable=False, comment="as they were called then"),
    Column("approver_id", Uuid, nullable=False, comment="who may be gone"),
    Column("approver", Text, nullable=False, comment="as they were called then"),
    Column("created_at", Moment, nullable=False),
    Column("state", Text, nullable=False),
    Column("comment", Text, nullable=False, comment="of the approver; plain"),
    Column("decided_at", Moment),
    one_of("state", ApprovalState),
    CheckConstraint("(state = 'requested') = (decided_at IS NULL)", name="decided"),
    CheckConstraint("approver_id <> requested_by_id", name="own"),
    Index(None, "report_id", "created_at"),
)

report_approval_file = Table(
    "report_approval_file",
    metadata,
    belongs_to("report_approval", primary_key=True),
    tenant(),
    Column("content", LargeBinary, nullable=False),
    Column("digest", Text, nullable=False, comment="SHA-256 of the content"),
    made(),
    CheckConstraint("digest = encode(sha256(content), 'hex')", name="digest"),
)

ScheduleEvery = Literal["week", "month"]
ScheduleContent = Literal["link", "pdf"]

report_schedule = team_table(
    "report_schedule",
    belongs_to("report"),
    Column("name", Text, nullable=False, comment="title of the report"),
    Column("every", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("recipients", JSON, nullable=False, comment="ids of members"),
    Column("created_by", Text, nullable=False, comment="as they were called then"),
    Column("created_at", Moment, nullable=False),
    Column("next_at", Moment, nullable=False),
    Column("sent_at", Moment),
    Column("sent", JSON(none_as_null=True), comment="the last sending: report and recipients"),
    Column("ended_at", Moment),
    one_of("every", ScheduleEvery),
    one_of("content", ScheduleContent),
    Index(None, "report_id"),
)

share_link = Table(
    "share_link",
    metadata,
    Column("id", Uuid, primary_key=True),
    tenant(),
    secret_hash(),
    Column("kind", Text, nullable=False),
    Column("object_id", Uuid, nullable=False),
    Column("password_hash", Text, comment="argon2id; null where it asks for none"),
    Column("created_by", Text, nullable=False),
    made(),
    expires(),
    Column("revoked_at", Moment),
    Column("views", Integer, nullable=False, server_default="0"),
    Column("last_viewed_at", Moment),
    one_of("kind", LinkKind),
    Index(None, "org_id", "object_id"),
)
