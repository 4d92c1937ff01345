"""Queries of monitored volumes and their metrics."""
