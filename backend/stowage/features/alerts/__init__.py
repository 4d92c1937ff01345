"""Alerts: changes in measurements and watched plans, sent by mail or webhook."""

PUBLIC = (
    "alerts",
    "schemas",
    "store",
)
"""Modules that other features may import."""
