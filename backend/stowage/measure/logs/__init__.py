"""Readers of job logs of data processing frameworks."""
