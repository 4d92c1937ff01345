"""Queries of catalog versions and refreshes."""
