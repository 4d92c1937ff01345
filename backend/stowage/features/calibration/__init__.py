"""Calibration of the model: finished jobs, profiles fitted to them, a team's own data, and accuracy of predictions."""

PUBLIC = (
    "store.standing",
    "team_knowledge",
    "validation",
)
"""Modules that other features may import."""
