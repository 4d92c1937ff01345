"""Profiles: statistics over the measurements of one target, and changes over time."""
