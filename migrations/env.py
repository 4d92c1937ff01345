"""What Alembic runs for each command; `stowage.store.migration` starts it and hands over the connection."""

from alembic import context

from stowage.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
