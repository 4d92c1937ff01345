"""Calibration: finished jobs, fitted profiles, the knowledge of a team, and model accuracy."""

PUBLIC = (
    "store.standing",
    "team_knowledge",
    "validation",
)
"""Modules that other features may import."""
