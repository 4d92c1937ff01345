"""Alerts: changes that a team is told of by mail or webhook, and where they are sent."""

PUBLIC = (
    "alerts",
    "schemas",
    "store",
)
"""Modules that other features may import."""
