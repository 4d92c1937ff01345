"""Database queries for finished jobs, calibrations, and digests of a team's own data."""
