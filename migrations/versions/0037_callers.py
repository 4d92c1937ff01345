"""Functions that find the caller of a request by a secret, so that authentication and route share a transaction."""

from alembic import context, op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

_CALLER = """
    person_id uuid, name text, email text, org_id uuid, role text, session_id uuid, token_id uuid, csrf text,
    scopes json, used_at timestamptz, proved_at timestamptz, signed_in_at timestamptz, provider_check_at timestamptz,
    provider_refused_at timestamptz
"""

# PL/pgSQL keeps the plan: planning the join would take longer than running it.
_BY_SESSION = f"""
CREATE FUNCTION caller_by_session(secret bytea, at timestamptz, rotated_after timestamptz, seen_after timestamptz)
RETURNS TABLE ({_CALLER})
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT person.person_id, person.name, person.email, membership.org_id, membership.role, session.id, NULL::uuid,
           session.csrf, NULL::json, session.seen_at, session.proved_at, person.signed_in_at,
           person.provider_check_at, person.provider_refused_at
    FROM session
    JOIN person ON person.person_id = session.person_id
    LEFT JOIN membership ON membership.org_id = session.team_id AND membership.person_id = session.person_id
    WHERE (session.secret_hash = secret OR session.previous_hash = secret AND session.rotated_at > rotated_after)
      AND session.ends_at > at AND session.seen_at > seen_after;
END
$$
"""  # noqa: S608 - a constant

_BY_TOKEN = f"""
CREATE FUNCTION caller_by_token(secret bytea, at timestamptz)
RETURNS TABLE ({_CALLER})
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT person.person_id, person.name, person.email, membership.org_id, membership.role, NULL::uuid, api_token.id,
           NULL::text, api_token.scopes, api_token.last_used_at, NULL::timestamptz, person.signed_in_at,
           person.provider_check_at, person.provider_refused_at
    FROM api_token
    JOIN membership ON membership.org_id = api_token.org_id AND membership.person_id = api_token.person_id
    JOIN person ON person.person_id = api_token.person_id
    WHERE api_token.secret_hash = secret AND api_token.revoked_at IS NULL AND api_token.expires_at > at;
END
$$
"""  # noqa: S608 - a constant

_FUNCTIONS = {
    "caller_by_session(bytea, timestamptz, timestamptz, timestamptz)": _BY_SESSION,
    "caller_by_token(bytea, timestamptz)": _BY_TOKEN,
}
_READ = ("session", "person", "membership", "api_token")


def upgrade() -> None:
    """Create the functions, which both roles may call: a caller who knows a secret learns whose it is."""
    # The owner is bound by the policies too.
    for table in _READ:
        op.execute(f"CREATE POLICY caller ON {table} FOR SELECT TO CURRENT_USER USING (true)")
    for function, definition in _FUNCTIONS.items():
        op.execute(definition)
        op.execute(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        op.execute(f"GRANT EXECUTE ON FUNCTION {function} TO {_role('application_role')}, {_role('gate_role')}")


def downgrade() -> None:
    """Drop the functions, and what they needed."""
    for function in _FUNCTIONS:
        op.execute(f"DROP FUNCTION {function}")
    for table in _READ:
        op.execute(f"DROP POLICY caller ON {table}")


def _role(which: str) -> str:
    preparer = op.get_bind().dialect.identifier_preparer
    return preparer.quote(context.config.attributes[which])
