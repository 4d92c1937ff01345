"""Calibration: finished jobs, framework profiles fitted to them, a team's knowledge, model accuracy."""

PUBLIC = (
    "store.standing",
    "team_knowledge",
    "validation",
)
"""Modules that other features may import."""
