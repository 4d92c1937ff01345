"""Definition of the database table of inboxes."""

from sqlalchemy import JSON, Column, ForeignKey, Table, Uuid

from stowage.platform.database.columns import Moment, metadata, tenant

inbox = Table(
    "inbox",
    metadata,
    tenant(primary_key=True),
    Column("person_id", Uuid, ForeignKey("person.person_id", ondelete="CASCADE"), primary_key=True),
    Column("read_until", Moment, comment="up to which everything counts as read"),
    Column("read_ids", JSON, nullable=False, comment="ids of later notifications that are read"),
    Column("mailed_kinds", JSON, nullable=False, comment="kinds of notifications that are mailed"),
    Column("mailed_until", Moment, comment="up to which notifications were mailed; null where none are mailed"),
)
