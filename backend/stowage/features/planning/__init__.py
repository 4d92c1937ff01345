"""Planning of clusters: ranked configurations, predictions, saved plans, explanations, cost over time, exports."""

PUBLIC = (
    "decided",
    "deciding",
    "basis",
    "outlook.blocks",
    "outlook.outlooks",
    "outlook.schemas",
    "planning",
    "plans",
    "ranking",
    "reranking",
    "routes",
    "schemas",
    "since",
    "store",
)
"""Modules that other features may import."""
