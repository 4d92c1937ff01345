"""Workload files (requests of users) and answers, which the CLI, the API and the features share.

This package uses no database.
"""
