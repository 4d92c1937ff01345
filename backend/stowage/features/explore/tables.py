"""Definition of the database table of saved views of the instance types."""

from sqlalchemy import JSON, Column, Text

from stowage.platform.database.columns import Moment, made, team_table

saved_view = team_table(
    "saved_view",
    Column("name", Text, nullable=False),
    Column("shown", JSON, nullable=False, comment="filters, order, columns and axes"),
    Column("person", Text, nullable=False, comment="who saved it, by the name at that time"),
    made(),
    Column("deleted_at", Moment),
)
