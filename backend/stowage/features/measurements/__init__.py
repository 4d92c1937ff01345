"""Measurements: uploads of benchmark output, review of their results, and profiles computed from the measurements."""

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
