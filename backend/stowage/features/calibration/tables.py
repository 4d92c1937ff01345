"""Definitions of the database tables of finished jobs and of the calibrations fitted to them."""

import sqlalchemy as sa

from stowage.platform.database.columns import Moment, belongs_to, made, metadata, team_table, tenant

finished_job = team_table(
    "finished_job",
    sa.Column("fingerprint", sa.LargeBinary, nullable=False, comment="SHA-256 of what was said: known, it is not kept"),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("job", sa.Text, nullable=False, comment="sort, mapreduce, ..."),
    sa.Column("framework", sa.Text, nullable=False),
    sa.Column("instance", sa.Text, nullable=False),
    sa.Column("nodes", sa.Integer, nullable=False),
    sa.Column("workload", sa.JSON, nullable=False, comment="all that was said of it"),
    sa.Column("measured_s", sa.Double, nullable=False),
    sa.Column("phases", sa.JSON, nullable=False, comment="name -> seconds; empty where they are not known"),
    sa.Column("started_at", Moment),
    sa.Column("upload_id", sa.Uuid, sa.ForeignKey("upload.id"), comment="the file that it was read from"),
    sa.Column("person", sa.Text, nullable=False, comment="who kept it, as they were called then"),
    made(),
    sa.Column("withdrawn_at", Moment, comment="it is left out of calibrations since then"),
    sa.CheckConstraint("nodes > 0", name="nodes"),
    sa.CheckConstraint("measured_s > 0 AND measured_s < 'Infinity'", name="measured_s"),
    sa.UniqueConstraint("org_id", "fingerprint"),
    sa.Index(None, "upload_id"),
)

finished_job_series = sa.Table(
    "finished_job_series",
    metadata,
    belongs_to("finished_job", primary_key=True),
    belongs_to("measurement", primary_key=True),
    tenant(),
    sa.Index(None, "measurement_id"),
)

calibration = team_table(
    "calibration",
    sa.Column("framework", sa.Text, nullable=False),
    sa.Column("digest", sa.Text, nullable=False, comment="SHA-256 of the content"),
    sa.Column("content", sa.JSON, nullable=False, comment="coefficients, errors, and the runs that they rest on"),
    sa.Column("person", sa.Text, nullable=False, comment="who asked for it, as they were called then"),
    made(),
    sa.Column("not_refitted", sa.Text, comment="why it could not be fitted again with newer physics"),
    sa.CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
)

price_terms = team_table(
    "price_terms",
    sa.Column("percents", sa.JSON, nullable=False, comment="discounts in percent, by service"),
    sa.Column("words", sa.Text, nullable=False, comment="the discounts in a few words"),
    sa.Column("digest", sa.Text, nullable=False, comment="SHA-256 of discounts and day; empty without a discount"),
    sa.Column("person", sa.Text, nullable=False, comment="name of the person who set them, as it was then"),
    made(),
)
