"""Alerts about changes of measured metrics and of watched plans, sent by mail or to a webhook."""

PUBLIC = (
    "alerts",
    "store",
)
"""Modules that other features may import."""
