"""Readers of monitors that ran beside a job."""
