"""Queries of uploads, measurements and profiles."""
