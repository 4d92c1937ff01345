"""Profiles: what measurements of one target say together, and how it changed."""
