"""Catalog views for a team: versions, regions, types with published and own figures, price history."""

PUBLIC = (
    "catalog_table",
    "exploration",
    "schemas",
)
"""Modules that other features may import."""
