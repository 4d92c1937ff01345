"""Jobs that were read of an uploaded log and await review."""

import sqlalchemy as sa
from alembic import context, op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

_TENANT = "NULLIF(current_setting('stowage.org_id', true), '')::uuid"


def upgrade() -> None:
    """Create the table beside those of readings and problems, with the same rights."""
    op.create_table(
        "upload_job",
        sa.Column("upload_id", sa.Uuid(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False, comment="from 0, in the order of the file"),
        sa.Column("org_id", sa.Uuid(), server_default=sa.text(_TENANT), nullable=False),
        sa.Column("member", sa.Text(), nullable=False, comment="path in the archive; empty where it is no archive"),
        sa.Column("content", sa.JSON(), nullable=False, comment="the job as the log describes it"),
        sa.ForeignKeyConstraint(["org_id"], ["org.org_id"], name=op.f("fk_upload_job_org"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["upload_id"], ["upload.id"], name=op.f("fk_upload_job_upload"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("upload_id", "position", name=op.f("pk_upload_job")),
    )
    op.execute("ALTER TABLE upload_job ENABLE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE upload_job FORCE ROW LEVEL SECURITY")
    op.execute(f"CREATE POLICY tenant ON upload_job USING (org_id = {_TENANT}) WITH CHECK (org_id = {_TENANT})")
    role = op.get_bind().dialect.identifier_preparer.quote(context.config.attributes["application_role"])
    op.execute(f"GRANT SELECT, INSERT, DELETE ON upload_job TO {role}")


def downgrade() -> None:
    """Drop the table: logs that await review have to be uploaded again."""
    op.drop_table("upload_job")
