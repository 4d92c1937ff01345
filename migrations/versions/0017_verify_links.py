"""One-time links that verify an e-mail address."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Allow the kind `verify`."""
    op.drop_constraint(op.f("ck_one_time_link_kind"), "one_time_link", type_="check")
    op.create_check_constraint("kind", "one_time_link", "kind IN ('sign-in', 'reset', 'oidc', 'verify')")


def downgrade() -> None:
    """Drop links of that kind."""
    op.execute("DELETE FROM one_time_link WHERE kind = 'verify'")
    op.drop_constraint(op.f("ck_one_time_link_kind"), "one_time_link", type_="check")
    op.create_check_constraint("kind", "one_time_link", "kind IN ('sign-in', 'reset', 'oidc')")
