"""Readers of the job logs of frameworks."""
