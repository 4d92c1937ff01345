"""Sweeps: the best configuration for one workload in each cell of a grid over two of its quantities."""

PUBLIC = (
    "schemas",
    "store",
    "sweep_file",
    "sweeps",
)
"""Modules that other features may import."""
