"""Catalog of instance types, volume types and prices: its stored versions, and refreshes from AWS."""

PUBLIC = (
    "catalogs",
    "store.catalog",
    "tables",
)
"""Modules that other features may import."""
