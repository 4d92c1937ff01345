"""The tables, as the queries see them.

The migrations create them, and say besides who may see and write what (`migrations/versions`); a test holds
the two against each other. A table either carries `org_id`, with a forced row-level-security policy on it,
or stands in `SHARED_TABLES`.
"""

from typing import Any, Literal

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
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

from stowage.features.catalog.tables import CATALOGUE_TABLES
from stowage.features.monitoring import metric_tables as metric_tables  # noqa: PLC0414 - adds its tables to `metadata`
from stowage.features.monitoring import plan_watch_tables as plan_watch_tables  # noqa: PLC0414 - adds its tables to `metadata`
from stowage.model.job import JobKind, JobState
from stowage.model.team import ActorKind, LinkKind, OneTimeKind, Role, SessionKind
from stowage.platform.database.columns import ExactFloat, Sealed, expires, made, numbered, one_of, tenant
from stowage.platform.database.columns import metadata as metadata  # noqa: PLC0414 - importing it from here has all tables in it

PEOPLE_TABLES = frozenset(
    {
        *("person", "password", "second_factor", "passkey", "recovery_code", "identity", "session", "one_time_link"),
        "throttle",
    }
)
"""Who signs in, and how: the gate's. Of people the application sees those of the team that it works for."""

SHARED_TABLES = CATALOGUE_TABLES | PEOPLE_TABLES | {"alembic_version"}
"""Tables without `org_id`: every organisation reads the catalogue's, none the people's."""

AlertKind = Literal["mail", "webhook"]
"""How a team is told of a change, besides on the page."""

org = Table(
    "org",
    metadata,
    Column("org_id", Uuid, primary_key=True),
    Column("name", Text, nullable=False),
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
        comment="when the person last signed in; tokens pause some time later",
    ),
    Column(
        "provider_check_at",
        DateTime(timezone=True),
        comment="from when on the refresh tokens of the person are tried again; null: none is stored",
    ),
    Column(
        "provider_refused_at",
        DateTime(timezone=True),
        comment="when the provider refused a refresh token; API tokens are paused; null since the next sign-in",
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
    Column("secret", Sealed, nullable=False, comment="secret from which the codes are computed (RFC 6238); encrypted"),
    made(),
    Column("confirmed_at", DateTime(timezone=True), comment="when a code confirmed it; null: not required yet"),
    Column(
        "last_step",
        BigInteger,
        nullable=False,
        server_default="0",
        comment="time step of the last accepted code [30 s since 1970]; codes up to this step are refused",
    ),
)

recovery_code = Table(
    "recovery_code",
    metadata,
    _person(primary_key=True),
    Column("hash", LargeBinary, primary_key=True, comment="SHA-256 of the code, which is random"),
    made(),
)

passkey = Table(
    "passkey",
    metadata,
    Column("passkey_id", Uuid, primary_key=True),
    _person(),
    Column("name", Text, nullable=False),
    Column("domain", Text, nullable=False, comment="RP ID: browsers offer it only at this domain"),
    Column(
        "credential_id",
        LargeBinary,
        nullable=False,
        unique=True,
        comment="how the authenticator finds its private key",
    ),
    Column("public_key", LargeBinary, nullable=False, comment="COSE key (RFC 9052)"),
    Column(
        "sign_count",
        BigInteger,
        nullable=False,
        comment="counter of the authenticator at its last use; 0 for those that do not count",
    ),
    made(),
    Column("used_at", DateTime(timezone=True), comment="null: not used yet"),
    Index(None, "person_id"),
)

identity = Table(
    "identity",
    metadata,
    Column("issuer", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    _person(),
    made(),
    Column("refresh_token", Sealed, comment="of the provider; encrypted; null: it gave none, or refused it"),
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
        comment="when its person last authenticated",
    ),
    Column(
        "identified_at",
        DateTime(timezone=True),
        comment="when its person signed in at the provider to reauthenticate, still without the second factor",
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
    Column("mailed_at", DateTime(timezone=True), comment="null: its link was shown, which does not verify the e-mail"),
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

team_quota = Table(
    "team_quota",
    metadata,
    tenant(primary_key=True),
    Column("quota", Text, primary_key=True, comment="its name in stowage.platform.quotas"),
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
