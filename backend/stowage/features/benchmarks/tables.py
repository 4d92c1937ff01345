"""Tables of connected AWS accounts and benchmark runs."""

from typing import Literal

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Numeric,
    Table,
    Text,
    Uuid,
    text,
)

from stowage.platform.database.columns import (
    Moment,
    Sealed,
    belongs_to,
    made,
    metadata,
    numbered,
    one_of,
    team_table,
    tenant,
)
from stowage.runs.run import RunState

AccountState = Literal["unchecked", "checking", "connected", "failing"]
"""State of the connection to an account."""

aws_account = team_table(
    "aws_account",
    Column("name", Text, nullable=False),
    Column("account", Text, comment="twelve digits; null until the role is known"),
    Column("role_arn", Text, comment="which is assumed; null until somebody says it"),
    Column("external_id", Text, nullable=False, unique=True, comment="by which the role knows that it is us"),
    Column("bucket", Text, comment="where agents and results travel through"),
    Column("prefix", Text, nullable=False, comment="within the bucket; ends with a slash"),
    Column("bucket_region", Text),
    Column("month_limit_usd", Numeric, comment="of all its runs in a month of the calendar; null: none"),
    Column("state", Text, nullable=False),
    Column("findings", JSON, nullable=False, comment="a list: what came of trying each permission"),
    Column("problem", Text, comment="why it is failing, in words for people"),
    Column("checked_at", Moment),
    Column("person", Text, nullable=False, comment="who connected it, as they were called then"),
    made(),
    Column("removed_at", Moment, comment="it is not reached into since then"),
    one_of("state", AccountState),
    CheckConstraint("account ~ '^[0-9]{12}$'", name="account"),
    CheckConstraint("prefix ~ '^[^/].*/$'", name="prefix"),
    CheckConstraint("month_limit_usd >= 0", name="month_limit_usd"),
    CheckConstraint("state <> 'connected' OR (role_arn IS NOT NULL AND bucket IS NOT NULL)", name="connected"),
)

run = team_table(
    "run",
    Column("account_id", Uuid, ForeignKey("aws_account.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("spec", JSON, nullable=False, comment="what is asked"),
    Column("quote", JSON, nullable=False, comment="what it may cost at most, by parts, and until when that holds"),
    Column("quoted_usd", Numeric, nullable=False, comment="the sum of it"),
    Column("agreed_usd", Numeric, comment="what a person agreed to at most"),
    Column("agreed_by", Text, comment="as they were called then"),
    Column("agreed_at", Moment),
    Column("state", Text, nullable=False),
    Column("content", JSON, nullable=False, comment="all else of the run as it stands"),
    Column("key", Sealed, nullable=False, comment="one-time, of which the keys of its nodes are made; encrypted"),
    Column("person", Text, nullable=False, comment="who asked for it, as they were called then"),
    made(),
    Column("launched_at", Moment, comment="when the first launch was asked for"),
    Column("deadline", Moment, comment="when its last node has ended itself"),
    Column("finished_at", Moment),
    Column("spent_usd", Numeric, nullable=False, server_default="0", comment="so far, at the prices of the quote"),
    Column("next_look_at", Moment, comment="null exactly where there is nothing to be done"),
    Column("attempt", Integer, nullable=False, server_default="0", comment="how often it was taken up; the holder's"),
    Column("lease_until", Moment, comment="its holder's; null where nobody holds it"),
    Column("cancel_asked_at", Moment),
    Column("cancel_asked_by", Text, comment="as they were called then"),
    Column("accepted_upload_id", Uuid, ForeignKey("upload.id"), comment="the file that its results became"),
    one_of("state", RunState),
    # An unencrypted key of 32 bytes would be shorter.
    CheckConstraint("octet_length(key) >= 100", name="key"),
    CheckConstraint("quoted_usd >= 0 AND spent_usd >= 0", name="usd"),
    CheckConstraint(
        "(agreed_usd IS NULL) = (agreed_at IS NULL) AND (agreed_usd IS NULL) = (agreed_by IS NULL)", name="agreed"
    ),
    # Nothing is launched without approval, and every run in progress is due at some time.
    CheckConstraint("state IN ('quoted', 'cancelled') OR agreed_usd IS NOT NULL", name="approved"),
    CheckConstraint(
        "(state IN ('quoted', 'done', 'failed', 'cancelled')) = (next_look_at IS NULL)", name="next_look_at"
    ),
    CheckConstraint("(state IN ('done', 'failed', 'cancelled')) = (finished_at IS NOT NULL)", name="finished_at"),
    Index(None, "account_id"),
    Index(None, "accepted_upload_id"),
    Index("ix_run_due", "next_look_at", postgresql_where=text("next_look_at IS NOT NULL")),
)

run_event = Table(
    "run_event",
    metadata,
    numbered("rises in the order of storing"),
    tenant(),
    belongs_to("run"),
    Column("at", Moment, nullable=False),
    Column("kind", Text, nullable=False),
    Column("words", Text, nullable=False, comment="for people"),
    Column("content", JSON, nullable=False, comment="what the words say, for programs"),
    Index(None, "run_id", "id"),
)

run_report = Table(
    "run_report",
    metadata,
    belongs_to("run", primary_key=True),
    Column("node", Integer, primary_key=True, comment="from 0"),
    Column("phase", Text, primary_key=True),
    tenant(),
    Column("content", LargeBinary, nullable=False, comment="as the node signed it, byte for byte"),
    Column("sha256", LargeBinary, nullable=False),
    Column("received_at", Moment, nullable=False),
    CheckConstraint("node >= 0", name="node"),
)

run_status = Table(
    "run_status",
    metadata,
    belongs_to("run", primary_key=True),
    Column("node", Integer, primary_key=True, comment="from 0"),
    tenant(),
    Column("at", Moment, nullable=False, comment="when it came"),
    Column("content", JSON, nullable=False, comment="what the node said of itself last"),
    CheckConstraint("node >= 0", name="node"),
)
