"""Workload files and answers: the language that CLI, API and features share. No database."""
