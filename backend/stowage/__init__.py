"""Stowage: ranked AWS configurations for I/O-bound data jobs."""

__version__ = "0.1.0"
"""Of the distribution too: the build reads it here."""
