"""Queries for catalog versions and refreshes."""
