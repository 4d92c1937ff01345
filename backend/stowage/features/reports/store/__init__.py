"""Queries of reports, comments and share links."""
