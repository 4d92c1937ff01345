"""Database queries for AWS accounts, benchmark runs and their events."""
