"""Stored catalogs: versions of instance types, volume types and prices, and refreshes from AWS."""

PUBLIC = (
    "catalogs",
    "store.catalog",
    "tables",
)
"""Modules that other features may import."""
