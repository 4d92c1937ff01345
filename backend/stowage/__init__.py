"""Stowage: ranked AWS configurations for I/O-bound data jobs."""

from importlib.metadata import version

__version__ = version("stowage")
