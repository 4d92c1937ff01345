"""PostgreSQL: connections, tenancy, migration, encryption at rest, and the embedded server of one machine."""
