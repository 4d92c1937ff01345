"""Alerts: changes in measurements and watched plans, sent by mail or webhook."""

PUBLIC = (
    "alerts",
    "store",
)
"""Modules that other features may import."""
