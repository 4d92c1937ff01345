"""Refresh tokens of the OpenID provider: encrypted, when they are tried again, and when one was refused."""

import sqlalchemy as sa
from alembic import context, op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; the owner may re-encrypt the tokens, and lists of API tokens show that they are paused."""
    op.add_column(
        "identity",
        sa.Column(
            "refresh_token",
            sa.LargeBinary(),
            comment="of the provider; encrypted; null: it gave none, or refused it",
        ),
    )
    op.execute("CREATE POLICY reseal ON identity TO CURRENT_USER USING (true) WITH CHECK (true)")
    op.add_column(
        "person",
        sa.Column(
            "provider_check_at",
            sa.DateTime(timezone=True),
            comment="from when on the refresh tokens of the person are tried again; null: none is stored",
        ),
    )
    op.add_column(
        "person",
        sa.Column(
            "provider_refused_at",
            sa.DateTime(timezone=True),
            comment="when the provider refused a refresh token; API tokens are paused; null since the next sign-in",
        ),
    )
    op.execute(f"GRANT SELECT (provider_refused_at) ON person TO {_application()}")


def downgrade() -> None:
    """Drop the columns: API tokens that a refusal paused work again."""
    op.drop_column("person", "provider_refused_at")
    op.drop_column("person", "provider_check_at")
    op.execute("DROP POLICY reseal ON identity")
    op.drop_column("identity", "refresh_token")


def _application() -> str:
    return op.get_bind().dialect.identifier_preparer.quote(context.config.attributes["application_role"])
