"""Queries of AWS accounts, benchmark runs and their events."""
