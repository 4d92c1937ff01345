"""Queries of finished jobs, calibrations, and what a team knows."""
