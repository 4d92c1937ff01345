"""Chance of data loss."""
