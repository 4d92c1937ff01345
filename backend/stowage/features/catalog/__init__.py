"""The stored catalog: versions of instance types, volume types and prices, and refreshing them from AWS."""

PUBLIC = (
    "catalogs",
    "store.catalog",
    "tables",
)
"""Modules that other features may import."""
