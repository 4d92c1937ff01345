"""The only room that knows the database: tables, queries, tenancy, and the server of one machine."""
