"""Tables of people, sessions, memberships and tokens."""

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)

from stowage.model.team import OneTimeKind, Role, SessionKind
from stowage.platform.database.columns import Moment, Sealed, expires, made, metadata, one_of, secret_hash, tenant


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
    Column("email_verified_at", Moment, comment="when a link that was mailed to this e-mail was used"),
    made("signed_in_at", "when the person last signed in; tokens pause some time later"),
    Column(
        "provider_check_at",
        Moment,
        comment="from when on the refresh tokens of the person are tried again; null: none is stored",
    ),
    Column(
        "provider_refused_at",
        Moment,
        comment="when the provider refused a refresh token; API tokens are paused; null since the next sign-in",
    ),
    CheckConstraint("email = lower(email) AND length(email) <= 254", name="email"),
)

password = Table(
    "password",
    metadata,
    _person(primary_key=True),
    Column("hash", Text, nullable=False),
    made("changed_at"),
    CheckConstraint("hash LIKE '$argon2id$%'", name="hash"),
)

second_factor = Table(
    "second_factor",
    metadata,
    _person(primary_key=True),
    Column("secret", Sealed, nullable=False, comment="secret from which the codes are computed (RFC 6238); encrypted"),
    made(),
    Column("confirmed_at", Moment, comment="when a code confirmed it; null: not required yet"),
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
    Column("used_at", Moment, comment="null: not used yet"),
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
    # Not named org_id: a session belongs to its person, not to the team that it shows.
    Column(
        "team_id",
        Uuid,
        ForeignKey("org.org_id", ondelete="SET NULL"),
        comment="the organisation it looks at; null: none is left",
    ),
    secret_hash(),
    Column("previous_hash", LargeBinary, comment="of the secret before; good for a minute after rotation"),
    Column("csrf", Text, nullable=False),
    Column("how", Text, nullable=False),
    made(),
    made("rotated_at"),
    made("seen_at"),
    Column("ends_at", Moment, nullable=False),
    Column("address", Text),
    Column("agent", Text),
    made("proved_at", "when its person last authenticated"),
    Column(
        "identified_at",
        Moment,
        comment="when its person signed in at the provider to reauthenticate, still without the second factor",
    ),
    one_of("how", SessionKind),
    Index(None, "person_id"),
    Index(None, "previous_hash"),
)

one_time_link = Table(
    "one_time_link",
    metadata,
    secret_hash(primary_key=True),
    Column("kind", Text, nullable=False),
    _person(nullable=True),
    Column("details", JSON),
    made(),
    expires(),
    one_of("kind", OneTimeKind),
    Index(None, "person_id"),
)

membership = Table(
    "membership",
    metadata,
    tenant(primary_key=True),
    _person(primary_key=True),
    Column("role", Text, nullable=False),
    made("joined_at"),
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
    secret_hash(),
    Column("invited_by", Text, nullable=False),
    made(),
    expires(),
    Column("mailed_at", Moment, comment="null: its link was shown, which does not verify the e-mail"),
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
    secret_hash(),
    Column("hint", Text, nullable=False, comment="how it begins"),
    Column("scopes", JSON, nullable=False, comment="a list"),
    made(),
    expires(),
    Column("last_used_at", Moment),
    Column("revoked_at", Moment),
    # The tokens of a member are deleted with the membership.
    ForeignKeyConstraint(["org_id", "person_id"], [membership.c.org_id, membership.c.person_id], ondelete="CASCADE"),
    Index(None, "org_id", "person_id"),
)
