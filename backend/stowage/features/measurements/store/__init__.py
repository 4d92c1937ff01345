"""Queries for uploads, measurements and profiles."""
