"""The catalog as a team sees it: versions, regions, types with published and own figures, price history."""

PUBLIC = (
    "catalogue_table",
    "exploration",
    "schemas",
)
"""Modules that other features may import."""
