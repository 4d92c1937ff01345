"""Definitions of the platform's tables, for the queries.

The migrations create the tables, with their row-level-security policies (`migrations/versions`). A test compares
them with these definitions. A table either has a column `org_id` with a forced row-level-security policy, or is listed
in `SHARED_TABLES`.
"""

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    Uuid,
    text,
)

from stowage.model.job import JobKind, JobState
from stowage.model.team import ActorKind
from stowage.platform.database.columns import Moment, belongs_to, made, metadata, numbered, one_of, team_table, tenant

org = Table(
    "org",
    metadata,
    Column("org_id", Uuid, primary_key=True),
    Column("name", Text, nullable=False),
)


job = team_table(
    "job",
    Column("kind", Text, nullable=False),
    Column("subject_id", Uuid, nullable=False, comment="what it works on: for a sweep, the sweep"),
    Column("state", Text, nullable=False),
    Column("asked_by", Text, nullable=False),
    Column("total", Integer, nullable=False, comment="units of work"),
    Column("done", Integer, nullable=False, comment="units whose result is stored"),
    Column("reason", Text, comment="why it failed, in words for people"),
    Column("reference", Text, comment="found again in the log"),
    Column("created_at", Moment, nullable=False),
    Column("started_at", Moment),
    Column("finished_at", Moment),
    one_of("kind", JobKind),
    one_of("state", JobState),
    CheckConstraint("total > 0", name="total"),
    CheckConstraint("done BETWEEN 0 AND total", name="done"),
)

job_part = Table(
    "job_part",
    metadata,
    belongs_to("job", primary_key=True),
    Column("number", Integer, primary_key=True, comment="from 0"),
    tenant(),
    Column("state", Text, nullable=False),
    Column("attempt", Integer, nullable=False, comment="how often it was taken up; the holder's token"),
    Column("takeovers", Integer, nullable=False, server_default="0", comment="how often a holder fell silent"),
    Column("sent_at", Moment),
    Column("heartbeat_at", Moment),
    CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name="state"),
    Index("ix_job_part_unfinished", "sent_at", postgresql_where=text("state IN ('queued', 'running')")),
)


throttle = Table(
    "throttle",
    metadata,
    Column("key", LargeBinary, primary_key=True, comment="SHA-256 of what is held back"),
    Column("failures", Integer, nullable=False),
    Column("since", Moment, nullable=False),
    Column("blocked_until", Moment),
)


audit_event = Table(
    "audit_event",
    metadata,
    numbered(),
    tenant(),
    made("at"),
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

team_quota = Table(
    "team_quota",
    metadata,
    tenant(primary_key=True),
    Column("quota", Text, primary_key=True, comment="its name in stowage.platform.quotas"),
    Column("most", BigInteger, nullable=False, comment="in place of the default"),
    made("changed_at"),
    CheckConstraint("most >= 0", name="most"),
)

lease = Table(
    "lease",
    metadata,
    tenant(primary_key=True),
    Column("name", Text, primary_key=True, comment="of work that one process at a time does for the team"),
    Column("holder", Uuid, nullable=False, comment="id of the current holder; new for each lease"),
    Column("until", Moment, nullable=False, comment="expires then unless its holder renews it"),
)
