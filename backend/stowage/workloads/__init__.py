"""Workload files and answers: the documents that CLI, API and features share. Uses no database."""
