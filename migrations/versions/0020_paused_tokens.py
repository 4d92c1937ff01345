"""Permission to read when a person last signed in: lists of tokens show which ones are paused."""

from alembic import context, op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Grant the application role the time of the last sign-in of its team's members."""
    op.execute(f"GRANT SELECT (signed_in_at) ON person TO {_application()}")


def downgrade() -> None:
    """Revoke the permission."""
    op.execute(f"REVOKE SELECT (signed_in_at) ON person FROM {_application()}")  # noqa: S608 - the dialect quotes the role


def _application() -> str:
    return op.get_bind().dialect.identifier_preparer.quote(context.config.attributes["application_role"])
