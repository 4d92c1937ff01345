"""Measurements: uploads of benchmark output, review of the parsed results, and profiles computed from them."""

PUBLIC = (
    "measurements",
    "profiles",
    "sandboxed_reading",
    "schemas",
    "store.measurements",
    "store.profiles",
    "store.uploads",
    "stored_readings",
    "tables",
    "uploads",
)
"""Modules that other features may import."""
