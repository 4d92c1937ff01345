"""Tables of people, sessions, memberships and tokens."""

from typing import Any

import sqlalchemy as sa

from stowage.model.team import OneTimeKind, Role, SessionKind
from stowage.platform.database.columns import Moment, Sealed, expires, made, metadata, one_of, secret_hash, tenant


def _person(*, primary_key: bool = False, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(
        "person_id",
        sa.Uuid,
        sa.ForeignKey("person.person_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=nullable,
    )


person = sa.Table(
    "person",
    metadata,
    sa.Column("person_id", sa.Uuid, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("email", sa.Text, unique=True, comment="lower case; null: signs in by links of this machine only"),
    made(),
    sa.Column("email_verified_at", Moment, comment="when a link that was mailed to this e-mail was used"),
    made("signed_in_at", "when the person last signed in; tokens pause some time later"),
    sa.Column(
        "provider_check_at",
        Moment,
        comment="from when on the refresh tokens of the person are tried again; null: none is stored",
    ),
    sa.Column(
        "provider_refused_at",
        Moment,
        comment="when the provider refused a refresh token; API tokens are paused; null since the next sign-in",
    ),
    sa.CheckConstraint("email = lower(email) AND length(email) <= 254", name="email"),
)

password = sa.Table(
    "password",
    metadata,
    _person(primary_key=True),
    sa.Column("hash", sa.Text, nullable=False),
    made("changed_at"),
    sa.CheckConstraint("hash LIKE '$argon2id$%'", name="hash"),
)

second_factor = sa.Table(
    "second_factor",
    metadata,
    _person(primary_key=True),
    sa.Column(
        "secret", Sealed, nullable=False, comment="secret from which the codes are computed (RFC 6238); encrypted"
    ),
    made(),
    sa.Column("confirmed_at", Moment, comment="when a code confirmed it; null: not required yet"),
    sa.Column(
        "last_step",
        sa.BigInteger,
        nullable=False,
        server_default="0",
        comment="time step of the last accepted code [30 s since 1970]; codes up to this step are refused",
    ),
)

recovery_code = sa.Table(
    "recovery_code",
    metadata,
    _person(primary_key=True),
    sa.Column("hash", sa.LargeBinary, primary_key=True, comment="SHA-256 of the code, which is random"),
    made(),
)

passkey = sa.Table(
    "passkey",
    metadata,
    sa.Column("passkey_id", sa.Uuid, primary_key=True),
    _person(),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("domain", sa.Text, nullable=False, comment="RP ID: browsers offer it only at this domain"),
    sa.Column(
        "credential_id",
        sa.LargeBinary,
        nullable=False,
        unique=True,
        comment="how the authenticator finds its private key",
    ),
    sa.Column("public_key", sa.LargeBinary, nullable=False, comment="COSE key (RFC 9052)"),
    sa.Column(
        "sign_count",
        sa.BigInteger,
        nullable=False,
        comment="counter of the authenticator at its last use; 0 for those that do not count",
    ),
    made(),
    sa.Column("used_at", Moment, comment="null: not used yet"),
    sa.Index(None, "person_id"),
)

identity = sa.Table(
    "identity",
    metadata,
    sa.Column("issuer", sa.Text, primary_key=True),
    sa.Column("subject", sa.Text, primary_key=True),
    _person(),
    made(),
    sa.Column("refresh_token", Sealed, comment="of the provider; encrypted; null: it gave none, or refused it"),
    sa.Index(None, "person_id"),
)

session = sa.Table(
    "session",
    metadata,
    sa.Column("id", sa.Uuid, primary_key=True),
    _person(),
    # Not named org_id: a session belongs to its person, not to the team that it shows.
    sa.Column(
        "team_id",
        sa.Uuid,
        sa.ForeignKey("org.org_id", ondelete="SET NULL"),
        comment="the organisation it looks at; null: none is left",
    ),
    secret_hash(),
    sa.Column("previous_hash", sa.LargeBinary, comment="of the secret before; good for a minute after rotation"),
    sa.Column("csrf", sa.Text, nullable=False),
    sa.Column("how", sa.Text, nullable=False),
    made(),
    made("rotated_at"),
    made("seen_at"),
    sa.Column("ends_at", Moment, nullable=False),
    sa.Column("address", sa.Text),
    sa.Column("agent", sa.Text),
    made("proved_at", "when its person last authenticated"),
    sa.Column(
        "identified_at",
        Moment,
        comment="when its person signed in at the provider to reauthenticate, still without the second factor",
    ),
    one_of("how", SessionKind),
    sa.Index(None, "person_id"),
    sa.Index(None, "previous_hash"),
)

one_time_link = sa.Table(
    "one_time_link",
    metadata,
    secret_hash(primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    _person(nullable=True),
    sa.Column("details", sa.JSON),
    made(),
    expires(),
    one_of("kind", OneTimeKind),
    sa.Index(None, "person_id"),
)

membership = sa.Table(
    "membership",
    metadata,
    tenant(primary_key=True),
    _person(primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
    made("joined_at"),
    one_of("role", Role),
    sa.Index(None, "person_id"),
)

invitation = sa.Table(
    "invitation",
    metadata,
    sa.Column("id", sa.Uuid, primary_key=True),
    tenant(),
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    secret_hash(),
    sa.Column("invited_by", sa.Text, nullable=False),
    made(),
    expires(),
    sa.Column("mailed_at", Moment, comment="null: its link was shown, which does not verify the e-mail"),
    one_of("role", Role),
    sa.UniqueConstraint("org_id", "email"),
)

api_token = sa.Table(
    "api_token",
    metadata,
    sa.Column("id", sa.Uuid, primary_key=True),
    tenant(),
    sa.Column("person_id", sa.Uuid, nullable=False),
    sa.Column("name", sa.Text, nullable=False),
    secret_hash(),
    sa.Column("hint", sa.Text, nullable=False, comment="how it begins"),
    sa.Column("scopes", sa.JSON, nullable=False, comment="a list"),
    made(),
    expires(),
    sa.Column("last_used_at", Moment),
    sa.Column("revoked_at", Moment),
    # The tokens of a member are deleted with the membership.
    sa.ForeignKeyConstraint(["org_id", "person_id"], [membership.c.org_id, membership.c.person_id], ondelete="CASCADE"),
    sa.Index(None, "org_id", "person_id"),
)
