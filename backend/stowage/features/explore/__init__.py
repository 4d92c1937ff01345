"""Views of the catalog for a team: versions, regions, instance and volume types, price history, differences."""

PUBLIC = (
    "exploration",
    "schemas",
)
"""Modules that other features may import."""
