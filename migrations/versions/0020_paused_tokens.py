"""When a person last signed in, for the lists of tokens: they show which of them pause."""

from alembic import context, op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let the application read the time of its team's people."""
    op.execute(f"GRANT SELECT (signed_in_at) ON person TO {_application()}")


def downgrade() -> None:
    """Take the right back."""
    op.execute(f"REVOKE SELECT (signed_in_at) ON person FROM {_application()}")  # noqa: S608 - the dialect quotes the role


def _application() -> str:
    return op.get_bind().dialect.identifier_preparer.quote(context.config.attributes["application_role"])
