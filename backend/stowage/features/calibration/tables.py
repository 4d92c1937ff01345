"""Definitions of the database tables of finished jobs and of the calibrations fitted to them."""

from sqlalchemy import (
    JSON,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
)

from stowage.platform.database.columns import Moment, belongs_to, made, metadata, team_table, tenant

finished_job = team_table(
    "finished_job",
    Column("fingerprint", LargeBinary, nullable=False, comment="SHA-256 of what was said: known, it is not kept"),
    Column("name", Text, nullable=False),
    Column("job", Text, nullable=False, comment="sort, mapreduce, ..."),
    Column("framework", Text, nullable=False),
    Column("instance", Text, nullable=False),
    Column("nodes", Integer, nullable=False),
    Column("workload", JSON, nullable=False, comment="all that was said of it"),
    Column("measured_s", Double, nullable=False),
    Column("phases", JSON, nullable=False, comment="name -> seconds; empty where they are not known"),
    Column("started_at", Moment),
    Column("upload_id", Uuid, ForeignKey("upload.id"), comment="the file that it was read from"),
    Column("person", Text, nullable=False, comment="who kept it, as they were called then"),
    made(),
    Column("withdrawn_at", Moment, comment="it is left out of calibrations since then"),
    CheckConstraint("nodes > 0", name="nodes"),
    CheckConstraint("measured_s > 0 AND measured_s < 'Infinity'", name="measured_s"),
    UniqueConstraint("org_id", "fingerprint"),
    Index(None, "upload_id"),
)

finished_job_series = Table(
    "finished_job_series",
    metadata,
    belongs_to("finished_job", primary_key=True),
    belongs_to("measurement", primary_key=True),
    tenant(),
    Index(None, "measurement_id"),
)

calibration = team_table(
    "calibration",
    Column("framework", Text, nullable=False),
    Column("digest", Text, nullable=False, comment="SHA-256 of the content"),
    Column("content", JSON, nullable=False, comment="coefficients, errors, and the runs that they rest on"),
    Column("person", Text, nullable=False, comment="who asked for it, as they were called then"),
    made(),
    Column("not_refitted", Text, comment="why it could not be fitted again with newer physics"),
    CheckConstraint("digest ~ '^[0-9a-f]{64}$'", name="digest"),
)
