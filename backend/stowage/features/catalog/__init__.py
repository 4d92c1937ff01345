"""The stored catalog: versions of instance types, volume types and prices, and refreshing them from AWS."""

PUBLIC = (
    "catalogues",
    "store.catalogue",
    "tables",
)
"""Modules that other features may import."""
