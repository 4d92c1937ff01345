"""Sweeps: one workload over a grid of two variables."""

PUBLIC = (
    "schemas",
    "store",
    "sweep_file",
    "sweeps",
)
"""Modules that other features may import."""
