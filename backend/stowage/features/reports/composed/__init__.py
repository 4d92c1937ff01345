"""Composers of reports: each module builds sections of a report from stored data."""
