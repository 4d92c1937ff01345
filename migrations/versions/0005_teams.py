"""People and teams: sign-in, roles, invitations, tokens, share links, the record; and the role that signs in."""

import sqlalchemy as sa
from alembic import context, op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"
_ROLES = "('owner', 'planner', 'contributor', 'viewer')"

_BEFORE = ("profile", "plan", "job", "job_part", "sweep", "sweep_cell", "refresh", "refresh_piece")
_TENANTED = ("membership", "invitation", "api_token", "share_link", "audit_event")
_GATED = ("person", "password", "identity", "session", "one_time_link", "throttle")
_SEEN_BY_GATE = ("org", "membership", "invitation", "api_token", "share_link")

_TOLD = (
    "org_id, actor_kind, actor_id, actor_name, token_id, action, object_kind, object_id, object_name, changes, "
    "address, request_id"
)
"""What application and gate say of an event; its number and its time are the database's."""

_RECORDED = {
    "plan": ("INSERT OR DELETE OR UPDATE OF name, deleted_at", ("id", "name", "deleted_at")),
    "sweep": ("INSERT OR DELETE OR UPDATE OF name, deleted_at", ("id", "name", "deleted_at")),
    "refresh": ("INSERT", ("id",)),
    "org": ("UPDATE OF name", ("name",)),
    "membership": ("INSERT OR DELETE OR UPDATE OF role", ("person_id", "role")),
    "invitation": ("INSERT OR DELETE", ("id", "email", "role", "expires_at")),
    "api_token": ("INSERT OR DELETE OR UPDATE OF revoked_at", ("id", "name", "scopes", "expires_at", "revoked_at")),
    "share_link": ("INSERT OR DELETE OR UPDATE OF revoked_at", ("id", "kind", "expires_at", "revoked_at")),
}
"""When something is recorded, and which columns say what it was; documents are none of them, they may be large."""

_RECORD = """
CREATE FUNCTION record_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    actor jsonb := coalesce(nullif(current_setting('stowage.actor', true), ''), '{}')::jsonb;
    pick text := (SELECT 'SELECT jsonb_build_object(' || string_agg(format('%L, ($1).%I', name, name), ', ') || ')'
                  FROM unnest(TG_ARGV) AS name);
    before jsonb := '{}';
    after jsonb := '{}';
    one jsonb;
    changes jsonb;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        EXECUTE pick INTO before USING OLD;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        EXECUTE pick INTO after USING NEW;
    END IF;
    one := CASE WHEN TG_OP = 'DELETE' THEN before ELSE after END;
    SELECT coalesce(jsonb_object_agg(key, jsonb_build_array(before -> key, after -> key)), '{}')
    INTO changes
    FROM unnest(TG_ARGV) AS key
    WHERE key NOT IN ('org_id', 'id', 'person_id')
      AND coalesce(before -> key, 'null') IS DISTINCT FROM coalesce(after -> key, 'null');
    INSERT INTO audit_event (org_id, actor_kind, actor_id, actor_name, token_id, action, object_kind, object_id,
                             object_name, changes, address, request_id)
    VALUES ((one ->> 'org_id')::uuid,
            coalesce(actor ->> 'kind', 'system'), (actor ->> 'id')::uuid, coalesce(actor ->> 'name', 'Stowage'),
            (actor ->> 'token')::uuid,
            TG_TABLE_NAME || '.' || lower(TG_OP), TG_TABLE_NAME,
            coalesce(one ->> 'id', one ->> 'person_id', one ->> 'org_id'),
            coalesce(one ->> 'name', one ->> 'email'),
            changes::json, actor ->> 'address', actor ->> 'request');
    RETURN NULL;
END
$$
"""


def upgrade() -> None:
    """Create the tables, the walls around them, and the record of what is done behind them."""
    _create_people()
    _create_teams()
    for table in _BEFORE:
        _point_at_org(table, ondelete="CASCADE")
    for table in _TENANTED:
        _force(table)
        op.execute(f"CREATE POLICY tenant ON {table} USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    _admit()
    _record()


def _create_people() -> None:
    now = sa.text("now()")
    op.create_table(
        "person",
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), comment="lower case; null: signs in by links of this machine only"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_person")),
        sa.UniqueConstraint("email", name=op.f("uq_person_email")),
        sa.CheckConstraint("email = lower(email) AND length(email) <= 254", name=op.f("ck_person_email")),
    )
    op.create_table(
        "password",
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_password")),
        _person("password"),
        sa.CheckConstraint("hash LIKE '$argon2id$%'", name=op.f("ck_password_hash")),
    )
    op.create_table(
        "identity",
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.PrimaryKeyConstraint("issuer", "subject", name=op.f("pk_identity")),
        _person("identity"),
    )
    op.create_index(op.f("ix_identity_person_id"), "identity", ["person_id"])
    op.create_table(
        "session",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("team_id", sa.Uuid(), comment="the organisation it looks at; null: none is left"),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False, comment="SHA-256"),
        sa.Column("previous_hash", sa.LargeBinary(), comment="of the secret before; good for a minute after rotation"),
        sa.Column("csrf", sa.Text(), nullable=False),
        sa.Column("how", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("rotated_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("address", sa.Text()),
        sa.Column("agent", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session")),
        _person("session"),
        sa.ForeignKeyConstraint(["team_id"], ["org.org_id"], name=op.f("fk_session_org"), ondelete="SET NULL"),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_session_secret_hash")),
        sa.CheckConstraint("how IN ('password', 'oidc', 'link')", name=op.f("ck_session_how")),
    )
    op.create_index(op.f("ix_session_person_id"), "session", ["person_id"])
    op.create_index(op.f("ix_session_previous_hash"), "session", ["previous_hash"])
    op.create_table(
        "one_time_link",
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False, comment="SHA-256"),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Uuid()),
        sa.Column("details", sa.JSON()),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("secret_hash", name=op.f("pk_one_time_link")),
        _person("one_time_link"),
        sa.CheckConstraint("kind IN ('sign-in', 'reset', 'oidc')", name=op.f("ck_one_time_link_kind")),
    )
    op.create_index(op.f("ix_one_time_link_person_id"), "one_time_link", ["person_id"])
    op.create_table(
        "throttle",
        sa.Column("key", sa.LargeBinary(), nullable=False, comment="SHA-256 of what is held back"),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("blocked_until", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_throttle")),
    )


def _create_teams() -> None:
    now = sa.text("now()")
    op.create_table(
        "membership",
        _org_id(),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.PrimaryKeyConstraint("org_id", "person_id", name=op.f("pk_membership")),
        _org("membership"),
        _person("membership"),
        sa.CheckConstraint(f"role IN {_ROLES}", name=op.f("ck_membership_role")),
    )
    op.create_index(op.f("ix_membership_person_id"), "membership", ["person_id"])
    op.create_table(
        "invitation",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False, comment="SHA-256"),
        sa.Column("invited_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        _org("invitation"),
        sa.UniqueConstraint("org_id", "email", name=op.f("uq_invitation_org_id_email")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_invitation_secret_hash")),
        sa.CheckConstraint(f"role IN {_ROLES}", name=op.f("ck_invitation_role")),
    )
    op.create_table(
        "api_token",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("person_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False, comment="SHA-256"),
        sa.Column("hint", sa.Text(), nullable=False, comment="how it begins"),
        sa.Column("scopes", sa.JSON(), nullable=False, comment="a list"),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True)),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_token")),
        _org("api_token"),
        # Who leaves a team leaves no token behind.
        sa.ForeignKeyConstraint(
            ["org_id", "person_id"],
            ["membership.org_id", "membership.person_id"],
            name=op.f("fk_api_token_membership"),
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_api_token_secret_hash")),
    )
    op.create_index(op.f("ix_api_token_org_id_person_id"), "api_token", ["org_id", "person_id"])
    op.create_table(
        "share_link",
        sa.Column("id", sa.Uuid(), nullable=False),
        _org_id(),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False, comment="SHA-256"),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("object_id", sa.Uuid(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True)),
        sa.Column("views", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_viewed_at", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_share_link")),
        _org("share_link"),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_share_link_secret_hash")),
        sa.CheckConstraint("kind IN ('plan', 'sweep')", name=op.f("ck_share_link_kind")),
    )
    op.create_index(op.f("ix_share_link_org_id_object_id"), "share_link", ["org_id", "object_id"])
    op.create_table(
        "audit_event",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        _org_id(),
        sa.Column("at", sa.DateTime(timezone=True), server_default=now, nullable=False),
        sa.Column("actor_kind", sa.Text(), nullable=False),
        sa.Column("actor_id", sa.Uuid(), comment="of a person, who may be gone"),
        sa.Column("actor_name", sa.Text(), nullable=False, comment="as it was then"),
        sa.Column("token_id", sa.Uuid(), comment="by which the person acted"),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("object_kind", sa.Text()),
        sa.Column("object_id", sa.Text()),
        sa.Column("object_name", sa.Text()),
        sa.Column("changes", sa.JSON(), nullable=False, comment="field -> before, after"),
        sa.Column("address", sa.Text()),
        sa.Column("request_id", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_event")),
        _org("audit_event"),
        sa.CheckConstraint(
            "actor_kind IN ('person', 'token', 'link', 'system')", name=op.f("ck_audit_event_actor_kind")
        ),
    )
    op.create_index(op.f("ix_audit_event_org_id_id"), "audit_event", ["org_id", "id"])


def _admit() -> None:
    application, gate = _role("application_role"), _role("gate_role")
    op.execute(f"GRANT USAGE ON SCHEMA public TO {gate}")
    for table in _GATED:
        _force(table)
        op.execute(f"CREATE POLICY gate ON {table} TO {gate} USING (true) WITH CHECK (true)")
    # Across tenants the gate looks, and writes nothing: what it writes, it writes for one organisation at a time.
    for table in _SEEN_BY_GATE:
        op.execute(f"CREATE POLICY gate ON {table} FOR SELECT TO {gate} USING (true)")
    op.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {', '.join(_GATED)} TO {gate}")
    op.execute(f"GRANT SELECT, INSERT, DELETE ON org, membership TO {gate}")
    op.execute(f"GRANT SELECT, DELETE ON invitation TO {gate}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE (last_used_at, revoked_at) ON api_token TO {gate}")
    op.execute(f"GRANT SELECT, UPDATE (views, last_viewed_at) ON share_link TO {gate}")
    # When something was done is the database's to say.
    op.execute(f"GRANT INSERT ({_TOLD}) ON audit_event TO {gate}, {application}")
    # The application sees the people of the team that it works for, by name and address.
    op.execute(
        f"CREATE POLICY colleague ON person FOR SELECT TO {application} USING "  # noqa: S608 - the dialect quotes the role
        "(EXISTS (SELECT FROM membership WHERE membership.person_id = person.person_id))"
    )
    op.execute(f"GRANT SELECT (person_id, name, email) ON person TO {application}")
    op.execute(f"GRANT UPDATE (name) ON org TO {application}")
    op.execute(f"GRANT SELECT, UPDATE (role), DELETE ON membership TO {application}")
    op.execute(f"GRANT SELECT, INSERT, DELETE ON invitation TO {application}")
    op.execute(f"GRANT SELECT, INSERT, UPDATE (revoked_at) ON api_token, share_link TO {application}")
    op.execute(f"GRANT SELECT ON audit_event TO {application}")
    owed = "owed_parts(double precision, double precision, integer)"
    op.execute(f"REVOKE EXECUTE ON FUNCTION {owed} FROM {application}")
    op.execute(f"GRANT EXECUTE ON FUNCTION {owed} TO {gate}")
    # Last, or whoever may make temporary tables could put one of theirs before ours.
    op.execute(f"ALTER FUNCTION {owed} SET search_path = pg_catalog, public, pg_temp")


def _record() -> None:
    op.execute(_RECORD)
    op.execute("REVOKE ALL ON FUNCTION record_change() FROM PUBLIC")
    for table, (events, columns) in _RECORDED.items():
        _record_on(table, events, columns)
    _record_on("job", "UPDATE OF state", ("id", "kind", "state"), "NEW.state = 'cancelled' AND OLD.state <> NEW.state")


def _record_on(table: str, events: str, columns: tuple[str, ...], only: str = "true") -> None:
    said = ", ".join(f"'{column}'" for column in ("org_id", *columns))
    # Not for what follows from something else: an organisation that is deleted leaves no record of it.
    op.execute(
        f"CREATE TRIGGER record AFTER {events} ON {table} FOR EACH ROW "
        f"WHEN (pg_trigger_depth() = 0 AND {only}) EXECUTE FUNCTION record_change({said})"
    )


def _org_id() -> sa.Column[object]:
    return sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False)


def _org(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f(f"fk_{table}_org"), ondelete="CASCADE")


def _person(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["person_id"], ["person.person_id"], name=op.f(f"fk_{table}_person"), ondelete="CASCADE"
    )


def _force(table: str) -> None:
    op.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
    op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")


def _point_at_org(table: str, ondelete: str | None) -> None:
    op.drop_constraint(op.f(f"fk_{table}_org"), table, type_="foreignkey")
    op.create_foreign_key(op.f(f"fk_{table}_org"), table, "org", ["org_id"], ["org_id"], ondelete=ondelete)


def _role(name: str) -> str:
    return op.get_bind().dialect.identifier_preparer.quote(context.config.attributes[name])


def downgrade() -> None:
    """Drop what was created; people, teams' rights and the record are gone."""
    for table in (*_RECORDED, "job"):
        op.execute(f"DROP TRIGGER record ON {table}")
    op.execute("DROP FUNCTION record_change()")
    application, gate = _role("application_role"), _role("gate_role")
    owed = "owed_parts(double precision, double precision, integer)"
    op.execute(f"REVOKE EXECUTE ON FUNCTION {owed} FROM {gate}")
    op.execute(f"GRANT EXECUTE ON FUNCTION {owed} TO {application}")
    op.execute(f"ALTER FUNCTION {owed} SET search_path = pg_catalog, public")
    op.execute("DROP POLICY gate ON org")
    op.execute(f"REVOKE ALL ON org FROM {gate}")
    op.execute(f"REVOKE UPDATE (name) ON org FROM {application}")
    op.execute("DROP POLICY colleague ON person")
    for table in reversed(_TENANTED):
        op.drop_table(table)
    for table in reversed(_GATED):
        op.drop_table(table)
    for table in _BEFORE:
        _point_at_org(table, ondelete=None)
    op.execute(f"REVOKE USAGE ON SCHEMA public FROM {gate}")
