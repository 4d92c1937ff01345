"""Calibration: finished jobs, profiles fitted to them, what a team's predictions rest on, model accuracy."""

PUBLIC = (
    "store.standing",
    "team_knowledge",
    "validation",
)
"""Modules that other features may import."""
