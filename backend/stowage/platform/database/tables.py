"""Definitions of the platform's tables, for the queries.

The migrations create the tables, with their row-level-security policies (`migrations/versions`). A test compares
them with these definitions. A table either has a column `org_id` with a forced row-level-security policy, or is listed
in `SHARED_TABLES`.
"""

import sqlalchemy as sa

from stowage.model.job import JobKind, JobState
from stowage.model.team import ActorKind
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

org = sa.Table(
    "org",
    metadata,
    sa.Column("org_id", sa.Uuid, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
)


job = team_table(
    "job",
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("subject_id", sa.Uuid, nullable=False, comment="what it works on: for a sweep, the sweep"),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("asked_by", sa.Text, nullable=False),
    sa.Column("total", sa.Integer, nullable=False, comment="units of work"),
    sa.Column("done", sa.Integer, nullable=False, comment="units whose result is stored"),
    sa.Column("reason", sa.Text, comment="why it failed, in words for people"),
    sa.Column("reference", sa.Text, comment="found again in the log"),
    sa.Column("created_at", Moment, nullable=False),
    sa.Column("started_at", Moment),
    sa.Column("finished_at", Moment),
    one_of("kind", JobKind),
    one_of("state", JobState),
    sa.CheckConstraint("total > 0", name="total"),
    sa.CheckConstraint("done BETWEEN 0 AND total", name="done"),
)

job_part = sa.Table(
    "job_part",
    metadata,
    belongs_to("job", primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, comment="from 0"),
    tenant(),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False, comment="how often it was taken up; the holder's token"),
    sa.Column("takeovers", sa.Integer, nullable=False, server_default="0", comment="how often a holder fell silent"),
    sa.Column("sent_at", Moment),
    sa.Column("heartbeat_at", Moment),
    sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name="state"),
    sa.Index("ix_job_part_unfinished", "sent_at", postgresql_where=sa.text("state IN ('queued', 'running')")),
)


throttle = sa.Table(
    "throttle",
    metadata,
    sa.Column("key", sa.LargeBinary, primary_key=True, comment="SHA-256 of what is held back"),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("since", Moment, nullable=False),
    sa.Column("blocked_until", Moment),
)


audit_event = sa.Table(
    "audit_event",
    metadata,
    numbered(),
    tenant(),
    made("at"),
    sa.Column("actor_kind", sa.Text, nullable=False),
    sa.Column("actor_id", sa.Uuid, comment="of a person, who may be gone"),
    sa.Column("actor_name", sa.Text, nullable=False, comment="as it was then"),
    sa.Column("token_id", sa.Uuid, comment="by which the person acted"),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("object_kind", sa.Text),
    sa.Column("object_id", sa.Text),
    sa.Column("object_name", sa.Text),
    sa.Column("changes", sa.JSON, nullable=False, comment="field -> before, after"),
    sa.Column("address", sa.Text),
    sa.Column("request_id", sa.Text),
    one_of("actor_kind", ActorKind),
    sa.Index(None, "org_id", "id"),
)

team_quota = sa.Table(
    "team_quota",
    metadata,
    tenant(primary_key=True),
    sa.Column("quota", sa.Text, primary_key=True, comment="its name in stowage.platform.quotas"),
    sa.Column("most", sa.BigInteger, nullable=False, comment="in place of the default"),
    made("changed_at"),
    sa.CheckConstraint("most >= 0", name="most"),
)

team_limit = sa.Table(
    "team_limit",
    metadata,
    tenant(primary_key=True),
    sa.Column("name", sa.Text, primary_key=True, comment="of the quota, in stowage.platform.quotas"),
    sa.Column("most", sa.BigInteger, nullable=False, comment="an owner's limit, below the operator's"),
    made("changed_at"),
    sa.CheckConstraint("most >= 0", name="most"),
)

currency = team_table(
    "currency",
    sa.Column("code", sa.Text, nullable=False, comment="ISO 4217; USD for US dollars only"),
    sa.Column("usd_rate", ExactFloat, nullable=False, comment="units of the currency per US dollar"),
    sa.Column("since", sa.Date, nullable=False, comment="day from which the rate holds"),
    sa.Column("words", sa.Text, nullable=False, comment="the rate in words"),
    sa.Column("person", sa.Text, nullable=False, comment="name of the person who set it, as it was then"),
    made(),
    sa.CheckConstraint("usd_rate BETWEEN 0.0001 AND 1000000", name="usd_rate"),
)

lease = sa.Table(
    "lease",
    metadata,
    tenant(primary_key=True),
    sa.Column("name", sa.Text, primary_key=True, comment="of work that one process at a time does for the team"),
    sa.Column("holder", sa.Uuid, nullable=False, comment="id of the current holder; new for each lease"),
    sa.Column("until", Moment, nullable=False, comment="expires then unless its holder renews it"),
)
