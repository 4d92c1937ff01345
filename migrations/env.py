"""Environment of Alembic commands; `stowage.platform.database.migration` starts it and hands over the connection."""

from alembic import context

from stowage.features.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
