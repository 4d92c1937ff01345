"""Queries of the audit log and of search."""
