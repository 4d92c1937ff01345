"""Database queries for the audit log and for search."""
