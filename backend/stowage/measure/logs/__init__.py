"""Readers of logs that frameworks write of their jobs."""
